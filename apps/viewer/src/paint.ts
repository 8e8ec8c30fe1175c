// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The one material of bodies. Light is worked out at vertices and colours stay as screens want them: where a processor does the
// work of a graphics card, a pixel then costs a third of what three's own materials take, and most pages are seen that way in
// tests, in virtual machines and over remote desktops.

import * as THREE from "three";

const VERTEX = /* glsl */ `
uniform vec3 tone;
uniform vec3 glow;
uniform vec3 sun;
varying vec3 shade;
#ifdef CUT
varying float height;
#endif
#ifdef PAINTED
attribute vec3 color;
#endif

void main() {
    vec4 place = modelMatrix * vec4(position, 1.0);
    vec3 up = normalize(mat3(modelMatrix) * normal);
    vec3 eye = normalize(cameraPosition - place.xyz);

    // Both sides of a surface are lit: open meshes have no inside.
    if (dot(up, eye) < 0.0) up = -up;
    float light = 0.50 + 0.10 * up.z + 0.30 * max(dot(up, sun), 0.0) + 0.16 * max(dot(up, eye), 0.0);
    vec3 base = tone;
#ifdef PAINTED
    base *= color;
#endif
    shade = min(base * light + glow, vec3(1.0));
#ifdef CUT
    height = place.z;
#endif
    gl_Position = projectionMatrix * viewMatrix * place;
}`;

const FRAGMENT = /* glsl */ `
uniform float opacity;
varying vec3 shade;
#ifdef CUT
uniform float cut;
varying float height;
#endif

void main() {
#ifdef CUT
    if (height > cut) discard;
#endif
    gl_FragColor = vec4(shade, opacity);
}`;

export interface Look {
    color: number;
    chosen: boolean;
    glass: number; // 0: not seen through; else how much of it is seen
    painted: boolean;
    cut: number | null;
}

/** Towards the light, in the world: over the left shoulder of the first view. */
const SUN = new THREE.Vector3(0.35, -0.75, 0.9).normalize();

export function paint(look: Look): THREE.ShaderMaterial {
    const defines: Record<string, string> = {};
    if (look.painted) defines.PAINTED = "";
    if (look.cut !== null) defines.CUT = "";
    return new THREE.ShaderMaterial({
        defines,
        uniforms: {
            tone: { value: plainColor(look.color) },
            glow: { value: look.chosen ? new THREE.Vector3(0.0, 0.12, 0.26) : new THREE.Vector3(0, 0, 0) },
            sun: { value: SUN },
            opacity: { value: look.glass || 1 },
            cut: { value: look.cut ?? 0 },
        },
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        transparent: look.glass > 0,
        depthWrite: look.glass === 0,
        polygonOffset: true, // lines on a surface are seen
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
        side: THREE.DoubleSide,
    });
}

/** The numbers of a colour as they are written, not made linear. */
function plainColor(color: number): THREE.Vector3 {
    return new THREE.Vector3(((color >> 16) & 255) / 255, ((color >> 8) & 255) / 255, (color & 255) / 255);
}

/** Where a processor draws, edges are not smoothed: that would take most of its time. Its context is made once, because that is slow too. */
export function makeRenderer(): THREE.WebGLRenderer {
    const canvas = document.createElement("canvas");
    const rough = canvas.getContext("webgl2", { antialias: false, alpha: true, depth: true });
    if (!rough) throw new Error("no WebGL");
    const names = rough.getExtension("WEBGL_debug_renderer_info");
    const name = names ? String(rough.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
    if (/swiftshader|llvmpipe|software|basic render/i.test(name)) return new THREE.WebGLRenderer({ canvas, context: rough });
    rough.getExtension("WEBGL_lose_context")?.loseContext();
    return new THREE.WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
}
