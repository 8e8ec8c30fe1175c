// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What a program needs that checks a robot cell: robots and scenes, read or built; states, distances, motions, plans,
// batches, certificates, contact, the monitor, maps; files of all kinds. Headers that are included by themselves:
//     berth/cover.h   spheres that cover a robot's links
//     berth/path.h    what is known about many segments, kept while a planner of your own asks again
//     berth/proof.h   which pairs of links never touch, proven: what an SRDF leaves out
//     berth/lab.h     what comparisons, papers' tables and tests need

#ifndef BERTH_H
#define BERTH_H

#include <berth/base.h>
#include <berth/batch.h>
#include <berth/certificate.h>
#include <berth/check.h>
#include <berth/contact.h>
#include <berth/field.h>
#include <berth/io.h>
#include <berth/lanes.h>
#include <berth/math.h>
#include <berth/mesh.h>
#include <berth/monitor.h>
#include <berth/motion.h>
#include <berth/occupancy.h>
#include <berth/plan.h>
#include <berth/robot.h>
#include <berth/scene.h>
#include <berth/shape.h>
#include <berth/tree.h>

#endif
