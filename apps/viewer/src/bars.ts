// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The answer in words at the top, and the time bar with the plot at the bottom.

import type { App } from "./app";
import { button, el, fill } from "./dom";
import { Plot } from "./plot";
import { countedText, headline, MOOD_SIGN, moodOf, number, pathHeadline, seconds, writeHash } from "./words";

export function topBar(app: App, help: () => void): HTMLElement {
    const sign = el("span", { class: "sign", "aria-hidden": "true" });
    const word = el("strong", { class: "word" });
    const rest = el("span", { class: "rest" });
    const verdict = el("div", { class: "verdict", role: "status", "aria-live": "polite", id: "verdict" }, sign, word, rest);
    const under = el("div", { class: "under" });
    const link = el("span", { class: "linkstate" });
    const bar = el("header", { class: "top" }, el("div", { class: "answer" }, verdict, under), el("div", { class: "buttons" }, link, ...topButtons(app, help)));

    const showAnswer = (): void => {
        if (!app.answer) return;
        const mood = moodOf(app.answer, app.near);
        const text = headline(app.answer, app.near);
        const asked = app.answer.verdict !== "free" || app.answer.clearance !== null;
        verdict.className = `verdict ${asked ? mood : ""}`;
        sign.textContent = asked ? MOOD_SIGN[mood] : "–";
        word.textContent = text.word;
        rest.textContent = text.rest ? `— ${text.rest}` : "";
        document.body.dataset.verdict = app.answer.verdict;
        const assumed = app.answer.assumed ?? app.scene.assumed;
        const taken = assumed.length > 0 ? `Taken without proof: ${countedText(assumed)}. ` : "Nothing was taken without proof. ";
        const time = app.answer.seconds === undefined ? "" : `${app.whole ? "All gaps measured" : "Checked"} in ${seconds(app.answer.seconds)}.`;
        fill(under, el("span", {}, app.scene.title), el("span", {}, taken + (app.source.live ? time : "")));
    };
    const showStatus = (): void => {
        document.body.dataset.status = app.status;
        link.className = `linkstate ${app.status}`;
        link.textContent = { connecting: "connecting ...", open: "live", lost: "connection lost, trying again ...", recorded: "recording" }[app.status];
        link.title = app.status === "recorded" ? "This page was written to disk: it shows what was recorded then." : "";
    };
    app.on("answer", showAnswer);
    app.on("status", showStatus);
    showStatus();
    return bar;
}

function topButtons(app: App, help: () => void): HTMLElement[] {
    const save = (what: string): void => {
        app.source.ask<{ text: string; name: string }>("export", { what, values: app.values })
            .then((sent) => download(sent.name, sent.text))
            .catch((error: Error) => app.say(error.message));
    };
    const live = app.source.live;
    return [
        button("Share", "Copy a link with this state, the kept one, moved objects, ball, slice, camera and layers; the token is not in it", () => share(app), { id: "share" }),
        ...(live ? [
            button("Scene", "Save this state as a scene file", () => save("scene"), { id: "export-scene" }),
            button("CSV", "Save this state as a row of CSV", () => save("csv"), { id: "export-csv" }),
        ] : []),
        button("Light/dark", "Change between light and dark (D)", () => undefined, { id: "dark" }),
        button("?", "Keys and gestures (?)", help, { id: "help", class: "round" }),
    ];
}

function share(app: App): void {
    const link = `${location.href.split(/[?#]/)[0]}#${writeHash(app.shared())}`;
    history.replaceState(null, "", `#${writeHash(app.shared())}`);
    const done = (): void => app.say("The link is in the address bar and in the clipboard. It holds the state, not the token: it works in a page that is open on this scene.");
    if (navigator.clipboard) navigator.clipboard.writeText(link).then(done, done);
    else done();
}

export function download(name: string, text: string): void {
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    const anchor = el("a", { href: address, download: name });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// ---- time --------------------------------------------------------------------------------------------------

export function timeBar(app: App): HTMLElement {
    const plot = new Plot();
    plot.onSeek = (t) => {
        app.stop();
        app.seek(t);
    };
    const play = button("▶", "Play or pause (Space)", () => (app.playing ? app.stop() : app.play()), { id: "play", class: "round" });
    const slider = el("input", { type: "range", id: "time", step: "any", "aria-label": "time" });
    slider.addEventListener("input", () => {
        app.stop();
        app.seek(Number(slider.value));
    });
    const clock = el("output", { class: "clock" });
    const contact = button("✕ First contact", "Go to the first contact (C)", () => toContact(app), { id: "contact" });
    const nearest = button("▲ Nearest", "Go to where the clearance is least (N)", () => toNearest(app), { id: "nearest" });
    const back = button("The file's motion", "Leave the plan", () => app.leavePlan());
    const speed = el("select", { "aria-label": "speed", title: "Speed" }, ...[0.1, 0.25, 0.5, 1, 2, 4].map((x) => el("option", { value: x, selected: x === 1 }, `${x}×`)));
    speed.addEventListener("change", () => (app.speed = Number(speed.value)));
    const words = el("div", { class: "pathwords", id: "pathwords", role: "status" });
    const bar = el("footer", { class: "time" }, words, el("div", { class: "timerow" }, play, slider, clock, speed, contact, nearest, back), plot.element as unknown as HTMLElement);

    const showTime = (): void => {
        play.textContent = app.playing ? "❚❚" : "▶";
        slider.value = String(app.t);
        clock.textContent = `${number(app.t, 2)} / ${number(app.times[app.times.length - 1] ?? 0, 2)} ${app.isPlanned() || !app.scene.trajectory?.times ? "rows" : "s"}`;
        plot.moveTo(app.t);
    };
    const showPath = (): void => {
        bar.hidden = app.times.length < 2;
        slider.min = String(app.times[0] ?? 0);
        slider.max = String(app.times[app.times.length - 1] ?? 1);
        words.textContent = pathText(app);
        contact.disabled = app.firstContact() === null;
        nearest.disabled = !app.path || app.path.profile.length === 0;
        back.hidden = !app.isPlanned() || !app.scene.trajectory;
        plot.show(app.path, app.times, app.near);
        showTime();
    };
    app.on("play", showTime);
    app.on("path", showPath);
    showPath();
    return bar;
}

function pathText(app: App): string {
    const what = app.isPlanned() ? "The planned motion. " : "";
    if (app.pathRunning) return `${what}Checking the whole motion ...`;
    if (app.pathError) return app.pathError;
    if (!app.path) return "";
    const work = app.path.stats?.configurations ?? app.path.segments.reduce((sum, segment) => sum + segment.configurations, 0);
    const time = app.path.stats?.seconds === undefined ? "" : ` in ${seconds(app.path.stats.seconds)}`;
    const timed = !app.isPlanned() && app.scene.trajectory?.times !== null;
    return `${what}${pathHeadline(app.path, app.times, timed)} ${counted(app.path.segments.length, "segment")}, ${counted(work, "configuration")}${time}.`;
}

function counted(count: number, what: string): string {
    return `${count} ${what}${count === 1 ? "" : "s"}`;
}

export function toContact(app: App): void {
    const t = app.firstContact();
    if (t === null) return;
    app.stop();
    app.seek(t);
}

export function toNearest(app: App): void {
    const points = app.path?.profile ?? [];
    const least = points.reduce((best, point) => ((point.upper ?? Infinity) < (best?.upper ?? Infinity) ? point : best), points[0]);
    if (!least) return;
    app.stop();
    app.seek(least.t);
}
