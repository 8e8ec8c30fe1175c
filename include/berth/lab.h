// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab: what only comparisons, tables of papers and tests need. Checking a robot cell needs none of it.

#ifndef BERTH_LAB_H
#define BERTH_LAB_H

#include <berth/lab/check.h>
#include <berth/lab/contact.h>
#include <berth/lab/cover.h>
#include <berth/lab/field.h>
#include <berth/lab/index.h>
#include <berth/lab/monitor.h>
#include <berth/lab/motion.h>
#include <berth/lab/path.h>
#include <berth/lab/plan.h>
#include <berth/lab/robot.h>
#include <berth/lab/tree.h>

#endif
