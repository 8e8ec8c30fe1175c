// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Clearance over time, drawn as SVG: the band between lower and upper bounds at moments of the motion, joined by lines that prove
// nothing in between; the work each segment needed below it, first contact, and a cursor. A click on it goes to that moment.

import { svg } from "./dom";
import type { PathAnswer } from "./protocol";
import { contactTime, length, number } from "./words";

const LEFT = 62;
const RIGHT = 12;
const TOP = 10;
const BAND = 12; // height of the strip of segments
const BOTTOM = 22;

export class Plot {
    readonly element = svg("svg", { class: "plot", role: "img", "aria-label": "clearance over time" });
    onSeek: (t: number) => void = () => undefined;
    private times: number[] = [0, 1];
    private width = 600;
    private height = 120;
    private readonly cursor = svg("line", { class: "cursor" });
    private path: PathAnswer | null = null;
    private near = 0.02;
    private now: number | null = null; // where the cursor is; its place in pixels changes with size and times

    constructor() {
        const seek = (event: PointerEvent): void => {
            if (event.buttons !== 1) return;
            const box = this.element.getBoundingClientRect();
            const share = (event.clientX - box.left - LEFT) / Math.max(1, this.width - LEFT - RIGHT);
            this.onSeek(this.first() + Math.min(1, Math.max(0, share)) * (this.last() - this.first()));
        };
        this.element.addEventListener("pointerdown", seek as EventListener);
        this.element.addEventListener("pointermove", seek as EventListener);
        new ResizeObserver(() => this.redraw()).observe(this.element);
    }

    show(path: PathAnswer | null, times: number[], near: number): void {
        this.path = path;
        this.times = times;
        this.near = near;
        this.redraw();
    }

    moveTo(t: number): void {
        this.now = t;
        const x = this.x(t);
        this.cursor.setAttribute("x1", String(x));
        this.cursor.setAttribute("x2", String(x));
    }

    private first(): number {
        return this.times[0] ?? 0;
    }

    private last(): number {
        return this.times[this.times.length - 1] ?? 1;
    }

    private x(t: number): number {
        const span = this.last() - this.first() || 1;
        return LEFT + ((t - this.first()) / span) * (this.width - LEFT - RIGHT);
    }

    private redraw(): void {
        this.width = this.element.clientWidth || 600;
        this.height = this.element.clientHeight || 120;
        this.element.replaceChildren();
        this.element.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
        this.drawAxes();
        if (this.path) {
            this.drawSegments(this.path);
            this.drawProfile(this.path);
            this.drawContact(this.path);
        }
        this.cursor.setAttribute("y1", String(TOP));
        this.cursor.setAttribute("y2", String(this.height - BOTTOM));
        this.moveTo(this.now ?? this.first());
        this.element.append(this.cursor);
    }

    private top(): number {
        const values = (this.path?.profile ?? []).map((point) => point.upper ?? point.lower ?? 0).filter(Number.isFinite);
        return Math.max(this.near * 1.5, ...values, 1e-4) * 1.08;
    }

    private y(value: number): number {
        const low = this.height - BOTTOM - BAND;
        return low - (Math.max(0, value) / this.top()) * (low - TOP);
    }

    private drawAxes(): void {
        const low = this.height - BOTTOM - BAND;
        this.element.append(svg("line", { class: "axis", x1: LEFT, x2: this.width - RIGHT, y1: low, y2: low }));
        const marks = this.path ? [0, this.top() / 2, this.top()] : [];
        for (const value of marks) {
            const y = this.y(value);
            this.element.append(
                svg("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y }),
                svg("text", { class: "tick", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, length(value)),
            );
        }
        for (let i = 0; i <= 4; i += 1) {
            const t = this.first() + ((this.last() - this.first()) * i) / 4;
            const anchor = i === 0 ? "start" : i === 4 ? "end" : "middle";
            this.element.append(svg("text", { class: "tick", x: this.x(t), y: this.height - 6, "text-anchor": anchor }, number(t, 2)));
        }
    }

    private drawProfile(path: PathAnswer): void {
        const points = path.profile.filter((point) => point.lower !== null || point.upper !== null);
        if (points.length === 0) return;
        const lower = points.map((point) => `${this.x(point.t)},${this.y(point.lower ?? 0)}`);
        const upper = points.map((point) => `${this.x(point.t)},${this.y(point.upper ?? point.lower ?? 0)}`);
        const y = this.y(this.near);
        this.element.append(
            svg("line", { class: "nearline", x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y }),
            svg("polygon", { class: "band", points: [...upper, ...lower.slice().reverse()].join(" ") }),
            svg("polyline", { class: "upper", points: upper.join(" ") }),
            svg("polyline", { class: "lower", points: lower.join(" ") }),
        );
    }

    /** A strip: the colour is the verdict, the fuller the more configurations a segment needed. */
    private drawSegments(path: PathAnswer): void {
        const most = Math.max(1, ...path.segments.map((segment) => segment.configurations));
        path.segments.forEach((segment, index) => {
            const from = this.times[index];
            const to = this.times[index + 1];
            if (from === undefined || to === undefined) return;
            const share = 0.25 + 0.75 * (Math.log1p(segment.configurations) / Math.log1p(most));
            const strip = svg(
                "rect",
                {
                    class: `segment ${segment.verdict}`,
                    x: this.x(from),
                    width: Math.max(1, this.x(to) - this.x(from) - 0.5),
                    y: this.height - BOTTOM - BAND + 2,
                    height: BAND - 3,
                    "fill-opacity": share,
                },
                svg("title", {}, `segment ${index}: ${segment.verdict}, ${segment.configurations} configurations`),
            );
            this.element.append(strip);
        });
    }

    private drawContact(path: PathAnswer): void {
        const t = contactTime(path, this.times);
        if (t === null) return;
        const x = this.x(t);
        const left = x > this.width * 0.7;
        this.element.append(
            svg("line", { class: "contact", x1: x, x2: x, y1: TOP, y2: this.height - BOTTOM }),
            svg("text", { class: "contact", x: left ? x - 6 : x + 6, y: TOP + 12, "text-anchor": left ? "end" : "start" }, "first contact"),
        );
    }
}
