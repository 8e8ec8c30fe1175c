// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Starts the page: finds the scene (in the page itself, or at the program with the token of the address), builds the drawing
// where there is WebGL, and puts the panels around it.

import "./style.css";
import { App, type Tool } from "./app";
import { timeBar, toContact, toNearest, topBar } from "./bars";
import { button, el, fill } from "./dom";
import { ballPanel } from "./mappanel";
import { Live, load, Recorded, type LinkStatus } from "./link";
import { bodyPanel, comparePanel, contactPanel, jointsPanel, layersPanel, monitorPanel, pairsPanel, planPanel, uncheckedPanel } from "./panels";
import type { Recording, SceneText } from "./protocol";
import { bytesAt, bytesOfBase64, type Bytes } from "./shapes";
import { Stage } from "./stage";
import { Pointer } from "./tools";
import { readHash } from "./words";

declare global {
    interface Window {
        berthView?: { app: App; live: Live | null }; // for tests and for the curious
    }
}

const TOKEN_KEY = "berth-token";
const STILL_AFTER = 1000; // milliseconds, of a clock that a browser without a window lets run ahead

async function start(): Promise<void> {
    const root = document.getElementById("app") as HTMLElement;
    try {
        await (document.getElementById("berth-scene") ? startRecorded(root) : startLive(root));
    } catch (error) {
        fill(root, el("div", { class: "loading", role: "alert" }, el("h1", {}, "berth view"), el("p", {}, (error as Error).message)));
    }
}

// ---- from disk ---------------------------------------------------------------------------------------------

function textOf(id: string): string {
    return document.getElementById(id)?.textContent ?? "";
}

async function startRecorded(root: HTMLElement): Promise<void> {
    const scene = JSON.parse(textOf("berth-scene")) as SceneText;
    const recording = JSON.parse(textOf("berth-recording")) as Recording;
    const geometry = bytesOfBase64(textOf("berth-geometry"));
    const app = new App(scene, new Recorded(scene, recording));
    app.status = "recorded";
    await build(root, app, null, bytesAt(geometry, scene.geometry));
}

// ---- from the program --------------------------------------------------------------------------------------

/** The token leaves the address bar at once, so that nobody mails it; this tab keeps it for a reload. */
function takeToken(): string {
    const hash = new URLSearchParams(location.hash.slice(1));
    const given = hash.get("token") ?? new URLSearchParams(location.search).get("token");
    if (given === null) return sessionStorage.getItem(TOKEN_KEY) ?? "";
    sessionStorage.setItem(TOKEN_KEY, given);
    const rest = location.hash.slice(1).split("&").filter((part) => part !== "" && !part.startsWith("token=")).join("&");
    history.replaceState(null, "", location.pathname + (rest ? `#${rest}` : ""));
    return given;
}

async function startLive(root: HTMLElement): Promise<void> {
    const token = takeToken();
    if (!token) throw new Error("This address has no token. Open the address that `berth view` printed in the terminal.");
    const [scene, geometry] = await Promise.all([
        load("scene.json", token).then((answer) => answer.json() as Promise<SceneText>),
        load("geometry.bin", token).then((answer) => answer.arrayBuffer()),
    ]);
    const live = new Live(token);
    const app = new App(scene, live);
    live.onEvent = (event) => {
        if (event.event === "map") app.maps.changed(event);
        else if (event.event === "place") app.otherMoved(event.body);
        else app.monitor(event);
    };
    await new Promise<void>((resolve) => {
        live.onStatus = (status: LinkStatus) => {
            const again = status === "open" && app.answer !== null;
            app.status = status;
            app.tell("status");
            if (status === "open") resolve();
            if (again) app.ask();
            if (again) app.maps.renew();
        };
        live.connect();
    });
    await build(root, app, live, bytesAt(geometry, scene.geometry));
}

// ---- the page ----------------------------------------------------------------------------------------------

async function build(root: HTMLElement, app: App, live: Live | null, bytes: Bytes): Promise<void> {
    const shared = readHash(location.hash);
    app.dark = shared.dark ?? matchMedia("(prefers-color-scheme: dark)").matches;
    if (shared.near !== undefined) app.near = shared.near;
    const first = app.first(shared); // the program works on it while the drawing is made
    first.catch(() => undefined); // told below
    document.title = `${app.scene.title} – berth view`;
    const host = el("div", { class: "stage", id: "stage" });
    const note = el("div", { class: "note", id: "note", role: "status" });
    const help = helpDialog();
    const showHelp = (): void => (help.open ? help.close() : help.showModal());
    const left = el("aside", { class: "left" }, jointsPanel(app));
    const asking = app.source.live ? [monitorPanel(app), ballPanel(app), planPanel(app), contactPanel(app)] : [];
    const right = el("aside", { class: "right" }, pairsPanel(app), bodyPanel(app), ...asking, uncheckedPanel(app));
    fill(root, topBar(app, showHelp), left, host, right, timeBar(app), help);
    const sides = el("div", { class: "sides", hidden: true }, el("span", {}, "kept"), el("span", {}, "now"));
    host.append(toolBar(app), sides, note);
    app.on("keep", () => (sides.hidden = !app.split));
    app.on("note", () => {
        note.textContent = app.note;
        note.hidden = app.note === "";
    });
    note.hidden = true;

    app.stage = makeStage(app, host, bytes);
    left.append(layersPanel(app), comparePanel(app));
    if (!app.source.live && app.stage?.hasLayer("spheres")) await app.toggleLayer("spheres", true);
    const wanted = (shared.layers ?? []).filter((layer) => layer !== "collision");
    for (const layer of wanted.filter((each) => app.stage?.hasLayer(each))) await app.toggleLayer(layer, true);
    if (shared.layers && !shared.layers.includes("collision")) await app.toggleLayer("collision", false);
    hideIdle(app);
    setDark(app);
    addKeys(app, showHelp);
    document.getElementById("dark")?.addEventListener("click", () => toggleDark(app));
    window.berthView = { app, live };
    app.begin(shared, await first);
    app.tell("layers");
    addEventListener("hashchange", () => void follow(app));
    app.maps.renew();
    document.body.dataset.ready = "true";
    void showLayers(app, wanted);
    await app.askPath();
    if (!app.source.live && shared.t === undefined) showMoment(app);
    if (!app.source.live && location.hash === "#still=1") {
        root.style.height = `${outerHeight}px`; // what the picture will have; until it is taken the window is less high
        await new Promise((resolve) => setTimeout(resolve, STILL_AFTER));
        app.stage?.freeze();
    }
}

/** What has to be fetched or worked out first: the page is used meanwhile. */
async function showLayers(app: App, layers: string[]): Promise<void> {
    for (const layer of layers) if (!app.layers.has(layer)) await app.toggleLayer(layer, true);
}

/** Panels that this scene has no use for: a map by itself has no joints, one object touches nothing. */
function hideIdle(app: App): void {
    const idle = { joints: app.scene.values.length === 0, plan: app.scene.values.length === 0, compare: app.scene.values.length === 0, pairs: app.scene.bodies.length < 2, contactforces: app.scene.bodies.length < 2 };
    for (const [id, hidden] of Object.entries(idle)) document.getElementById(id)?.toggleAttribute("hidden", hidden);
}

/** A page from disk opens at what it was written for, else at first contact, or where there is least room. */
function showMoment(app: App): void {
    if (app.source.start !== undefined) app.seek(app.source.start);
    else if (app.firstContact() !== null) toContact(app);
    else toNearest(app);
}

function makeStage(app: App, host: HTMLElement, bytes: Bytes): Stage | null {
    try {
        const stage = new Stage(host);
        stage.setScene(app.scene, bytes);
        stage.showLayers(app.layers);
        new Pointer(app, stage);
        return stage;
    } catch {
        document.body.dataset.webgl = "missing";
        host.append(el("div", { class: "nowebgl", role: "alert" }, el("b", {}, "This browser has no WebGL, so nothing can be drawn."),
            el("p", {}, "The answer at the top, the joints and all tables work. Another browser, or hardware acceleration in the settings of this one, shows the drawing.")));
        return null;
    }
}

async function follow(app: App): Promise<void> {
    const shared = readHash(location.hash);
    await app.follow(shared);
    if (shared.camera) app.stage?.lookFrom(shared.camera);
    if (shared.t !== undefined) app.seek(shared.t);
    else if (shared.values) {
        app.applyNamed(shared.values);
        app.ask();
    } else if (shared.kept) app.ask(); // the last state that the program was asked about is the kept one
}

function setDark(app: App): void {
    document.body.classList.toggle("dark", app.dark);
    app.stage?.setDark(app.dark);
}

function toggleDark(app: App): void {
    app.dark = !app.dark;
    setDark(app);
}

function toolBar(app: App): HTMLElement {
    const tools: [Tool, string, string][] = [
        ["look", "Look", "Turn, shift and zoom; click a body (V)"],
        ["object", "Move object", "Drag an object; with Shift up and down (O)"],
        ["tool", "Move tool", "Drag the tip of a robot: inverse kinematics (T)"],
        ["ball", "Ball", "Drag a ball through a map (B)"],
    ];
    const maps = app.scene.bodies.some((body) => body.kind === "object");
    const wanted = tools.filter(([name]) => app.source.live && (name !== "ball" || maps) && (name !== "tool" || app.scene.robots.length > 0));
    const buttons = wanted.map(([name, text, title]) => button(text, title, () => {
        app.tool = name;
        app.tell("tool");
    }, { "data-tool": name }));
    const frame = button("Frame", "Show everything (F)", () => app.stage?.frame());
    const lift = button("Up/down", "Drag objects and the ball up and down, as with Shift (U)", () => {
        app.lift = !app.lift;
        app.tell("tool");
    }, { id: "lift" });
    const show = (): void => {
        buttons.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.tool === app.tool)));
        lift.setAttribute("aria-pressed", String(app.lift));
        lift.hidden = app.tool !== "object" && app.tool !== "ball";
    };
    app.on("tool", show);
    show();
    return el("div", { class: "tools", role: "toolbar" }, ...buttons, lift, frame);
}

// ---- keys --------------------------------------------------------------------------------------------------

const KEYS: [string, string][] = [
    ["Space", "play or pause the motion"],
    ["← →", "a step back or on (with Shift ten)"],
    ["Home, End", "begin and end of the motion"],
    ["C", "first contact"],
    ["N", "where the clearance is least"],
    ["V O T B", "look, move object, move tool, ball"],
    ["U", "objects and ball move up and down, as with Shift"],
    ["F", "show everything"],
    ["1 2 3", "collision, visual, spheres layer"],
    ["L", "labels"],
    ["K, X", "keep this state; side by side"],
    ["0", "start state"],
    ["D", "light or dark"],
    ["Esc", "stop, let go, choose nothing"],
    ["?", "this help"],
    ["mouse", "left: turn; right or two fingers: shift; wheel or pinch: zoom; click: body"],
];

function helpDialog(): HTMLDialogElement {
    const dialog = el("dialog", { class: "help", id: "helpbox" }, el("h2", {}, "Keys and gestures"),
        el("dl", {}, ...KEYS.flatMap(([key, text]) => [el("dt", {}, key), el("dd", {}, text)])),
        el("p", {}, "FREE is proven. COLLISION has a witness. UNKNOWN is neither: treat it as a collision. Every number comes from the checker; this page computes none."),
        el("button", { type: "button", autofocus: true, click: () => dialog.close() }, "Close"));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    return dialog;
}

function addKeys(app: App, help: () => void): void {
    addEventListener("keydown", (event) => {
        const target = event.target as HTMLElement;
        const typing = target.matches("input[type=number], select, textarea") || (target.matches("input[type=range]") && event.key.startsWith("Arrow"));
        const asking = document.querySelector("dialog[open]") !== null && event.key !== "?";
        if (typing || asking || event.ctrlKey || event.metaKey || event.altKey) return;
        const act = keyAction(app, event, help);
        if (!act) return;
        event.preventDefault();
        act();
    });
}

function keyAction(app: App, event: KeyboardEvent, help: () => void): (() => void) | null {
    const span = (app.times[app.times.length - 1] ?? 0) - (app.times[0] ?? 0);
    const step = (span / 200) * (event.shiftKey ? 10 : 1);
    const go = (t: number) => (): void => {
        app.stop();
        app.seek(t);
    };
    const tool = (name: Tool) => (): void => {
        app.tool = name;
        app.tell("tool");
    };
    const layer = (name: string) => (): void => void app.toggleLayer(name, !app.layers.has(name));
    const moves: Record<string, () => void> = app.times.length < 2 ? {} : {
        " ": () => (app.playing ? app.stop() : app.play()),
        arrowleft: go(app.t - step),
        arrowright: go(app.t + step),
        home: go(app.times[0] as number),
        end: go(app.times[app.times.length - 1] as number),
        c: () => toContact(app),
        n: () => toNearest(app),
    };
    const actions: Record<string, () => void> = {
        ...moves,
        v: tool("look"), o: tool("object"), t: tool("tool"), b: tool("ball"),
        u: () => {
            app.lift = !app.lift;
            app.tell("tool");
        },
        f: () => app.stage?.frame(),
        1: layer("collision"), 2: layer("visual"), 3: layer("spheres"),
        l: () => {
            app.labels = !app.labels;
            app.redraw();
        },
        k: () => app.keep(),
        x: () => app.compare(!app.split),
        0: () => app.setValues(app.scene.values.map((value) => value.value)),
        d: () => toggleDark(app),
        "?": help,
        escape: () => {
            app.stop();
            app.say("");
            app.select(-1);
            tool("look")();
        },
    };
    return actions[event.key.toLowerCase()] ?? null;
}

void start();
