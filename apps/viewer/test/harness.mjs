// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The real program and a real browser: starts `berth view` on a scene, opens its page in Debian's chromium, and keeps what the
// browser complains about. Used by the tests and by tools/make_pictures.

import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const ROOT = path.resolve(fileURLToPath(import.meta.url), "../../../..");
export const BUILD = path.resolve(ROOT, process.env.BERTH_BUILD ?? "build");
export const BERTH = path.join(BUILD, "berth");
export const SHARED = path.resolve(ROOT, process.env.BERTH_SHARED_DIR ?? "../shared");

/**
 * Debian's chromium wants these in a container without a network. It draws as it does by itself where there is no graphics card:
 * WebGL by SwiftShader, the page by Skia. Forced to treat SwiftShader as a card (--use-angle=swiftshader --ignore-gpu-blocklist)
 * it puts the whole page together by it too, for 22 ms of processor a frame before anything of ours is drawn.
 */
const FLAGS = [
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--enable-unsafe-swiftshader",
];

export async function openBrowser(more = []) {
    const folder = mkdtempSync(path.join(tmpdir(), "berth-browser-"));
    const context = await chromium.launchPersistentContext(folder, {
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: [...FLAGS, ...more],
        viewport: { width: 1280, height: 720 },
        acceptDownloads: true,
        env: { ...process.env, HOME: folder },
    });
    return {
        context,
        folder,
        close: async () => {
            await context.close();
            rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
        },
    };
}

/** Starts the program; resolves with the address that it printed. */
export async function serve(...args) {
    const child = spawn(BERTH, ["view", ...args, "--no-open", "--port", "0", "--json", "--quiet"], { stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (text) => (complaint += text));
    const address = await new Promise((resolve, reject) => {
        let text = "";
        child.stdout.on("data", (more) => {
            text += more;
            if (text.includes("\n")) resolve(JSON.parse(text.split("\n")[0]).address);
        });
        child.on("exit", (status) => reject(new Error(`berth view ${args.join(" ")} ended with status ${status}: ${complaint}`)));
    });
    const ended = new Promise((resolve) => child.on("exit", (status) => resolve(status)));
    return {
        address,
        child,
        stop: async () => {
            child.kill("SIGINT");
            return ended;
        },
    };
}

/** A page whose complaints are kept in `errors`. */
export async function openPage(context, address, { ready = true } = {}) {
    const page = await context.newPage();
    page.setDefaultTimeout(120000); // a busy machine
    const errors = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(address);
    if (ready) await page.waitForSelector("body[data-ready=true]");
    return { page, errors };
}

/** What the command says; statuses 0, 1 and 3 are answers. */
export function ask(...args) {
    try {
        return execFileSync(BERTH, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
    } catch (error) {
        if ([1, 3].includes(error.status)) return error.stdout;
        throw error;
    }
}

export function has(file) {
    return existsSync(file);
}
