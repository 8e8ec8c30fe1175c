// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Everything that a program needs to check a robot cell: robots and scenes, read from files or built; states,
// distances, motions, plans, batches, certificates, contact, the monitor, maps; files of all kinds. These
// headers must be included separately:
//     berth/cover.h   spheres that cover a robot's links
//     berth/path.h    a cache of what is known about many segments, for planners of your own
//     berth/proof.h   proofs that pairs of links never touch, which an SRDF may then leave out
//     berth/lab.h     what only comparisons, tables of papers and tests need

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
