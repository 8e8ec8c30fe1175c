// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the program and the page say to each other, as docs/reference/view.md tells it. Types only.

export type Verdict = "free" | "collision" | "unknown";
export type Point = [number, number, number];
export type Pose = number[]; // 3 x 4, row by row

export interface Value {
    name: string;
    robot: number;
    type: string;
    lower: number | null;
    upper: number | null;
    value: number;
}

export interface NamedState {
    name: string;
    values: Record<string, number>;
}

export interface Robot {
    name: string;
    named_states: NamedState[];
    tips: number[];
}

export interface Body {
    name: string;
    kind: "link" | "object" | "attached";
    robot: number | null;
    moves: boolean;
    pose?: Pose;
    map?: { dim: number; resolution: number }; // of objects that are maps
}

export type Shape =
    | { kind: "box"; half: Point }
    | { kind: "sphere"; radius: number }
    | { kind: "cylinder" | "cone" | "capsule"; radius: number; length: number }
    | { kind: "rss"; half: [number, number]; radius: number }
    | { kind: "halfspace"; normal: Point; offset: number }
    | { kind: "mesh"; first_vertex: number; vertex_count: number; first_index: number; index_count: number }
    | { kind: "cells"; first_vertex: number; count: number; size: number };

export interface Part {
    body: number;
    layer: string;
    shape: Shape;
    pose: Pose;
    color?: [number, number, number, number];
}

export interface Counted {
    what: string;
    count: number;
}

export interface Trajectory {
    times: number[] | null; // null: a row a unit
    rows: number[][];
    interpolation: string;
}

/** How many vertices come before the indices in the bytes. */
export interface GeometrySize {
    vertices: number;
    indices: number;
}

export interface SceneText {
    version: string;
    title: string;
    values: Value[];
    robots: Robot[];
    bodies: Body[];
    parts: Part[];
    trajectory: Trajectory | null;
    assumed: Counted[];
    declared: Counted[];
    proven: number;
    warnings: string[];
    live?: boolean; // maps may change while they are shown
    later?: string[]; // layers that are fetched when somebody wants to see them
    geometry?: GeometrySize;
}

/** More to draw, and the bytes that it points into. */
export interface SentParts {
    parts: Part[];
    geometry?: GeometrySize;
    bytes: ArrayBuffer;
}

export interface Nearness {
    a: string;
    b: string;
    lower: number | null;
    upper: number | null;
    point_a?: Point | null;
    point_b?: Point | null;
}

export interface Hit {
    a: string;
    b: string;
    point?: Point | null;
    depth?: number | null;
    normal?: Point | null;
    outside_map?: boolean; // the hit is with what is outside of a map
}

export interface StateAnswer {
    poses: number[]; // 12 a body, one after the other
    verdict: Verdict;
    reason?: string | null;
    a?: string | null; // of an unknown answer: what it is about
    b?: string | null;
    clearance: Nearness | null;
    hits: Hit[];
    near: Nearness[];
    assumed?: Counted[];
    seconds?: number;
    values?: number[];
    t?: number;
    moved?: number[]; // objects that are not where the file has them
}

export interface PairRow {
    other: string;
    status: "checked" | "declared" | "assumed" | "proven";
    reason?: string | null;
}

export interface ProfilePoint {
    t: number;
    lower: number | null;
    upper: number | null;
    a?: string | null;
    b?: string | null;
}

export interface SegmentWork {
    verdict: Verdict;
    configurations: number;
}

export interface FirstContact {
    segment: number;
    t: number | [number, number];
    time?: number | [number, number];
    a: string;
    b: string;
}

export interface PathAnswer {
    verdict: Verdict;
    reason?: string | null;
    clearance?: { lower?: number | null; upper?: number | null; a?: string; b?: string } | null;
    profile: ProfilePoint[];
    segments: SegmentWork[];
    first_contact?: FirstContact | null;
    segment?: number;
    t?: number | [number, number];
    a?: string;
    b?: string;
    stats?: { configurations?: number; pairs?: number; seconds?: number };
}

export interface PlanAnswer {
    verdict: "found" | "none";
    reason?: string;
    path?: number[][];
    length?: number;
    seconds?: number;
    certified?: boolean;
    motion?: number; // under which the program keeps it
    edges?: number;
    tree?: number[]; // six numbers a line
    clearance?: { lower?: number | null } | null;
}

export interface Contact {
    a: string;
    b: string;
    point: Point;
    normal: Point;
    depth: number | null;
    force: Point | number | null;
}

export interface Leaf {
    low: Point;
    high: Point;
    bodies: number[] | number;
}

export interface BallAnswer {
    verdict: Verdict;
    distance: { lower: number | null; upper: number | null } | number | null;
    nearest: number[] | null;
    body: string | null;
    obstacle?: number; // of a map: which of its obstacles
    outside_map?: boolean; // its centre is outside of the map that is nearest
}

/** Lower bounds of the distance, row by row from the corner that was asked for. */
export interface SliceAnswer {
    size: [number, number];
    distance: (number | null)[];
}

/** Five numbers a leaf: its corner, its width, and 0 free, 1 occupied, 2 unknown; in the frame of `pose`. */
export interface CellsAnswer {
    dim: number;
    pose: Pose;
    height: number[];
    leaves: number[];
    count: number;
}

/** A part of a cell's side, and how far the nearest obstacle is from its two ends, L1. */
export interface Interval {
    face: number; // 0 -x, 1 +x, 2 -y, 3 +y
    from: number;
    to: number;
    distance_from: number;
    distance_to: number;
    obstacle: number;
}

export interface PerimeterAnswer {
    pose: Pose;
    height: number[];
    leaf: number[];
    intervals: Interval[];
}

export interface Permit {
    event: "monitor";
    verdict: string; // "go"; all else is a stop
    reason?: string | null;
    cause?: string | null;
    distance?: number | null;
    required?: number | null;
    scale?: number | null; // of all speeds, at which this would be a permit
    point_a?: Point | null;
    point_b?: Point | null;
    values?: number[];
    retreat?: boolean; // a stop from which an arm may be backed out
    velocities?: number[]; // where states report them
}

/** How far bodies can go until everything stands, as a guard of the scene's `safety` has it. */
export interface BuffersAnswer {
    horizon: number; // seconds from a sample to braking
    reported: boolean; // speeds were; else the largest count
    bodies: { body: number; buffer: number }[]; // of simple bodies, several a body
    parts: Part[]; // in the world
}

/** The cells of a map changed while it is shown. */
export interface MapEvent {
    event: "map";
    body: string;
    changed: number;
    error: string | null;
}

/** Another page moved an object. */
export interface PlaceEvent {
    event: "place";
    body: string;
}

export interface Recording {
    states: StateAnswer[];
    path?: PathAnswer | null;
    start?: number;
    pairs?: { of: number[]; facts: { status: PairRow["status"]; reason: string }[] }; // a number a pair: 0 with 1, 0 with 2, ...
}
