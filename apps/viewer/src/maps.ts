// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What only maps have, drawn from the program's answers: distances on a level slice, the cells of the map's tree, and the
// perimeter functions of the free cell under the ball. All of it stands in the world and is asked again when the map moves.

import * as THREE from "three";
import type { App } from "./app";
import { Newest } from "./link";
import type { CellsAnswer, GeometrySize, Interval, MapEvent, Part, PerimeterAnswer, Pose, SliceAnswer } from "./protocol";
import { bytesAt, bytesOfBase64, matrixOf } from "./shapes";

/** Yellow is near and blue is far, as everywhere on the page; what is inside of an obstacle is vermilion. */
const NEAR_COLOR = [242, 183, 1];
const MIDDLE_COLOR = [178, 190, 178];
const FAR_COLOR = [24, 84, 150];
const INSIDE_COLOR = [219, 58, 18];
const CELL_COLORS = { free: 0x7aa6d1, occupied: 0x46525f, unknown: 0xa95aa1 };
const OBSTACLE_COLORS = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0xd55e00, 0x56b4e9];

const REST = 250; // milliseconds that a ball keeps its height before a slice, which is thousands of distances, is asked there

export type MapLayer = "slice" | "cells" | "perimeter";

export class Maps {
    readonly shown = new Set<MapLayer>();
    body = -1;
    height = NaN; // of the slice, metres; no number: as level() says
    private resting = 0;
    private sliced = NaN; // where the slice that is drawn is
    most = 0; // greatest distance on it
    counted = ""; // of cells
    error = "";
    private readonly drawn = new Map<MapLayer, THREE.Object3D>();
    private readonly asked = new Map<MapLayer, Newest>([["slice", new Newest()], ["cells", new Newest()], ["perimeter", new Newest()]]);
    private readonly fetched = new Map<number, Newest>();
    private pose = "";

    constructor(private readonly app: App) {
        app.on("answer", () => this.follow());
        app.on("ball", () => {
            if (this.shown.has("perimeter")) this.ask("perimeter");
            window.clearTimeout(this.resting);
            if (this.shown.has("slice") && this.level() !== this.sliced) this.resting = window.setTimeout(() => this.ask("slice"), REST);
        });
    }

    choose(body: number): void {
        this.body = body;
        this.height = NaN;
        this.refresh();
    }

    /** As a link has it. */
    restore(body: number, height: number | undefined, layers: string[]): void {
        this.body = body;
        this.height = height ?? NaN;
        for (const layer of this.asked.keys()) this.show(layer, layers.includes(layer));
    }

    /** Where the slice is: at the ball's height, without one in the middle of the object, until somebody says else. */
    level(): number {
        const ball = this.app.ball;
        if (Number.isNaN(this.height) && ball && ball.body === this.body && !this.isFlat()) return ball.centre[2];
        const box = this.app.stage?.box(this.body);
        if (Number.isNaN(this.height) && box && !box.isEmpty()) return 0.5 * (box.min.z + box.max.z);
        return Number.isNaN(this.height) ? 0 : this.height;
    }

    private isFlat(): boolean {
        return this.app.scene.bodies[this.body]?.map?.dim === 2;
    }

    show(layer: MapLayer, on: boolean): void {
        if (on) this.shown.add(layer);
        else this.shown.delete(layer);
        this.ask(layer);
    }

    setHeight(height: number): void {
        this.height = height;
        this.ask("slice");
    }

    private refresh(): void {
        for (const layer of this.asked.keys()) this.ask(layer);
    }

    /** A map that was moved is asked about again. */
    private follow(): void {
        const pose = this.app.pose(this.body)?.join() ?? "";
        if (pose === this.pose) return;
        this.pose = pose;
        if (this.shown.size > 0) this.refresh();
    }

    // ---- maps whose cells change while they are shown ----

    changed(event: MapEvent): void {
        if (event.error) this.app.say(`${event.body}: ${event.error}`);
        else this.fetch(this.app.bodyOf(event.body));
    }

    /** What changed before this page was there, or while it was not connected. */
    renew(): void {
        if (!this.app.scene.live) return;
        this.app.scene.bodies.forEach((body, index) => body.map && this.fetch(index));
    }

    /** Its surface, and the answers that rest on it. */
    private fetch(body: number): void {
        const { app } = this;
        const newest = this.fetched.get(body) ?? new Newest();
        this.fetched.set(body, newest);
        newest.run(async () => {
            try {
                const answer = await app.source.ask<{ parts: Part[]; geometry: GeometrySize; data: string }>("layer", { name: "collision", body });
                app.stage?.addParts(answer.parts, bytesAt(bytesOfBase64(answer.data), answer.geometry));
                app.renew();
                if (body === this.body) this.refresh();
            } catch (error) {
                app.say(String((error as Error).message));
            }
        });
    }

    private ask(layer: MapLayer): void {
        if (!this.shown.has(layer)) {
            this.put(layer, null);
            this.app.tell("ball-layers");
            return;
        }
        this.asked.get(layer)?.run(async () => {
            try {
                this.put(layer, await this.make(layer));
                this.error = "";
            } catch (error) {
                this.put(layer, null);
                this.error = String((error as Error).message);
            }
            this.app.tell("ball-layers");
        });
    }

    private put(layer: MapLayer, object: THREE.Object3D | null): void {
        const worn = this.app.stage?.worn;
        const old = this.drawn.get(layer);
        if (old) {
            worn?.remove(old);
            old.traverse((each) => (each as THREE.Mesh).geometry?.dispose());
        }
        this.drawn.delete(layer);
        if (object && worn && this.shown.has(layer)) {
            worn.add(object);
            this.drawn.set(layer, object);
        }
        this.app.stage?.draw();
    }

    private async make(layer: MapLayer): Promise<THREE.Object3D | null> {
        const { app, body } = this;
        if (layer === "slice") return this.makeSlice();
        if (layer === "cells") {
            const answer = await app.source.ask<CellsAnswer>("cells", { map: body });
            const all = answer.leaves.length / 5;
            this.counted = all < answer.count ? `the first ${all.toLocaleString("en")} of ${answer.count.toLocaleString("en")} cells` : `${answer.count.toLocaleString("en")} cells`;
            return cellLines(answer);
        }
        const ball = app.ball;
        if (!ball) throw new Error("Put a ball: the functions are of the free cell that it is in.");
        return perimeterRibbons(await app.source.ask<PerimeterAnswer>("perimeter", { map: body, centre: ball.centre, radius: ball.radius }));
    }

    private async makeSlice(): Promise<THREE.Object3D | null> {
        const box = this.app.stage?.box(this.body);
        if (!box || box.isEmpty()) return null;
        // A map ends where it ends; what is about a single thing is worth a look too.
        const air = this.app.scene.bodies[this.body]?.map ? 0 : 0.6 * Math.max(box.max.x - box.min.x, box.max.y - box.min.y, 0.2);
        const low: [number, number] = [box.min.x - air, box.min.y - air];
        const high: [number, number] = [box.max.x + air, box.max.y + air];
        const height = this.level();
        this.sliced = height;
        const answer = await this.app.source.ask<SliceAnswer>("slice", { map: this.body, low, high, height });
        this.most = Math.max(1e-6, ...answer.distance.map((value) => value ?? 0));
        return slicePlane(answer, low, high, height, this.most);
    }
}

function mix(a: number[], b: number[], share: number): number[] {
    return a.map((from, i) => from + share * ((b[i] as number) - from));
}

/** The colour of a distance, 0 to 255; lines of equal distance are darker. */
export function distanceColor(distance: number, most: number): number[] {
    if (!(distance > 0)) return INSIDE_COLOR;
    const share = Math.min(1, distance / most);
    return share < 0.5 ? mix(NEAR_COLOR, MIDDLE_COLOR, 2 * share) : mix(MIDDLE_COLOR, FAR_COLOR, 2 * share - 1);
}

/** Metres between two lines of equal distance: a round number, about eight of them. */
export function lineStep(most: number): number {
    const rough = most / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
}

function slicePlane(answer: SliceAnswer, low: [number, number], high: [number, number], height: number, most: number): THREE.Mesh {
    const [nx, ny] = answer.size;
    const data = new Uint8Array(4 * nx * ny);
    const step = lineStep(most);
    const band = (index: number): number => Math.floor((answer.distance[index] ?? 0) / step);
    for (let i = 0; i < nx * ny; i += 1) {
        const line = (i % nx > 0 && band(i) !== band(i - 1)) || (i >= nx && band(i) !== band(i - nx));
        const color = distanceColor(answer.distance[i] ?? 0, most).map((value) => (line ? 0.72 * value : value));
        data.set([...color, 235], 4 * i);
    }
    const texture = new THREE.DataTexture(data, nx, ny);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.magFilter = THREE.NearestFilter;
    texture.needsUpdate = true;
    const plane = new THREE.Mesh(
        new THREE.PlaneGeometry(high[0] - low[0], high[1] - low[1]),
        new THREE.MeshBasicMaterial({ map: texture, transparent: true, side: THREE.DoubleSide }),
    );
    plane.position.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, height);
    return plane;
}

const CORNERS: [number, number][] = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
const KINDS = ["free", "occupied", "unknown"] as const;

/** Boxes of space, squares of the plane on top of its walls. */
function cellLines(answer: CellsAnswer): THREE.Object3D {
    const points: number[] = [];
    const colors: number[] = [];
    const tones = KINDS.map((kind) => new THREE.Color(CELL_COLORS[kind]));
    const edges = answer.dim === 2 ? CORNERS.filter(([a, b]) => a < 4 && b < 4) : CORNERS;
    const lift = answer.dim === 2 ? (answer.height[1] ?? 0) + 0.004 : 0;
    for (let i = 0; i + 5 <= answer.leaves.length; i += 5) {
        const [x, y, z, width, kind] = answer.leaves.slice(i, i + 5) as [number, number, number, number, number];
        const tone = tones[kind] ?? (tones[2] as THREE.Color);
        for (const edge of edges) {
            for (const corner of edge) {
                points.push(x + (corner & 1 ? width : 0), y + (corner & 2 ? width : 0), z + lift + (corner & 4 ? width : 0));
                colors.push(tone.r, tone.g, tone.b);
            }
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
    return at(new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true })), answer.pose);
}

function at<T extends THREE.Object3D>(object: T, pose: Pose): T {
    object.applyMatrix4(matrixOf(pose));
    return object;
}

/**
 * Outside of each side of the cell: how far the nearest obstacle is from that point of the side, drawn straight out. One colour an obstacle.
 */
function perimeterRibbons(answer: PerimeterAnswer): THREE.Object3D {
    const [x, y, , width] = answer.leaf as [number, number, number, number, number];
    const z = (answer.height[1] ?? 0) + 0.008;
    const thick = Math.max(0.02 * width, 0.006);
    const group = new THREE.Group();
    const square: [number, number][] = [[x, y], [x + width, y], [x + width, y + width], [x, y + width], [x, y]];
    for (let i = 0; i < 4; i += 1) group.add(ribbon(square[i] as [number, number], square[i + 1] as [number, number], z, thick, 0x16202a));
    const obstacles = [...new Set(answer.intervals.map((interval) => interval.obstacle))];
    for (const interval of answer.intervals) {
        const color = OBSTACLE_COLORS[obstacles.indexOf(interval.obstacle) % OBSTACLE_COLORS.length] as number;
        const [from, to] = intervalEnds(interval, x, y, width);
        group.add(ribbon(from, to, z, 1.6 * thick, color));
    }
    return at(group, answer.pose);
}

/** The two ends of an interval's line, on the side where its face is: -x, +x, -y, +y. */
export function intervalEnds(interval: Interval, x: number, y: number, width: number): [[number, number], [number, number]] {
    const out = interval.face % 2 === 0 ? -1 : 1;
    const base = (interval.face < 2 ? x : y) + (out > 0 ? width : 0);
    const point = (along: number, distance: number): [number, number] =>
        interval.face < 2 ? [base + out * distance, along] : [along, base + out * distance];
    return [point(interval.from, interval.distance_from), point(interval.to, interval.distance_to)];
}

function ribbon(from: [number, number], to: [number, number], z: number, width: number, color: number): THREE.Mesh {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    const strip = new THREE.Mesh(new THREE.PlaneGeometry(length + width, width), new THREE.MeshBasicMaterial({ color, side: THREE.DoubleSide, depthTest: false, transparent: true }));
    strip.position.set((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, z);
    strip.rotation.z = Math.atan2(dy, dx);
    strip.renderOrder = 9;
    return strip;
}
