// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How fast the page is where a processor draws: seconds until it can be used, and frames a second while a joint moves and the
// program checks every state, in a window of 1280 x 720. Beside both the processor's time of browser and program together, which
// says what an idle machine would do where this one is busy. The page draws fewer pixels and triangles while frames are slow, as it
// does for users. The rows also go to bench/results/view.csv.  usage: node speed.mjs [SECONDS] [steady] [whole] [card] [NAME ...]
//   steady: all pixels and triangles always; whole: every frame is drawn as a whole; card: chromium is told that SwiftShader is a
//   graphics card, which no machine does by itself, and puts its windows together by it

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import path from "node:path";
import { BUILD, ROOT, openBrowser, openPage, serve, SHARED } from "./harness.mjs";

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

/** The commit that is built, with a sign where the tree differs from it, and the machine. */
function conditions() {
    const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
    const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+changes";
    const processor = cpus()[0]?.model.trim() ?? "unknown";
    const version = execFileSync(process.env.CHROMIUM ?? "/usr/bin/chromium", ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return {
        commit: git("rev-parse", "--short=12", "HEAD") + changed,
        machine: `${cpus().length} x ${processor}`.replace(/,/g, " "),
        browser: /chromium [0-9]+/i.exec(version)?.[0] ?? "chromium",
        load: loadavg()[0].toFixed(1),
    };
}

const about = conditions();
const mode = [STEADY && "steady", WHOLE && "whole", CARD && "card"].filter(Boolean).join(" ") || "as users have it";
const rows = [];
console.log(`commit ${about.commit}, ${about.machine}, ${about.browser}, load ${about.load} at the begin; 1280 x 720, drawn by the processor, ${mode}`);
console.log("scene         ready (processor)   collision geometry                     visual meshes");
const browser = await openBrowser(CARD ? ["--use-angle=swiftshader", "--ignore-gpu-blocklist"] : []);

/** The rates, in words. */
async function rates(page, words) {
    await move(page); // what is compiled at first use
    const before = processorSeconds(words);
    const { frames, answers } = await move(page);
    const spent = (1000 * (processorSeconds(words) - before)) / (frames * SECONDS);
    rates.last = { frames, spent, answers };
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
    const [seconds, processor] = [(performance.now() - begin) / 1000, processorSeconds(processes) - spent];
    const ready = `${seconds.toFixed(2)} s (${processor.toFixed(2)} s)`;
    const row = (layer) => {
        const { frames, spent: each, answers } = rates.last;
        rows.push(["view", `${name} ${layer}`, mode, seconds.toFixed(3), processor.toFixed(3), frames.toFixed(1), each.toFixed(1), answers.toFixed(1), about.load, about.machine, about.browser, about.commit]);
    };
    await page.evaluate(([steady, whole]) => {
        const { stage } = window.berthView.app;
        stage.steady = steady;
        if (whole) stage.backdrop.draw = () => false;
    }, [STEADY, WHOLE]);
    const collision = await rates(page, processes);
    row("collision");
    let visual = "none";
    if (await page.evaluate(() => window.berthView.app.offers("visual"))) {
        await page.evaluate(() => window.berthView.app.toggleLayer("collision", false));
        await page.evaluate(() => window.berthView.app.toggleLayer("visual", true));
        visual = await rates(page, processes);
        row("visual");
    }
    console.log(`${name.padEnd(12)}  ${ready}     ${collision}   ${visual}${errors.length > 0 ? `   ${errors[0]}` : ""}`);
    await page.close();
    await server.stop();
}
await browser.close();

// A row a scene and layer, behind those that are there.
const file = path.join(ROOT, "bench/results/view.csv");
const HEADER = "bench,setting,mode,ready_s,ready_cpu_s,frames_per_s,cpu_ms_a_frame,answers_per_s,load,machine,compiler,commit";
mkdirSync(path.dirname(file), { recursive: true });
const before = existsSync(file) ? readFileSync(file, "utf8") : `${HEADER}\n`;
writeFileSync(file, before + rows.map((row) => `${row.join(",")}\n`).join(""));
console.log(`${rows.length} rows added to ${path.relative(ROOT, file)}`);
