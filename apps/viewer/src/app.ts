// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The state of the page and what happens when it changes: values go to the program, its answer goes to the drawing and to the
// panels. One question about a state is on its way at a time. Without WebGL there is no drawing and all else works.

import * as THREE from "three";
import { Newest, type Answers, type LinkStatus } from "./link";
import { Maps } from "./maps";
import type {
    BallAnswer, BuffersAnswer, Contact, GeometrySize, Leaf, PathAnswer, Permit, PlanAnswer, Point, Pose, SceneText, StateAnswer,
} from "./protocol";
import { bytesAt, bytesOfBase64, matrixOf, mergedGeometry, poseOf } from "./shapes";
import { MOOD_COLOR, Stage } from "./stage";
import { contactTime, length, type Mood, type Shared } from "./words";

export type Topic = "answer" | "select" | "path" | "status" | "play" | "layers" | "plan" | "contact" | "ball" | "ball-layers" | "monitor" | "buffers" | "keep" | "tool" | "note";
export type Tool = "look" | "object" | "tool" | "ball";

const REST = 180; // milliseconds without a new question after which all near pairs are asked for
const QUIET = 700; // milliseconds without another map after which the whole motion is checked again
const TABLES = 120; // milliseconds between two texts while things move
const LEAST_FORCE = 1e-3; // newtons; less is rounding of things that just touch
const NEAR = 0.02; // metres, to begin with
const MAX_NEAR_LINES = 3;
const MAX_HIT_LABELS = 9;
const TREE_COLOR = 0x2fa08a;
const BUFFER_MATERIAL = new THREE.MeshLambertMaterial({ color: 0xe69f00, transparent: true, opacity: 0.22, depthWrite: false });

export interface Plan {
    from: number[] | null;
    to: number[] | null;
    running: boolean;
    progress: number;
    edges: number;
    answer: PlanAnswer | null;
    error: string;
}

export class App {
    values: number[];
    answer: StateAnswer | null = null;
    answered = 0; // answers about states so far
    near = NEAR; // metres of room under which free is shown as near
    t = 0;
    times: number[] = [];
    playing = false;
    speed = 1;
    onTrajectory = false; // values come from the trajectory
    path: PathAnswer | null = null;
    pathError = "";
    pathRunning = false;
    selected = -1;
    layers = new Set<string>(["collision"]);
    cut: number | null = null; // metres; what is above is left out
    kept: { values: number[]; answer: StateAnswer } | null = null;
    split = false;
    plan: Plan = { from: null, to: null, running: false, progress: 0, edges: 0, answer: null, error: "" };
    contacts: Contact[] = [];
    showContacts = false;
    leaves: Leaf[] | null = null;
    buffers: BuffersAnswer | null = null;
    showBuffers = false;
    ball: { body: number; centre: Point; radius: number; metric: string; answer: BallAnswer | null; error: string } | null = null;
    permits: Permit[] = [];
    status: LinkStatus = "connecting";
    tool: Tool = "look";
    lift = false; // objects and balls are dragged up and down
    readonly moved = new Set<number>(); // objects, by this page or another one
    labels = true;
    note = "";
    rssCount = 8; // volumes a mesh
    readonly maps: Maps;
    dark = false;
    stage: Stage | null = null;
    private readonly byName = new Map<string, number>();
    private readonly listeners = new Map<Topic, (() => void)[]>();
    private readonly states = new Newest();
    private readonly forces = new Newest();
    private readonly balls = new Newest();
    private readonly octrees = new Newest();
    private readonly around = new Newest();
    private tree: THREE.LineSegments | null = null;
    private treePoints: number[] = [];
    private played = 0;
    private resting = 0;
    private renewing = 0;
    private telling = 0;
    private timed = 0;
    private fullSeconds = 0; // that the last answer with all near pairs took: where it is slow it waits for longer rests
    whole = false; // the present answer has all near pairs
    private told = { verdict: "", at: 0 };
    private planned: { rows: number[][]; motion: number } | null = null; // the program keeps it under this number
    private asked = 0; // questions about whole motions so far

    constructor(
        readonly scene: SceneText,
        readonly source: Answers,
    ) {
        this.values = scene.values.map((value) => value.value);
        scene.bodies.forEach((body, index) => this.byName.set(body.name, index));
        const rows = scene.trajectory?.rows ?? [];
        this.times = scene.trajectory ? (scene.trajectory.times ?? rows.map((_, index) => index)) : [];
        this.t = this.times[0] ?? 0;
        this.maps = new Maps(this);
    }

    on(topic: Topic, listener: () => void): void {
        const list = this.listeners.get(topic) ?? [];
        list.push(listener);
        this.listeners.set(topic, list);
    }

    tell(topic: Topic): void {
        for (const listener of this.listeners.get(topic) ?? []) listener();
    }

    say(text: string): void {
        this.note = text;
        this.tell("note");
    }

    bodyOf(name: string): number {
        return this.byName.get(name) ?? -1;
    }

    /** Another link, on an open page: what it holds beside state, camera and layers. */
    async follow(shared: Shared): Promise<void> {
        if (shared.near !== undefined) this.near = shared.near;
        await this.ready(shared);
        this.dress(shared);
    }

    /** What comes before the state: objects where they were, and the kept state. It is asked with the objects as they are now. */
    private async ready(shared: Shared): Promise<void> {
        if (!this.source.live) return;
        for (const [name, pose] of Object.entries(shared.objects ?? {})) {
            const body = this.bodyOf(name);
            if (!this.canMove(body)) continue; // a link of another scene
            try {
                await this.source.ask<StateAnswer>("place", { body, pose, values: this.values, quick: true });
                this.moved.add(body);
            } catch (error) {
                this.say(String((error as Error).message));
            }
        }
        if (!shared.kept) return;
        const kept = shared.kept;
        const values = this.scene.values.map((value, index) => kept[value.name] ?? (this.values[index] as number));
        try {
            const answer = await this.source.ask<StateAnswer>("state", { values });
            answer.near = apart(answer);
            this.kept = { values, answer };
        } catch (error) {
            this.say(String((error as Error).message));
        }
    }

    /** What comes after it: cut, side by side, map, ball, the chosen body. */
    private dress(shared: Shared): void {
        if (shared.cut !== undefined) this.setCut(shared.cut);
        if (this.kept) this.compare(shared.split ?? this.split);
        if (!this.source.live) return;
        const map = shared.map ? this.bodyOf(shared.map.body) : -1;
        if (shared.map && this.scene.bodies[map]?.kind === "object") this.maps.restore(map, shared.map.height, shared.map.layers);
        if (shared.ball) {
            const [x, y, z, radius] = shared.ball as [number, number, number, number];
            this.ball = { body: this.maps.body, centre: [x, y, z], radius, metric: "l2", answer: null, error: "" };
            this.tell("ball");
            this.askBall();
        }
        if (shared.selected !== undefined && this.bodyOf(shared.selected) >= 0) this.select(this.bodyOf(shared.selected));
    }

    /** Where on the motion a page opens; undefined: at values. */
    private moment(shared: Shared): number | undefined {
        return shared.t ?? (this.times.length > 0 && !shared.values ? this.t : undefined);
    }

    /** Asks the first question; at once, where nothing has to be put in its place before. */
    async first(shared: Shared): Promise<StateAnswer> {
        if (shared.values) this.applyNamed(shared.values);
        if (shared.objects || shared.kept) await this.ready(shared);
        const moment = this.moment(shared);
        return moment === undefined
            ? this.source.ask<StateAnswer>("state", { values: this.values })
            : this.source.ask<StateAnswer>("at", { t: moment });
    }

    /** The first answer is there, and the drawing is made: now the camera can be set. */
    begin(shared: Shared, answer: StateAnswer): void {
        const moment = this.moment(shared);
        this.onTrajectory = moment !== undefined;
        if (moment !== undefined) this.t = moment;
        this.receive(answer);
        this.stage?.findFloor();
        this.stage?.setDark(this.dark);
        this.dress(shared);
        if (shared.camera) this.stage?.lookFrom(shared.camera);
        else this.stage?.frame();
    }

    // ---- states ----

    setValue(index: number, value: number): void {
        this.values = this.values.slice();
        this.values[index] = value;
        this.ask();
    }

    setValues(values: number[]): void {
        this.values = values.slice();
        this.ask();
    }

    applyNamed(named: Record<string, number>): void {
        this.values = this.scene.values.map((value, index) => named[value.name] ?? (this.values[index] as number));
    }

    /** The scene is another one: a map changed. What is shown is asked again, and the motion when it was quiet for a moment. */
    renew(): void {
        if (this.onTrajectory) this.seek(this.t);
        else this.state("state", () => ({ values: this.values }));
        if (this.ball) this.askBall();
        this.renewPath();
    }

    /** What was proven about the motion was about another scene. */
    private renewPath(): void {
        if (this.times.length > 0 && this.path) {
            this.path = null;
            this.tell("path");
        }
        window.clearTimeout(this.renewing);
        this.renewing = window.setTimeout(() => void this.askPath(), QUIET);
    }

    /** The verdict of the values as they are now. */
    ask(): void {
        this.stop();
        this.onTrajectory = false;
        this.state("state", () => ({ values: this.values }));
    }

    seek(t: number): void {
        this.t = Math.min(this.times[this.times.length - 1] ?? 0, Math.max(this.times[0] ?? 0, t));
        this.onTrajectory = true;
        this.tellTime();
        this.state("at", () => ({ t: this.t, ...this.motion() }));
    }

    /** Which motion a question is about: a planned one by its number, else the file's. */
    private motion(): { motion?: number } {
        return this.planned ? { motion: this.planned.motion } : {};
    }

    private tellTime(): void {
        const now = performance.now();
        if (this.playing && now - this.timed < TABLES / 2) return;
        this.timed = now;
        this.tell("play");
    }

    private state(what: string, fields: () => Record<string, unknown>): void {
        this.states.run(async () => {
            try {
                this.receive(await this.source.ask<StateAnswer & { skipped?: boolean }>(what, { ...fields(), quick: true }));
                this.settle();
            } catch (error) {
                this.say(String((error as Error).message));
            }
        });
    }

    /** While things move only the nearest pair is asked for; when they stand still, all near pairs. */
    private settle(): void {
        window.clearTimeout(this.resting);
        if (!this.source.live) return;
        this.resting = window.setTimeout(() => {
            if (this.playing) return;
            this.states.run(async () => {
                try {
                    this.receive(await this.source.ask<StateAnswer>("state", { values: this.values }));
                } catch {
                    // The quick answer stands; a lost connection is told elsewhere.
                }
            });
        }, REST + Math.min(2500, 3000 * this.fullSeconds));
    }

    private receive(answer: StateAnswer & { skipped?: boolean }): void {
        if (answer.skipped || !answer.poses) return;
        if (answer.near && answer.seconds !== undefined) this.fullSeconds = answer.seconds;
        this.whole = Boolean(answer.near);
        for (const body of answer.moved ?? []) this.moved.add(body); // by any page, also before this one was there
        answer.near = apart(answer);
        this.answer = answer;
        this.answered += 1;
        if (answer.values && (this.onTrajectory || !this.source.live)) this.values = answer.values.slice();
        this.draw(0, answer);
        this.tellAnswer(answer);
        if (this.showContacts) this.askContacts();
        if (this.leaves) this.askLeaves();
        if (this.showBuffers) this.askBuffers();
    }

    /** Tables follow a drag a few times a second, because text costs more than the drawing; another verdict is told at once. */
    private tellAnswer(answer: StateAnswer): void {
        const now = performance.now();
        const due = answer.verdict !== this.told.verdict || now - this.told.at > TABLES;
        window.clearTimeout(this.telling);
        if (!due) {
            this.telling = window.setTimeout(() => this.tellAnswer(answer), TABLES);
            return;
        }
        this.told = { verdict: answer.verdict, at: now };
        this.tell("answer");
    }

    // ---- drawing of an answer ----

    private draw(side: 0 | 1, answer: StateAnswer): void {
        const stage = this.stage;
        if (!stage) return;
        stage.setPoses(side, posesOf(answer.poses));
        stage.setMoods(side, this.moods(answer));
        const marks = stage.marks[side];
        marks.clear();
        this.drawHits(side, answer);
        this.drawNear(side, answer);
        if (side === 0) {
            this.drawPermit();
            this.drawContacts();
            this.drawBall();
            this.drawSelected();
        }
        stage.draw();
    }

    redraw(): void {
        if (this.answer) this.draw(0, this.answer);
        if (this.kept) this.draw(1, this.kept.answer);
        if (this.stage) {
            this.stage.split = this.split;
            this.stage.draw();
        }
    }

    /** Bodies in a hit are vermilion, those of pairs with little room yellow; of an unknown answer the nearest pair is purple. */
    private moods(answer: StateAnswer): Map<number, Mood> {
        const moods = new Map<number, Mood>();
        for (const pair of answer.near) {
            if (typeof pair.lower === "number" && pair.lower <= this.near) this.mark(moods, pair.a, pair.b, "near");
        }
        if (answer.verdict === "unknown" && answer.a && answer.b) this.mark(moods, answer.a, answer.b, "unknown");
        for (const hit of answer.hits) this.mark(moods, hit.a, hit.b, "collision");
        return moods;
    }

    private mark(moods: Map<number, Mood>, a: string, b: string, mood: Mood): void {
        for (const name of [a, b]) {
            const body = this.bodyOf(name);
            if (body >= 0) moods.set(body, mood);
        }
    }

    private drawNear(side: 0 | 1, answer: StateAnswer): void {
        const marks = this.stage?.marks[side];
        const pairs = answer.near.filter((pair) => pair.point_a && pair.point_b && !((pair.lower ?? 0) < 0)).slice(0, MAX_NEAR_LINES);
        pairs.forEach((pair, index) => {
            const [from, to] = [new THREE.Vector3(...(pair.point_a as Point)), new THREE.Vector3(...(pair.point_b as Point))];
            const mood: Mood = typeof pair.lower === "number" && pair.lower > this.near ? "free" : "near";
            marks?.line(from, to, MOOD_COLOR[mood], index === 0 ? 4 : 2);
            marks?.dot(from, MOOD_COLOR[mood], index === 0 ? 11 : 7);
            marks?.dot(to, MOOD_COLOR[mood], index === 0 ? 11 : 7);
            // The nearest has a name; of the others only what is near is worth a label over the drawing.
            if (!this.labels || answer.hits.length > 0 || (index > 0 && mood === "free")) return;
            const text = index === 0 ? `${pair.a} – ${pair.b}: ${length(pair.lower)}` : length(pair.lower);
            marks?.label(from.add(to).multiplyScalar(0.5), text, index === 0 ? `first ${mood}` : mood);
        });
    }

    private drawHits(side: 0 | 1, answer: StateAnswer): void {
        const marks = this.stage?.marks[side];
        const scale = this.stage?.scale ?? 1;
        answer.hits.forEach((hit, index) => {
            if (!hit.point) return;
            const at = new THREE.Vector3(...hit.point);
            marks?.dot(at, MOOD_COLOR.collision, 16);
            if (hit.normal) marks?.arrow(at, new THREE.Vector3(...hit.normal), 0.06 * scale, MOOD_COLOR.collision);
            if (!this.labels || index >= MAX_HIT_LABELS) return;
            // One is named; the others have their number in the table, because names would hide what they are about.
            const deep = typeof hit.depth === "number" && hit.depth > 0 ? `, ${length(hit.depth)} deep` : "";
            const number = answer.hits.length > 1 ? `${index + 1} ` : "";
            marks?.label(at, index === 0 ? `✕ ${number}${hit.a} – ${hit.b}${deep}` : `✕ ${index + 1}`, "collision");
        });
    }

    private drawSelected(): void {
        const body = this.scene.bodies[this.selected];
        const at = body ? this.stage?.centre(this.selected) : null;
        if (body && at && this.labels) this.stage?.marks[0].label(at, body.name, "name");
    }

    // ---- bodies ----

    select(body: number): void {
        this.selected = body;
        this.stage?.select(body);
        this.redraw();
        this.tell("select");
    }

    canMove(body: number): boolean {
        return this.source.live && this.scene.bodies[body]?.kind === "object";
    }

    pose(body: number): Pose | null {
        const numbers = this.answer?.poses.slice(12 * body, 12 * body + 12);
        return numbers && numbers.length === 12 ? numbers : null;
    }

    place(body: number, pose: Pose): void {
        this.stop();
        this.onTrajectory = false;
        this.showContacts = true;
        this.moved.add(body);
        this.state("place", () => ({ body, pose, values: this.values }));
        this.renewPath();
    }

    /** Turns a body about a vertical line through its own frame. */
    turn(body: number, angle: number): void {
        const pose = this.pose(body);
        if (!pose) return;
        const matrix = matrixOf(pose);
        const at = new THREE.Vector3().setFromMatrixPosition(matrix);
        matrix.premultiply(new THREE.Matrix4().makeRotationZ(angle)).setPosition(at);
        this.place(body, poseOf(matrix));
    }

    /** Inverse kinematics of the program: what cannot be reached is said, and nothing moves. */
    reach(body: number, pose: Pose): void {
        this.stop();
        this.onTrajectory = false;
        this.states.run(async () => {
            try {
                const found = await this.source.ask<{ values: number[] }>("tool", { body, pose, values: this.values });
                this.values = found.values;
                this.say("");
                this.receive(await this.source.ask<StateAnswer>("state", { values: this.values, quick: true }));
                this.settle();
            } catch (error) {
                this.say(String((error as Error).message));
            }
        });
    }

    // ---- layers ----

    /** Does the scene come with this layer, now or when it is wanted? */
    offers(layer: string): boolean {
        return this.scene.parts.some((part) => part.layer === layer) || (this.scene.later ?? []).includes(layer);
    }

    async toggleLayer(layer: string, on: boolean): Promise<void> {
        const missing = on && this.stage !== null && !this.stage.hasLayer(layer) && this.source.live && (layer !== "visual" || this.offers(layer)) && layer !== "collision";
        // Until visual meshes are there, what is checked stands in for them.
        if (layer === "visual") this.setLayer(layer, on);
        let got = true;
        if (missing) {
            try {
                await (layer === "visual" ? this.fetchVisuals() : this.fetchLayer(layer));
            } catch (error) {
                this.say(String((error as Error).message));
                got = false;
            }
        }
        if (layer !== "visual" || !got) this.setLayer(layer, on && got);
    }

    private setLayer(layer: string, on: boolean): void {
        if (on) this.layers.add(layer);
        else this.layers.delete(layer);
        this.stage?.showLayers(this.layers);
        this.tell("layers");
    }

    private visuals: Promise<void> | null = null; // being fetched, or there

    private fetchVisuals(): Promise<void> {
        this.visuals ??= this.readVisuals().catch((error: unknown) => {
            this.visuals = null;
            throw error;
        });
        return this.visuals;
    }

    private async readVisuals(): Promise<void> {
        this.say("Reading the visual meshes ...");
        const sent = await this.source.visuals();
        this.stage?.addParts(sent.parts, bytesAt(sent.bytes, sent.geometry));
        this.say("");
    }

    setCut(height: number | null): void {
        this.cut = height;
        this.stage?.cutAbove(height);
    }

    private async fetchLayer(layer: string): Promise<void> {
        this.say(`Working out the ${layer === "rss" ? "RSS volumes" : layer} ...`);
        const wish = layer === "rss" ? { name: layer, count: this.rssCount } : { name: layer };
        const sent = await this.source.ask<{ parts: SceneText["parts"]; data?: string; geometry?: GeometrySize }>("layer", wish);
        this.stage?.addParts(sent.parts, bytesAt(bytesOfBase64(sent.data ?? ""), sent.geometry));
        this.say(sent.parts.length > 0 ? "" : "There is nothing of that kind in this scene: RSS volumes are about meshes.");
    }

    /** How many RSS volumes a mesh is shown as. */
    async setRssCount(count: number): Promise<void> {
        this.rssCount = count;
        if (!this.layers.has("rss")) return;
        try {
            await this.fetchLayer("rss");
        } catch (error) {
            this.say(String((error as Error).message));
        }
        this.stage?.showLayers(this.layers);
    }

    // ---- the trajectory ----

    async askPath(): Promise<void> {
        if (this.times.length === 0) return;
        this.asked += 1;
        const asked = this.asked;
        this.pathRunning = true;
        this.tell("path");
        let [path, failure]: [PathAnswer | null, string] = [null, ""];
        try {
            path = await this.source.ask<PathAnswer>("path", this.motion(), () => undefined);
        } catch (error) {
            failure = String((error as Error).message);
        }
        if (asked !== this.asked) return; // about another motion, or another scene
        this.path = path;
        this.pathError = failure;
        this.pathRunning = false;
        this.tell("path");
    }

    firstContact(): number | null {
        return this.path ? contactTime(this.path, this.times) : null;
    }

    play(): void {
        if (this.playing || this.times.length < 2) return;
        this.playing = true;
        if (this.t >= (this.times[this.times.length - 1] as number)) this.t = this.times[0] as number;
        this.played = performance.now();
        requestAnimationFrame(() => this.step());
        this.tell("play");
    }

    stop(): void {
        if (!this.playing) return;
        this.playing = false;
        this.tell("play");
    }

    private step(): void {
        if (!this.playing) return;
        const now = performance.now();
        const end = this.times[this.times.length - 1] as number;
        const t = this.t + ((now - this.played) / 1000) * this.speed;
        this.played = now;
        this.seek(t);
        if (t >= end) this.stop();
        else requestAnimationFrame(() => this.step());
    }

    // ---- two states ----

    keep(): void {
        if (!this.answer) return;
        this.kept = { values: this.values.slice(), answer: this.answer };
        this.compare(true);
    }

    compare(on: boolean): void {
        const before = this.split;
        this.split = on && this.kept !== null;
        this.redraw();
        if (this.split !== before) this.stage?.frame();
        this.tell("keep");
    }

    // ---- plans ----

    async makePlan(limit: number): Promise<void> {
        const { from, to } = this.plan;
        if (!from || !to || this.plan.running) return;
        this.plan = { from, to, running: true, progress: 0, edges: 0, answer: null, error: "" };
        this.clearTree();
        this.tell("plan");
        try {
            const answer = await this.source.ask<PlanAnswer>("plan", { from, to, seconds: limit }, (message) => this.grow(message));
            this.plan.answer = answer;
            this.grow({ ...answer });
            if (answer.path && answer.path.length > 1 && answer.motion !== undefined) this.playPlan(answer.path, answer.motion);
        } catch (error) {
            this.plan.error = String((error as Error).message);
        }
        this.plan.running = false;
        this.tell("plan");
    }

    private grow(message: Record<string, unknown>): void {
        this.plan.progress = Number(message.progress ?? this.plan.progress);
        this.plan.edges = Number(message.edges ?? this.plan.edges);
        const numbers = flatten(message.tree);
        if (numbers.length > 0) {
            this.treePoints = this.treePoints.concat(numbers);
            this.drawTree();
        }
        this.tell("plan");
    }

    private drawTree(): void {
        if (!this.stage) return;
        if (this.tree) this.stage.worn.remove(this.tree);
        this.tree?.geometry.dispose();
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.Float32BufferAttribute(this.treePoints, 3));
        this.tree = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: TREE_COLOR }));
        this.stage.worn.add(this.tree);
        this.stage.draw();
    }

    clearTree(): void {
        this.treePoints = [];
        this.drawTree();
    }

    /** A planned path is played as rows, one second each. What is on it the program says, as of the file's motion. */
    private playPlan(rows: number[][], motion: number): void {
        this.planned = { rows, motion };
        this.times = rows.map((_, index) => index);
        this.path = null;
        this.t = 0;
        this.tell("path");
        this.play();
        void this.askPath();
    }

    isPlanned(): boolean {
        return this.planned !== null;
    }

    /** Back to the trajectory of the file, where there is one. */
    leavePlan(): void {
        this.stop();
        this.planned = null;
        this.path = null;
        this.asked += 1;
        this.pathRunning = false;
        const given = this.scene.trajectory;
        this.times = given ? (given.times ?? given.rows.map((_, index) => index)) : [];
        this.clearTree();
        this.tell("path");
        if (given) {
            this.seek(this.times[0] ?? 0);
            void this.askPath();
        }
    }

    // ---- contact, octree, ball, monitor ----

    askContacts(): void {
        this.forces.run(async () => {
            try {
                this.contacts = (await this.source.ask<{ contacts: Contact[] }>("contact")).contacts;
            } catch (error) {
                this.contacts = [];
                this.say(String((error as Error).message));
            }
            this.redraw();
            this.tell("contact");
        });
    }

    private drawContacts(): void {
        if (!this.showContacts || !this.stage) return;
        const marks = this.stage.marks[0];
        const scale = this.stage.scale;
        const pressing = this.contacts.filter((contact) => forceSize(contact) > LEAST_FORCE);
        const most = Math.max(LEAST_FORCE, ...pressing.map(forceSize));
        for (const contact of pressing) {
            const direction = Array.isArray(contact.force) ? contact.force : contact.normal;
            marks.arrow(new THREE.Vector3(...contact.point), new THREE.Vector3(...direction), 0.16 * scale * Math.sqrt(forceSize(contact) / most), 0x17a2b8);
        }
        if (!this.labels) return;
        for (const pair of forcesByPair(pressing).slice(0, 5)) marks.label(new THREE.Vector3(...pair.point), `${pair.b}: ${newtons(pair.force)}`, "force");
    }

    askLeaves(): void {
        this.octrees.run(async () => {
            try {
                this.leaves = (await this.source.ask<{ leaves: Leaf[] }>("octree")).leaves;
                this.drawLeaves();
            } catch (error) {
                this.leaves = null;
                this.say(String((error as Error).message));
            }
            this.tell("layers");
        });
    }

    hideLeaves(): void {
        this.leaves = null;
        this.drawLeaves();
        this.tell("layers");
    }

    // ---- buffers of a guard ----

    setBuffers(on: boolean): void {
        this.showBuffers = on;
        if (on) this.askBuffers();
        else this.takeBuffers(null);
    }

    /** Of the state that is shown; with the speeds that were reported with it, else with the largest. */
    private askBuffers(): void {
        const last = this.permits[this.permits.length - 1];
        const speeds = last?.velocities && last.values === this.values ? { velocities: last.velocities } : {};
        this.around.run(async () => {
            try {
                this.takeBuffers(await this.source.ask<BuffersAnswer>("buffers", { values: this.values, ...speeds }));
            } catch (error) {
                this.takeBuffers(null);
                this.say(String((error as Error).message));
            }
        });
    }

    private bufferMesh: THREE.Mesh | null = null;

    private takeBuffers(answer: BuffersAnswer | null): void {
        this.buffers = this.showBuffers ? answer : null;
        if (this.stage) {
            if (this.bufferMesh) this.stage.worn.remove(this.bufferMesh);
            this.bufferMesh?.geometry.dispose();
            const geometry = this.buffers ? mergedGeometry(this.buffers.parts, bytesAt(new ArrayBuffer(0), undefined)) : null;
            this.bufferMesh = geometry ? new THREE.Mesh(geometry, BUFFER_MATERIAL) : null;
            if (this.bufferMesh) this.stage.worn.add(this.bufferMesh);
            this.stage.draw();
        }
        this.tell("buffers");
    }

    private boxes: THREE.LineSegments | null = null;

    private drawLeaves(): void {
        if (!this.stage) return;
        if (this.boxes) this.stage.worn.remove(this.boxes);
        this.boxes?.geometry.dispose();
        this.boxes = this.leaves ? leafLines(this.leaves) : null;
        if (this.boxes) this.stage.worn.add(this.boxes);
        this.stage.draw();
    }

    askBall(): void {
        const ball = this.ball;
        if (!ball) return;
        this.redraw();
        this.balls.run(async () => {
            try {
                const { centre, radius, metric } = ball;
                ball.answer = await this.source.ask<BallAnswer>("ball", { centre, radius, metric });
                ball.error = "";
            } catch (error) {
                ball.answer = null;
                ball.error = String((error as Error).message);
            }
            this.redraw();
            this.tell("ball");
        });
    }

    private ballMesh: THREE.Mesh | null = null;

    private drawBall(): void {
        const ball = this.ball;
        if (!this.stage) return;
        if (this.ballMesh) this.stage.ghost.remove(this.ballMesh);
        this.ballMesh = null;
        if (!ball) return;
        const mood: Mood = ball.answer ? ball.answer.verdict : "unknown";
        const material = new THREE.MeshLambertMaterial({ color: MOOD_COLOR[mood], transparent: true, opacity: 0.75 });
        this.ballMesh = new THREE.Mesh(new THREE.SphereGeometry(ball.radius, 28, 20), material);
        this.ballMesh.position.fromArray(ball.centre);
        this.stage.ghost.add(this.ballMesh);
        const nearest = ball.answer?.nearest;
        if (!nearest) return;
        const at = new THREE.Vector3(nearest[0], nearest[1], nearest[2] ?? ball.centre[2]);
        const marks = this.stage.marks[0];
        marks.line(this.ballMesh.position, at, MOOD_COLOR[mood]);
        marks.dot(at, MOOD_COLOR[mood]);
        marks.label(at.add(this.ballMesh.position).multiplyScalar(0.5), `${ball.answer?.body ?? ""}: ${length(ballDistance(ball.answer))}`, `first ${mood}`);
    }

    monitor(permit: Permit): void {
        this.permits.push(permit);
        if (this.permits.length > 600) this.permits.shift();
        this.tell("monitor");
        if (permit.values && permit.values.length === this.values.length) {
            this.values = permit.values;
            this.onTrajectory = false;
            this.state("state", () => ({ values: this.values }));
        } else {
            this.redraw();
        }
    }

    private drawPermit(): void {
        const last = this.permits[this.permits.length - 1];
        if (!last?.point_a || !last.point_b) return;
        const [from, to] = [new THREE.Vector3(...last.point_a), new THREE.Vector3(...last.point_b)];
        const mood: Mood = last.verdict === "go" ? "free" : last.retreat ? "near" : "collision";
        this.stage?.marks[0].line(from, to, MOOD_COLOR[mood], 5);
        this.stage?.marks[0].label(from.add(to).multiplyScalar(0.5), `guard: ${last.retreat ? "retreat" : last.verdict}, ${length(last.distance)}`, mood);
    }

    /** Another page moved an object. */
    otherMoved(name: string): void {
        const body = this.bodyOf(name);
        if (body >= 0) this.moved.add(body);
        this.renew();
    }

    private movedPoses(): Record<string, Pose> {
        const poses: Record<string, Pose> = {};
        for (const body of this.moved) {
            const pose = this.pose(body);
            if (pose) poses[this.scene.bodies[body]?.name ?? ""] = pose;
        }
        return poses;
    }

    /** What a link holds: values, moment, camera, layers, moved objects, the ball, the kept state, the map and its slice. */
    shared(): Shared {
        return {
            values: this.named(this.values),
            t: this.onTrajectory && !this.planned ? this.t : undefined,
            camera: this.stage?.look(),
            layers: [...this.layers],
            dark: this.dark,
            objects: this.movedPoses(),
            ball: this.ball ? [...this.ball.centre, this.ball.radius] : undefined,
            near: this.near === NEAR ? undefined : this.near,
            selected: this.scene.bodies[this.selected]?.name,
            kept: this.kept ? this.named(this.kept.values) : undefined,
            split: this.kept ? this.split : undefined,
            cut: this.cut ?? undefined,
            map: this.sharedMap(),
        };
    }

    private named(values: number[]): Record<string, number> {
        return Object.fromEntries(this.scene.values.map((value, index) => [value.name, values[index] as number]));
    }

    /** Only where something was chosen about it. */
    private sharedMap(): Shared["map"] {
        const { body, height, shown } = this.maps;
        const name = this.scene.bodies[body]?.name;
        if (name === undefined || (shown.size === 0 && Number.isNaN(height) && !this.ball)) return undefined;
        return { body: name, height: Number.isNaN(height) ? undefined : height, layers: [...shown] };
    }
}

// ---- small things ------------------------------------------------------------------------------------------

export function ballDistance(answer: BallAnswer | null | undefined): number | null {
    const distance = answer?.distance;
    return typeof distance === "object" && distance !== null ? distance.lower : (distance ?? null);
}

export function forceSize(contact: Contact): number {
    if (Array.isArray(contact.force)) return Math.hypot(...contact.force);
    return contact.force ?? 0;
}

/** Pairs that touch are told as hits, not as near ones. */
function apart(answer: StateAnswer): StateAnswer["near"] {
    if (!answer.near) return answer.clearance?.point_a ? [answer.clearance] : [];
    const touching = new Set(answer.hits.map((hit) => `${hit.a} ${hit.b}`));
    return answer.near.filter((pair) => !touching.has(`${pair.a} ${pair.b}`) && !touching.has(`${pair.b} ${pair.a}`));
}

export interface PairForce {
    a: string;
    b: string;
    point: Point;
    points: number;
    force: number;
}

/** The sum over the points at which two bodies touch, greatest first. */
export function forcesByPair(contacts: Contact[]): PairForce[] {
    const pairs = new Map<string, PairForce & { sum: THREE.Vector3 }>();
    for (const contact of contacts) {
        const key = `${contact.a} ${contact.b}`;
        const pair = pairs.get(key) ?? { a: contact.a, b: contact.b, point: contact.point, points: 0, force: 0, sum: new THREE.Vector3() };
        pair.points += 1;
        if (Array.isArray(contact.force)) pair.sum.add(new THREE.Vector3(...contact.force));
        pair.force = Array.isArray(contact.force) ? pair.sum.length() : pair.force + (contact.force ?? 0);
        pairs.set(key, pair);
    }
    return [...pairs.values()].sort((x, y) => y.force - x.force);
}

export function newtons(force: number): string {
    if (force <= LEAST_FORCE) return "0 N";
    return `${force < 100 ? force.toPrecision(3) : force.toFixed(0)} N`;
}

function posesOf(numbers: number[]): Pose[] {
    const poses: Pose[] = [];
    for (let at = 0; at + 12 <= numbers.length; at += 12) poses.push(numbers.slice(at, at + 12));
    return poses;
}

function flatten(value: unknown): number[] {
    if (typeof value === "number") return [value];
    return Array.isArray(value) ? value.flatMap(flatten) : [];
}

function leafLines(leaves: Leaf[]): THREE.LineSegments {
    const points: number[] = [];
    const colors: number[] = [];
    const few = new THREE.Color(0x7aa6d1);
    const many = new THREE.Color(0x009e73); // vermilion would say that something collides
    for (const leaf of leaves) {
        const count = Array.isArray(leaf.bodies) ? leaf.bodies.length : leaf.bodies;
        const color = few.clone().lerp(many, Math.min(1, Math.max(0, (count - 1) / 4)));
        for (const [a, b] of BOX_EDGES) {
            for (const corner of [a, b]) {
                for (let axis = 0; axis < 3; axis += 1) points.push(((corner >> axis) & 1 ? leaf.high : leaf.low)[axis] as number);
                colors.push(color.r, color.g, color.b);
            }
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
    return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.75 }));
}

const BOX_EDGES: [number, number][] = [
    [0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7],
];
