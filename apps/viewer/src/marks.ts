// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What is drawn over the bodies: lines between nearest points, hits, force arrows, and labels one can read from the back row.
// Marks keep their size on the screen, whatever the camera does.

import * as THREE from "three";

const LINE_PIXELS = 3;
const DOT_PIXELS = 11;

interface Label {
    at: THREE.Vector3;
    element: HTMLElement;
    width: number; // pixels, measured once
}

export class Marks {
    readonly group = new THREE.Group();
    readonly labels = document.createElement("div");
    private placed: Label[] = [];
    private spare: HTMLElement[] = []; // elements to use again: making text anew each frame would cost most of its time
    private sized: { object: THREE.Object3D; pixels: number; long: boolean }[] = [];

    constructor() {
        this.labels.className = "labels";
        this.group.renderOrder = 10;
    }

    clear(): void {
        this.group.clear();
        this.sized = [];
        this.spare.push(...this.placed.map((label) => label.element));
        this.placed = [];
    }

    hide(): void {
        this.labels.hidden = true;
    }

    line(from: THREE.Vector3, to: THREE.Vector3, color: number, pixels = LINE_PIXELS): void {
        const mesh = new THREE.Mesh(LINE, over(color));
        const along = to.clone().sub(from);
        const size = along.length();
        mesh.position.copy(from).addScaledVector(along, 0.5);
        if (size > 0) mesh.quaternion.setFromUnitVectors(UP, along.divideScalar(size));
        mesh.scale.set(1, Math.max(size, 1e-9), 1);
        mesh.renderOrder = 10;
        this.group.add(mesh);
        this.sized.push({ object: mesh, pixels, long: true });
    }

    dot(at: THREE.Vector3, color: number, pixels = DOT_PIXELS): void {
        const mesh = new THREE.Mesh(DOT, over(color));
        mesh.position.copy(at);
        mesh.renderOrder = 11;
        this.group.add(mesh);
        this.sized.push({ object: mesh, pixels, long: false });
    }

    /** From a point into a direction, `size` metres long. */
    arrow(from: THREE.Vector3, direction: THREE.Vector3, size: number, color: number): void {
        const unit = direction.clone().normalize();
        const tip = from.clone().addScaledVector(unit, size);
        this.line(from, tip, color, 5);
        const head = new THREE.Mesh(HEAD, over(color));
        head.position.copy(tip);
        head.quaternion.setFromUnitVectors(UP, unit);
        head.renderOrder = 11;
        this.group.add(head);
        this.sized.push({ object: head, pixels: 18, long: false });
    }

    label(at: THREE.Vector3, text: string, className: string): void {
        const element = this.spare.shift() ?? this.labels.appendChild(document.createElement("span"));
        const name = `label ${className}`;
        const same = element.textContent === text && element.className === name;
        if (!same) {
            element.className = name;
            element.textContent = text;
        }
        this.placed.push({ at: at.clone(), element, width: same ? Number(element.dataset.width ?? 0) : 0 });
    }

    /** Sizes and places everything for a camera and a part of the window. */
    update(camera: THREE.PerspectiveCamera, left: number, width: number, height: number): void {
        const perPixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(1, height);
        for (const { object, pixels, long } of this.sized) {
            const size = perPixel * pixels * object.position.distanceTo(camera.position);
            if (long) object.scale.set(size, object.scale.y, size);
            else object.scale.setScalar(size);
        }
        this.labels.hidden = false;
        for (const element of this.spare) element.hidden = true;
        camera.updateMatrixWorld();
        const taken: { x: number; y: number; width: number }[] = [];
        const meets = (x: number, y: number, size: number): boolean =>
            taken.some((other) => x < other.x + other.width + 4 && other.x < x + size + 4 && Math.abs(other.y - y) < 30);
        for (const label of this.placed) {
            const p = label.at.clone().project(camera);
            let x = left + ((p.x + 1) / 2) * width;
            let y = ((1 - p.y) / 2) * height;
            if (!label.width || label.width > width - 24) {
                label.element.hidden = false;
                label.element.style.maxWidth = `${width - 24}px`;
                label.width = label.element.offsetWidth;
                label.element.dataset.width = String(label.width);
            }
            x = Math.max(left, Math.min(x, left + width - label.width - 20));
            const inside = p.z < 1 && p.x > -1.05 && p.x < 1.05 && p.y > -1.05 && p.y < 1.05;
            while (inside && y < height && meets(x, y, label.width)) y += 6;
            if (inside) taken.push({ x, y, width: label.width });
            if (label.element.hidden === inside) label.element.hidden = !inside;
            label.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        }
    }
}

const UP = new THREE.Vector3(0, 1, 0);
const LINE = new THREE.CylinderGeometry(0.5, 0.5, 1, 8, 1, true);
const DOT = new THREE.SphereGeometry(0.5, 14, 10);
const HEAD = new THREE.ConeGeometry(0.5, 1.2, 16);
const MATERIALS = new Map<number, THREE.MeshBasicMaterial>();

/** Seen through bodies: a point between two of them must not hide. */
function over(color: number): THREE.MeshBasicMaterial {
    let material = MATERIALS.get(color);
    if (!material) {
        material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95 });
        MATERIALS.set(color, material);
    }
    return material;
}
