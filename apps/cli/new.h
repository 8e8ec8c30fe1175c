// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth new`.

#ifndef CLI_NEW_H
#define CLI_NEW_H

#include "cli.h"

/// The path from a folder to a file that exists, both made absolute first. False, with errno, when one is not there.
bool new_relative_path(const char* folder, const char* file, Text* out);
/// One of several files that belong together.
typedef struct NewFile {
    char path[4096], beside[4160], saved[4160];
    bool staged, kept, placed;
} NewFile;

/// Writes the text beside `path`. EXIT_FREE, or a status after a message; new_finish is due in both cases.
int new_stage(NewFile* file, const char* path, const Text* text, bool force);
/// Puts it in its place. Refuses to replace what is there unless `force`, and then keeps it until new_finish.
int new_place(NewFile* file, bool force);
/// Can a file be written there? Asked before long work, by writing an empty one beside it: the same status and message that
/// new_stage would give after it. EXIT_FREE for a null path.
int new_try(const char* path);
/// Ends it: when not `good`, what was there before is there again. Nothing is left beside.
void new_finish(NewFile* file, bool good);
/// Prints "PATH: what: errno's text"; returns the exit status that goes with it.
int new_file_trouble(const char* path, const char* what);

/// Files as the scene names them, relative to its folder.
typedef struct NewNames {
    const char* folder;  ///< where the scene will be
    const char* urdf;
    const char* srdf;  ///< or null
    const char* mesh_stem;
} NewNames;

/// The first scene of a robot: comments teach the rest.
void new_write_template(Text* text, const BerthScene* scene, const Options* options, const NewNames* names);
/// Objects, state and allowed pairs of a scene that came from another format. Meshes are named
/// MESH_STEM_N.obj; their count is returned through `mesh_count`. False when a shape has no form in a scene file.
bool new_write_converted(Text* text, const BerthScene* scene, const Options* options, const NewNames* names,
                         int32_t* mesh_count);
/// The n-th mesh that new_write_converted named, as OBJ.
void new_write_mesh(Text* text, const BerthScene* scene, int32_t mesh);

#endif
