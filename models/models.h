// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Models: robots and cells made by code, shared by tests, bench, examples and the demo. The same bytes on every
// machine and compiler: numbers come from plain arithmetic and the library's own sine.

#ifndef MODELS_MODELS_H
#define MODELS_MODELS_H

#include <stdbool.h>

/// One model: a folder with a URDF, maybe an SRDF and meshes, and the scene `cell.yaml`.
typedef struct Model {
    const char* name;
    const char* about;
    bool (*write)(const char* folder);  ///< into a folder that exists; false when a file could not be written
} Model;

extern const Model bi_models[];
extern const int bi_model_count;

/// Makes `parent`/NAME and writes the model into it, file by file, each beside its place and then renamed.
bool bi_model_write(const Model* model, const char* parent);

/// Two 7-joint arms of capsules and a workspace of boxes, 35 primitives: the cell of Shaffer & Herb.
bool bi_write_two_arms(const char* folder);
/// A 6-joint industrial arm of closed meshes in a fenced cell.
bool bi_write_arm6(const char* folder);
/// A 4-joint arm and every kind of primitive; no mesh, no SRDF.
bool bi_write_room(const char* folder);

#endif
