// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The tables at the sides: joints, layers, two states, pairs, bodies, plans, forces, maps, the guard. Every one works without
// the drawing, by keyboard, and shows only what the program answered.

import { forcesByPair, newtons, type App } from "./app";
import { button, el, fill, svg } from "./dom";
import type { PairRow, Permit, Value } from "./protocol";
import { countedText, headline, length, MOOD_SIGN, moodOf, number, reasonText, seconds } from "./words";

export function section(title: string, id: string, open: boolean, ...children: (Node | string)[]): HTMLDetailsElement {
    return el("details", { id, open }, el("summary", {}, title), ...children);
}

// ---- left --------------------------------------------------------------------------------------------------

export function jointsPanel(app: App): HTMLElement {
    const rows = app.scene.values.map((value, index) => jointRow(app, value, index));
    const groups = app.scene.robots.map((robot, robot_index) => {
        const own = rows.filter((_, index) => app.scene.values[index]?.robot === robot_index);
        const states = robot.named_states;
        const choose = el("select", { "aria-label": `named state of ${robot.name}`, disabled: !app.source.live },
            el("option", { value: "" }, "named state ..."), ...states.map((state, index) => el("option", { value: index }, state.name)));
        choose.addEventListener("change", () => {
            const state = states[Number(choose.value)];
            if (choose.value === "" || !state) return;
            app.applyNamed(state.values);
            app.ask();
        });
        const head = el("div", { class: "robothead" }, el("b", {}, robot.name), states.length > 0 && choose);
        return el("div", { class: "robot" }, head, ...own.map((row) => row.element));
    });
    const reset = button("Start state", "The state that the scene begins with (0)", () => app.setValues(app.scene.values.map((value) => value.value)), { disabled: !app.source.live });
    const show = (): void => rows.forEach((row, index) => row.show(app.values[index] as number));
    app.on("answer", show);
    show();
    return section("Joints", "joints", true, ...groups, el("div", { class: "row" }, reset));
}

const NO_LIMIT = 2 * Math.PI; // what a slider covers where a joint has no limits

function jointRow(app: App, value: Value, index: number): { element: HTMLElement; show: (now: number) => void } {
    const robot = app.scene.robots.length > 1 ? app.scene.robots[value.robot]?.name : undefined;
    const name = robot && value.name.startsWith(`${robot}/`) ? value.name.slice(robot.length + 1) : value.name;
    const low = value.lower ?? -NO_LIMIT;
    const high = value.upper ?? NO_LIMIT;
    const common = { step: "any", "aria-label": value.name, "data-joint": value.name, disabled: !app.source.live };
    const slider = el("input", { type: "range", min: low, max: high, ...common });
    const field = el("input", { type: "number", class: "value", ...common, step: 0.01 });
    slider.addEventListener("input", () => app.setValue(index, Number(slider.value)));
    field.addEventListener("change", () => {
        if (field.value !== "" && Number.isFinite(Number(field.value))) app.setValue(index, Number(field.value));
    });
    const unit = value.type === "prismatic" ? "m" : "rad";
    const limits = `${value.lower === null ? "no limit" : number(value.lower, 2)} to ${value.upper === null ? "no limit" : number(value.upper, 2)} ${unit}`;
    const long = app.scene.values.some((each) => each.name.split("/").pop()!.length > 12);
    const element = el("label", { class: `joint ${long ? "long" : ""}`, title: `${value.name}, ${value.type}, ${limits}` },
        el("span", { class: "jointname" }, name), slider, field, el("span", { class: "limits" }, limits));
    const show = (now: number): void => {
        if (document.activeElement !== slider || app.onTrajectory) slider.value = String(now);
        if (document.activeElement !== field) field.value = String(Number(now.toFixed(4)));
        const outside = (value.lower !== null && now < value.lower) || (value.upper !== null && now > value.upper);
        element.classList.toggle("outside", outside);
    };
    return { element, show };
}

const LAYER_NAMES: Record<string, string> = {
    collision: "Collision geometry, as checked",
    visual: "Visual meshes",
    spheres: "Covering spheres",
    capsules: "Capsules",
    rss: "RSS volumes of meshes",
};

export function layersPanel(app: App): HTMLElement {
    const has = (layer: string): boolean => app.offers(layer);
    const names = ["collision", ...["visual", "spheres", "capsules", "rss"].filter((layer) => has(layer) || (layer !== "visual" && app.source.live && (layer === "rss" || app.scene.robots.length > 0)))];
    const boxes = names.map((name) => {
        const box = el("input", { type: "checkbox", "data-layer": name });
        box.addEventListener("change", () => void app.toggleLayer(name, box.checked));
        return { name, box, element: el("label", { class: "check" }, box, LAYER_NAMES[name] ?? name, name === "rss" && rssField(app)) };
    });
    const leaves = el("input", { type: "checkbox", "data-layer": "octree", disabled: !app.source.live });
    leaves.addEventListener("change", () => (leaves.checked ? app.askLeaves() : app.hideLeaves()));
    const buffers = el("input", { type: "checkbox", "data-layer": "buffers", disabled: !app.source.live });
    buffers.addEventListener("change", () => app.setBuffers(buffers.checked));
    const labels = el("input", { type: "checkbox", checked: true });
    labels.addEventListener("change", () => {
        app.labels = labels.checked;
        app.redraw();
    });
    const near = el("input", { type: "number", min: 0, step: 1, value: app.near * 1000, class: "value", "aria-label": "near, millimetres" });
    near.addEventListener("change", () => {
        if (!(Number(near.value) >= 0)) return;
        app.near = Number(near.value) / 1000;
        app.redraw();
        app.tell("answer");
        app.tell("path");
    });
    const cut = el("input", { type: "range", min: -0.5, max: 3, step: "any", value: 3, "aria-label": "cut above" });
    const height = el("output", {}, "off");
    const showCut = (): void => void (height.textContent = app.cut === null ? "off" : `${number(app.cut, 2)} m`);
    cut.addEventListener("input", () => {
        app.setCut(Number(cut.value) >= Number(cut.max) ? null : Number(cut.value));
        showCut();
    });
    const show = (): void => {
        boxes.forEach(({ name, box }) => (box.checked = app.layers.has(name)));
        leaves.checked = app.leaves !== null;
        showCut();
        const box = app.stage?.bounds();
        if (!box || Number(cut.value) < Number(cut.max)) return;
        cut.min = String(box.min.z);
        cut.max = String(box.max.z + 0.01);
        cut.value = app.cut === null ? cut.max : String(app.cut);
    };
    app.on("layers", show);
    show();
    return section("Layers", "layers", true, ...boxes.map((each) => each.element),
        el("label", { class: "check" }, leaves, "Octree leaves of all bodies"),
        el("label", { class: "check", hidden: app.scene.values.length === 0 }, buffers, "Buffers of a guard"),
        el("label", { class: "check" }, labels, "Labels"),
        el("label", { class: "check" }, "Cut above ", cut, height),
        el("label", { class: "check" }, "Near is below ", near, " mm"),
        legend());
}

function rssField(app: App): HTMLElement {
    const field = el("input", { type: "number", min: 1, max: 64, step: 1, value: app.rssCount, class: "value small", "aria-label": "RSS volumes a mesh", title: "How many a mesh, 1 to 64" });
    field.addEventListener("change", () => {
        const count = Math.round(Number(field.value));
        if (count >= 1 && count <= 64) void app.setRssCount(count);
    });
    return field;
}

function legend(): HTMLElement {
    const entries = [["free", "free: proven"], ["near", "free, little room"], ["collision", "collision"], ["unknown", "unknown"]] as const;
    return el("div", { class: "legend" }, ...entries.map(([mood, text]) => el("span", {}, el("i", { class: `swatch ${mood}` }, MOOD_SIGN[mood]), text)));
}

export function comparePanel(app: App): HTMLElement {
    const keep = button("Keep this state", "Keep it on the left and go on with another (K)", () => app.keep(), { id: "keep" });
    const swap = button("Take it back", "Make the kept state the present one", () => app.kept && app.setValues(app.kept.values), { disabled: !app.source.live });
    const box = el("input", { type: "checkbox", id: "split" });
    box.addEventListener("change", () => app.compare(box.checked));
    const text = el("div", { class: "small", id: "kept" });
    const show = (): void => {
        box.checked = app.split;
        box.disabled = app.kept === null;
        const kept = app.kept?.answer;
        if (!kept) return void (text.textContent = "Nothing is kept yet.");
        const words = headline(kept, app.near);
        fill(text, "Left: ", el("b", { class: moodOf(kept, app.near) }, words.word), ` ${words.rest}`);
    };
    app.on("keep", show);
    show();
    return section("Two states", "compare", false, el("div", { class: "row" }, keep, swap), el("label", { class: "check" }, box, "Side by side"), text);
}

// ---- right -------------------------------------------------------------------------------------------------

export function pairsPanel(app: App): HTMLElement {
    const hits = el("tbody");
    const near = el("tbody");
    const deep = el("th", {}, "deep");
    const hit_table = el("table", { id: "hits" }, el("thead", {}, el("tr", {}, el("th", {}, "touching"), el("th"), deep)), hits);
    const near_table = el("table", { id: "near" }, el("thead", {}, row("th", "nearest", "", "at least")), near);
    const show = (): void => {
        const answer = app.answer;
        if (!answer) return;
        hit_table.hidden = answer.hits.length === 0;
        near_table.hidden = answer.near.length === 0;
        // Meshes touch or do not: only pairs of convex bodies have a depth.
        const has_depth = answer.hits.some((hit) => typeof hit.depth === "number");
        deep.textContent = has_depth ? "deep" : "";
        fill(hits, ...answer.hits.map((hit, index) => pairRow(app, hit.a, hit.b, typeof hit.depth === "number" ? length(hit.depth) : "", "collision", answer.hits.length > 1 ? index + 1 : 0)));
        fill(near, ...answer.near.map((pair) => pairRow(app, pair.a, pair.b, length(pair.lower), nearClass(app, pair.lower))));
    };
    // While things move only the nearest pair is told: what is below must not jump up and down with it.
    const box = el("div", {}, hit_table, near_table);
    let tallest = 0;
    app.on("answer", () => {
        show();
        tallest = Math.max(tallest, Math.min(box.scrollHeight, 320));
        box.style.minHeight = `${tallest}px`;
    });
    return section("Pairs", "pairs", true, box);
}

function nearClass(app: App, lower: number | null): string {
    return lower !== null && lower > app.near ? "free" : "near";
}

function row(tag: "td" | "th", ...texts: string[]): HTMLElement {
    return el("tr", {}, ...texts.map((text) => el(tag, {}, text)));
}

function pairRow(app: App, a: string, b: string, text: string, mood: string, number = 0): HTMLElement {
    return el("tr", { class: mood }, el("td", {}, number > 0 && el("b", { class: "number" }, `${number} `), bodyLink(app, a)), el("td", {}, bodyLink(app, b)), el("td", { class: "num" }, text));
}

function bodyLink(app: App, name: string): HTMLElement {
    return button(name, `Show ${name}`, () => app.select(app.bodyOf(name)), { class: "link" });
}

const STATUS_TEXT: Record<string, string> = {
    checked: "checked",
    declared: "meant to touch",
    assumed: "skipped without proof",
    proven: "proven apart",
};

/** Two bodies that no joint moves are declared like those that are meant to touch, but nobody means anything by it. */
function isStill(pair: PairRow): boolean {
    return pair.status === "declared" && pair.reason === "no joint moves either of them";
}

function statusText(pair: PairRow): string {
    return isStill(pair) ? "never asked" : (STATUS_TEXT[pair.status] ?? pair.status);
}

export function bodyPanel(app: App): HTMLElement {
    const choose = el("select", { "aria-label": "body", id: "body" }, el("option", { value: -1 }, "choose a body, or click one"),
        ...app.scene.bodies.map((body, index) => el("option", { value: index }, body.name)));
    choose.addEventListener("change", () => app.select(Number(choose.value)));
    const card = el("div", { class: "card", id: "card" });
    const panel = section("Body", "bodycard", true, choose, card);
    app.on("select", () => {
        choose.value = String(app.selected);
        void showBody(app, card);
        panel.open = true;
    });
    return panel;
}

async function showBody(app: App, card: HTMLElement): Promise<void> {
    const index = app.selected;
    const body = app.scene.bodies[index];
    if (!body) return fill(card);
    const robot = body.robot !== null && body.robot >= 0 ? app.scene.robots[body.robot]?.name : undefined;
    const kind = body.kind === "object" ? "an object" : `${body.kind === "link" ? "a link" : "attached to a link"}${robot ? ` of ${robot}` : ""}`;
    const head = el("p", {}, el("b", {}, body.name), `: ${kind}${body.moves ? "" : ", stands still"}`);
    fill(card, head, app.canMove(index) && placeFields(app, index));
    if (!app.source.knows("pairs")) return;
    try {
        const { pairs } = await app.source.ask<{ pairs: PairRow[] }>("pairs", { body: index });
        if (app.selected !== index) return;
        card.append(pairsTable(app, pairs));
    } catch (error) {
        card.append(el("p", { class: "error" }, (error as Error).message));
    }
}

function pairsTable(app: App, pairs: PairRow[]): HTMLElement {
    const order = ["assumed", "declared", "proven", "checked"];
    const sorted = pairs.slice().sort((x, y) => order.indexOf(x.status) - order.indexOf(y.status) || x.other.localeCompare(y.other));
    const rows = sorted.map((pair) => el("tr", { class: `status-${pair.status}` }, el("td", {}, bodyLink(app, pair.other)),
        el("td", {}, statusText(pair)), el("td", { class: "small" }, reasonText(pair.reason))));
    const counts = new Map<string, number>();
    for (const pair of sorted) counts.set(statusText(pair), (counts.get(statusText(pair)) ?? 0) + 1);
    return el("div", {}, el("p", { class: "small" }, [...counts].map(([text, count]) => `${count} ${text}`).join(", ")),
        el("div", { class: "scroll" }, el("table", { id: "bodypairs" }, el("thead", {}, row("th", "with", "", "why")), el("tbody", {}, ...rows))));
}

/** Where an object stands, in numbers, for those who do not drag. */
function placeFields(app: App, body: number): HTMLElement {
    const pose = app.pose(body) ?? [];
    const fields = ["x", "y", "z"].map((axis, index) => {
        const field = el("input", { type: "number", step: 0.01, class: "value", value: Number((pose[4 * index + 3] ?? 0).toFixed(4)), "aria-label": axis });
        field.addEventListener("change", () => {
            const now = app.pose(body)?.slice();
            if (!now || !Number.isFinite(Number(field.value))) return;
            now[4 * index + 3] = Number(field.value);
            app.place(body, now);
        });
        return el("label", {}, `${axis} `, field);
    });
    return el("div", { class: "row place" }, ...fields, button("↺", "Turn by 15 degrees", () => app.turn(body, Math.PI / 12)), button("↻", "Turn back by 15 degrees", () => app.turn(body, -Math.PI / 12)));
}

export function uncheckedPanel(app: App): HTMLElement {
    const list = el("div", { class: "small" });
    const table = el("div");
    const all = button("List every pair that is not checked", "Asks about every body", () => void listUnchecked(app, table), { disabled: !app.source.knows("pairs"), id: "unchecked-all" });
    const counted = (title: string, text: string): HTMLElement | null => (text ? el("p", {}, el("b", {}, `${title}: `), text) : null);
    fill(list, counted("Without proof", countedText(app.scene.assumed)), counted("Meant to touch", countedText(app.scene.declared)),
        app.scene.proven > 0 ? el("p", {}, el("b", {}, "Proven apart: "), `${app.scene.proven} pairs`) : null,
        ...app.scene.warnings.map((warning) => el("p", { class: "warning" }, `⚠ ${warning}`)));
    return section("Not checked, and why", "unchecked", false, list, all, table);
}

async function listUnchecked(app: App, table: HTMLElement): Promise<void> {
    const rows: HTMLElement[] = [];
    let still = 0;
    fill(table, "asking ...");
    try {
        for (let index = 0; index < app.scene.bodies.length; index += 1) {
            const name = app.scene.bodies[index]?.name ?? "";
            const { pairs } = await app.source.ask<{ pairs: PairRow[] }>("pairs", { body: index });
            for (const pair of pairs) {
                if (pair.status === "checked" || app.bodyOf(pair.other) < index) continue;
                still += Number(isStill(pair));
                if (isStill(pair)) continue;
                rows.push(el("tr", { class: `status-${pair.status}` }, el("td", {}, bodyLink(app, name)), el("td", {}, bodyLink(app, pair.other)),
                    el("td", { class: "small" }, `${statusText(pair)}${pair.reason ? `: ${reasonText(pair.reason)}` : ""}`)));
            }
        }
    } catch (error) {
        app.say((error as Error).message);
    }
    const rest = still > 0 ? ` Besides them ${still} pairs of bodies that no joint moves.` : "";
    fill(table, el("p", { class: "small" }, `${rows.length} pairs are not checked.${rest}`), el("div", { class: "scroll" }, el("table", { id: "uncheckedpairs" }, el("tbody", {}, ...rows))));
    table.scrollIntoView({ block: "nearest" });
}

export function planPanel(app: App): HTMLElement {
    const from = el("span", { class: "small" }, "not set");
    const to = el("span", { class: "small" }, "not set");
    const limit = el("input", { type: "number", min: 0.1, step: 1, value: 10, class: "value", "aria-label": "seconds" });
    const out = el("div", { class: "small", id: "planout", role: "status" });
    const set = (which: "from" | "to", text: HTMLElement): void => {
        app.plan[which] = app.values.slice();
        text.textContent = `set: ${app.values.map((value) => number(value, 2)).slice(0, 4).join(", ")}${app.values.length > 4 ? ", ..." : ""}`;
        app.tell("plan");
    };
    const go = button("Plan", "Search a motion from A to B and prove it", () => void app.makePlan(Number(limit.value)), { id: "plan-go" });
    const stop = button("Stop", "End the search", () => app.source.cancel("plan"), { id: "plan-stop" });
    const show = (): void => {
        go.disabled = app.plan.running || !app.plan.from || !app.plan.to || !app.source.live;
        stop.disabled = !app.plan.running;
        out.textContent = planText(app);
    };
    app.on("plan", show);
    show();
    const live = { disabled: !app.source.live };
    return section("Plan from A to B", "plan", false,
        el("div", { class: "row" }, button("A: here", "Plan from this state", () => set("from", from), { id: "plan-from", ...live }), from),
        el("div", { class: "row" }, button("B: here", "Plan to this state", () => set("to", to), { id: "plan-to", ...live }), to),
        el("div", { class: "row" }, el("label", {}, "at most ", limit, " s"), go, stop), out);
}

function planText(app: App): string {
    const plan = app.plan;
    if (plan.error) return plan.error;
    const tree = plan.edges > 0 ? ` The tree has ${plan.edges} edges.` : "";
    if (plan.running) return `Searching ...${tree}`;
    const answer = plan.answer;
    if (!answer) return "Move to a state, set A, move on, set B.";
    if (answer.verdict !== "found") return `No motion found: ${reasonText(answer.reason)}.${tree}`;
    const room = typeof answer.clearance?.lower === "number" ? `, never nearer than ${length(answer.clearance.lower)}` : "";
    return `Found in ${seconds(answer.seconds)}: ${answer.path?.length ?? 0} rows${answer.certified ? ", proven free" : ", NOT proven"}${room}.${tree}`;
}

export function contactPanel(app: App): HTMLElement {
    const box = el("input", { type: "checkbox", id: "forces", disabled: !app.source.live });
    box.addEventListener("change", () => {
        app.showContacts = box.checked;
        app.contacts = [];
        if (box.checked) app.askContacts();
        else app.redraw();
    });
    const body = el("tbody");
    const table = el("table", { id: "contacts" }, el("thead", {}, row("th", "touching", "", "force")), body);
    app.on("contact", () => {
        box.checked = app.showContacts;
        table.hidden = app.contacts.length === 0;
        fill(body, ...forcesByPair(app.contacts).map((pair) => pairRow(app, pair.a, pair.b, newtons(pair.force), "force")));
    });
    table.hidden = true;
    return section("Contact forces", "contactforces", false, el("label", { class: "check" }, box, "Show forces of what touches"), table,
        el("p", { class: "small" }, "Choose Move object above the drawing and push one object into another."));
}

/** Distances and what was required of them, as they come from a running guard. */
export function monitorPanel(app: App): HTMLElement {
    const word = el("div", { class: "permit", id: "permit", role: "status" });
    const plot = svg("svg", { class: "monitor", viewBox: "0 0 300 90", role: "img", "aria-label": "distance and required distance" });
    const elsewhere = el("p", { class: "small warning" }, "The guard's state is not sent to this port: robots are drawn, and checked above, where you put them.");
    const told = el("div", {}, word, elsewhere, plot as unknown as HTMLElement,
        el("p", { class: "small" }, "Blue: distance. Yellow: what the guard requires of it. Green: the share of all speeds that it would permit, up to 100 % at the top."));
    told.hidden = true;
    const buffers = el("div", { id: "buffers" });
    const panel = section("Guard", "monitorpanel", true, told, buffers);
    app.on("buffers", () => {
        showBuffers(app, buffers);
        panel.hidden = told.hidden && app.buffers === null;
    });
    panel.hidden = true;
    let asked = false;
    let silence = 0;
    const show = (): void => {
        asked = false;
        const last = app.permits[app.permits.length - 1];
        if (!last) return;
        panel.hidden = told.hidden = false;
        word.className = `permit ${last.verdict === "go" ? "free" : last.retreat ? "near" : "collision"}`;
        word.textContent = permitText(last);
        elsewhere.hidden = last.values !== undefined || app.scene.values.length === 0;
        drawPermits(plot, app);
        // What was permitted a second ago says nothing about now.
        window.clearTimeout(silence);
        silence = window.setTimeout(() => {
            word.className = "permit collision";
            word.textContent = "STOP — nothing is received from the guard";
        }, 1000);
    };
    app.on("monitor", () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(show);
    });
    return panel;
}

function permitText(permit: Permit): string {
    const why = [permit.reason, permit.cause].filter((text) => text && text !== "none").map((text) => reasonText(text)).join(", ");
    if (permit.distance === undefined) return `STOP — ${why || "no permit"}`;
    const share = typeof permit.scale === "number" && permit.scale > 0 ? `; at up to ${Math.floor(100 * permit.scale)} % of all speed limits it would permit` : "";
    const room = `distance ${length(permit.distance)}, required ${length(permit.required)}${share}`;
    if (permit.verdict === "go") return `GO — ${room}`;
    const back = permit.retreat ? "; it may be backed out, away from all that is too near" : "";
    return `${permit.retreat ? "STOP, RETREAT" : "STOP"} — ${why ? `${why}: ` : ""}${room}${back}`;
}

/** The largest of each body, at the state that is shown. */
function showBuffers(app: App, box: HTMLElement): void {
    const answer = app.buffers;
    if (!answer) return fill(box);
    const most = new Map<number, number>();
    for (const { body, buffer } of answer.bodies) most.set(body, Math.max(buffer, most.get(body) ?? 0));
    const rows = [...most].sort((x, y) => y[1] - x[1]).slice(0, 12)
        .map(([body, buffer]) => el("tr", {}, el("td", {}, bodyLink(app, app.scene.bodies[body]?.name ?? "")), el("td", { class: "num" }, length(buffer))));
    const speeds = answer.reported ? "with the speeds that were reported" : "at the largest speeds, because none are reported";
    fill(box, el("table", {}, el("thead", {}, row("th", "can go, until all stands", "")), el("tbody", {}, ...rows)),
        el("p", { class: "small" }, `By the scene's safety settings, from a fresh sample, ${speeds}: braking begins ${seconds(answer.horizon)} after it.`));
}

function drawPermits(plot: SVGElement, app: App): void {
    const list = app.permits.slice(-300);
    const most = Math.max(1e-3, ...list.map((permit) => Math.max(permit.distance ?? 0, permit.required ?? 0)));
    const line = (pick: (index: number) => number | null | undefined): string =>
        list.map((_, index) => `${300 - list.length + index},${88 - 84 * ((pick(index) ?? 0) / most)}`).join(" ");
    fill(plot, svg("polyline", { class: "required", points: line((index) => list[index]?.required) }), svg("polyline", { class: "distance", points: line((index) => list[index]?.distance) }),
        svg("polyline", { class: "speedscale", points: line((index) => most * (list[index]?.scale ?? 0)) }),
        svg("text", { class: "tick", x: 4, y: 12 }, length(most)));
}
