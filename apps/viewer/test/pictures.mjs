// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The pictures of README and guide, taken from the real page on the real program. tools/make_pictures calls it:
// node pictures.mjs FOLDER [NAME...] writes FOLDER/*.png, or these, and the frames of the moving one to FOLDER/frames.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ask, BUILD, openBrowser, openPage, serve } from "./harness.mjs";

const out = path.resolve(process.argv[2]);
const wanted = process.argv.slice(3);
const model = (name) => path.join(BUILD, "models", name);
mkdirSync(path.join(out, "frames"), { recursive: true });
const browser = await openBrowser();

async function on(name, args, body) {
    if (wanted.length > 0 && !wanted.includes(name)) return;
    const server = await serve(...args);
    const { page, errors } = await openPage(browser.context, server.address);
    await page.evaluate(() => { window.berthView.app.stage.steady = true; });
    try {
        await body(page);
        if (errors.length > 0) throw new Error(`the page complained: ${errors.join("; ")}`);
    } finally {
        await page.close();
        await server.stop();
    }
}

async function shoot(page, name) {
    // All near pairs, and all pixels, also of a frame that was drawn before and was slow.
    await page.evaluate(() => window.berthView.app.stage.draw());
    await page.waitForTimeout(1200);
    await page.screenshot({ path: path.join(out, `${name}.png`) });
    console.log(`${name}.png`);
}

/** Goes to a moment and waits for its answer, with all near pairs. */
async function seek(page, t) {
    await page.evaluate(async (moment) => {
        const { app } = window.berthView;
        const before = app.answered;
        app.seek(moment);
        while (app.answered === before) await new Promise((resolve) => setTimeout(resolve, 5));
        await new Promise((resolve) => setTimeout(resolve, 420));
    }, t);
}

const path_of = [model("two_arms/testbed.yaml"), "--trajectory", model("two_arms/task2.csv")];

await on("view_path", path_of, async (page) => {
    await page.setViewportSize({ width: 1100, height: 640 });
    await page.waitForSelector(".plot text.contact");
    await page.evaluate(() => window.berthView.app.stage.lookFrom([3.75, -2.1, 2.55, 0.62, 0.3, 0.97]));
    const contact = await page.evaluate(() => window.berthView.app.firstContact());
    const begin = Math.max(0, contact - 2.4);
    const count = 34;
    let frame = 0;
    const take = async () => {
        await page.screenshot({ path: path.join(out, "frames", `${String(frame).padStart(3, "0")}.png`) });
        frame += 1;
    };
    for (let i = 0; i <= count; i += 1) {
        await seek(page, begin + ((contact - begin) * i) / count);
        await take();
    }
    await page.waitForTimeout(600);
    for (let i = 0; i < 14; i += 1) await take();
    console.log(`${frame} frames`);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.evaluate(() => window.berthView.app.stage.frame());
    await shoot(page, "view_path");
});

await on("view_kitchen", [model("kitchen/cell.yaml")], (page) => shoot(page, "view_kitchen"));

await on("view_collision", [model("two_arms/cell.yaml"), "--at", "left/joint2=-0.47,left/joint4=1.27,left/joint5=0.19,left/joint6=0.7"], async (page) => {
    await page.evaluate(() => window.berthView.app.select(window.berthView.app.bodyOf("left/link7")));
    await shoot(page, "view_collision");
});

await on("view_forces", [model("touch/cell.yaml")], async (page) => {
    await page.evaluate(() => {
        document.getElementById("contactforces").open = true;
        document.getElementById("forces").click();
    });
    await page.locator("[data-tool=object]").click();
    await shoot(page, "view_forces");
});

// A map as a sensor has it, with a ball in it.
const map = path.join(out, "frames", "cell.bmap");
ask("map", "build", model("two_arms/cell.yaml"), "--resolution", "0.05", "-o", map, "--quiet");
const scene = path.join(out, "frames", "sensed.yaml");
writeFileSync(scene, `berth: 1
robots:
  - {name: left, urdf: ${model("two_arms/arm.urdf")}, srdf: ${model("two_arms/left.srdf")}, state: home,
     base: {xyz: [0.2032, 0.5588, 1.3208], rpy: [0, 1.5707963267948966, 0]}}
objects:
  - {name: sensed, map: {file: cell.bmap}}
allow: [[link1, sensed]]
`);
await on("view_ball", [scene], async (page) => {
    await page.keyboard.press("d");
    await page.click("#ball-put");
    for (const [name, value] of [["x", "0.9"], ["y", "-0.1"], ["z", "0.95"], ["radius", "0.15"]]) {
        await page.fill(`[data-ball=${name}]`, value);
        await page.keyboard.press("Enter");
    }
    await page.locator("[data-map=slice]").check();
    while (!(await page.evaluate(() => window.berthView.app.maps.most > 0))) await page.waitForTimeout(50);
    await page.evaluate(() => {
        const { app } = window.berthView;
        app.labels = false;
        app.maps.setHeight(0.85);
        app.stage.lookFrom([3.4, -2.9, 2.9, 0.55, 0.1, 0.75]);
        app.redraw();
    });
    await page.waitForTimeout(900); // the slice at its height
    await shoot(page, "view_ball");
});

// A map of the plane as robots that drive have it, from above.
const rows = Array.from({ length: 32 }, (_, y) => Array.from({ length: 48 }, (__, x) => (x === 0 || y === 0 || x === 47 || y === 31 ? 0 : 254)));
for (const [x0, y0, x1, y1] of [[10, 0, 11, 12], [10, 18, 11, 32], [24, 8, 30, 12], [34, 20, 40, 26], [18, 22, 20, 24], [38, 4, 44, 6]]) {
    for (let y = y0; y < y1; y += 1) for (let x = x0; x < x1; x += 1) rows[y][x] = 0;
}
writeFileSync(path.join(out, "frames", "office.pgm"), `P2\n48 32\n255\n${rows.map((row) => row.join(" ")).join("\n")}\n`);
writeFileSync(path.join(out, "frames", "office.yaml"), "image: office.pgm\nresolution: 0.1\norigin: [-2.4, -1.6, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n");
writeFileSync(path.join(out, "frames", "drive.yaml"), "berth: 1\nobjects:\n  - {name: office, map: {file: office.yaml, height: [0, 0.1], outside: free}}\n");
await on("view_cells", [path.join(out, "frames", "drive.yaml")], async (page) => {
    await page.click("#ball-put");
    for (const [name, value] of [["x", "1.2"], ["y", "0.2"], ["radius", "0.25"]]) {
        await page.fill(`[data-ball=${name}]`, value);
        await page.keyboard.press("Enter");
    }
    for (const layer of ["cells", "perimeter"]) await page.locator(`[data-map=${layer}]`).check();
    await page.evaluate(() => window.berthView.app.stage.lookFrom([0.3, -1.5, 4.4, 0.3, 0.05, 0]));
    await shoot(page, "view_cells");
});

// What the guide's page plans, from the camera's side, in the middle of its way.
const planned = path.join(out, "frames", "planned.csv");
ask("plan", model("arm6/cell.yaml"), "--from", "home", "--to", "over_part", "-o", planned, "--quiet");
await on("guide_plan", [model("arm6/cell.yaml"), "--trajectory", planned], async (page) => {
    await page.waitForSelector(".plot");
    await seek(page, 0.5);
    await shoot(page, "guide_plan");
});

// Covering spheres in place of the links.
await on("guide_spheres", [model("arm6/cell.yaml")], async (page) => {
    await page.evaluate(async () => {
        const { app } = window.berthView;
        await app.toggleLayer("spheres", true);
    });
    await shoot(page, "guide_spheres");
});

// What the guard says of a recorded motion: the report of its first STOP.
if (wanted.length === 0 || wanted.includes("guide_guard")) {
    const report = path.join(out, "frames", "stop.html");
    const named = (name) => path.relative(process.cwd(), model(name)); // its heading has the name as it was given
    ask("monitor", named("two_arms/testbed.yaml"), "--input", named("two_arms/task2.csv"), "--fast", "--report", report, "--quiet");
    const page = await browser.context.newPage();
    await page.setViewportSize({ width: 1280, height: 570 });
    await page.goto(`file://${report}`);
    await page.waitForTimeout(3000);
    await shoot(page, "guide_guard");
    await page.close();
}

await browser.close();
