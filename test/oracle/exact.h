// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The slow oracle: exact answers about points, triangles, small convex sets and meshes.
// Owns nothing, keeps no state, shares no code with the product; every function may run on any thread.
// Inputs are plain finite doubles (a triangle is nine: x y z of each corner) and are taken at face value.
// Every double is an integer times a power of two, so all decisions are made in GMP integers of one common
// scale; only the last step, from an exact ratio to doubles, rounds. Sets are closed: touching counts.
//
// "bracket": *lower <= true value <= *upper. The two are equal when the value is a double, else neighbours
// (two steps apart below DBL_MIN; upper is INFINITY when the value exceeds DBL_MAX).
// Poses are row-major rotation and translation; x' = R x + t is evaluated exactly with the doubles as given,
// whether R is orthonormal or not.
#ifndef BERTH_TEST_ORACLE_EXACT_H
#define BERTH_TEST_ORACLE_EXACT_H

#include <limits.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// exact_point_in_mesh: the point lies exactly on the surface.
#define EXACT_ON_SURFACE INT_MIN
/// exact_point_in_mesh: no generic ray was found (does not happen unless the mesh is built against us).
#define EXACT_NO_RAY (INT_MIN + 1)
/// Most points of one convex set.
#define EXACT_CONVEX_MAX 32

/// 1 if the closed triangles share a point. Points and segments in the guise of triangles are welcome.
int exact_triangles_touch(const double a[9], const double b[9]);

/// Distance rounded to nearest (error below 0.51 ulp); 0 if and only if the triangles touch.
/// Witnesses (may be null) are rounded per coordinate by below 1 ulp; they coincide when touching.
double exact_triangles_distance(const double a[9], const double b[9], double witness_a[3],
                                double witness_b[3]);

void exact_triangles_distance_bracket(const double a[9], const double b[9], double* lower, double* upper);

/// The same two questions with b moved by x' = rot_b x + t_b.
int exact_triangles_touch_posed(const double a[9], const double b[9], const double rot_b[9],
                                const double t_b[3]);
void exact_triangles_distance_posed_bracket(const double a[9], const double b[9], const double rot_b[9],
                                            const double t_b[3], double* lower, double* upper);

/// Brackets of the SQUARED distance.
void exact_point_triangle_sq_bracket(const double p[3], const double triangle[9], double* lower,
                                     double* upper);
void exact_segment_segment_sq_bracket(const double p[3], const double q[3], const double r[3],
                                      const double s[3], double* lower, double* upper);

/// Winding number of a closed mesh about p: 1 inside a mesh with outward normals, 0 outside, EXACT_ON_SURFACE
/// on it. An open mesh gives a number that depends on the ray, so ask only about closed ones.
int exact_point_in_mesh(const double p[3], const double* vertices, const int32_t* triangles,
                        int32_t triangle_count);

/// Triangle soups, all pairs; boxes of triangles are compared first, which changes the time and not the
/// answer. rot_b and t_b may both be null: identity. An empty mesh touches nothing and is infinitely far.
int exact_meshes_touch(const double* vertices_a, const int32_t* triangles_a, int32_t triangle_count_a,
                       const double* vertices_b, const int32_t* triangles_b, int32_t triangle_count_b,
                       const double* rot_b, const double* t_b);
void exact_meshes_distance_bracket(const double* vertices_a, const int32_t* triangles_a,
                                   int32_t triangle_count_a, const double* vertices_b,
                                   const int32_t* triangles_b, int32_t triangle_count_b, const double* rot_b,
                                   const double* t_b, double* lower, double* upper);

/// Distance of the convex hulls of two point sets (1..EXACT_CONVEX_MAX points, any dimension): 0 if they
/// share a point. Returns 1 if they do, 0 if not, -1 for a bad count.
int exact_convex_distance_bracket(const double* a, int count_a, const double* b, int count_b, double* lower,
                                  double* upper);

/// Length of the shortest translation after which the hulls only touch; 0 when they only touch already, or
/// when their difference set is flat. Returns 1 and the bracket if they share a point, 0 (and 0, 0) if they
/// do not, -1 for a bad count.
int exact_convex_depth_bracket(const double* a, int count_a, const double* b, int count_b, double* lower,
                               double* upper);

/// 1 if |p - c| <= r exactly.
int exact_ball_contains(const double c[3], double r, const double p[3]);

#ifdef __cplusplus
}
#endif

#endif
