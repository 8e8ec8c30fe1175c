// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The panel of maps, and of any object that stands by itself: a ball and its verdict, distances on a slice, cells, perimeter
// functions. What a map of the plane alone has is offered for such maps alone.

import { ballDistance, type App } from "./app";
import { button, el } from "./dom";
import { distanceColor, lineStep, type MapLayer } from "./maps";
import { section } from "./panels";
import type { BallAnswer } from "./protocol";
import { length, number } from "./words";

export function ballPanel(app: App): HTMLElement {
    const rank = (index: number): number => (app.scene.bodies[index]?.map ? 0 : 1);
    const bodies = app.scene.bodies.map((body, index) => ({ body, index })).filter(({ body }) => body.kind === "object").sort((a, b) => rank(a.index) - rank(b.index));
    const map = el("select", { "aria-label": "map" }, ...bodies.map(({ body, index }) => el("option", { value: index }, body.map && body.name !== "map" ? `${body.name} (map)` : body.name)));
    const fields = ["x", "y", "z", "radius"].map((name) => ({ name, field: el("input", { type: "number", step: 0.01, class: "value", "aria-label": `ball ${name}`, "data-ball": name }) }));
    const out = el("div", { id: "ballout", class: "ballout", role: "status" });
    const begin = button("Put a ball", "A ball in the middle of the map; drag it with the Ball tool", () => putBall(app, Number(map.value)), { id: "ball-put", disabled: !app.source.live || bodies.length === 0 });
    const change = (): void => {
        if (!app.ball) return;
        const [x, y, z, radius] = fields.map(({ field }) => Number(field.value)) as [number, number, number, number];
        if (![x, y, z, radius].every(Number.isFinite) || radius < 0) return;
        Object.assign(app.ball, { centre: [x, y, z], radius, body: Number(map.value) });
        app.askBall();
    };
    fields.forEach(({ field }) => field.addEventListener("change", change));
    app.on("ball", () => {
        const ball = app.ball;
        if (!ball) return;
        const now = [...ball.centre, ball.radius];
        fields.forEach(({ field }, index) => document.activeElement !== field && (field.value = String(Number((now[index] as number).toFixed(4)))));
        const verdict = ball.answer?.verdict;
        out.className = `ballout ${verdict ?? ""}`;
        out.textContent = ball.error || (verdict ? `${verdict.toUpperCase()} — ${ballText(ball.answer)}` : "");
    });

    const layers = mapLayers(app);
    app.on("ball-layers", () => (map.value = String(app.maps.body))); // a link may have chosen another
    map.addEventListener("change", () => {
        app.maps.choose(Number(map.value));
        layers.show();
        change();
    });
    const title = bodies.some(({ body }) => body.map) ? "Map: ball, distances, cells" : "Ball and distances";
    const panel = section(title, "ballpanel", bodies.length === 1 || bodies.some(({ body }) => body.map), el("div", { class: "row" }, map, begin),
        el("div", { class: "row" }, ...fields.map(({ name, field }) => el("label", {}, `${name} `, field))), out, layers.element);
    panel.hidden = bodies.length === 0;
    app.maps.body = bodies[0]?.index ?? -1;
    layers.show();
    return panel;
}

const TITLES: Record<MapLayer, string> = {
    slice: "Distances on a slice",
    cells: "Cells of its tree",
    perimeter: "Perimeter functions (EODM, L1) of the cell under the ball",
};

/** Switches of what is drawn about the chosen map. */
function mapLayers(app: App): { element: HTMLElement; show: () => void } {
    const { maps } = app;
    const boxes = (["slice", "cells", "perimeter"] as const).map((layer) => {
        const box = el("input", { type: "checkbox", "data-map": layer, disabled: !app.source.live || !app.stage });
        const count = el("span", { class: "small" });
        box.addEventListener("change", () => maps.show(layer, box.checked));
        return { layer, box, count, element: el("label", { class: "check" }, box, TITLES[layer], count) };
    });
    const height = el("input", { type: "range", step: "any", "aria-label": "height of the slice" });
    const told = el("output", {});
    height.addEventListener("input", () => {
        told.textContent = `${number(Number(height.value), 2)} m`;
        maps.setHeight(Number(height.value));
    });
    const heightRow = el("label", { class: "check" }, "Height ", height, told);
    const scale = el("div", { class: "scale" });
    const error = el("div", { class: "small error", role: "status" });

    const show = (): void => {
        const about = app.scene.bodies[maps.body];
        boxes.forEach(({ layer, box, count, element }) => {
            box.disabled = !app.source.live || !app.stage;
            box.checked = maps.shown.has(layer);
            element.hidden = (layer !== "slice" && !about?.map) || (layer === "perimeter" && about?.map?.dim !== 2);
            count.textContent = layer === "cells" && maps.shown.has(layer) ? maps.counted : "";
        });
        const box = app.stage?.box(maps.body);
        if (box && !box.isEmpty()) {
            height.min = String(box.min.z);
            height.max = String(box.max.z);
        }
        height.value = String(maps.level());
        told.textContent = `${number(maps.level(), 2)} m`;
        heightRow.hidden = !maps.shown.has("slice") || about?.map?.dim === 2;
        showScale(scale, maps.shown.has("slice") ? maps.most : 0);
        error.textContent = maps.error;
    };
    app.on("ball-layers", show);
    app.on("layers", show);
    return { element: el("div", {}, ...boxes.flatMap(({ layer, element }) => (layer === "slice" ? [element, heightRow, scale] : [element])), error), show };
}

/** What the colours of a slice mean. */
function showScale(scale: HTMLElement, most: number): void {
    scale.hidden = !(most > 0);
    const stops = [0.001, 0.25, 0.5, 0.75, 1].map((share) => `rgb(${distanceColor(share, 1).map(Math.round).join()})`);
    const bar = el("i", { class: "ramp" });
    bar.style.background = `linear-gradient(90deg, ${stops.join()})`;
    scale.replaceChildren(el("i", { class: "swatch collision" }), "inside", el("span", {}, "0"), bar, el("span", {}, length(most)), el("span", { class: "small" }, most > 0 ? `a line every ${length(lineStep(most))}` : ""));
}

/** How near, or why it collides with nothing to be seen. */
function ballText(answer: BallAnswer | null): string {
    const collides = answer?.verdict === "collision";
    if (answer?.outside_map && collides) return `its centre is outside of ${answer.body}, which is an obstacle unless the map says 'outside: free'`;
    return `${length(ballDistance(answer))} from its centre to ${obstacleText(answer)}`;
}

/** What is nearest: an object, and of a map which of its obstacles. */
function obstacleText(answer: BallAnswer | null): string {
    if (!answer?.body) return "the nearest obstacle";
    return answer.obstacle === undefined ? answer.body : `obstacle ${answer.obstacle} of ${answer.body}`;
}

function putBall(app: App, body: number): void {
    const centre = app.stage?.centre(body)?.toArray() ?? [0, 0, 0];
    app.ball = { body, centre, radius: Number((0.04 * (app.stage?.scale ?? 2)).toPrecision(1)), metric: "l2", answer: null, error: "" };
    app.tool = "ball";
    app.tell("tool");
    app.tell("ball");
    app.askBall();
}
