// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Numbers and lengths as text, the same in every answer, event and file of the program. Nothing here allocates.

#ifndef GUARD_NUMBERS_H
#define GUARD_NUMBERS_H

#include <berth/math.h>

enum {
    NUMBER_SIZE = 40,                  ///< room for a number or a length
    TRIPLE_SIZE = 3 * NUMBER_SIZE + 8  ///< room for three numbers in brackets
};

/// For programs: the shortest decimal that reads back as the same double, with a point in every locale; "null" for NaN and
/// infinity.
void number_write(char text[NUMBER_SIZE], double value);
/// "[x, y, z]", in JSON and in YAML.
void number_write_triple(char text[TRIPLE_SIZE], BerthVec3 v);
/// For people, with its unit: metres and millimetres; below a millimetre three significant digits, so that nothing but zero
/// looks like zero. "an unknown distance" for NaN and infinity.
void number_write_length(char text[NUMBER_SIZE], double metres);
/// The same in millimetres without the unit, for columns; "-" for NaN and infinity.
void number_write_millimetres(char text[NUMBER_SIZE], double metres);

#endif
