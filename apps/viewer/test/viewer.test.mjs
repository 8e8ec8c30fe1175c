// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The page in Debian's chromium on the real program and real scenes. What the page shows is compared with what the command says;
// any error on the browser's console fails the test that made it. The last line printed is the count.
// usage: node viewer.test.mjs [WORD]   WORD: only tests whose names have it

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ask, BERTH, BUILD, openBrowser, openPage, ROOT, serve, SHARED } from "./harness.mjs";

const MODELS = path.join(BUILD, "models");
const CELL = path.join(MODELS, "two_arms/cell.yaml");
const work = mkdtempSync(path.join(tmpdir(), "berth-viewer-test-"));
const browser = await openBrowser();
let [passed, failed] = [0, 0];

async function test(name, body) {
    if (!name.includes(process.argv[2] ?? "")) return;
    const start = Date.now();
    try {
        await body();
        passed += 1;
        console.log(`ok      ${name} (${Date.now() - start} ms)`);
    } catch (error) {
        failed += 1;
        console.log(`FAILED  ${name}\n${String(error.stack ?? error).replace(/^/gm, "        ")}`);
    }
}

/** A page on a scene; at the end nothing may have been complained about. */
async function onScene(args, body, options) {
    const server = await serve(...args);
    try {
        const { page, errors } = await openPage(browser.context, server.address, options);
        try {
            await body(page, server, errors);
            assert.deepEqual(errors, []);
        } finally {
            await page.close();
        }
    } finally {
        await server.stop();
    }
}

const text = (page, selector) => page.locator(selector).innerText();
const verdict = (page) => page.evaluate(() => document.body.dataset.verdict);

async function waitUntil(page, what, check, limit = 60000) {
    const end = Date.now() + limit;
    let last;
    while (Date.now() < end) {
        last = await check();
        if (last) return last;
        await page.waitForTimeout(30);
    }
    throw new Error(`waited in vain for: ${what}`);
}

/** Until so many frames were drawn: on a busy machine one takes its time. */
function frames(page, count) {
    return page.evaluate((all) => new Promise((drawn) => {
        const next = (left) => requestAnimationFrame(() => (left > 1 ? next(left - 1) : drawn()));
        next(all);
    }), count);
}

/**
 * Types a value into the field of a joint and waits for the answer about it. Once things stand still all near pairs are asked for,
 * too: that answer, about the state before, must have come first.
 */
async function setJoint(page, joint, value) {
    await waitUntil(page, "rest", () => page.evaluate(() => window.berthView.app.whole), 5000).catch(() => undefined);
    const before = await page.evaluate(() => window.berthView.app.answered);
    const field = page.locator(`input.value[data-joint="${joint}"]`);
    await field.fill(String(value));
    await field.press("Enter");
    await waitUntil(page, `an answer about ${joint} = ${value}`, () => page.evaluate((count) => window.berthView.app.answered > count, before));
    return verdict(page);
}

/** Are there pixels of more than one colour where bodies are? A drawing that failed is plain. */
async function colours(page) {
    const png = await page.locator("#stage canvas").screenshot();
    return page.evaluate(async (data) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        const pixels = canvas.getImageData(0, 0, image.width, image.height).data;
        const seen = new Set();
        for (let i = 0; i < pixels.length; i += 4 * 97) seen.add((pixels[i] >> 4) * 256 + (pixels[i + 1] >> 4) * 16 + (pixels[i + 2] >> 4));
        return seen.size;
    }, png.toString("base64"));
}

// ---- pictures ----------------------------------------------------------------------------------------------

const PICTURES = path.join(ROOT, "apps/viewer/test/pictures");
const [WIDE, HIGH] = [64, 36]; // points that a picture is compared by

/** The picture's mean colours in WIDE x HIGH rectangles, from 0 to 255, red, green, blue. */
async function shrink(png) {
    const page = await browser.context.newPage();
    try {
        return await page.evaluate(async ([data, wide, high]) => {
            const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: "image/png" }));
            const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
            canvas.drawImage(image, 0, 0);
            const pixels = canvas.getImageData(0, 0, image.width, image.height).data;
            const means = [];
            for (let row = 0; row < high; row += 1) {
                for (let column = 0; column < wide; column += 1) {
                    const [x0, x1] = [column, column + 1].map((each) => Math.floor((each * image.width) / wide));
                    const [y0, y1] = [row, row + 1].map((each) => Math.floor((each * image.height) / high));
                    const sum = [0, 0, 0];
                    for (let y = y0; y < y1; y += 1) for (let x = x0; x < x1; x += 1) for (let k = 0; k < 3; k += 1) sum[k] += pixels[4 * (y * image.width + x) + k];
                    for (const each of sum) means.push(Math.round(each / ((x1 - x0) * (y1 - y0))));
                }
            }
            return means;
        }, [png.toString("base64"), WIDE, HIGH]);
    } finally {
        await page.close();
    }
}

/** How many points differ in a colour by more than 24 of 255, and the mean difference. */
function difference(a, b) {
    let [points, sum] = [0, 0];
    for (let i = 0; i < a.length; i += 3) {
        const most = Math.max(...[0, 1, 2].map((k) => Math.abs(a[i + k] - b[i + k])));
        points += Number(most > 24);
        sum += most;
    }
    return { points, mean: sum / (a.length / 3) };
}

/** Fonts and versions of the browser may differ, not what is drawn. With BERTH_NEW_PICTURES=1 the pictures become what is seen now. */
async function compare(name, png) {
    const file = path.join(PICTURES, `${name}.txt`);
    const now = await shrink(png);
    if (process.env.BERTH_NEW_PICTURES) {
        mkdirSync(PICTURES, { recursive: true });
        const rows = [...Array(HIGH).keys()].map((row) => Buffer.from(now.slice(3 * WIDE * row, 3 * WIDE * (row + 1))).toString("hex"));
        writeFileSync(file, `${rows.join("\n")}\n`);
        writeFileSync(path.join(BUILD, `picture-${name}.png`), png);
        return;
    }
    const then = [...Buffer.from(readFileSync(file, "utf8").replace(/\s/g, ""), "hex")];
    assert.equal(then.length, now.length);
    const { points, mean } = difference(now, then);
    if (points > 0.03 * WIDE * HIGH || mean > 4) {
        const kept = path.join(BUILD, `picture-${name}.png`);
        writeFileSync(kept, png);
        assert.fail(`${points} of ${WIDE * HIGH} points differ from ${file}, ${mean.toFixed(1)} in the mean: look at ${kept}`);
    }

    // The comparison can fail: moved by two points to the side it is another picture.
    assert.ok(difference([...now.slice(6), ...now.slice(0, 6)], then).points > points + 10, "a picture like any other");
}

const FIXED = [4.4, -4.6, 3.4, 0.6, 0, 0.5]; // a camera

for (const [name, args, prepare] of [
    ["free", [CELL]],
    ["collision", [CELL, "--at", "left/joint2=-0.47,left/joint4=1.27,left/joint5=0.19,left/joint6=0.7"]],
    ["dark_spheres", [CELL], async (page) => {
        await page.keyboard.press("d");
        await page.locator("[data-layer=spheres]").check();
        await page.locator("[data-layer=collision]").uncheck();
        await waitUntil(page, "spheres", () => page.evaluate(() => window.berthView.app.stage.hasLayer("spheres") && !window.berthView.app.layers.has("collision")));
    }],
    ["octree", [CELL], async (page) => {
        await page.locator("[data-layer=octree]").check();
        await waitUntil(page, "leaves", () => page.evaluate(() => window.berthView.app.leaves?.length > 0));
    }],
    ["kitchen", [path.join(MODELS, "kitchen/cell.yaml")]],
]) {
    await test(`picture: ${name} looks as it did`, () => onScene(args, async (page) => {
        if (name !== "kitchen") await page.evaluate((eye) => window.berthView.app.stage.lookFrom(eye), FIXED);
        if (prepare) await prepare(page);
        // All pairs are told, all pixels are drawn, and nothing says how long it took.
        await waitUntil(page, "the whole answer", () => page.evaluate(() => window.berthView.app.whole));
        await page.evaluate(() => {
            const { stage } = window.berthView.app;
            stage.steady = true;
            stage.sharp = 1;
            stage.coarsen(false);
            stage.draw();
        });
        await frames(page, 3);
        await page.waitForTimeout(400);
        await compare(name, await page.locator("#stage canvas").screenshot());
    }));
}

// What stands still is kept as pixels. The first frame that began with these had none of the bodies, and sometimes stayed: making
// the second buffer had unbound the first, so that the empty window was copied.
await test("pictures from what is kept are those that are drawn as a whole", () => onScene([path.join(MODELS, "kitchen/cell.yaml")], async (page) => {
    await waitUntil(page, "the whole answer", () => page.evaluate(() => window.berthView.app.whole));
    const { useful, kept, pictures } = await page.evaluate(() => {
        const { stage } = window.berthView.app;
        const { backdrop } = stage;
        stage.steady = true;
        stage.sharp = 1;
        for (const each of [backdrop.kept, backdrop.frame]) each?.setSize(1, 1);
        backdrop.forget();
        const pictures = [];
        let kept = 0;
        for (let frame = 0; frame < 6; frame += 1) {
            stage.render();
            pictures.push(stage.canvas.toDataURL());
            kept += Number(backdrop.fresh);
        }
        return { useful: backdrop.useful, kept, pictures };
    });
    assert.ok(!useful || kept >= 3, `${kept} of 6 frames began with what is kept`);
    assert.equal(new Set(pictures).size, 1, "six frames of one scene at rest are one picture");
}));

// ---- scenes ------------------------------------------------------------------------------------------------

const scenes = readdirSync(MODELS).map((name) => path.join(MODELS, name, "cell.yaml")).filter((file) => existsSync(file));
for (const scene of scenes) {
    await test(`${path.basename(path.dirname(scene))} loads and says what berth check says`, () => onScene([scene], async (page) => {
        const said = JSON.parse(ask("check", scene, "--distance", "--json", "--quiet"));
        assert.equal(await verdict(page), said.verdict);
        if (said.clearance) assert.match(await text(page, "#verdict"), /FREE/);
        await page.locator("[data-layer=rss]").check();
        await waitUntil(page, "RSS volumes", () => page.evaluate(() => window.berthView.app.stage.hasLayer("rss")
            || !window.berthView.app.scene.parts.some((part) => part.shape.kind === "mesh")));
        assert.ok(await colours(page) > 8, "the drawing is plain");
    }));
}

for (const [name, urdf, ...more] of [
    ["Panda", "moveit_resources_panda_description/urdf/panda.urdf", "--srdf", path.join(SHARED, "robots/moveit_resources_panda_moveit_config/config/panda.srdf")],
    ["PR2", "moveit_resources_pr2_description/urdf/robot.xml"],
    ["dual Panda", "moveit_resources_dual_arm_panda_moveit_config/config/dual_panda.urdf"],
]) {
    const file = path.join(SHARED, "robots", urdf);
    if (!existsSync(file)) {
        console.log(`SKIP: ${name}: ${file} is absent`);
        continue;
    }
    const packages = ["panda", "pr2"].flatMap((each) => ["--package", `moveit_resources_${each}_description=${path.join(SHARED, `robots/moveit_resources_${each}_description`)}`]);
    await test(`${name} loads and says what berth check says`, () => onScene([file, ...more, ...packages], async (page) => {
        const said = JSON.parse(ask("check", file, ...more, ...packages, "--json", "--quiet"));
        assert.equal(await verdict(page), said.verdict);
        assert.ok(await colours(page) > 8, "the drawing is plain");

        // A joint moves, and what hangs on it; the verdict is that of berth check, as of the answer's whole state.
        const { joint, to } = await page.evaluate(() => {
            const value = window.berthView.app.scene.values.find((each) => each.type === "revolute" && each.upper - each.lower > 1);
            return { joint: value.name, to: value.lower + 0.7 * (value.upper - value.lower) };
        });
        const poses = () => page.evaluate(() => window.berthView.app.answer.poses);
        const before = await poses();
        await setJoint(page, joint, to);
        assert.ok((await poses()).some((value, index) => Math.abs(value - before[index]) > 0.01), "nothing moved");
        assert.equal(await verdict(page), JSON.parse(ask("check", file, ...more, ...packages, "--at", `${joint}=${to}`, "--json", "--quiet")).verdict);

        // Visual meshes alone, and they move too. They are fetched now, and what is checked stands in for them until they are there.
        const fetched = () => page.evaluate(() => performance.getEntriesByType("resource").some((each) => each.name.includes("/visual.")));
        assert.equal(await page.evaluate(() => window.berthView.app.stage.hasLayer("visual")), false);
        assert.equal(await fetched(), false, "visual meshes were fetched before somebody wanted them");
        await page.locator("[data-layer=visual]").check();
        await page.locator("[data-layer=collision]").uncheck();
        assert.ok(await page.evaluate(() => window.berthView.app.stage.shownMeshes().length > 5), "nothing is drawn meanwhile");
        await waitUntil(page, "visual meshes", () => page.evaluate(() => window.berthView.app.stage.hasLayer("visual")));
        assert.equal(await fetched(), true);
        const shown = await page.evaluate(() => {
            let [visual, triangles] = [0, 0];
            window.berthView.app.stage.world.traverseVisible((node) => {
                if (!node.isMesh || !node.geometry.index) return;
                visual += 1;
                triangles += node.geometry.index.count / 3;
            });
            return { visual, triangles };
        });
        assert.ok(shown.visual > 5 && shown.triangles > 1000, `${shown.visual} meshes of ${shown.triangles} triangles`);
        assert.ok(await colours(page) > 8, "the drawing of visual meshes is plain");
        await setJoint(page, joint, to - 0.1);
        assert.equal(await page.evaluate(() => window.berthView.app.layers.has("collision")), false);
    }));
}

// ---- states ------------------------------------------------------------------------------------------------

// Opening a page takes longer than most of what is done on it: these share one.
const AT = "left/joint4=1.27,left/joint5=0.19,left/joint6=0.7";
const cell = await serve(CELL, "--at", AT);
const { page: shared, errors: complaints } = await openPage(browser.context, cell.address);

/** On the shared page, from the state that it began with. */
async function onCell(body) {
    await shared.keyboard.press("Escape");
    const before = await shared.evaluate(() => window.berthView.app.answered);
    await shared.locator("#joints").getByText("Start state").click();
    await waitUntil(shared, "the start state", () => shared.evaluate((count) => {
        const { app } = window.berthView;
        return app.answered > count && app.values.every((value, index) => value === app.scene.values[index].value);
    }, before));
    await body(shared);
    assert.deepEqual(complaints.splice(0), []);
}

await test("a joint moves and the verdict changes exactly where berth check says", () => onCell(async (page) => {
    const joint = "left/joint2";
    const said = (value) => JSON.parse(ask("check", CELL, "--at", `${joint}=${value},${AT}`, "--json", "--quiet")).verdict;
    let [free, hit] = [-0.9, -0.47];
    assert.equal(said(free), "free");
    assert.equal(said(hit), "collision");
    while (hit - free > 1e-9) {
        const middle = (free + hit) / 2;
        if (said(middle) === "free") free = middle;
        else hit = middle;
    }
    assert.equal(await setJoint(page, joint, free), "free");
    assert.equal(await setJoint(page, joint, hit), "collision");
    assert.match(await text(page, "#verdict"), /COLLISION/);
    await page.waitForSelector("#hits tbody tr");
    assert.equal(await setJoint(page, joint, free), "free");
}));

await test("sliders, named states and the start state", () => onCell(async (page) => {
    const slider = page.locator('input[type=range][data-joint="left/joint1"]');
    await slider.focus();
    await page.keyboard.press("End");
    const upper = await page.evaluate(() => window.berthView.app.scene.values[0].upper);
    await waitUntil(page, "the slider's end", () => page.evaluate((end) => Math.abs(window.berthView.app.values[0] - end) < 1e-9, upper));
    await page.locator("#joints select").first().selectOption({ index: 1 });
    const named = await page.evaluate(() => Object.entries(window.berthView.app.scene.robots[0].named_states[0].values));
    await waitUntil(page, "the named state", () => page.evaluate((values) => values.every(([name, value]) => {
        const app = window.berthView.app;
        return app.values[app.scene.values.findIndex((each) => each.name === name)] === value;
    }), named));
}));

await test("nearest pairs are those of berth check", () => onCell(async (page) => {
    const said = JSON.parse(ask("check", CELL, "--at", AT, "--distance", "--all", "--json", "--quiet")).pairs.slice(0, 8);
    const expected = JSON.stringify(said.map((pair) => [pair.a, pair.b, pair.lower]));
    const shown = () => page.evaluate(() => JSON.stringify(window.berthView.app.answer.near.map((pair) => [pair.a, pair.b, pair.lower])));
    await waitUntil(page, "all near pairs", async () => (await shown()) === expected, 30000).catch(() => undefined);
    assert.equal(await shown(), expected);
    await waitUntil(page, "their table", async () => (await page.locator("#near tbody tr").count()) === 8);
}));

await test("a click on a body tells its name, its pairs and why some are not checked", () => onCell(async (page) => {
    const at = await page.evaluate(() => {
        const { app } = window.berthView;
        return app.stage.screen(app.stage.centre(app.bodyOf("left/link3")));
    });
    await page.mouse.click(at.x, at.y);
    await page.waitForSelector("#bodypairs tbody tr");
    assert.match(await text(page, "#card"), /left\/link3/);
    assert.match(await text(page, "#bodypairs"), /meant to touch/);
    assert.match(await text(page, "#bodypairs"), /Adjacent/i);
}));

// ---- doing -------------------------------------------------------------------------------------------------

await test("an object is dragged, moves where the pointer went, and forces are shown as arrows", () => onScene([path.join(MODELS, "touch/cell.yaml")], async (page) => {
    await page.keyboard.press("o");
    const name = "sphere";
    const spot = () => page.evaluate((body) => {
        const { app } = window.berthView;
        const centre = app.stage.centre(app.bodyOf(body));
        return { ...app.stage.screen(centre), world: centre.toArray() };
    }, name);
    const from = await spot();
    const to = await page.evaluate(() => {
        const { app } = window.berthView;
        return app.stage.screen(app.stage.centre(app.bodyOf("rectangle")));
    });
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let i = 1; i <= 10; i += 1) await page.mouse.move(from.x + ((to.x - from.x) * i) / 10, from.y + ((to.y - from.y) * i) / 10);
    await page.mouse.up();
    const pushed = await waitUntil(page, "a force on the sphere", () => page.evaluate((body) =>
        window.berthView.app.contacts.filter((each) => [each.a, each.b].includes(body) && [each.a, each.b].includes("rectangle") && Math.hypot(...each.force) > 0.01).length, name));
    assert.ok(pushed > 0);
    const now = await spot();
    assert.ok(Math.hypot(now.world[0] - from.world[0], now.world[1] - from.world[1]) > 0.1, "it did not move");
    assert.ok(Math.abs(now.world[2] - from.world[2]) < 1e-6, "it left its level");
    await waitUntil(page, "labels of forces", async () => (await page.locator(".label.force:visible").count()) > 0);

    // Arrows point as the forces of berth contact do, about the scene as it was exported.
    const [yaml] = await Promise.all([page.waitForEvent("download"), page.click("#export-scene")]);
    const exported = path.join(MODELS, "touch", "pushed-by-test.yaml");
    await yaml.saveAs(exported);
    try {
        const said = JSON.parse(ask("contact", exported, "--json", "--quiet")).contacts.filter((each) => Math.hypot(...each.force) > 0.01);
        assert.ok(said.length > 0, "berth contact tells no force");
        const arrows = await page.evaluate(() => {
            const up = window.berthView.app.stage.camera.up.clone().set(0, 1, 0);
            const heads = window.berthView.app.stage.marks[0].group.children.filter((each) => each.geometry.type === "ConeGeometry" && each.material.color.getHex() === 0x17a2b8);
            return heads.map((head) => up.clone().applyQuaternion(head.quaternion).toArray());
        });
        const unit = (v) => v.map((x) => x / Math.hypot(...v));
        const along = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
        for (const { force } of said) {
            assert.ok(arrows.some((arrow) => along(arrow, unit(force)) > 0.999), `no arrow along ${force}; there are ${JSON.stringify(arrows)}`);
        }
        for (const arrow of arrows) assert.ok(said.some(({ force }) => along(arrow, unit(force)) > 0.99), `an arrow along no force: ${arrow}`);
    } finally {
        rmSync(exported, { force: true });
    }
}));

// A finger has no Shift key: the switch beside the tools lifts.
await test("by touch an object and a ball are lifted, and a drag turns nothing", () => onScene([path.join(MODELS, "touch/cell.yaml")], async (page) => {
    const cdp = await page.context().newCDPSession(page);
    const touch = (type, points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    const swipe = async (from, by) => {
        await touch("touchStart", [from]);
        for (let i = 1; i <= 6; i += 1) await touch("touchMove", [{ x: from.x + (by.x * i) / 6, y: from.y + (by.y * i) / 6 }]);
        await touch("touchEnd", []);
    };
    const place = (name) => page.evaluate((body) => {
        const { app } = window.berthView;
        const centre = app.stage.centre(app.bodyOf(body));
        return { ...app.stage.screen(centre), world: centre.toArray(), eye: app.stage.look() };
    }, name);
    assert.equal(await page.locator("#lift").isVisible(), false);
    await page.locator("[data-tool=object]").click();
    await page.locator("#lift").click();
    const before = await place("sphere");
    await swipe(before, { x: 0, y: -40 });
    const after = await waitUntil(page, "the sphere to rise", async () => {
        const now = await place("sphere");
        return now.world[2] > before.world[2] + 0.01 ? now : null;
    });
    assert.ok(Math.hypot(after.world[0] - before.world[0], after.world[1] - before.world[1]) < 1e-6, "it went aside");
    assert.deepEqual(after.eye, before.eye);

    await page.evaluate(() => { document.getElementById("ballpanel").open = true; });
    await page.click("#ball-put");
    const ball = () => page.evaluate(() => {
        const { app } = window.berthView;
        return { ...app.stage.screen(app.stage.controls.target.clone().set(...app.ball.centre)), centre: app.ball.centre };
    });
    const low = await ball();
    await swipe(low, { x: 0, y: -40 });
    await waitUntil(page, "the ball to rise", async () => (await ball()).centre[2] > low.centre[2] + 0.01);
    const high = await ball();
    assert.deepEqual(high.centre.slice(0, 2), low.centre.slice(0, 2));
}));

await test("the tool is dragged by inverse kinematics", () => onCell(async (page) => {
    await page.keyboard.press("t");
    const read = () => page.evaluate(() => {
        const { app } = window.berthView;
        const tip = app.scene.robots[0].tips[0];
        return { values: app.values.slice(0, 7), at: app.stage.screen(app.stage.centre(tip)), pose: app.pose(tip) };
    });
    const before = await read();
    await page.mouse.move(before.at.x, before.at.y);
    await page.mouse.down();
    for (let i = 1; i <= 5; i += 1) {
        await page.mouse.move(before.at.x + 2 * i, before.at.y - 3 * i);
        await page.waitForTimeout(60);
    }
    await page.mouse.up();
    await waitUntil(page, "other values", async () => (await read()).values.some((value, index) => Math.abs(value - before.values[index]) > 1e-4));
}));

await test("a plan from A to B is found, proven and played", () => onCell(async (page) => {
    await page.evaluate(() => { document.getElementById("plan").open = true; });
    await page.click("#plan-from");
    const goal = { joint1: 1.05, joint2: -0.42, joint3: 1.15, joint4: -0.21, joint5: 0.88, joint6: -1.46 };
    await page.evaluate((values) => {
        const { app } = window.berthView;
        app.applyNamed(Object.fromEntries(Object.entries(values).map(([name, value]) => [`left/${name}`, value])));
        app.ask();
    }, goal);
    await page.click("#plan-to");
    await page.click("#plan-go");
    await waitUntil(page, "a plan", async () => /Found.*proven free/.test(await text(page, "#planout")));
    await waitUntil(page, "its end", () => page.evaluate(() => !window.berthView.app.playing && Math.abs(window.berthView.app.values[0] - 1.05) < 1e-6));

    // Its plot and its proof are there as for a file's motion, and what is shown at a moment is what the program has there.
    await waitUntil(page, "its proof", async () => /planned motion.*whole motion is FREE/i.test(await text(page, "#pathwords")));
    assert.ok(await page.locator(".plot polyline.lower:visible").count() > 0, "there is no plot");
    await page.click("#nearest");
    await waitUntil(page, "where it is nearest", () => page.evaluate(() => {
        const { app } = window.berthView;
        const least = Math.min(...app.path.profile.map((point) => point.upper));
        return app.t > 0 && Math.abs(app.answer.clearance?.upper - least) < 1e-9;
    }));
}));

await test("trees grow while a plan is searched, states are answered meanwhile, and it can be stopped", () => {
    const urdf = `<robot name="slider"><link name="base"/><link name="mid"/><link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="x" type="prismatic"><parent link="base"/><child link="mid"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
        <joint name="y" type="prismatic"><parent link="mid"/><child link="ball"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>`;
    writeFileSync(path.join(work, "slider.urdf"), urdf);
    writeFileSync(path.join(work, "shut.yaml"), "berth: 1\nrobots:\n  - {urdf: slider.urdf, state: {x: -1}}\nobjects:\n  - {name: wall, box: {size: [0.2, 9, 1]}}\n");
    return onScene([path.join(work, "shut.yaml")], async (page) => {
        await page.evaluate(() => {
            const { app } = window.berthView;
            app.plan.from = [-1, 0];
            app.plan.to = [1, 0];
            void app.makePlan(600);
        });
        const lines = () => page.evaluate(() => {
            const { app } = window.berthView;
            const tree = app.stage.worn.children.find((each) => each.isLineSegments && each.geometry.getAttribute("position").count > 0);
            return tree ? tree.geometry.getAttribute("position").count / 2 : 0;
        });
        const first = await waitUntil(page, "a tree", lines);
        const most = 8000;  // VIEW_TREE_LINES: a quick machine has drawn them all by now
        await waitUntil(page, "more of it", async () => (await lines()) > Math.min(first, most - 1));
        assert.equal(await setJoint(page, "x", -0.1), "collision");
        assert.equal(await setJoint(page, "x", -0.9), "free");
        assert.ok(await page.evaluate(() => window.berthView.app.plan.running), "it ended by itself");
        await page.evaluate(() => { document.getElementById("plan").open = true; });
        await page.click("#plan-stop");
        await waitUntil(page, "its end", async () => /cancelled/.test(await text(page, "#planout")));
    });
});

await test("an object that one page moves is moved on the other, and what was proven of the motion is proven anew", async () => {
    const server = await serve(path.join(MODELS, "two_arms/testbed.yaml"), "--trajectory", path.join(MODELS, "two_arms/task2.csv"));
    try {
        const one = await openPage(browser.context, server.address);
        const other = await openPage(browser.context, server.address);
        const proof = (page) => page.evaluate(() => window.berthView.app.path?.verdict);
        for (const { page } of [one, other]) await waitUntil(page, "a proof", () => proof(page));
        const body = await one.page.evaluate(() => {
            const { app } = window.berthView;
            const body = app.scene.bodies.findIndex((each) => each.kind === "object");
            const pose = app.pose(body).slice();
            pose[11] += 50;
            app.place(body, pose);
            return body;
        });
        assert.equal(await proof(one.page), undefined, "the old proof is still shown");
        await waitUntil(other.page, "the other page's move", () => other.page.evaluate((index) => window.berthView.app.pose(index)[11] > 40, body));
        for (const { page } of [one, other]) await waitUntil(page, "a proof of the scene as it is", () => proof(page));
        for (const { page, errors } of [one, other]) {
            assert.deepEqual(errors, []);
            await page.close();
        }
    } finally {
        await server.stop();
    }
});

await test("a ball in an object", () => onCell(async (page) => {
    await page.evaluate(() => { document.getElementById("ballpanel").open = true; });
    await page.locator("#ballpanel select").first().selectOption({ label: "column" });
    await page.click("#ball-put");
    await waitUntil(page, "a collision in the middle of the column", async () => /COLLISION/.test(await text(page, "#ballout")));
    const x = page.locator("[data-ball=x]");
    await x.fill("9");
    await x.press("Enter");
    await waitUntil(page, "a free ball", async () => /FREE/.test(await text(page, "#ballout")));

    // In another object than the one that was chosen: it is found, and named.
    const table = await page.evaluate(() => window.berthView.app.stage.centre(window.berthView.app.bodyOf("front_table")).toArray());
    for (const [axis, value] of ["x", "y", "z"].map((each, index) => [each, table[index]])) {
        await page.fill(`[data-ball=${axis}]`, String(value));
        await page.keyboard.press("Enter");
    }
    await waitUntil(page, "a collision with the table", async () => /COLLISION.*front_table/.test(await text(page, "#ballout")));
}));

// A map of the plane, 6 x 5 cells, as robots that drive have it.
await test("a map: a ball dragged by the mouse, distances on a slice, cells, perimeter functions", () => {
    const rows = ["254 254 254 254 254 254", "254 0 254 254 254 254", "254 254 254 254 0 254", "254 254 254 254 254 254", "254 254 254 254 254 254"];
    writeFileSync(path.join(work, "plane.pgm"), `P2\n6 5\n255\n${rows.join("\n")}\n`);
    writeFileSync(path.join(work, "plane.yaml"), "image: plane.pgm\nresolution: 0.2\norigin: [0.1, -0.3, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n");
    writeFileSync(path.join(work, "planar.yaml"), `berth: 1\nrobots:\n  - {urdf: ${path.join(MODELS, "two_arms/arm.urdf")}, base: {xyz: [9, 9, 9]}}\nobjects:\n  - {name: floor, map: {file: plane.yaml, height: [0, 0.1]}}\n`);
    return onScene([path.join(work, "planar.yaml")], async (page) => {
        await page.click("#ball-put");
        for (const [name, value] of [["x", "0.95"], ["y", "-0.2"], ["radius", "0.05"]]) {
            await page.fill(`[data-ball=${name}]`, value);
            await page.keyboard.press("Enter");
        }
        await waitUntil(page, "a free ball", async () => /FREE/.test(await text(page, "#ballout")));
        for (const layer of ["slice", "cells", "perimeter"]) {
            const drawn = () => page.evaluate(() => window.berthView.app.stage.worn.children.length);
            const before = await drawn();
            await page.locator(`[data-map=${layer}]`).check();
            await waitUntil(page, layer, async () => (await drawn()) > before);
        }
        assert.match(await text(page, "#ballpanel"), /cells/);
        assert.equal(await text(page, "#ballpanel .error"), "");

        // Dragged onto the obstacle, the ball collides. Seen from above, so that the pointer is where the ball goes.
        await page.evaluate(() => window.berthView.app.stage.lookFrom([0.7, 0.19, 3, 0.7, 0.2, 0]));
        await frames(page, 3);
        const at = await page.evaluate(() => {
            const { app } = window.berthView;
            const z = app.ball.centre[2];
            const spot = (x, y) => app.stage.screen(app.stage.controls.target.clone().set(x, y, z));
            return [spot(0.95, -0.2), spot(0.4, 0.4)];
        });
        await page.mouse.move(at[0].x, at[0].y);
        await page.mouse.down();
        await page.mouse.move(at[1].x, at[1].y, { steps: 8 });
        await page.mouse.up();
        await waitUntil(page, "a ball that collides", async () => /COLLISION/.test(await text(page, "#ballout")));
        await waitUntil(page, "why there are no functions", async () => /free cell/.test(await text(page, "#ballpanel .error")));

        // Beside the map the page named an obstacle inside, 0 mm away.
        await page.fill("[data-ball=x]", "-4");
        await page.keyboard.press("Enter");
        await waitUntil(page, "a ball outside", async () => /COLLISION.*centre is outside of floor/.test(await text(page, "#ballout")));
    });
});

await test("what stands still is kept as pixels, and the frame is the same as one drawn as a whole", () => onScene([path.join(MODELS, "kitchen/cell.yaml")], async (page) => {
    // The same frame twice, one task: by what is kept and as a whole. A link of the robot moves first, so that not all is kept.
    const { kept, differ, seen } = await page.evaluate(() => {
        const { app } = window.berthView;
        const { stage } = app;
        stage.steady = true;
        let kept = 0;
        const draw = stage.backdrop.draw.bind(stage.backdrop);
        stage.backdrop.draw = (...rest) => {
            const drawn = draw(...rest);
            kept += Number(drawn);
            return drawn;
        };
        const poses = [...Array(app.scene.bodies.length).keys()].map((body) => app.pose(body));
        for (const step of [0, 0, 0, 0.02, 0.04, 0.06]) {
            stage.setPoses(0, poses.map((pose, body) => (app.scene.bodies[body].name === "l_hand" ? pose.map((value, i) => (i === 11 ? value + step : value)) : pose)));
            stage.render();
        }
        const gl = stage.renderer.getContext();
        const shot = () => {
            stage.render();
            const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
            gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            return pixels;
        };
        const copied = shot();
        const before = kept;
        stage.backdrop.forget();
        const whole = shot();
        return { kept: kept === before ? kept : 0, differ: copied.filter((value, index) => value !== whole[index]).length, seen: new Set(whole).size };
    });
    assert.ok(kept >= 4, "nothing was kept, or all of it");
    assert.ok(seen > 30, "the drawing is plain");
    assert.equal(differ, 0);
}));

await test("two states side by side, layers, octree, dark, help: by keys", () => onCell(async (page) => {
    await page.keyboard.press("k");
    assert.equal(await page.evaluate(() => window.berthView.app.stage.split), true);
    await page.keyboard.press("x");
    assert.equal(await page.evaluate(() => window.berthView.app.stage.split), false);
    await page.keyboard.press("d");
    await page.keyboard.press("?");
    assert.equal(await page.locator("#helpbox").isVisible(), true);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#helpbox").isVisible(), false);
    await page.locator("[data-layer=octree]").check();
    await waitUntil(page, "leaves", () => page.evaluate(() => window.berthView.app.leaves?.length > 0));
    await page.locator("[data-layer=capsules]").check();
    await waitUntil(page, "the layer of capsules", () => page.evaluate(() => window.berthView.app.layers.has("capsules") && window.berthView.app.stage.hasLayer("capsules")));
    await page.locator("[data-layer=spheres]").check();
    await waitUntil(page, "the layer of spheres", () => page.evaluate(() => window.berthView.app.stage.hasLayer("spheres")));
}));

// ---- motions -----------------------------------------------------------------------------------------------

const TESTBED = path.join(MODELS, "two_arms/testbed.yaml");
const PORT = 20000 + Math.floor(Math.random() * 20000);
const TASK = path.join(MODELS, "two_arms/task2.csv");

await test("a path is played to its first contact, which is the one of berth path", () => onScene([TESTBED, "--trajectory", TASK], async (page) => {
    const said = JSON.parse(ask("path", TESTBED, TASK, "--first-contact", "--json", "--quiet")).first_contact;
    await waitUntil(page, "the answer about the path", async () => /first contact/.test(await text(page, "#pathwords")));
    assert.match(await text(page, "#pathwords"), new RegExp(`${said.a} with ${said.b}`));
    const times = await page.evaluate(() => window.berthView.app.times);
    const expected = times[said.segment] + said.t[1] * (times[said.segment + 1] - times[said.segment]);
    await page.evaluate((t) => window.berthView.app.seek(t - 0.25), expected);
    assert.equal(await verdict(page), "free");
    await page.click("#play");
    await waitUntil(page, "a collision while playing", async () => (await verdict(page)) === "collision");
    const contact = await page.evaluate(() => window.berthView.app.t);
    assert.ok(contact >= expected - 1e-9, `collision was shown at ${contact}, before ${expected}`);
    await page.click("#contact");
    await waitUntil(page, "the moment of first contact", () => page.evaluate((t) => Math.abs(window.berthView.app.t - t) < 1e-9, expected));
    await waitUntil(page, "the pair of first contact", async () => (await text(page, "#verdict")).includes(`${said.a} with ${said.b}`));

    // The plot's cursor stands there too, also when the window has another width: it kept its pixels, not its time.
    const apart = () => page.evaluate(() => Math.abs(Number(document.querySelector(".plot .cursor").getAttribute("x1")) - Number(document.querySelector(".plot line.contact").getAttribute("x1"))));
    assert.ok((await apart()) < 1);
    const size = page.viewportSize();
    await page.setViewportSize({ width: size.width - 300, height: size.height });
    await page.waitForTimeout(200);
    await waitUntil(page, "the cursor at the contact", async () => (await apart()) < 1);
    await page.setViewportSize(size);
    assert.equal(await page.locator(".plot .segment").count(), times.length - 1);
}));

// On a busy machine the guard stops for an overrun at once: that permits come, and that silence is a stop, is what holds anywhere.
await test("permits of a running guard are shown, and its end is a stop", () => onScene([TESTBED, "--monitor", `127.0.0.1:${PORT}`], async (page) => {
    const guard = spawn(BERTH, ["monitor", TESTBED, "--input", TASK, "--output", `udp:127.0.0.1:${PORT}`, "--not-real-time", "--quiet"], { stdio: "ignore" });
    try {
        await waitUntil(page, "a permit", () => page.evaluate(() => window.berthView.app.permits.some((permit) => permit.distance > 0 && permit.required > 0)));
        guard.kill("SIGINT");
        await waitUntil(page, "a stop", async () => /^STOP/.test(await text(page, "#permit")));
    } finally {
        guard.kill("SIGINT");
    }
}));

const CRC = [...Array(256).keys()].map((byte) => [...Array(8)].reduce((crc) => (crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1), byte));

const checksum = (bytes) => (~[...bytes].reduce((sum, byte) => CRC[(sum ^ byte) & 255] ^ (sum >>> 8), ~0)) >>> 0;

/** A message as docs/reference/guard.md has it, in JSON: the sum is over the text up to the comma before it. */
function wire(fields) {
    const body = JSON.stringify({ berth: 1, ...fields }).slice(0, -1);
    const crc = checksum(Buffer.from(body));
    return Buffer.from(`${body},"crc":"${crc.toString(16).padStart(8, "0")}"}`);
}

/** The same of a permit in its binary form, the only one that is read: as the table there has it. */
function permitBytes({ sequence, go, reason, retreat, validFor, distance, required, scale }) {
    const bytes = Buffer.alloc(41 + 8 + 12 * 8 + 32 + 4);
    bytes.write("BRTH", 0, "latin1");
    bytes.writeUInt8(2, 4);
    bytes.writeUInt8(3, 5);
    bytes.writeUInt16LE(bytes.length, 6);
    bytes.writeBigUInt64LE(9n, 8);
    bytes.writeBigUInt64LE(BigInt(sequence), 16);
    bytes.writeDoubleLE(NaN, 24);
    [go ? 1 : 0, reason, 0, retreat ? 1 : 0].forEach((byte, index) => bytes.writeUInt8(byte, 41 + index));
    bytes.writeInt32LE(-1, 45);
    [validFor, distance, required, 0, 1, scale].forEach((number, index) => bytes.writeDoubleLE(number, 49 + 8 * index));
    bytes.writeUInt32LE(checksum(bytes.subarray(0, bytes.length - 4)), bytes.length - 4);
    return bytes;
}

// Permits as a guard sends them, and states with their speeds: what is drawn round the robots follows them.
await test("buffers, speed scale and RETREAT of a guard are shown as they arrive", () => onScene([TESTBED, "--monitor", `127.0.0.1:${PORT + 2}`], async (page) => {
    const socket = createSocket("udp4");
    const send = (bytes) => new Promise((resolve) => socket.send(bytes, PORT + 2, "127.0.0.1", resolve));
    const count = await page.evaluate(() => window.berthView.app.values.length);
    await page.locator("[data-layer=buffers]").check();
    const widest = () => page.evaluate(() => Math.max(0, ...(window.berthView.app.buffers?.bodies ?? []).map((each) => each.buffer)));
    const largest = await waitUntil(page, "buffers at the largest speeds", widest);
    assert.match(await text(page, "#buffers"), /largest speeds/);
    assert.ok(await page.locator("#buffers tbody tr").count() >= 7);

    const values = Array(count).fill(0.1);
    let sequence = 0;
    const state = (velocity) => send(wire({ kind: "state", name: "state", stream: 5, sequence: (sequence += 1), positions: values, velocities: Array(count).fill(velocity) }));
    const permit = (fields) => send(permitBytes({ sequence, go: true, reason: 0, retreat: false, validFor: 5, distance: 0.3, required: 0.1, scale: 0.5, ...fields }));
    await state(0);
    await permit({});
    await waitUntil(page, "a permit", async () => /^GO.*50 %/.test(await text(page, "#permit")));
    const rest = await waitUntil(page, "buffers at rest", () => page.evaluate(() => {
        const { app } = window.berthView;
        return app.buffers?.reported && app.values[0] === 0.1 ? Math.max(...app.buffers.bodies.map((each) => each.buffer)) : 0;
    }));
    assert.ok(rest < 0.6 * largest, `${rest} at rest, ${largest} at the largest speeds`);
    assert.match(await text(page, "#buffers"), /reported/);

    await state(0);
    await permit({ go: false, reason: 10, retreat: true, distance: 0.05 });
    await waitUntil(page, "the retreat", async () => /^STOP, RETREAT/.test(await text(page, "#permit")));
    assert.ok(await page.evaluate(() => document.querySelector(".monitor .speedscale").getAttribute("points").length > 5));
    socket.close();
}));

// ---- live maps ---------------------------------------------------------------------------------------------

await test("a map whose cells come from a sensor is drawn and asked as they are now", () => {
    const port = PORT + 1;
    const rows = Array(5).fill("254 254 254 254 254 254");
    rows[2] = "254 254 254 254 0 254";
    writeFileSync(path.join(work, "live.pgm"), `P2\n6 5\n255\n${rows.join("\n")}\n`);
    writeFileSync(path.join(work, "live-map.yaml"), "image: live.pgm\nresolution: 0.2\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n");
    writeFileSync(path.join(work, "live.yaml"), `berth: 1\nrobots:\n  - {urdf: ${path.join(MODELS, "two_arms/arm.urdf")}, base: {xyz: [9, 9, 9]}}\nobjects:\n  - {name: floor, map: {file: live-map.yaml, height: [0, 0.1], outside: free}}\n`);
    return onScene([path.join(work, "live.yaml"), "--monitor", `127.0.0.1:${port}`], async (page, server) => {
        const socket = createSocket("udp4");
        const send = (fields) => new Promise((resolve) => socket.send(wire({ kind: "cells", name: "floor", stream: 7, part: 0, parts: 1, alive: true, ...fields }), port, "127.0.0.1", resolve));
        const triangles = () => page.evaluate(() => {
            const { app } = window.berthView;
            return app.stage.nodes[app.bodyOf("floor")].layers.get("collision").geometry.index.count / 3;
        });
        await page.click("#ball-put");
        for (const [name, value] of [["x", "0.3"], ["y", "0.7"], ["radius", "0.05"]]) {
            await page.fill(`[data-ball=${name}]`, value);
            await page.keyboard.press("Enter");
        }
        const ball = (word) => waitUntil(page, `a ball that is ${word}`, async () => new RegExp(word).test(await text(page, "#ballout")));
        await ball("FREE");
        const before = await triangles();

        // Cell (1, 3) and its right neighbour, all others free; in two parts, the later one first.
        await send({ sequence: 1, whole: true, unknown: false, since: 0, part: 1, parts: 2, runs: [20, 1, 1] });
        await send({ sequence: 1, whole: true, unknown: false, since: 0, part: 0, parts: 2, runs: [19, 1, 1] });
        await ball("COLLISION");
        await waitUntil(page, "another surface", async () => (await triangles()) >= before);

        // What changed: the left one is free again. What rests on an update that never came, and what the map has no cells for, says nothing.
        await send({ sequence: 3, whole: false, since: 2, unknown: false, runs: [0, 30, 1] });
        await send({ sequence: 4, whole: false, since: 1, unknown: false, runs: [29, 2, 1] });
        await send({ sequence: 5, whole: false, since: 1, unknown: false, runs: [19, 1, 0] });
        await ball("FREE");
        assert.match(await text(page, "#ballout"), /100 mm/);

        // A page that comes later has the map as it is now; a map without obstacles is told and not drawn.
        const later = await openPage(browser.context, server.address);
        await waitUntil(later.page, "the surface of now", () => later.page.evaluate(() => {
            const box = window.berthView.app.stage.box(window.berthView.app.bodyOf("floor"));
            return Math.abs(box.min.x - 0.4) < 1e-6 && Math.abs(box.max.x - 0.6) < 1e-6;
        }));
        assert.deepEqual(later.errors, []);
        await later.page.close();
        await send({ sequence: 6, whole: true, unknown: false, since: 0, runs: [] });
        await waitUntil(page, "that it is empty", async () => /without any obstacle/.test(await text(page, "#note")));
        await send({ sequence: 7, whole: true, unknown: false, since: 0, runs: [19, 1, 1] });
        await ball("COLLISION");
        socket.close();
    });
});

// ---- out of the page ---------------------------------------------------------------------------------------

await test("a shared link holds the state and not the token; exports read back", () => onScene([CELL], async (page, server) => {
    const token = new URL(server.address).searchParams.get("token");
    assert.ok(!(await page.url()).includes(token), "the token stays in the address bar");
    await setJoint(page, "left/joint1", 0.5);
    const moved = await page.evaluate(() => {
        const { app } = window.berthView;
        const pose = app.pose(app.bodyOf("column")).slice();
        pose[3] += 0.75;
        app.place(app.bodyOf("column"), pose);
        app.ball = { body: app.bodyOf("column"), centre: [0.5, 0.25, 1.5], radius: 0.05, metric: "l2", answer: null, error: "" };
        return pose;
    });
    await waitUntil(page, "the column elsewhere", () => page.evaluate((x) => {
        const { app } = window.berthView;
        return Math.abs(app.pose(app.bodyOf("column"))[3] - x) < 1e-9;
    }, moved[3]));
    await page.click("#share");
    const link = await page.url();
    assert.ok(!link.includes(token));

    // In another run of the program, where nothing was moved.
    const again = await serve(CELL);
    try {
        const other = await openPage(browser.context, `${again.address}#${link.split("#")[1]}`);
        const there = await other.page.evaluate(() => {
            const { app } = window.berthView;
            return { value: app.values[0], x: app.pose(app.bodyOf("column"))[3], ball: app.ball?.centre };
        });
        assert.equal(there.value, 0.5);
        assert.ok(Math.abs(there.x - moved[3]) < 1e-6, `the column is at ${there.x}`);
        assert.deepEqual(there.ball, [0.5, 0.25, 1.5]);
        await waitUntil(other.page, "the answer about the ball", () => other.page.evaluate(() => window.berthView.app.ball.answer?.verdict));
        assert.deepEqual(other.errors, []);
        await other.page.close();
    } finally {
        await again.stop();
    }

    // A page that opens after the column was moved shows it there, and so does its own link.
    const late = await openPage(browser.context, server.address);
    await late.page.click("#share");
    const late_link = await late.page.url();
    assert.match(late_link, /[#&]o=column:/);
    assert.deepEqual(late.errors, []);
    await late.page.close();

    const [csv] = await Promise.all([page.waitForEvent("download"), page.click("#export-csv")]);
    const file = path.join(work, "state.csv");
    await csv.saveAs(file);
    assert.match(readFileSync(file, "utf8"), /^left\/joint1,[\s\S]*\n0\.5,/);
    assert.equal(JSON.parse(ask("check", CELL, "--states", file, "--json", "--quiet")).verdict, await verdict(page));
    const [yaml] = await Promise.all([page.waitForEvent("download"), page.click("#export-scene")]);
    await yaml.saveAs(path.join(MODELS, "two_arms", "exported-by-test.yaml"));
    try {
        const said = JSON.parse(ask("check", path.join(MODELS, "two_arms", "exported-by-test.yaml"), "--distance", "--json", "--quiet"));
        assert.equal(said.verdict, await verdict(page));
        assert.equal(said.clearance.lower, await page.evaluate(() => window.berthView.app.answer.clearance.lower));
    } finally {
        rmSync(path.join(MODELS, "two_arms", "exported-by-test.yaml"), { force: true });
    }
}));

await test("a shared link holds the kept state, side by side, the cut and the slice of a map", () => onScene([CELL], async (page, server) => {
    await setJoint(page, "left/joint2", -0.47);
    await setJoint(page, "left/joint4", 1.27);
    await setJoint(page, "left/joint5", 0.19);
    await setJoint(page, "left/joint6", 0.7);
    const hit = await verdict(page);
    assert.equal(hit, "collision");
    await page.evaluate(() => document.getElementById("keep").click());
    await setJoint(page, "left/joint2", -0.9);
    assert.equal(await verdict(page), "free");
    await page.evaluate(() => {
        const { app } = window.berthView;
        app.maps.choose(app.bodyOf("column"));
        app.maps.show("slice", true);
        app.maps.setHeight(0.625);
        app.setCut(1.75);
    });
    await page.click("#share");
    const link = await page.url();

    const other = await openPage(browser.context, `${server.address}#${link.split("#")[1]}`);
    const there = await other.page.evaluate(() => {
        const { app } = window.berthView;
        return { kept: app.kept?.values[1], verdict: app.kept?.answer.verdict, split: app.split, now: app.values[1], cut: app.cut, look: app.stage.look(),
            map: app.scene.bodies[app.maps.body].name, height: app.maps.level(), shown: [...app.maps.shown] };
    });
    const look = await page.evaluate(() => window.berthView.app.stage.look());
    there.look.forEach((value, index) => assert.ok(Math.abs(value - look[index]) < 1e-3, `the camera is at ${there.look}`));
    delete there.look;
    assert.deepEqual(there, { kept: -0.47, verdict: "collision", split: true, now: -0.9, cut: 1.75, map: "column", height: 0.625, shown: ["slice"] });
    assert.equal(await verdict(other.page), "free");
    assert.match(await other.page.locator("#kept").textContent(), /COLLISION/);
    await waitUntil(other.page, "the slice", () => other.page.evaluate(() => window.berthView.app.maps.drawn.has("slice")));

    // Forces and exports are of the present state, not of the kept one.
    const [csv] = await Promise.all([other.page.waitForEvent("download"), other.page.click("#export-csv")]);
    const file = path.join(work, "present.csv");
    await csv.saveAs(file);
    assert.match(readFileSync(file, "utf8"), /\n[^,]+,-0\.9,/);
    assert.deepEqual(other.errors, []);
    await other.page.close();
}));

await test("a page written to disk opens from there, plays, and says that it is a recording", async () => {
    const file = path.join(work, "report.html");
    ask("view", TESTBED, "--trajectory", TASK, "--html", file, "--quiet");
    assert.ok(statSync(file).size < 8e6);
    const { page, errors } = await openPage(browser.context, pathToFileURL(file).href);
    assert.equal(await text(page, ".linkstate"), "recording");
    assert.match(await text(page, "#pathwords"), /first contact/);
    await waitUntil(page, "the collision, at which it opens", async () => (await verdict(page)) === "collision");
    await page.keyboard.press("Home");
    await waitUntil(page, "the begin", async () => (await verdict(page)) === "free");
    await page.click("#contact");
    await waitUntil(page, "the collision", async () => (await verdict(page)) === "collision");
    assert.ok(await colours(page) > 8, "the drawing is plain");

    // A body's pairs and their reasons are in the file.
    await page.locator("#body").selectOption({ label: "left/link3" });
    await page.waitForSelector("#bodypairs tbody tr");
    assert.match(await text(page, "#bodypairs"), /left\/link2\s+meant to touch/);
    assert.match(await text(page, "#bodypairs"), /front_table\s+checked/);
    assert.deepEqual(errors, []);
    await page.close();
});

await test("a picture by --png shows the scene at first contact", async () => {
    const file = path.join(work, "picture.png");
    ask("view", TESTBED, "--trajectory", TASK, "--png", file, "--quiet");
    const size = readFileSync(file);
    assert.deepEqual([...size.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
    assert.deepEqual([size.readUInt32BE(16), size.readUInt32BE(20)], [1280, 720]);
    await compare("png_contact", size);
});

await test("a report opens from disk with its view at the moment that it is about", async () => {
    const file = path.join(work, "stop.html");
    ask("monitor", TESTBED, "--input", TASK, "--fast", "--report", file, "--quiet");
    const { page, errors } = await openPage(browser.context, pathToFileURL(file).href, { ready: false });
    const stop = Number(/first STOP at ([0-9.]+) s/.exec(await text(page, ".answer"))[1]);
    const frame = page.frames()[1];
    await frame.waitForSelector("body[data-ready=true]", { timeout: 30000 });
    await waitUntil(page, "the moment", () => frame.evaluate((t) => Math.abs(window.berthView.app.t - t) < 1e-6, stop));
    assert.equal(await frame.locator("[data-tool]").count(), 0, "tools that a recording has no use for");
    assert.deepEqual(errors, []);
    await page.close();
});

// Two waves on a square of 300 x 300: 180,000 triangles.
function writeWaves(file, size) {
    const bytes = Buffer.alloc(84 + 100 * size * size);
    bytes.writeUInt32LE(2 * size * size, 80);
    const height = (x, y) => 0.1 * Math.sin((12 * x) / size) * Math.sin((12 * y) / size);
    let at = 84;
    for (let y = 0; y < size; y += 1) {
        for (let x = 0; x < size; x += 1) {
            for (const corners of [[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]]) {
                corners.forEach(([dx, dy], corner) => [(x + dx) / size, (y + dy) / size, height(x + dx, y + dy)].forEach((value, axis) => bytes.writeFloatLE(value, at + 12 + 12 * corner + 4 * axis)));
                at += 50;
            }
        }
    }
    writeFileSync(file, bytes);
}

await test("reports have visual meshes, large ones with fewer triangles, and say so", async () => {
    writeWaves(path.join(work, "waves.stl"), 300);
    const sphere = '<collision><geometry><sphere radius="0.1"/></geometry></collision>';
    writeFileSync(path.join(work, "waves.urdf"), `<robot name="waves"><link name="base"/>
        <link name="arm"><visual><geometry><mesh filename="waves.stl"/></geometry></visual>${sphere}</link>
        <link name="stand">${sphere}</link>
        <joint name="s" type="fixed"><parent link="base"/><child link="stand"/><origin xyz="3 0 0"/></joint>
        <joint name="x" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>`);
    writeFileSync(path.join(work, "waves.csv"), "time,x\n0,0\n2,1\n");
    for (const args of [["path", path.join(work, "waves.urdf"), path.join(work, "waves.csv")], ["plan", path.join(work, "waves.urdf"), "--to", "x=0.5"]]) {
        const file = path.join(work, `waves-${args[0]}.html`);
        ask(...args, "--report", file, "--quiet");
        assert.ok(statSync(file).size < 6e6, `${statSync(file).size} bytes`);
        const { page, errors } = await openPage(browser.context, pathToFileURL(file).href, { ready: false });
        const frame = page.frames()[1];
        await frame.waitForSelector("body[data-ready=true]", { timeout: 30000 });
        const [, drawn, all] = /with ([0-9]+) of their ([0-9]+) triangles/.exec(await text(page, "body"));
        assert.equal(Number(all), 180000);
        await frame.locator("[data-layer=visual]").check();
        const mesh = await frame.evaluate(() => {
            const { app } = window.berthView;
            const { geometry, visible } = app.stage.nodes[app.bodyOf("arm")].layers.get("visual");
            const { min, max } = geometry.boundingBox;
            return { visible, triangles: geometry.index.count / 3, low: min.toArray(), high: max.toArray() };
        });
        assert.equal(mesh.visible, true);
        assert.equal(mesh.triangles, Number(drawn));
        assert.ok(mesh.triangles > 20000 && mesh.triangles < 180000, `${mesh.triangles} triangles`);
        [0, 0, -0.1].forEach((low, axis) => assert.ok(Math.abs(mesh.low[axis] - low) < 0.01, `it begins at ${mesh.low}`));
        [1, 1, 0.1].forEach((high, axis) => assert.ok(Math.abs(mesh.high[axis] - high) < 0.01, `it ends at ${mesh.high}`));
        assert.deepEqual(errors, []);
        await page.close();
    }
});

await test("a lost connection is told, and taken up again", async () => {
    const server = await serve(CELL);
    const { page } = await openPage(browser.context, server.address);
    // Watched from before: it may be taken up again before anybody asks.
    const told = await page.evaluate(() => new Promise((resolve) => {
        new MutationObserver(() => document.body.dataset.status !== "open" && resolve(true)).observe(document.body, { attributes: true });
        window.berthView.live.drop();
        setTimeout(() => resolve(false), 30000);
    }));
    assert.ok(told, "the loss is told");
    await waitUntil(page, "the connection", () => page.evaluate(() => document.body.dataset.status === "open"));
    assert.equal(await setJoint(page, "left/joint1", 0.25), "free");
    await server.stop();
    await waitUntil(page, "the end of the program to be told", async () => /lost|connecting/.test(await text(page, ".linkstate")));
    await page.close();
});

await test("without a token, or with a wrong one, the page says what to do", async () => {
    const server = await serve(CELL);
    const base = server.address.split("?")[0];
    for (const [address, words] of [[base, /no token/], [`${base}?token=0123456789abcdef0123456789abcdef`, /refused this token|answered 4/]]) {
        const { page } = await openPage(browser.context, address, { ready: false });
        await page.waitForSelector("[role=alert]");
        assert.match(await text(page, "[role=alert]"), words);
        await page.close();
    }
    await server.stop();
});

await test("nothing leaves the room on a phone: the page fits 390 pixels", () => onCell(async (page) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForTimeout(150);
    await waitUntil(page, "a page of 390 pixels", () => page.evaluate(() => innerWidth === 390 && document.documentElement.scrollWidth <= 390));
    await page.setViewportSize({ width: 1280, height: 720 });
}));

await shared.close();
await cell.stop();
await browser.close();

await test("without WebGL there is a message, and the tables work", async () => {
    const blind = await openBrowser(["--disable-3d-apis"]);
    const server = await serve(CELL, "--at", AT);
    try {
        const { page } = await openPage(blind.context, server.address);
        assert.match(await text(page, ".nowebgl"), /no WebGL/);
        assert.equal(await page.locator("#near tbody tr").count(), 8);
        assert.equal(await setJoint(page, "left/joint2", -0.47), "collision");
    } finally {
        await server.stop();
        await blind.close();
    }
});

await test("the bundle is small and whole", async () => {
    const dist = path.join(ROOT, "apps/viewer/dist");
    const size = ["index.html", "app.js", "app.css"].reduce((sum, name) => sum + statSync(path.join(dist, name)).size, 0);
    assert.ok(size < 1.5e6, `${size} bytes`);
    const html = readFileSync(path.join(dist, "index.html"), "utf8");
    assert.ok(!/<script(?![^>]*src=)/.test(html), "a script in the page");
    for (const name of ["app.js", "app.css"]) assert.ok(!/<\/script/i.test(readFileSync(path.join(dist, name), "utf8")), `${name} would end a script`);
});

rmSync(work, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
