// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The smallest robot that can go round something: a ball of radius 0.1 on two slides, x and y, of 2 m to each side.

#ifndef TEST_SUPPORT_SLIDER_H
#define TEST_SUPPORT_SLIDER_H

#define SLIDER_URDF                                                                                \
    "<robot name='slider'><link name='base'/><link name='mid'/>"                                   \
    "<link name='ball'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"  \
    "<joint name='x' type='prismatic'><parent link='base'/><child link='mid'/><axis xyz='1 0 0'/>" \
    "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"                                \
    "<joint name='y' type='prismatic'><parent link='mid'/><child link='ball'/><axis xyz='0 1 0'/>" \
    "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint></robot>"

#endif
