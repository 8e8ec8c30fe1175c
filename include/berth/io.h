// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Io: reading and writing files, one header for each kind of file. Every error text begins with the name of
// the file and, where it is about a place in the file, the line or byte: FILE:LINE, FILE: byte N. Any
// sequence of bytes gives a result or an error, in bounded time and memory.

#ifndef BERTH_IO_H
#define BERTH_IO_H

#include <berth/io/cloud.h>
#include <berth/io/map.h>
#include <berth/io/mesh.h>
#include <berth/io/motion.h>
#include <berth/io/robot.h>
#include <berth/io/scene.h>
#include <berth/io/syntax.h>
#include <berth/io/wire.h>

#endif
