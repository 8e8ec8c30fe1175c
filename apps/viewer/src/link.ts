// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where answers come from: the running program over a WebSocket, or what a page from disk has recorded. Nothing is computed
// here. A broken connection is told and tried again; questions that were open then end with an error.

import type { MapEvent, PairRow, PathAnswer, Permit, PlaceEvent, Recording, SceneText, SentParts, StateAnswer } from "./protocol";

export type Progress = (message: Record<string, unknown>) => void;
export type LinkStatus = "connecting" | "open" | "lost" | "recorded";

export interface Answers {
    readonly live: boolean;
    readonly start?: number;
    /** Can questions of this kind be answered? */
    knows(what: string): boolean;
    ask<T>(what: string, fields?: Record<string, unknown>, progress?: Progress): Promise<T>;
    cancel(what: string): void;
    /** Visual meshes: they are read when somebody wants to see them, because they take longer than all else. */
    visuals(): Promise<SentParts>;
}

export class LinkError extends Error {}

/** A file of the program. */
export async function load(address: string, token: string): Promise<Response> {
    const answer = await fetch(`${address}?token=${encodeURIComponent(token)}`);
    if (answer.status === 401 || answer.status === 403) {
        throw new Error("The program refused this token: it is of another run. Open the address that `berth view` printed last.");
    }
    if (!answer.ok) throw new Error(`The program answered ${answer.status} for ${address}.`);
    return answer;
}

interface Open {
    what: string;
    resolve: (value: never) => void;
    reject: (error: Error) => void;
    progress?: Progress;
}

export class Live implements Answers {
    readonly live = true;
    onStatus: (status: LinkStatus) => void = () => undefined;
    onEvent: (event: Permit | MapEvent | PlaceEvent) => void = () => undefined;
    private socket: WebSocket | null = null;
    private open = new Map<number, Open>();
    private next_id = 1;
    private wait = 250; // milliseconds until the next try; doubles up to 4 s

    constructor(private readonly token: string) {}

    knows(): boolean {
        return true;
    }

    connect(): void {
        this.onStatus("connecting");
        const protocol = location.protocol === "https:" ? "wss:" : "ws:";
        const socket = new WebSocket(`${protocol}//${location.host}/ws?token=${encodeURIComponent(this.token)}`);
        this.socket = socket;
        socket.onopen = () => {
            this.wait = 250;
            this.onStatus("open");
        };
        socket.onmessage = (message) => this.receive(String(message.data));
        socket.onclose = () => this.lost();
    }

    ask<T>(what: string, fields: Record<string, unknown> = {}, progress?: Progress): Promise<T> {
        const socket = this.socket;
        if (!socket || socket.readyState !== WebSocket.OPEN) {
            return Promise.reject(new LinkError("not connected to berth"));
        }
        const id = this.next_id++;
        return new Promise<T>((resolve, reject) => {
            this.open.set(id, { what, resolve: resolve as (value: never) => void, reject, progress });
            socket.send(JSON.stringify({ id, do: what, ...fields }));
        });
    }

    async visuals(): Promise<SentParts> {
        const [sent, bytes] = await Promise.all([
            load("visual.json", this.token).then((answer) => answer.json() as Promise<Omit<SentParts, "bytes">>),
            load("visual.bin", this.token).then((answer) => answer.arrayBuffer()),
        ]);
        return { ...sent, bytes };
    }

    /** Ends the connection as a broken network would: for tests. */
    drop(): void {
        this.socket?.close();
    }

    cancel(what: string): void {
        for (const [id, open] of this.open) {
            if (open.what === what) this.socket?.send(JSON.stringify({ do: "cancel", id }));
        }
    }

    private receive(text: string): void {
        const message = JSON.parse(text) as Record<string, unknown>;
        if (message.event !== undefined) {
            this.onEvent(message as unknown as Permit | MapEvent | PlaceEvent);
            return;
        }
        const id = Number(message.id);
        const open = this.open.get(id);
        if (!open) return;
        if (message.ok === undefined) {
            open.progress?.(message);
            return;
        }
        this.open.delete(id);
        if (message.ok) {
            open.resolve(message as never);
        } else {
            open.reject(new Error(String(message.error ?? "the program refused")));
        }
    }

    private lost(): void {
        this.socket = null;
        for (const open of this.open.values()) open.reject(new LinkError("the connection to berth was lost"));
        this.open.clear();
        this.onStatus("lost");
        setTimeout(() => this.connect(), this.wait);
        this.wait = Math.min(this.wait * 2, 4000);
    }
}

/** A page from disk: states along a trajectory, or one. */
export class Recorded implements Answers {
    readonly live = false;
    readonly start: number | undefined; // the moment that the page was written for

    constructor(
        private readonly scene: SceneText,
        private readonly recording: Recording,
    ) {
        this.start = recording.start;
    }

    /** The recorded moments on the trajectory's axis. */
    times(): number[] {
        const states = this.recording.states;
        const times = this.scene.trajectory?.times ?? [];
        const first = times[0] ?? 0;
        const last = times[times.length - 1] ?? 0;
        return states.map((state, index) => state.t ?? first + ((last - first) * index) / Math.max(1, states.length - 1));
    }

    ask<T>(what: string, fields: Record<string, unknown> = {}): Promise<T> {
        let answer: StateAnswer | PathAnswer | null | undefined = null;
        if (what === "state") answer = this.recording.states[0];
        if (what === "at") answer = this.recording.states[nearest(this.times(), Number(fields.t))];
        if (what === "path") answer = this.recording.path;
        if (what === "pairs" && this.recording.pairs) return Promise.resolve({ pairs: this.pairsOf(Number(fields.body)) } as T);
        if (answer) return Promise.resolve(answer as unknown as T);
        return Promise.reject(new Error("This page is a recording: only the program can answer that (berth view SCENE)."));
    }

    knows(what: string): boolean {
        return what === "state" || (what === "pairs" && this.recording.pairs !== undefined);
    }

    private pairsOf(body: number): PairRow[] {
        const { of, facts } = this.recording.pairs as NonNullable<Recording["pairs"]>;
        const count = this.scene.bodies.length;
        const rows: PairRow[] = [];
        for (let other = 0; other < count; other += 1) {
            if (other === body) continue;
            const [a, b] = [Math.min(body, other), Math.max(body, other)];
            const before = a * (count - 1) - (a * (a - 1)) / 2; // pairs of the bodies before a
            const fact = facts[of[before + b - a - 1] as number];
            if (fact) rows.push({ other: this.scene.bodies[other]?.name ?? "", ...fact });
        }
        return rows;
    }

    visuals(): Promise<SentParts> {
        return Promise.reject(new Error("This page has no more meshes than it was written with."));
    }

    cancel(): void {
        // Nothing runs.
    }
}

function nearest(times: number[], t: number): number {
    let best = 0;
    times.forEach((time, index) => {
        if (Math.abs(time - t) < Math.abs((times[best] as number) - t)) best = index;
    });
    return best;
}

/** One question of a kind is on its way at a time; of those that wait only the newest is asked. */
export class Newest {
    private busy = false;
    private waiting: (() => Promise<void>) | null = null;

    run(work: () => Promise<void>): void {
        this.waiting = work;
        if (!this.busy) void this.drain();
    }

    private async drain(): Promise<void> {
        this.busy = true;
        while (this.waiting) {
            const work = this.waiting;
            this.waiting = null;
            await work();
        }
        this.busy = false;
    }
}
