// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How fast the page is where a processor draws: seconds until it can be used, and frames a second while a joint moves and the
// program checks every state, in a window of 1280 x 720. Beside both the processor's time of browser and program together, which
// says what an idle machine would do where this one is busy. The page draws fewer pixels and triangles while frames are slow, as it
// does for users.  usage: node speed.mjs [SECONDS] [steady] [whole] [card] [NAME ...]
//   steady: all pixels and triangles always; whole: every frame is drawn as a whole; card: chromium is told that SwiftShader is a
//   graphics card, which no machine does by itself, and puts its windows together by it

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { BUILD, openBrowser, openPage, serve, SHARED } from "./harness.mjs";

const SECONDS = Number(process.argv[2] ?? 4);
const words = process.argv.slice(3);
const [STEADY, WHOLE, CARD] = ["steady", "whole", "card"].map((word) => words.includes(word));
const NAMES = words.filter((word) => !["steady", "whole", "card"].includes(word));
const robots = path.join(SHARED, "robots");
const packages = ["panda", "pr2"].flatMap((name) => ["--package", `moveit_resources_${name}_description=${path.join(robots, `moveit_resources_${name}_description`)}`]);
const SCENES = [
    ["Panda", path.join(robots, "moveit_resources_panda_description/urdf/panda.urdf"), "--srdf", path.join(robots, "moveit_resources_panda_moveit_config/config/panda.srdf"), ...packages],
    ["PR2", path.join(robots, "moveit_resources_pr2_description/urdf/robot.xml"), ...packages],
    ["dual Panda", path.join(robots, "moveit_resources_dual_arm_panda_moveit_config/config/dual_panda.urdf"), ...packages],
    ["two arms", path.join(BUILD, "models/two_arms/cell.yaml")],
    ["kitchen", path.join(BUILD, "models/kitchen/cell.yaml")],
];

const TICKS = 100; // a second, of /proc

/** Processor seconds so far of all processes that have a word in their command line. */
function processorSeconds(words) {
    let ticks = 0;
    for (const id of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
        try {
            const line = readFileSync(`/proc/${id}/cmdline`, "utf8");
            if (!words.some((word) => line.includes(word))) continue;
            const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1].split(" ");
            ticks += Number(fields[11]) + Number(fields[12]);
        } catch {
            // It ended meanwhile.
        }
    }
    return ticks / TICKS;
}

/** Frames and answers while a joint goes to and fro, a new value every frame. */
async function move(page) {
    return page.evaluate(async (seconds) => {
        const { app } = window.berthView;
        const joint = app.scene.values.findIndex((value) => value.type === "revolute" && value.upper - value.lower > 0.5);
        const { lower, upper } = app.scene.values[joint];
        const middle = app.values[joint];
        const wide = 0.9 * Math.min(0.5, middle - lower, upper - middle);
        const begin = performance.now();
        const [frames, answered] = [app.stage.frames, app.answered];
        let now = begin;
        while (now - begin < 1000 * seconds) {
            app.setValue(joint, middle + wide * Math.sin((now - begin) / 500));
            now = await new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())));
        }
        const passed = (now - begin) / 1000;
        return { frames: (app.stage.frames - frames) / passed, answers: (app.answered - answered) / passed };
    }, SECONDS);
}

console.log("scene         ready (processor)   collision geometry                     visual meshes");
const browser = await openBrowser(CARD ? ["--use-angle=swiftshader", "--ignore-gpu-blocklist"] : []);

/** The rates, in words. */
async function rates(page, words) {
    await move(page); // what is compiled at first use
    const before = processorSeconds(words);
    const { frames, answers } = await move(page);
    const spent = (1000 * (processorSeconds(words) - before)) / (frames * SECONDS);
    return `${frames.toFixed(0).padStart(3)} fps (${spent.toFixed(0).padStart(3)} ms a frame), ${answers.toFixed(0).padStart(3)} answers/s`;
}

for (const [name, file, ...more] of SCENES.filter(([name]) => NAMES.length === 0 || NAMES.includes(name))) {
    if (!existsSync(file)) {
        console.log(`${name.padEnd(12)} SKIP: ${file} is absent`);
        continue;
    }
    const processes = [browser.folder, file];
    const [begin, spent] = [performance.now(), processorSeconds([browser.folder])];
    const server = await serve(file, ...more);
    const { page, errors } = await openPage(browser.context, server.address);
    const ready = `${((performance.now() - begin) / 1000).toFixed(2)} s (${(processorSeconds(processes) - spent).toFixed(2)} s)`;
    await page.evaluate(([steady, whole]) => {
        const { stage } = window.berthView.app;
        stage.steady = steady;
        if (whole) stage.backdrop.draw = () => false;
    }, [STEADY, WHOLE]);
    const collision = await rates(page, processes);
    let visual = "none";
    if (await page.evaluate(() => window.berthView.app.scene.parts.some((part) => part.layer === "visual"))) {
        await page.evaluate(() => window.berthView.app.toggleLayer("collision", false));
        await page.evaluate(() => window.berthView.app.toggleLayer("visual", true));
        visual = await rates(page, processes);
    }
    console.log(`${name.padEnd(12)}  ${ready}     ${collision}   ${visual}${errors.length > 0 ? `   ${errors[0]}` : ""}`);
    await page.close();
    await server.stop();
}
await browser.close();
