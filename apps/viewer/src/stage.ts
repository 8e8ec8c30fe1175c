// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The drawing: bodies in their poses, one mesh a body and layer, drawn only when something changed. With two states side by
// side the same bodies are drawn twice, with the poses and marks of each. Poses come from the program; nothing moves by itself.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Backdrop, STILL_LAYER } from "./backdrop";
import { Marks } from "./marks";
import type { Body, Part, Pose, SceneText } from "./protocol";
import { makeRenderer, paint } from "./paint";
import { coarser, matrixOf, mergedGeometry, type Bytes } from "./shapes";
import type { Mood } from "./words";

/** Told apart by people who do not see red and green apart: blue, yellow, vermilion, purple (after Okabe and Ito). */
export const MOOD_COLOR: Record<Mood, number> = { free: 0x2f7fc4, near: 0xf2b701, collision: 0xdb3a12, unknown: 0xa95aa1 };

const ROBOT_COLORS = [0xc3cddb, 0xd9c9a8, 0xb5cfc0, 0xcbbfd9];
const OBJECT_COLORS = [0xaebccb, 0xc9baa4, 0xaec2b1, 0xc2b4c2, 0xb9bdcb, 0xcbc1a0];
const FLOOR_COLOR = { light: 0xe3e7eb, dark: 0x3a424b };
const ATTACHED_COLOR = 0x86b5a6;
const SPARE_LAYER_COLOR: Record<string, number> = { spheres: 0x56b4e9, capsules: 0x4fae9b, rss: 0x8c7bd1 };
const GLASS = 0.38; // how much is seen of what is seen through,
const MANY_GLASS = 0.17; // and of volumes that lie over each other
const RAY_TRIANGLES = 60000; // more are not asked what hides what
const SLOW_FRAME = 36; // milliseconds from frame to frame; above it fewer pixels are drawn while things move

interface BodyNode {
    group: THREE.Group;
    layers: Map<string, THREE.Mesh>;
    endless: boolean; // has a half-space: no part of what the camera frames
    floor: boolean; // wide and thin: pale, so that what stands on it is seen
}

export class Stage {
    readonly canvas: HTMLCanvasElement;
    readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 500);
    readonly controls: OrbitControls;
    readonly marks: [Marks, Marks] = [new Marks(), new Marks()];
    readonly ghost = new THREE.Group(); // what belongs to the tools: handles, a ball
    readonly worn = new THREE.Group(); // trees and leaves, the same on both sides
    frames = 0;
    frameTime = 0;
    split = false;
    scale = 1; // metres across the scene
    steady = false; // never draw fewer pixels: for pictures
    private readonly renderer: THREE.WebGLRenderer;
    private readonly world = new THREE.Scene();
    private readonly light = new THREE.DirectionalLight(0xffffff, 2.1); // of marks and balls; bodies are lit by paint.ts
    private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.5);
    private grid: THREE.GridHelper | null = null;
    private nodes: BodyNode[] = [];
    private bodies: Body[] = [];
    private poses: [Pose[], Pose[]] = [[], []];
    private moods: [Map<number, Mood>, Map<number, Mood>] = [new Map(), new Map()];
    private materials = new Map<string, THREE.ShaderMaterial>();
    private shown = new Set<string>();
    private selected = -1;
    private asked = false;
    private sharp = 1;
    private coarse = false;
    private moving = 0;
    private floor = 0;
    private dark = false;
    private cut: number | null = null;
    private readonly backdrop: Backdrop;

    constructor(private readonly host: HTMLElement) {
        this.renderer = makeRenderer();
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.autoClear = false;
        this.backdrop = new Backdrop(this.renderer, this.world);
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        host.append(this.canvas);
        this.camera.up.set(0, 0, 1);
        this.camera.layers.enableAll();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", () => this.draw());
        this.world.add(this.light, this.light.target, this.sky, this.ghost, this.worn);
        for (const marks of this.marks) {
            this.world.add(marks.group);
            host.append(marks.labels);
        }
        new ResizeObserver(() => this.resize()).observe(host);
        this.resize();
    }

    /** Builds the meshes of a scene; layers that come later are added by addParts. */
    setScene(scene: SceneText, bytes: Bytes): void {
        this.bodies = scene.bodies;
        this.nodes = scene.bodies.map(() => ({ group: new THREE.Group(), layers: new Map(), endless: false, floor: false }));
        this.nodes.forEach((node, index) => {
            node.group.matrixAutoUpdate = false;
            node.group.userData.body = index;
            this.world.add(node.group);
        });
        this.addParts(scene.parts, bytes);
    }

    addParts(parts: Part[], bytes: Bytes): void {
        const by = new Map<string, Part[]>();
        for (const part of parts) {
            const key = `${part.body} ${part.layer}`;
            const list = by.get(key);
            if (list) list.push(part);
            else by.set(key, [part]);
        }
        for (const list of by.values()) {
            const { body, layer } = list[0] as Part;
            const node = this.nodes[body];
            const geometry = mergedGeometry(list, bytes);
            if (!node || !geometry) continue;
            node.endless ||= list.some((part) => part.shape.kind === "halfspace");
            const old = node.layers.get(layer);
            if (old) {
                node.group.remove(old);
                old.geometry.dispose();
            }
            const mesh = new THREE.Mesh(geometry);
            if (layer === "visual") mesh.userData = { fine: geometry, coarse: coarser(geometry) };
            node.layers.set(layer, mesh);
            node.group.add(mesh);
        }
        this.backdrop.follow(this.nodes.map((node) => [...node.layers.values()]));
        this.dress();
    }

    hasLayer(layer: string): boolean {
        return this.nodes.some((node) => node.layers.has(layer));
    }

    showLayers(layers: Set<string>): void {
        this.shown = new Set(layers);
        this.backdrop.forget();
        this.dress();
    }

    setPoses(side: 0 | 1, poses: Pose[]): void {
        this.poses[side] = poses;
        this.draw();
    }

    setMoods(side: 0 | 1, moods: Map<number, Mood>): void {
        this.moods[side] = moods;
        this.dress();
    }

    select(body: number): void {
        this.selected = body;
        this.dress();
    }

    /** Leaves out what is above a height; null shows all. */
    cutAbove(height: number | null): void {
        const same = (height === null) === (this.cut === null);
        this.cut = height;
        if (same) this.materials.forEach((material) => ((material.uniforms.cut as THREE.IUniform).value = height ?? 0));
        else this.materials.clear();
        this.backdrop.forget();
        this.draw();
    }

    setDark(dark: boolean): void {
        this.dark = dark;
        this.materials.clear();
        this.world.background = new THREE.Color(dark ? 0x14181d : 0xf3f5f7);
        this.sky.intensity = dark ? 1.1 : 1.6;
        this.makeGrid(dark);
        this.backdrop.forget();
        this.draw();
    }

    // ---- camera ----

    /** The box about everything that ends somewhere. */
    bounds(): THREE.Box3 {
        const all = new THREE.Box3();
        const robots = new THREE.Box3();
        const floors = new THREE.Box3();
        this.nodes.forEach((node, index) => {
            const box = node.endless ? new THREE.Box3() : this.bodyBox(index);
            if (node.floor) floors.union(box);
            else all.union(box);
            if (this.bodies[index]?.kind !== "object") robots.union(box);
        });
        if (all.isEmpty()) all.copy(floors);
        if (all.isEmpty()) return new THREE.Box3(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
        // A hall about a small robot: what is near the robot is the scene.
        const room = robots.isEmpty() ? all : robots.clone().expandByScalar(0.8 * robots.getSize(new THREE.Vector3()).length());
        return all.intersect(room);
    }

    /** The box about a body, where it is now. */
    box(body: number): THREE.Box3 {
        return this.nodes[body] ? this.bodyBox(body) : new THREE.Box3();
    }

    private bodyBox(index: number): THREE.Box3 {
        const box = new THREE.Box3();
        const pose = this.poses[0][index];
        const matrix = pose ? matrixOf(pose) : new THREE.Matrix4();
        this.nodes[index]?.layers.forEach((mesh) => box.union(meshBox(mesh, matrix)));
        return box;
    }

    /** A slab that is much wider than it is high, and wider than a robot's table. */
    private findFloors(): void {
        this.nodes.forEach((node, index) => {
            if (this.bodies[index]?.kind !== "object") return;
            const size = this.bodyBox(index).getSize(new THREE.Vector3());
            node.floor = Math.min(size.x, size.y) > 1.5 && size.z < 0.1 * Math.min(size.x, size.y);
        });
    }

    frame(): void {
        const box = this.bounds();
        const centre = box.getCenter(new THREE.Vector3());
        const radius = box.getSize(new THREE.Vector3()).length() / 2;
        const direction = this.openDirection(box, centre);
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).addScaledVector(direction, this.fitDistance(box, centre, direction));
        this.camera.near = Math.max(0.002, radius / 400);
        this.camera.far = Math.max(100, radius * 60);
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.draw();
    }

    /**
     * Of eight sides the one from which most links are seen past the boxes about objects; the first where several are as good. Without robots
     * it is the one from which most of the inside is seen: a room is looked into from where it has no wall.
     */
    private openDirection(box: THREE.Box3, centre: THREE.Vector3): THREE.Vector3 {
        const boxes = this.nodes.map((node, index) => (node.endless || node.floor ? new THREE.Box3() : this.bodyBox(index)));
        const links = boxes.filter((each, index) => this.bodies[index]?.kind !== "object" && !each.isEmpty()).map((each) => each.getCenter(new THREE.Vector3()));
        const things = boxes.filter((each, index) => this.bodies[index]?.kind === "object" && !each.isEmpty());
        let best = new THREE.Vector3(1.0, -1.15, 0.62).normalize();
        const inside = links.length > 0 ? [] : this.innerPoints(box);
        let most = -1;
        for (let side = 0; side < 8; side += 1) {
            const direction = new THREE.Vector3(1.0, -1.15, 0.62).normalize().applyAxisAngle(new THREE.Vector3(0, 0, 1), (side * Math.PI) / 4);
            const eye = centre.clone().addScaledVector(direction, this.fitDistance(box, centre, direction));
            const seen = links.length > 0 ? links.filter((link) => isSeen(eye, link, things)).length : this.countSeen(eye, inside);
            if (seen <= most) continue;
            most = seen;
            best = direction;
        }
        return best;
    }

    /** The middle of a box and of its eight parts; none where there are too many triangles to ask. */
    private innerPoints(box: THREE.Box3): THREE.Vector3[] {
        const triangles = this.shownMeshes().reduce((sum, mesh) => sum + (mesh.geometry.index?.count ?? 0) / 3, 0);
        if (triangles > RAY_TRIANGLES) return [];
        const [centre, half] = [box.getCenter(new THREE.Vector3()), box.getSize(new THREE.Vector3()).multiplyScalar(0.25)];
        const corners = [...Array(8).keys()].map((i) => centre.clone().add(new THREE.Vector3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z)));
        return [centre, ...corners];
    }

    private countSeen(eye: THREE.Vector3, points: THREE.Vector3[]): number {
        const meshes = this.shownMeshes();
        return points.filter((point) => {
            const caster = new THREE.Raycaster(eye, point.clone().sub(eye).normalize(), 0, eye.distanceTo(point));
            caster.layers.enableAll();
            return caster.intersectObjects(meshes, false).length === 0;
        }).length;
    }

    private shownMeshes(): THREE.Mesh[] {
        return this.nodes.flatMap((node) => [...node.layers.values()].filter((mesh) => mesh.visible));
    }

    /** How far the camera must be for all corners of a box to be in the window, with some air. */
    private fitDistance(box: THREE.Box3, centre: THREE.Vector3, direction: THREE.Vector3): number {
        const half = Math.tan((this.camera.fov * Math.PI) / 360) * 0.86;
        const right = new THREE.Vector3(0, 0, 1).cross(direction).normalize();
        const up = direction.clone().cross(right);
        let distance = 0.05;
        for (let corner = 0; corner < 8; corner += 1) {
            const at = new THREE.Vector3(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y, corner & 4 ? box.max.z : box.min.z).sub(centre);
            const side = Math.max(Math.abs(at.dot(right)) / (half * this.aspect()), Math.abs(at.dot(up)) / half);
            distance = Math.max(distance, side + at.dot(direction));
        }
        return distance;
    }

    findFloor(): void {
        this.findFloors();
        const box = this.bounds();
        this.scale = box.getSize(new THREE.Vector3()).length();
        const endless = this.nodes.findIndex((node) => node.endless);
        const slab = this.nodes.findIndex((node) => node.floor);
        this.floor = endless >= 0 ? 0 : Math.min(0, box.min.z);
        if (slab >= 0) this.floor = this.bodyBox(slab).min.z - 0.01; // below it: two surfaces in one place flicker
        else if (Math.abs(this.floor) < 0.02) this.floor = 0;
    }

    look(): number[] {
        return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
    }

    lookFrom(camera: number[]): void {
        this.camera.position.fromArray(camera, 0);
        this.controls.target.fromArray(camera, 3);
        this.controls.update();
        this.draw();
    }

    // ---- pointing ----

    /** The camera as the next frame will have it. */
    private aim(): void {
        this.camera.aspect = this.aspect();
        this.camera.updateProjectionMatrix();
        this.camera.updateMatrixWorld();
    }

    ray(x: number, y: number): THREE.Raycaster {
        this.aim();
        const box = this.canvas.getBoundingClientRect();
        const width = this.split ? box.width / 2 : box.width;
        const left = this.split && x - box.left > width ? box.left + width : box.left;
        const at = new THREE.Vector2(((x - left) / width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
        const caster = new THREE.Raycaster();
        caster.setFromCamera(at, this.camera);
        caster.layers.enableAll();
        return caster;
    }

    /** The body under a point of the window, with the place that was hit. */
    pick(x: number, y: number): { body: number; point: THREE.Vector3 } | null {
        this.place(this.split && this.isLeft(x) ? 1 : 0);
        const hits = this.ray(x, y).intersectObjects(this.shownMeshes(), false);
        const hit = hits.find((each) => this.cut === null || each.point.z <= this.cut);
        if (!hit) return null;
        return { body: Number(hit.object.parent?.userData.body), point: hit.point };
    }

    /** Side 0 is the present state: the whole window, or its right half. */
    private isLeft(x: number): boolean {
        const box = this.canvas.getBoundingClientRect();
        return x - box.left < box.width / 2;
    }

    /** Where a point of the world is in the window. */
    screen(point: THREE.Vector3): { x: number; y: number } {
        this.aim();
        const box = this.canvas.getBoundingClientRect();
        const width = this.split ? box.width / 2 : box.width;
        const p = point.clone().project(this.camera);
        return { x: box.right - width + ((p.x + 1) / 2) * width, y: box.top + ((1 - p.y) / 2) * box.height };
    }

    matrix(body: number): THREE.Matrix4 | null {
        const pose = this.poses[0][body];
        return pose ? matrixOf(pose) : null;
    }

    centre(body: number): THREE.Vector3 | null {
        const matrix = this.matrix(body);
        if (!matrix) return null;
        const box = this.bodyBox(body);
        return box.isEmpty() ? new THREE.Vector3().setFromMatrixPosition(matrix) : box.getCenter(new THREE.Vector3());
    }

    // ---- drawing ----

    /** Asks for a frame; several asks before it are one. */
    draw(): void {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            this.render();
        });
    }

    /**
     * The frame as an image in place of the canvas: on a busy machine a browser that is told to take a picture may do so before
     * what was drawn is on the window, and then has an empty one.
     */
    freeze(): void {
        this.steady = true;
        this.sharp = 1;
        this.coarsen(false);
        this.renderer.setSize(this.host.clientWidth, this.host.clientHeight); // who watches sizes may not have been called yet
        this.backdrop.forget();
        this.frame(); // for the window as it is now
        this.render();
        const image = new Image();
        image.src = this.canvas.toDataURL(); // within the task that drew it
        image.className = "still";
        image.decoding = "sync"; // it is there when the window is painted
        this.canvas.after(image);
    }

    private render(): void {
        const begun = performance.now();
        const ratio = Math.min(devicePixelRatio, 2) * this.sharp;
        if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio); // here, because it empties the canvas
        const width = this.host.clientWidth;
        const height = this.host.clientHeight;
        this.light.position.copy(this.camera.position).add(new THREE.Vector3(0.3, 0.2, 2));
        this.light.target.position.copy(this.controls.target);
        this.renderer.setScissorTest(false);
        this.renderer.setViewport(0, 0, width, height);
        this.renderer.clear();
        if (this.split) {
            this.renderSide(1, 0, width / 2, height);
            this.renderSide(0, width / 2, width / 2, height);
        } else {
            this.renderSide(0, 0, width, height);
            this.marks[1].hide();
        }
        this.frames += 1;
        this.rest();
        requestAnimationFrame(() => this.adapt(performance.now() - begun));
    }

    private renderSide(side: 0 | 1, left: number, width: number, height: number): void {
        this.place(side);
        this.tint(side);
        this.camera.aspect = width / Math.max(1, height);
        this.camera.updateProjectionMatrix();
        this.marks[0].group.visible = side === 0;
        this.marks[1].group.visible = side === 1;
        this.ghost.visible = side === 0;
        this.marks[side].update(this.camera, left, width, height);
        this.renderer.setViewport(left, 0, width, height);
        this.renderer.setScissor(left, 0, width, height);
        this.renderer.setScissorTest(true);
        if (!this.split && this.backdrop.draw(this.camera, width, height)) return;
        this.renderer.clearDepth();
        this.renderer.render(this.world, this.camera);
    }

    /**
     * Fewer pixels where frames are slow, then coarser visual meshes; all of it when things stand still again. What is checked is never drawn
     * coarser. What a frame took is told by when the browser has room for the next one: the time between two frames may be somebody's pause.
     */
    private adapt(took: number): void {
        this.frameTime = 0.7 * this.frameTime + 0.3 * took;
        if (!this.steady && this.frameTime > SLOW_FRAME && this.frames % 3 === 0) {
            if (this.sharp <= 0.5) this.coarsen(true);
            this.sharp = this.frameTime > 3 * SLOW_FRAME ? 0.5 : Math.max(0.5, this.sharp - 0.2);
        }
    }

    /** Longer than some frames: where one takes half a second, half a second without one is no rest. */
    private rest(): void {
        window.clearTimeout(this.moving);
        this.moving = window.setTimeout(() => {
            this.frameTime = 0;
            if (this.sharp === 1) return;
            this.sharp = 1;
            this.coarsen(false);
            this.render();
        }, 350 + 4 * this.frameTime);
    }

    private coarsen(coarse: boolean): void {
        if (coarse === this.coarse) return;
        this.coarse = coarse;
        this.backdrop.forget();
        for (const node of this.nodes) {
            const mesh = node.layers.get("visual");
            if (mesh?.userData.coarse) mesh.geometry = (coarse ? mesh.userData.coarse : mesh.userData.fine) as THREE.BufferGeometry;
        }
    }

    private place(side: 0 | 1): void {
        this.poses[side].forEach((pose, index) => {
            const group = this.nodes[index]?.group;
            if (!group) return;
            matrixOf(pose, group.matrix);
            group.matrixWorldNeedsUpdate = true;
        });
        this.world.updateMatrixWorld();
    }

    private aspect(): number {
        return (this.split ? 0.5 : 1) * (this.host.clientWidth / Math.max(1, this.host.clientHeight));
    }

    resize(): void {
        this.renderer.setSize(this.host.clientWidth, this.host.clientHeight);
        this.draw();
    }

    private makeGrid(dark: boolean): void {
        if (this.grid) this.world.remove(this.grid);
        const size = Math.min(40, Math.max(2, Math.ceil(this.bounds().getSize(new THREE.Vector3()).length() * 1.5)));
        const strong = dark ? 0x4a525c : 0xb4bcc5;
        const faint = dark ? 0x2b3138 : 0xdbe0e5;
        this.grid = new THREE.GridHelper(2 * size, Math.min(80, 4 * size), strong, faint);
        this.grid.rotation.x = Math.PI / 2;
        this.grid.layers.set(STILL_LAYER);
        const centre = this.bounds().getCenter(new THREE.Vector3());
        this.grid.position.set(Math.round(centre.x), Math.round(centre.y), this.floor - 0.002);
        this.world.add(this.grid);
    }

    // ---- what is visible, in which colour ----

    /** A body without visual meshes shows its collision geometry in the visual layer too. */
    private isShown(node: BodyNode, layer: string): boolean {
        if (this.shown.has(layer)) return true;
        return layer === "collision" && this.shown.has("visual") && !node.layers.has("visual");
    }

    private dress(): void {
        for (const node of this.nodes) {
            node.layers.forEach((mesh, layer) => (mesh.visible = this.isShown(node, layer)));
        }
        this.draw();
    }

    private tint(side: 0 | 1): void {
        const veiled = this.shown.has("visual");
        this.nodes.forEach((node, index) => {
            const mood = this.moods[side].get(index);
            node.layers.forEach((mesh, layer) => {
                const over = layer === "collision" && veiled && node.layers.has("visual");
                const seen = over || layer in SPARE_LAYER_COLOR || node.endless;
                const glass = seen ? (layer === "rss" ? MANY_GLASS : GLASS) : 0;
                mesh.material = this.material(index, layer, mood, glass, mesh.geometry.hasAttribute("color"));
                mesh.renderOrder = seen ? 1 : 0;
            });
        });
    }

    private material(index: number, layer: string, mood: Mood | undefined, glass: number, painted: boolean): THREE.ShaderMaterial {
        const body = this.bodies[index] as Body;
        const chosen = index === this.selected;
        const floor = this.nodes[index]?.floor ?? false;
        const key = [mood ?? (floor ? "floor" : baseColor(body, index)), layer in SPARE_LAYER_COLOR ? layer : "", glass, painted && !mood, chosen].join();
        const known = this.materials.get(key);
        if (known) return known;
        const spare = SPARE_LAYER_COLOR[layer];
        const own = painted ? 0xffffff : (spare ?? (floor ? FLOOR_COLOR[this.dark ? "dark" : "light"] : baseColor(body, index)));
        const made = paint({
            color: mood && mood !== "free" ? MOOD_COLOR[mood] : own,
            chosen,
            glass,
            painted: painted && (!mood || mood === "free"),
            cut: this.cut,
        });
        this.materials.set(key, made);
        return made;
    }
}

function baseColor(body: Body, index: number): number {
    if (body.kind === "object") return OBJECT_COLORS[index % OBJECT_COLORS.length] as number;
    if (body.kind === "attached") return ATTACHED_COLOR;
    return ROBOT_COLORS[(body.robot ?? 0) % ROBOT_COLORS.length] as number;
}

function meshBox(mesh: THREE.Mesh, matrix: THREE.Matrix4): THREE.Box3 {
    return (mesh.geometry.boundingBox ?? new THREE.Box3()).clone().applyMatrix4(matrix);
}

function isSeen(eye: THREE.Vector3, point: THREE.Vector3, boxes: THREE.Box3[]): boolean {
    const ray = new THREE.Ray(eye, point.clone().sub(eye).normalize());
    const reach = eye.distanceTo(point);
    return boxes.every((box) => {
        if (box.containsPoint(point)) return true;
        const hit = ray.intersectBox(box, new THREE.Vector3());
        return !hit || hit.distanceTo(eye) > reach;
    });
}
