// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// All of berth.

#ifndef BERTH_H
#define BERTH_H

#include <berth/base.h>
#include <berth/certificate.h>
#include <berth/check.h>
#include <berth/contact.h>
#include <berth/cover.h>
#include <berth/field.h>
#include <berth/io.h>
#include <berth/math.h>
#include <berth/mesh.h>
#include <berth/monitor.h>
#include <berth/motion.h>
#include <berth/proof.h>
#include <berth/robot.h>
#include <berth/scene.h>
#include <berth/shape.h>
#include <berth/tree.h>

#endif
