// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Elements in one line each. Text always goes in as text: names come from files.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
    append(element, children);
    return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
    append(element, children);
    return element;
}

export function fill(parent: Element, ...children: Child[]): void {
    parent.replaceChildren();
    append(parent, children);
}

function setAttribute(element: Element, name: string, value: string | number | boolean | ((event: Event) => void)): void {
    if (typeof value === "function") {
        element.addEventListener(name, value);
    } else if (value === true) {
        element.setAttribute(name, "");
    } else if (value !== false) {
        element.setAttribute(name, String(value));
    }
}

function append(parent: Element, children: Child[]): void {
    for (const child of children) {
        if (child) parent.append(child);
    }
}

export function button(text: string, title: string, click: () => void, extra: Attributes = {}): HTMLButtonElement {
    return el("button", { type: "button", title, click, ...extra }, text);
}
