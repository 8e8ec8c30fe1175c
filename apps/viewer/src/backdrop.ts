// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What stands still is drawn once. Where a processor draws, a frame costs as much as its triangles, and while one joint moves and
// the camera rests most of them are where they were: the bodies that did not change since the camera did are kept as pixels with
// their depths, and every frame begins with a copy of these. What is seen is the same to the pixel.

import * as THREE from "three";

export const STILL_LAYER = 1; // of three: what is in the picture that is kept
const WORTH = 2000; // triangles that stand still; with fewer the copies cost more than they save
const FRAMES_AT_REST = 2; // of the camera, before anything is kept
const PAUSE = 2000; // milliseconds without a frame after which other bodies may move next

/** A body as the last frame drew it. */
interface Seen {
    meshes: THREE.Mesh[];
    state: string; // pose, colour, what is visible of it
    moves: boolean; // changed since the camera rests
}

export class Backdrop {
    readonly useful: boolean;
    private readonly kept: THREE.WebGLRenderTarget | null;
    private readonly frame: THREE.WebGLRenderTarget | null;
    private seen: Seen[] = [];
    private view = "";
    private rests = 0; // frames since the camera moved
    private fresh = false; // the kept picture is of the bodies that stand still now
    private drawn = 0; // when the last frame was

    constructor(
        private readonly renderer: THREE.WebGLRenderer,
        private readonly world: THREE.Scene,
    ) {
        // A smoothed canvas cannot be copied into, and a graphics card needs none of this.
        this.useful = !renderer.getContext().getContextAttributes()?.antialias;
        this.kept = this.useful ? target() : null;
        this.frame = this.useful ? target() : null;
    }

    /** Which bodies there are, one list of meshes each. */
    follow(bodies: THREE.Mesh[][]): void {
        this.seen = bodies.map((meshes) => ({ meshes, state: "", moves: false }));
        this.forget();
    }

    /** All is drawn anew until the camera rests again. */
    forget(): void {
        this.view = "";
        this.rests = 0;
        this.fresh = false;
    }

    /** Draws the frame from what is kept; false where it has to be drawn as a whole. */
    draw(camera: THREE.PerspectiveCamera, width: number, height: number): boolean {
        if (!this.kept || !this.frame) return false;
        this.watch(camera, width, height);
        if (this.rests < FRAMES_AT_REST || this.stillTriangles() < WORTH) return this.whole(camera);

        const ratio = this.renderer.getPixelRatio();
        const [across, down] = [Math.floor(width * ratio), Math.floor(height * ratio)];
        if (this.kept.width !== across || this.kept.height !== down) {
            this.kept.setSize(across, down);
            this.frame.setSize(across, down);
            this.fresh = false;
        }
        if (!this.fresh) this.keep(camera);
        this.copy(this.kept, this.frame, across, down);
        this.renderer.setRenderTarget(this.frame);
        this.render(camera, 0);
        this.renderer.setRenderTarget(null);
        this.copy(this.frame, null, across, down);
        camera.layers.enableAll();
        return true;
    }

    private whole(camera: THREE.PerspectiveCamera): false {
        camera.layers.enableAll();
        return false;
    }

    /** What changed since the last frame: the camera, or bodies. */
    private watch(camera: THREE.PerspectiveCamera, width: number, height: number): void {
        const now = performance.now();
        if (now - this.drawn > PAUSE) this.forget();
        this.drawn = now;
        camera.updateMatrixWorld();
        const view = [width, height, this.renderer.getPixelRatio(), ...camera.matrixWorld.elements, ...camera.projectionMatrix.elements].join();
        const rests = view === this.view;
        this.view = view;
        this.rests = rests ? this.rests + 1 : 0;
        if (!rests) this.fresh = false;

        for (const body of this.seen) {
            const state = stateOf(body.meshes);
            const changed = state !== body.state;
            body.state = state;
            if (!rests) body.moves = false;
            if (!rests || !changed || body.moves) continue;
            body.moves = true;
            this.fresh = false;
        }
    }

    private stillTriangles(): number {
        let count = 0;
        for (const body of this.seen) {
            if (!body.moves) for (const mesh of body.meshes) if (mesh.visible && isOpaque(mesh)) count += (mesh.geometry.index?.count ?? 0) / 3;
        }
        return count;
    }

    private keep(camera: THREE.PerspectiveCamera): void {
        for (const body of this.seen) {
            for (const mesh of body.meshes) mesh.layers.set(!body.moves && isOpaque(mesh) ? STILL_LAYER : 0);
        }
        this.renderer.setRenderTarget(this.kept);
        this.render(camera, STILL_LAYER);
        this.fresh = true;
    }

    /** The background is of the kept picture: painted again it would hide it. */
    private render(camera: THREE.PerspectiveCamera, layer: number): void {
        const background = this.world.background;
        if (layer !== STILL_LAYER) this.world.background = null;
        camera.layers.set(layer);
        this.renderer.render(this.world, camera);
        this.world.background = background;
    }

    /** Pixels, and depths too where the goal is not the window. */
    private copy(from: THREE.WebGLRenderTarget, to: THREE.WebGLRenderTarget | null, width: number, height: number): void {
        const gl = this.renderer.getContext() as WebGL2RenderingContext;
        const state = this.renderer.state;
        // Both buffers first: making one binds it, and would take away the other.
        const [read, write] = [this.bufferOf(from), to ? this.bufferOf(to) : null];
        state.setScissorTest(false);
        state.bindFramebuffer(gl.READ_FRAMEBUFFER, read);
        state.bindFramebuffer(gl.DRAW_FRAMEBUFFER, write);
        gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT | (to ? gl.DEPTH_BUFFER_BIT : 0), gl.NEAREST);
    }

    /** Three keeps it to itself, and makes it at first use. */
    private bufferOf(target: THREE.WebGLRenderTarget): WebGLFramebuffer | null {
        this.renderer.initRenderTarget(target);
        return (this.renderer.properties.get(target) as { __webglFramebuffer?: WebGLFramebuffer }).__webglFramebuffer ?? null;
    }
}

/** Colours stay as the window wants them, as three does for the targets of headsets. */
function target(): THREE.WebGLRenderTarget {
    const made = new THREE.WebGLRenderTarget(1, 1, { depthBuffer: true, colorSpace: THREE.SRGBColorSpace, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, generateMipmaps: false });
    made.texture.internalFormat = "RGBA8"; // else the card would turn colours once more
    (made as unknown as { isXRRenderTarget: boolean }).isXRRenderTarget = true;
    return made;
}

function isOpaque(mesh: THREE.Mesh): boolean {
    return !(mesh.material as THREE.Material).transparent;
}

function stateOf(meshes: THREE.Mesh[]): string {
    const place = meshes[0]?.matrixWorld.elements.join() ?? "";
    return meshes.reduce((text, mesh) => (mesh.visible ? `${text} ${(mesh.material as THREE.Material).id} ${mesh.geometry.id}` : text), place);
}
