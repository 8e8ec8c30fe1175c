// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Resolves the names of files inside files: package://, model://, file://, absolute and relative paths.

#ifndef BI_IO_PACKAGE_H
#define BI_IO_PACKAGE_H

#include <berth/io/syntax.h>

#include "base/arena.h"

/// Finds the file that `uri` names inside `referring_file` (a path; relative names are relative to its folder).
///
///   package://NAME/path   options->packages (NAME=DIR, in order; a scene reader puts its own entries behind those of
///   model://NAME/path     the command line), ROS_PACKAGE_PATH, AMENT_PREFIX_PATH/share, then the folders above the
///                         referring file that are named NAME or hold one named NAME. The first package that holds
///                         the file wins. The file cannot be outside of its package, neither by ".." nor by a link.
///   file:///path, /path   as they are
///   path                  relative to the referring file's folder; may contain ".."
///
/// `*path` is text in `arena` that can be opened, and is a regular file. On failure the text says which places were
/// tried, without a FILE:LINE in front (use bi_fail_prefix): BERTH_ERR_PARSE when there is no such file or the uri is
/// wrong.
BerthStatus bi_io_resolve_uri(const char* uri, const char* referring_file, const BerthIoOptions* options,
                              Arena* arena, const char** path);

#endif
