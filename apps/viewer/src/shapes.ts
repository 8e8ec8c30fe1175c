// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Triangles of the shapes that a scene has. All parts that a body has in one layer become one geometry, because drawing calls
// cost more than triangles; meshes get normals that are smooth within a crease angle.

import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { GeometrySize, Part, Pose, Shape } from "./protocol";

const CREASE_COSINE = Math.cos((38 * Math.PI) / 180);
const HALFSPACE_SIZE = 6; // metres that are drawn of an endless plane

/** The bytes that parts point into. */
export interface Bytes {
    vertices: (first: number, count: number) => Float32Array;
    indices: (first: number, count: number) => Uint32Array;
}

export function matrixOf(pose: Pose, out = new THREE.Matrix4()): THREE.Matrix4 {
    const [a, b, c, d, e, f, g, h, i, j, k, l] = pose as [
        number, number, number, number, number, number, number, number, number, number, number, number,
    ];
    return out.set(a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 1);
}

export function poseOf(matrix: THREE.Matrix4): Pose {
    const e = matrix.elements;
    return [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14].map((at) => e[at] as number);
}

/** One geometry for all parts, with colours when some part has one. */
export function mergedGeometry(parts: Part[], bytes: Bytes): THREE.BufferGeometry | null {
    const coloured = parts.some((part) => part.color || part.shape.kind === "cells");
    const pieces: THREE.BufferGeometry[] = [];
    for (const part of parts) {
        const piece = shapeGeometry(part.shape, bytes);
        piece.applyMatrix4(matrixOf(part.pose));
        if (coloured && !piece.hasAttribute("color")) paint(piece, part.color ?? [0.7, 0.72, 0.75, 1]);
        pieces.push(piece);
    }
    if (pieces.length === 0) return null;
    const merged = pieces.length === 1 ? (pieces[0] as THREE.BufferGeometry) : mergeGeometries(pieces);
    merged.computeBoundingSphere();
    merged.computeBoundingBox();
    return merged;
}

function paint(geometry: THREE.BufferGeometry, color: [number, number, number, number]): void {
    const count = geometry.getAttribute("position").count;
    const bytes = new Uint8Array(count * 3);
    for (let i = 0; i < count; i += 1) {
        bytes[3 * i] = color[0] * 255;
        bytes[3 * i + 1] = color[1] * 255;
        bytes[3 * i + 2] = color[2] * 255;
    }
    geometry.setAttribute("color", new THREE.BufferAttribute(bytes, 3, true));
}

function shapeGeometry(shape: Shape, bytes: Bytes): THREE.BufferGeometry {
    switch (shape.kind) {
        case "box":
            return plain(new THREE.BoxGeometry(2 * shape.half[0], 2 * shape.half[1], 2 * shape.half[2]));
        case "sphere":
            return plain(new THREE.SphereGeometry(shape.radius, 20, 14));
        case "cylinder":
            return plain(new THREE.CylinderGeometry(shape.radius, shape.radius, shape.length, 28).rotateX(Math.PI / 2));
        case "cone":
            return plain(new THREE.ConeGeometry(shape.radius, shape.length, 28).rotateX(Math.PI / 2));
        case "capsule":
            return plain(new THREE.CapsuleGeometry(shape.radius, shape.length, 8, 20).rotateX(Math.PI / 2));
        case "rss":
            return roundedRectangle(shape.half, shape.radius);
        case "halfspace":
            return halfspace(shape.normal, shape.offset);
        case "mesh":
            return mesh(
                bytes.vertices(shape.first_vertex, shape.vertex_count),
                bytes.indices(shape.first_index, shape.index_count),
            );
        case "cells":
            return cells(bytes.vertices(shape.first_vertex, shape.count), shape.size);
    }
}

/** The attributes that all pieces share. */
function plain(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
    geometry.deleteAttribute("uv");
    return geometry;
}

/** All that is within a radius of a rectangle: a ball whose quarters are moved to the corners. */
function roundedRectangle(half: [number, number], radius: number): THREE.BufferGeometry {
    const [RINGS, STEPS] = [6, 3]; // from pole to pole, and of each quarter
    const around: [number, number, number, number][] = []; // direction and corner
    for (let quarter = 0; quarter < 4; quarter += 1) {
        const [x, y] = [[1, 1], [-1, 1], [-1, -1], [1, -1]][quarter] as [number, number];
        for (let i = 0; i <= STEPS; i += 1) {
            const angle = ((quarter + i / STEPS) * Math.PI) / 2;
            around.push([Math.cos(angle), Math.sin(angle), x * half[0], y * half[1]]);
        }
    }
    const [positions, normals, corners]: [number[], number[], number[]] = [[], [], []];
    for (let ring = 0; ring <= RINGS; ring += 1) {
        const tilt = (ring / RINGS) * Math.PI;
        for (const [x, y, cx, cy] of around) {
            const normal = [Math.sin(tilt) * x, Math.sin(tilt) * y, Math.cos(tilt)] as const;
            normals.push(...normal);
            positions.push(cx + radius * normal[0], cy + radius * normal[1], radius * normal[2]);
        }
    }
    const count = around.length;
    for (let ring = 0; ring < RINGS; ring += 1) {
        for (let i = 0; i < count; i += 1) {
            const [a, b] = [ring * count + i, ring * count + ((i + 1) % count)];
            corners.push(a, a + count, b, b, a + count, b + count);
        }
    }
    for (const ring of [0, RINGS]) for (const i of [1, 2]) corners.push(ring * count, ring * count + i * (STEPS + 1), ring * count + (i + 1) * (STEPS + 1));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
    geometry.setIndex(corners);
    return geometry;
}

function halfspace(normal: [number, number, number], offset: number): THREE.BufferGeometry {
    const direction = new THREE.Vector3(...normal);
    const size = direction.length() || 1;
    direction.divideScalar(size);
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), direction);
    const plane = new THREE.PlaneGeometry(HALFSPACE_SIZE, HALFSPACE_SIZE);
    plane.applyQuaternion(turn);
    plane.translate(...direction.multiplyScalar(offset / size).toArray());
    return plain(plane);
}

/** Triangles with normals averaged over the faces about a vertex that bend less than the crease; a vertex at a crease is doubled. */
function mesh(vertices: Float32Array, indices: Uint32Array): THREE.BufferGeometry {
    const face_count = Math.floor(indices.length / 3);
    const faces = faceNormals(vertices, indices, face_count);
    const around = facesAround(indices, vertices.length / 3, face_count);
    const positions = new Float32Array(face_count * 9);
    const normals = new Float32Array(face_count * 9);
    const corners = new Uint32Array(face_count * 3);
    const first = new Int32Array(vertices.length / 3).fill(-1); // of what was made of a vertex, and
    const next = new Int32Array(face_count * 3); // the one made before it
    let count = 0;
    for (let corner = 0; corner < face_count * 3; corner += 1) {
        const vertex = indices[corner] as number;
        creasedNormal(faces, around, Math.floor(corner / 3), vertex, normals, 3 * count);
        let made = first[vertex] as number;
        while (made >= 0 && !sameNormal(normals, made, count)) made = next[made] as number;
        if (made < 0) {
            made = count;
            positions.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * made);
            next[made] = first[vertex] as number;
            first[vertex] = made;
            count += 1;
        }
        corners[corner] = made;
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions.slice(0, 3 * count), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normals.slice(0, 3 * count), 3));
    geometry.setIndex(new THREE.BufferAttribute(corners, 1));
    return geometry;
}

function sameNormal(normals: Float32Array, a: number, b: number): boolean {
    const [x, y, z] = [0, 1, 2].map((axis) => (normals[3 * a + axis] as number) * (normals[3 * b + axis] as number)) as [number, number, number];
    return x + y + z > 0.999;
}

/** Unit normals and areas, four numbers a face. */
function faceNormals(vertices: Float32Array, indices: Uint32Array, count: number): Float32Array {
    const out = new Float32Array(count * 4);
    const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    for (let face = 0; face < count; face += 1) {
        a.fromArray(vertices, 3 * (indices[3 * face] as number));
        b.fromArray(vertices, 3 * (indices[3 * face + 1] as number)).sub(a);
        c.fromArray(vertices, 3 * (indices[3 * face + 2] as number)).sub(a);
        b.cross(c);
        const area = b.length();
        if (area > 0) b.divideScalar(area);
        b.toArray(out, 4 * face);
        out[4 * face + 3] = area;
    }
    return out;
}

interface Around {
    first: Uint32Array;
    faces: Uint32Array;
}

function facesAround(indices: Uint32Array, vertex_count: number, face_count: number): Around {
    const first = new Uint32Array(vertex_count + 1);
    for (let corner = 0; corner < 3 * face_count; corner += 1) (first[(indices[corner] as number) + 1] as number)++;
    for (let vertex = 0; vertex < vertex_count; vertex += 1) first[vertex + 1] = (first[vertex + 1] as number) + (first[vertex] as number);
    const place = first.slice();
    const faces = new Uint32Array(3 * face_count);
    for (let corner = 0; corner < 3 * face_count; corner += 1) {
        const vertex = indices[corner] as number;
        faces[(place[vertex] as number)++] = Math.floor(corner / 3);
    }
    return { first, faces };
}

function creasedNormal(faces: Float32Array, around: Around, face: number, vertex: number, out: Float32Array, at: number): void {
    const nx = faces[4 * face] as number;
    const ny = faces[4 * face + 1] as number;
    const nz = faces[4 * face + 2] as number;
    let [x, y, z] = [0, 0, 0];
    const end = around.first[vertex + 1] as number;
    for (let i = around.first[vertex] as number; i < end; i += 1) {
        const other = 4 * (around.faces[i] as number);
        const ox = faces[other] as number;
        const oy = faces[other + 1] as number;
        const oz = faces[other + 2] as number;
        if (nx * ox + ny * oy + nz * oz < CREASE_COSINE) continue;
        const area = faces[other + 3] as number;
        x += ox * area;
        y += oy * area;
        z += oz * area;
    }
    const size = Math.hypot(x, y, z);
    out[at] = size > 0 ? x / size : nx;
    out[at + 1] = size > 0 ? y / size : ny;
    out[at + 2] = size > 0 ? z / size : nz;
}

const COARSE_FROM = 3000; // triangles; fewer are drawn as they are
const COARSE_CELLS = 28; // along the longest side

/**
 * The same vertices with fewer triangles, for while things move and frames are slow: those that lie in one small cube and look to the same side
 * become one. Null where there is little to gain.
 */
export function coarser(geometry: THREE.BufferGeometry): THREE.BufferGeometry | null {
    const index = geometry.getIndex();
    const box = geometry.boundingBox;
    if (!index || !box || index.count < 3 * COARSE_FROM) return null;
    const positions = geometry.getAttribute("position");
    const normals = geometry.getAttribute("normal");
    const size = box.getSize(new THREE.Vector3());
    const cell = Math.max(size.x, size.y, size.z) / COARSE_CELLS;
    const first = new Map<number, number>();
    const like = new Uint32Array(positions.count);
    for (let i = 0; i < positions.count; i += 1) {
        const [x, y, z] = [positions.getX(i) - box.min.x, positions.getY(i) - box.min.y, positions.getZ(i) - box.min.z].map((d) => Math.floor(d / cell)) as [number, number, number];
        const side = (normals.getX(i) > 0.3 ? 2 : normals.getX(i) < -0.3 ? 1 : 0) + 3 * (normals.getY(i) > 0.3 ? 2 : normals.getY(i) < -0.3 ? 1 : 0) + 9 * (normals.getZ(i) > 0.3 ? 2 : normals.getZ(i) < -0.3 ? 1 : 0);
        const key = ((x * 64 + y) * 64 + z) * 27 + side;
        const known = first.get(key);
        if (known === undefined) first.set(key, i);
        like[i] = known ?? i;
    }

    const corners: number[] = [];
    for (let i = 0; i < index.count; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => like[index.getX(i + k)]) as [number, number, number];
        if (a !== b && b !== c && c !== a) corners.push(a, b, c);
    }
    if (corners.length > 0.7 * index.count) return null;
    const out = new THREE.BufferGeometry();
    for (const [name, attribute] of Object.entries(geometry.attributes)) out.setAttribute(name, attribute);
    out.setIndex(corners);
    out.boundingBox = box;
    out.boundingSphere = geometry.boundingSphere;
    return out;
}

const SIDES: { step: [number, number, number]; corners: [number, number, number][] }[] = [
    { step: [1, 0, 0], corners: [[1, -1, -1], [1, 1, -1], [1, 1, 1], [1, -1, 1]] },
    { step: [-1, 0, 0], corners: [[-1, 1, -1], [-1, -1, -1], [-1, -1, 1], [-1, 1, 1]] },
    { step: [0, 1, 0], corners: [[1, 1, -1], [-1, 1, -1], [-1, 1, 1], [1, 1, 1]] },
    { step: [0, -1, 0], corners: [[-1, -1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1]] },
    { step: [0, 0, 1], corners: [[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]] },
    { step: [0, 0, -1], corners: [[-1, 1, -1], [1, 1, -1], [1, -1, -1], [-1, -1, -1]] },
];

/** Cubes about points; a side between two cubes cannot be seen and is left out. */
function cells(points: Float32Array, size: number): THREE.BufferGeometry {
    const count = Math.floor(points.length / 3);
    const key = (x: number, y: number, z: number): number =>
        (Math.round(x / size) + 524288) * 2 ** 32 + ((Math.round(y / size) + 32768) * 65536 + (Math.round(z / size) + 32768));
    const taken = new Set<number>();
    for (let i = 0; i < count; i += 1) {
        taken.add(key(points[3 * i] as number, points[3 * i + 1] as number, points[3 * i + 2] as number));
    }
    const positions: number[] = [];
    const normals: number[] = [];
    const corners: number[] = [];
    const shades: number[] = []; // neighbours differ a little, so that cells can be counted
    for (let i = 0; i < count; i += 1) {
        const shade = cellShade(i, points, size);
        const centre = [points[3 * i] as number, points[3 * i + 1] as number, points[3 * i + 2] as number] as const;
        for (const side of SIDES) {
            const [dx, dy, dz] = side.step;
            if (taken.has(key(centre[0] + dx * size, centre[1] + dy * size, centre[2] + dz * size))) continue;
            const base = positions.length / 3;
            corners.push(base, base + 1, base + 2, base, base + 2, base + 3);
            for (const corner of side.corners) {
                for (let axis = 0; axis < 3; axis += 1) {
                    positions.push((centre[axis] as number) + 0.5 * size * (corner[axis] as number));
                    normals.push(side.step[axis] as number);
                    shades.push(shade);
                }
            }
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Uint8Array(shades), 3, true));
    geometry.setIndex(corners);
    return geometry;
}

function cellShade(i: number, points: Float32Array, size: number): number {
    const sum = [0, 1, 2].reduce((total, axis) => total + Math.floor((points[3 * i + axis] as number) / size), 0);
    return sum % 2 === 0 ? 196 : 176;
}

export function bytesOfBase64(text: string): ArrayBuffer {
    const raw = atob(text.trim());
    const out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i += 1) out[i] = raw.charCodeAt(i);
    return out.buffer;
}

/** Vertices first, then indices. */
export function bytesAt(buffer: ArrayBuffer, size: GeometrySize | undefined): Bytes {
    const vertex_bytes = Math.min(buffer.byteLength, size ? 12 * size.vertices : buffer.byteLength);
    const vertices = new Float32Array(buffer, 0, Math.floor(vertex_bytes / 4));
    const indices = new Uint32Array(buffer, vertex_bytes, Math.floor((buffer.byteLength - vertex_bytes) / 4));
    return {
        vertices: (first, count) => vertices.subarray(3 * first, 3 * (first + count)),
        indices: (first, count) => indices.subarray(first, first + count),
    };
}
