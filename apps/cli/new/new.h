// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth new`.

#ifndef CLI_NEW_H
#define CLI_NEW_H

#include "cli/files.h"

/// The names of files in the scene, relative to its folder.
typedef struct NewNames {
    const char* folder;  ///< where the scene will be
    const char* urdf;
    const char* srdf;  ///< or null
    const char* mesh_stem;
} NewNames;

/// Writes the first scene of a robot; its comments explain the rest.
void new_write_template(Text* text, const BerthScene* scene, const Options* options, const NewNames* names);
/// Writes the objects, state and allowed pairs of a scene of another format. Meshes are named
/// MESH_STEM_N.obj; their number is returned in `mesh_count`. False if a shape cannot be written in a scene file.
bool new_write_converted(Text* text, const BerthScene* scene, const Options* options, const NewNames* names,
                         int32_t* mesh_count);
/// The n-th mesh that new_write_converted named, as OBJ.
void new_write_mesh(Text* text, const BerthScene* scene, int32_t mesh);

#endif
