// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The pure functions of the page: answers in words, lengths, links.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { transformWithEsbuild } from "vite";

async function load(name) {
    const source = new URL(`../src/${name}.ts`, import.meta.url);
    const { code } = await transformWithEsbuild(await readFile(source, "utf8"), `${name}.ts`, { sourcemap: false });
    return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

const words = await load("words");
const link = await load("link");

test("a lower bound is never told larger than it is", () => {
    assert.equal(words.length(0.0309), "30 mm");
    assert.equal(words.length(0.00199), "1.9 mm");
    assert.equal(words.length(1.999), "1.99 m");
    assert.equal(words.length(0.031), "31 mm"); // 0.031 * 1000 is a little less than 31 in doubles
    assert.equal(words.length(null), "–");
    assert.equal(words.length(NaN), "–");
    for (let i = 0; i < 2000; i += 1) {
        const metres = 3 * Math.random() ** 4;
        const text = words.length(metres);
        const told = Number(text.split(" ")[0]) * (text.endsWith("mm") ? 1e-3 : 1);
        if (!text.startsWith("<")) assert.ok(told <= metres + 2e-9, `${metres} told as ${text}`);
    }
});

const free = (lower) => ({ verdict: "free", clearance: { a: "link5", b: "shelf", lower, upper: lower }, hits: [], near: [] });

test("the short answer", () => {
    assert.deepEqual(words.headline(free(0.031), 0.02), { word: "FREE", rest: "nearest: link5 to shelf, 31 mm" });
    assert.equal(words.headline(free(0.02), 0.02).word, "FREE, NEAR");
    const hit = { verdict: "collision", clearance: null, hits: [{ a: "a", b: "b", depth: 0.004 }, { a: "c", b: "d" }], near: [] };
    assert.deepEqual(words.headline(hit, 0.02), { word: "COLLISION", rest: "a with b, 4.0 mm deep (and 1 more)" });
    assert.equal(words.headline({ verdict: "free", clearance: null, hits: [], near: [] }, 0.02).word, "NOTHING TO CHECK");
    const unknown = { verdict: "unknown", reason: "too_close", clearance: null, hits: [], near: [] };
    assert.match(words.headline(unknown, 0.02).rest, /too close to tell; treat it as a collision/);
});

test("what is not said to be free is never shown as free", () => {
    for (const verdict of ["unknown", "", undefined, "FREE", "something new"]) {
        assert.equal(words.moodOf({ verdict, clearance: { lower: 1 } }, 0.02), "unknown");
    }
    assert.equal(words.moodOf({ verdict: "free", clearance: { lower: NaN } }, 0.02), "near");
});

test("first contact on the axis of times", () => {
    const times = [0, 2, 6];
    const path = { verdict: "collision", first_contact: { segment: 1, t: [0.25, 0.5], a: "a", b: "b" }, profile: [], segments: [] };
    assert.equal(words.contactTime(path, times), 4);
    assert.equal(words.contactTime({ verdict: "collision", segment: 0, t: 0.5, profile: [], segments: [] }, times), 1);
    assert.equal(words.contactTime({ verdict: "free", profile: [], segments: [] }, times), null);
});

test("a link holds the state and nothing else", () => {
    const shared = { values: { "left/joint 1": -0.25, "a:b,c&d=e#": 1e-7 }, t: 1.5, camera: [1, 2, 3, 0, 0, 0.5], layers: ["collision", "rss"], dark: true,
        objects: { "a:b;c": [1, 0, 0, 0.25, 0, 1, 0, -2, 0, 0, 1, 1e-4], cup: [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 9] }, ball: [0.5, -1, 2, 0.1], near: 0.05, selected: "left/link 7",
        kept: { "left/joint 1": 0.5, "x:y": -3 }, split: true, cut: -0.25, map: { body: "a:b;c", height: 0.75, layers: ["slice", "cells"] } };
    const hash = words.writeHash({ ...shared, token: "secret" });
    assert.deepEqual(words.readHash(`#${hash}`), shared);
    assert.ok(!hash.includes("secret"));
    const few = { split: false, map: { body: "hall", layers: [] } };
    assert.deepEqual(words.readHash(words.writeHash(few)), few);
});

test("a broken link is no error", () => {
    for (const hash of ["", "#", "#q=", "#q=%,:,a:x", "#t=", "#t=abc", "#c=1,2", "#l=%E0%A4%A", "#=&&=", "#token=x", "#o=a:1,2;b", "#o=:1,0,0,0,0,1,0,0,0,0,1,0", "#b=1,2,3", "#b=0,0,0,-1", "#n=-1", "#n=", "#u=", "#u=x", "#m=", "#m=a", "#m=a:1", "#m=:1:slice", "#m=%E0:1:slice", "#k=%,:,a:x"]) {
        const shared = words.readHash(hash);
        assert.equal(shared.t, undefined);
        assert.equal(shared.camera, undefined);
        assert.equal(shared.ball, undefined);
        assert.equal(shared.near, undefined);
        assert.deepEqual(shared.objects ?? {}, {});
        assert.deepEqual(shared.values ?? {}, {});
        assert.deepEqual(shared.kept ?? {}, {});
        assert.equal(shared.cut, undefined);
        assert.equal(shared.map, undefined);
    }
});

test("of questions that wait only the newest is asked", async () => {
    const asked = [];
    const newest = new link.Newest();
    let release;
    const first = new Promise((resolve) => (release = resolve));
    newest.run(async () => { asked.push(1); await first; });
    newest.run(async () => { asked.push(2); });
    newest.run(async () => { asked.push(3); });
    release();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(asked, [1, 3]);
});

test("a recording answers with the nearest moment, and says what it cannot", async () => {
    const scene = { trajectory: { times: [0, 10], rows: [] } };
    const states = [0, 1, 2, 3, 4].map((index) => ({ index }));
    const recorded = new link.Recorded(scene, { states, path: null });
    assert.equal((await recorded.ask("at", { t: 5.1 })).index, 2);
    assert.equal((await recorded.ask("at", { t: 99 })).index, 4);
    await assert.rejects(recorded.ask("pairs", {}), /recording/);
    await assert.rejects(recorded.ask("path", {}), /recording/);
});
