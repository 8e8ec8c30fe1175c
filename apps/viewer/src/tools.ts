// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The pointer on the drawing: a click selects a body; with a tool chosen, a drag moves an object, the tip of a robot or a ball.
// Objects and balls move in a level plane (with Shift or the switch "Up/down": up and down), tips in the plane of the screen. What is sent is the wish;
// where things are, and whether a tip can get there, is the program's answer.

import * as THREE from "three";
import type { App } from "./app";
import type { Stage } from "./stage";
import { matrixOf, poseOf } from "./shapes";

interface Drag {
    plane: THREE.Plane;
    grip: THREE.Vector3; // where the plane was taken
    move: (by: THREE.Vector3) => void;
}

export class Pointer {
    private drag: Drag | null = null;
    private down = { x: 0, y: 0 };

    constructor(
        private readonly app: App,
        private readonly stage: Stage,
    ) {
        const canvas = stage.canvas;
        canvas.addEventListener("pointerdown", (event) => this.onDown(event), { capture: true });
        canvas.addEventListener("pointermove", (event) => this.onMove(event));
        canvas.addEventListener("pointerup", (event) => this.onUp(event));
        canvas.addEventListener("pointercancel", () => this.end());
    }

    private onDown(event: PointerEvent): void {
        this.down = { x: event.clientX, y: event.clientY };
        if (event.button !== 0 || this.app.tool === "look") return;
        this.drag = this.begin(event);
        if (!this.drag) return;
        this.stage.controls.enabled = false;
        this.stage.canvas.setPointerCapture(event.pointerId);
    }

    private onMove(event: PointerEvent): void {
        if (!this.drag) return;
        const at = this.stage.ray(event.clientX, event.clientY).ray.intersectPlane(this.drag.plane, new THREE.Vector3());
        if (at) this.drag.move(at.sub(this.drag.grip));
    }

    private onUp(event: PointerEvent): void {
        const still = Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) < 5;
        const dragged = this.drag !== null;
        this.end();
        if (!still || event.button !== 0) return;
        const hit = this.stage.pick(event.clientX, event.clientY);
        if (!dragged || this.app.tool === "look") this.app.select(hit ? hit.body : -1);
    }

    private end(): void {
        this.drag = null;
        this.stage.controls.enabled = true;
    }

    private begin(event: PointerEvent): Drag | null {
        if (this.app.tool === "object") return this.dragObject(event);
        if (this.app.tool === "tool") return this.dragTip(event);
        return this.dragBall(event);
    }

    private dragObject(event: PointerEvent): Drag | null {
        const hit = this.stage.pick(event.clientX, event.clientY);
        if (!hit || !this.app.canMove(hit.body)) {
            if (hit) this.app.say("Only objects can be moved; a robot moves by its joints or its tool.");
            return null;
        }
        this.app.select(hit.body);
        const start = this.stage.matrix(hit.body);
        if (!start) return null;
        const move = (by: THREE.Vector3): void => {
            const to = start.clone().premultiply(new THREE.Matrix4().makeTranslation(by.x, by.y, by.z));
            this.app.place(hit.body, poseOf(to));
        };
        return this.inPlane(event, hit.point, move);
    }

    /** The tip of the robot that was hit, or of the first one. */
    private dragTip(event: PointerEvent): Drag | null {
        const hit = this.stage.pick(event.clientX, event.clientY);
        const body = hit ? this.app.scene.bodies[hit.body] : undefined;
        if (!hit || !body || body.robot === null || body.robot < 0) return null;
        const tips = this.app.scene.robots[body.robot]?.tips ?? [];
        const tip = tips.includes(hit.body) ? hit.body : tips[tips.length - 1];
        const start = tip === undefined ? null : this.app.pose(tip);
        if (tip === undefined || !start) {
            this.app.say("This robot has no tip to drag.");
            return null;
        }
        this.app.select(tip);
        const matrix = matrixOf(start);
        const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point);
        const move = (by: THREE.Vector3): void => {
            const to = matrix.clone().premultiply(new THREE.Matrix4().makeTranslation(by.x, by.y, by.z));
            this.app.reach(tip, poseOf(to));
        };
        return { plane, grip: hit.point, move };
    }

    private dragBall(event: PointerEvent): Drag | null {
        const ball = this.app.ball;
        if (!ball) return null;
        const level = new THREE.Plane(new THREE.Vector3(0, 0, 1), -ball.centre[2]);
        const at = this.stage.ray(event.clientX, event.clientY).ray.intersectPlane(level, new THREE.Vector3());
        if (!at) return null;
        const put = (to: THREE.Vector3): void => {
            ball.centre = [to.x, to.y, to.z];
            this.app.askBall();
        };
        const start = this.isUpright(event) ? new THREE.Vector3(...ball.centre) : at;
        if (!this.isUpright(event)) put(at);
        return this.inPlane(event, start, (by) => put(start.clone().add(by)));
    }

    /** With Shift, or, where there is no such key, with the switch beside the tools. */
    private isUpright(event: PointerEvent): boolean {
        return event.shiftKey || this.app.lift;
    }

    /** Level, or with Shift upright and facing the camera, and then only up and down. */
    private inPlane(event: PointerEvent, grip: THREE.Vector3, move: (by: THREE.Vector3) => void): Drag {
        const normal = new THREE.Vector3(0, 0, 1);
        const upright = this.isUpright(event);
        if (upright) {
            this.stage.camera.getWorldDirection(normal);
            normal.setZ(0).normalize();
        }
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, grip);
        return { plane, grip, move: (by) => move(upright ? by.setX(0).setY(0) : by.setZ(0)) };
    }
}
