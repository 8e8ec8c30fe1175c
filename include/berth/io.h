// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Io: files to objects and back, one header a kind of file. Every error text begins with the file's name and, where
// it is about a place in it, the line or byte: FILE:LINE, FILE: byte N. Any bytes give an answer or an error, in
// bounded time and memory.

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
