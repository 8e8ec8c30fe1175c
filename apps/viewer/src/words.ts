// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers in words, numbers a person can read, and the state of the page as text of a link. Pure functions: no page, no
// three; test/unit.test.mjs tests them.

import type { Counted, FirstContact, PathAnswer, StateAnswer } from "./protocol";

/** What is drawn: the three verdicts, and free with little room. */
export type Mood = "free" | "near" | "collision" | "unknown";

export const MOOD_SIGN: Record<Mood, string> = { free: "✓", near: "▲", collision: "✕", unknown: "?" };

/** A length as one would say it: 31 mm, 1.24 m, 0.4 mm. A lower bound is cut, never rounded up. */
export function length(metres: number | null | undefined): string {
    if (metres === null || metres === undefined || !Number.isFinite(metres)) return "–";
    const size = Math.abs(metres);
    const sign = metres < 0 ? "-" : "";
    if (size === 0) return "0 mm";
    if (size < 1e-6) return `${sign}< 0.001 mm`;
    if (size < 1e-3) return `${sign}${cut(size * 1e3, 3)} mm`;
    if (size < 1e-2) return `${sign}${cut(size * 1e3, 1)} mm`;
    if (size < 1) return `${sign}${cut(size * 1e3, 0)} mm`;
    return `${sign}${cut(size, 2)} m`;
}

/** Digits are dropped: 30.9 mm of room must not be told as 31. A millionth of a digit is forgiven for what base two cannot hold. */
function cut(size: number, digits: number): string {
    const scale = 10 ** digits;
    return (Math.floor(size * scale + 1e-6) / scale).toFixed(digits);
}

export function number(value: number, digits = 3): string {
    return Number.isFinite(value) ? value.toFixed(digits) : "–";
}

export function seconds(value: number | null | undefined): string {
    if (value === null || value === undefined) return "";
    if (value < 1e-3) return `${(value * 1e6).toFixed(0)} µs`;
    if (value < 1) return `${(value * 1e3).toFixed(value < 0.01 ? 1 : 0)} ms`;
    return `${value.toFixed(2)} s`;
}

/** Near is free with less room than this. Only a lower bound can say that there is more. */
export function moodOf(answer: Pick<StateAnswer, "verdict" | "clearance">, near: number): Mood {
    if (answer.verdict === "collision") return "collision";
    if (answer.verdict !== "free") return "unknown";
    const lower = answer.clearance?.lower;
    return typeof lower === "number" && !(lower > near) ? "near" : "free";
}

const REASONS: Record<string, string> = {
    too_close: "too close to tell",
    budget: "the work allowed for it was spent",
    numeric: "numbers do not settle it",
};

export function reasonText(reason: string | null | undefined): string {
    if (!reason) return "";
    return REASONS[reason] ?? reason.replace(/_/g, " ");
}

/** The short answer at the top of the page. */
export function headline(answer: StateAnswer, near: number): { word: string; rest: string } {
    const mood = moodOf(answer, near);
    if (mood === "collision") {
        const hit = answer.hits[0];
        if (!hit) return { word: "COLLISION", rest: "" };
        const depth = typeof hit.depth === "number" && hit.depth > 0 ? `, ${length(hit.depth)} deep` : "";
        const more = answer.hits.length > 1 ? ` (and ${answer.hits.length - 1} more)` : "";
        const outside = hit.outside_map ? ", outside of the map (an obstacle unless its map says 'outside: free')" : "";
        return { word: "COLLISION", rest: `${hit.a} with ${hit.b}${depth}${outside}${more}` };
    }
    if (mood === "unknown") {
        const why = reasonText(answer.reason) || "neither free nor collision could be shown";
        return { word: "UNKNOWN", rest: `${why}; treat it as a collision` };
    }
    const clearance = answer.clearance;
    if (!clearance) return { word: "NOTHING TO CHECK", rest: "nothing here moves; put a ball in it to see whether it fits, and what is near" };
    if (clearance.lower === null) return { word: "FREE", rest: "nothing is near" };
    const pair = clearance.a && clearance.b ? `nearest: ${clearance.a} to ${clearance.b}, ` : "every pair is further apart than ";
    return { word: mood === "near" ? "FREE, NEAR" : "FREE", rest: `${pair}${length(clearance.lower)}` };
}

/** A whole motion, in words. */
export function pathHeadline(path: PathAnswer, trajectoryTimes: number[], timed = true): string {
    if (path.verdict === "free") {
        const room = typeof path.clearance?.lower === "number" ? `; never nearer than ${length(path.clearance.lower)}` : "";
        return `The whole motion is FREE, proven between the rows too${room}.`;
    }
    if (path.verdict === "collision") {
        const t = contactTime(path, trajectoryTimes);
        const pair = path.first_contact ?? path;
        const who = pair.a && pair.b ? `: ${pair.a} with ${pair.b}` : "";
        return `The motion COLLIDES${t === null ? "" : `, first contact at ${number(t, 3)}${timed ? " s" : ""}`}${who}.`;
    }
    return `UNKNOWN: ${reasonText(path.reason) || "neither could be shown"}; treat it as a collision.`;
}

/** The moment of first contact on the axis of `times`: the end of its bracket, where bodies touch. */
export function contactTime(path: PathAnswer, times: number[]): number | null {
    const first: Partial<FirstContact> | undefined | null = path.first_contact ?? (path.verdict === "collision" ? path : null);
    if (!first) return null;
    const given = first.time;
    if (given !== undefined) return Array.isArray(given) ? given[1] : given;
    const t = Array.isArray(first.t) ? first.t[1] : first.t;
    if (t === undefined || first.segment === undefined) return null;
    const start = times[first.segment];
    const end = times[first.segment + 1];
    if (start === undefined) return null;
    return end === undefined ? start : start + t * (end - start);
}

const WHAT: Record<string, string> = {
    moving_objects_stand: "moving objects taken as standing",
    srdf: "pairs that the SRDF switches off without proof",
    open_mesh: "open meshes taken as surfaces",
    spheres_only: "a sphere model asked instead of the robot",
};

export function countedText(list: Counted[]): string {
    return list.map((entry) => `${entry.count} × ${WHAT[entry.what] ?? entry.what.replace(/_/g, " ")}`).join(", ");
}

// ---- the link that can be shared ---------------------------------------------------------------------------

export interface Shared {
    values?: Record<string, number>;
    t?: number;
    camera?: number[]; // eye and target, 6 numbers
    layers?: string[];
    dark?: boolean;
    objects?: Record<string, number[]>; // that were moved: 12 numbers each
    ball?: number[]; // centre and radius
    near?: number; // metres
    selected?: string; // a body
    kept?: Record<string, number>; // the values of the kept state
    split?: boolean; // it is shown beside the present one
    cut?: number; // metres: what is above is left out
    map?: { body: string; height?: number; layers: string[] }; // the chosen one, its slice's height where one was set, what is shown of it
}

/** State as the text behind `#`. The token is never part of it: it is not among the things written here. */
export function writeHash(shared: Shared): string {
    const parts: string[] = [];
    const named = (values: Record<string, number>): string => Object.entries(values).map(([name, value]) => `${encodeURIComponent(name)}:${value}`).join(",");
    if (shared.values) parts.push(`q=${named(shared.values)}`);
    if (shared.t !== undefined) parts.push(`t=${shared.t}`);
    if (shared.camera) parts.push(`c=${shared.camera.map((x) => Number(x.toFixed(4))).join(",")}`);
    if (shared.layers) parts.push(`l=${shared.layers.map(encodeURIComponent).join(",")}`);
    if (shared.dark !== undefined) parts.push(`d=${shared.dark ? 1 : 0}`);
    const short = (numbers: number[]): string => numbers.map((x) => Number(x.toFixed(7))).join(",");
    const objects = Object.entries(shared.objects ?? {}).map(([name, pose]) => `${encodeURIComponent(name)}:${short(pose)}`);
    if (objects.length > 0) parts.push(`o=${objects.join(";")}`);
    if (shared.ball) parts.push(`b=${short(shared.ball)}`);
    if (shared.near !== undefined) parts.push(`n=${shared.near}`);
    if (shared.selected) parts.push(`s=${encodeURIComponent(shared.selected)}`);
    if (shared.kept) parts.push(`k=${named(shared.kept)}`);
    if (shared.split !== undefined) parts.push(`x=${shared.split ? 1 : 0}`);
    if (shared.cut !== undefined) parts.push(`u=${shared.cut}`);
    if (shared.map) parts.push(`m=${encodeURIComponent(shared.map.body)}:${shared.map.height ?? ""}:${shared.map.layers.map(encodeURIComponent).join(",")}`);
    return parts.join("&");
}

/** What cannot be understood is left out: a link comes from anywhere. */
export function readHash(hash: string): Shared {
    const shared: Shared = {};
    for (const part of hash.replace(/^#/, "").split("&")) {
        const at = part.indexOf("=");
        if (at < 0) continue;
        const key = part.slice(0, at);
        const text = part.slice(at + 1);
        try {
            readHashPart(shared, key, text);
        } catch {
            // A broken percent sign.
        }
    }
    return shared;
}

function readHashPart(shared: Shared, key: string, text: string): void {
    if (key === "q") {
        shared.values = readValues(text);
    } else if (key === "k") {
        shared.kept = readValues(text);
    } else if (key === "x") {
        shared.split = text === "1";
    } else if (key === "u") {
        if (text !== "" && Number.isFinite(Number(text))) shared.cut = Number(text);
    } else if (key === "m") {
        const [body, height, layers] = text.split(":");
        if (!body || layers === undefined) return;
        shared.map = { body: decodeURIComponent(body), layers: layers.split(",").filter((name) => name !== "").map(decodeURIComponent) };
        if (height && Number.isFinite(Number(height))) shared.map.height = Number(height);
    } else if (key === "t") {
        const t = Number(text);
        if (text !== "" && Number.isFinite(t)) shared.t = t;
    } else if (key === "c") {
        const camera = text.split(",").map(Number);
        if (camera.length === 6 && camera.every(Number.isFinite)) shared.camera = camera;
    } else if (key === "l") {
        shared.layers = text.split(",").filter((name) => name !== "").map(decodeURIComponent);
    } else if (key === "d") {
        shared.dark = text === "1";
    } else if (key === "o") {
        shared.objects = readObjects(text);
    } else if (key === "b") {
        const ball = text.split(",").map(Number);
        if (ball.length === 4 && ball.every(Number.isFinite) && (ball[3] as number) >= 0) shared.ball = ball;
    } else if (key === "n") {
        if (text !== "" && Number(text) >= 0) shared.near = Number(text);
    } else if (key === "s") {
        shared.selected = decodeURIComponent(text);
    }
}

function readValues(text: string): Record<string, number> {
    const values: Record<string, number> = {};
    for (const pair of text.split(",")) {
        const colon = pair.lastIndexOf(":");
        const value = colon < 0 || pair.length === colon + 1 ? NaN : Number(pair.slice(colon + 1));
        if (Number.isFinite(value)) values[decodeURIComponent(pair.slice(0, colon))] = value;
    }
    return values;
}

function readObjects(text: string): Record<string, number[]> {
    const objects: Record<string, number[]> = {};
    for (const item of text.split(";")) {
        const colon = item.lastIndexOf(":");
        const pose = item.slice(colon + 1).split(",").map(Number);
        if (colon > 0 && pose.length === 12 && pose.every(Number.isFinite)) objects[decodeURIComponent(item.slice(0, colon))] = pose;
    }
    return objects;
}

/** Where on an axis of times a moment is: the row before it. */
export function rowAt(times: number[], t: number): number {
    let row = 0;
    while (row + 2 < times.length && (times[row + 1] as number) <= t) row += 1;
    return row;
}
