// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The paper's own way to ranges of motion, for comparison: each link's points at sampled joint values, their
// convex hull, and an error that covers what lies between samples. The printed error is that of one joint and
// too small for chains (errata 3.3); here each joint adds its own sagitta, R_k (1 - cos(alpha_k / 2)), when
// the chain is climbed. Invariant of a cloud: every position of every point of the link is within `error` of
// the hull.
// Entry: bi_hierarchy_sample.

#include <string.h>

#include "proof/hierarchy.h"
#include "shape/gap.h"
#include "shape/hull.h"
#include "tree/solid.h"

enum {
    CLOUD_MAX = 500,     // points a hull may keep; more are thinned, which adds to the error
    SAMPLES_MAX = 2000,  // of one joint
    POINTS_MAX = 4000000
};

static const double PI = 3.14159265358979323846;

typedef struct Cloud {
    BerthHull* hull;  // owned
    double error;     // metres; +infinity when the motion has no bound
} Cloud;

typedef struct Sampler {
    Hierarchy* hierarchy;
    const HierarchyLinks* links;
    double step;
    Cloud* clouds;  // by the order of `links`
    Vec3* points;   // scratch of
    int32_t capacity;
    Ball* balls;  // scratch, one a point of all clouds
} Sampler;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "hierarchy: out of memory");
}

static BerthStatus grow_points(Sampler* s, int64_t needed) {
    if (needed <= s->capacity) {
        return BERTH_OK;
    }

    if (needed > POINTS_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "hierarchy: %lld sampled points, at most %d; take a larger step",
                       (long long)needed, (int)POINTS_MAX);
    }

    const BerthAllocator* from = &s->hierarchy->allocator;
    Vec3* more = bi_take(from, (size_t)needed, sizeof *more);
    if (more == NULL) {
        return no_memory();
    }

    if (s->capacity > 0) {
        memcpy(more, s->points, (size_t)s->capacity * sizeof *more);
    }
    bi_give(from, s->points, (size_t)s->capacity, sizeof *s->points);
    s->points = more;
    s->capacity = (int32_t)needed;
    return BERTH_OK;
}

// Directions spread evenly over the sphere.
static Vec3 spread_direction(int32_t i, int32_t count) {
    const double z = 1.0 - (2.0 * i + 1.0) / count;
    const double r = sqrt(fmax(0.0, 1.0 - z * z));
    double s = 0.0, c = 1.0;
    bi_sincos(2.39996322972865332 * i, &s, &c);  // the golden angle
    return v3(r * c, r * s, z);
}

// Keeps the extreme points in CLOUD_MAX directions. What sticks out of their hull is measured and goes to the error.
static BerthStatus thin_cloud(Sampler* s, Cloud* cloud) {
    const BerthHull* full = cloud->hull;
    BerthShape shape, dot;
    BerthStatus status = berth_shape_hull(full, &shape);
    if (status == BERTH_OK) {
        status = grow_points(s, CLOUD_MAX);
    }

    for (int32_t i = 0; status == BERTH_OK && i < CLOUD_MAX; ++i) {
        s->points[i] = bi_shape_support(&shape, spread_direction(i, CLOUD_MAX));
    }

    BerthHull* less = NULL;
    if (status == BERTH_OK) {
        status = berth_hull_create(s->points, CLOUD_MAX, &s->hierarchy->allocator, &less);
    }
    if (status == BERTH_OK) {
        status = berth_shape_hull(less, &shape);
    }

    if (status == BERTH_OK) {
        status = berth_shape_sphere(0.0, &dot);
    }
    if (status != BERTH_OK) {
        berth_hull_destroy(less);
        return status;
    }

    double out = 0.0;
    for (int32_t i = 0; i < full->vertex_count; ++i) {
        Pose at = pose_identity();
        at.t = full->vertices[i];
        const BerthGap gap = bi_shape_gap(&shape, &dot, &at, INFINITY);
        out = gap.upper > out ? gap.upper : out;
        if (gap.upper != gap.upper) {
            out = INFINITY;
        }
    }

    cloud->error += out + less->outside + BI_DISTANCE_SLACK * (v3_length(less->centre) + less->radius);
    berth_hull_destroy(cloud->hull);
    cloud->hull = less;
    return BERTH_OK;
}

// The hull of the first `count` scratch points becomes the cloud's.
static BerthStatus set_hull(Sampler* s, Cloud* cloud, int32_t count) {
    BerthHull* hull = NULL;
    const BerthStatus status = berth_hull_create(s->points, count, &s->hierarchy->allocator, &hull);
    if (status != BERTH_OK) {
        return status;
    }

    berth_hull_destroy(cloud->hull);
    cloud->hull = hull;
    cloud->error += hull->outside;
    return hull->vertex_count > CLOUD_MAX ? thin_cloud(s, cloud) : BERTH_OK;
}

// Vertices where there are any; round shapes give the centre of their ball, and their radius to the error.
static BerthStatus make_link_cloud(Sampler* s, int32_t link, Cloud* cloud) {
    const BerthRobot* robot = s->hierarchy->robot;
    const RobotLink* l = &robot->links[link];
    int32_t count = 0;

    for (int32_t i = 0; i < l->solid_count; ++i) {
        const RobotSolid* solid = &robot->solids[l->first_solid + i];
        const BerthMesh* mesh = solid->solid->is_mesh ? solid->solid->mesh : NULL;
        const BerthHull* hull = solid->solid->is_mesh ? NULL : solid->solid->hull;
        const Vec3* from = NULL;
        int32_t more = 1;
        if (mesh != NULL) {
            from = mesh->vertices;
            more = mesh->info.vertex_count;
        } else if (hull != NULL) {
            from = hull->vertices;
            more = hull->vertex_count;
        }

        const BerthStatus status = grow_points(s, (int64_t)count + more);
        if (status != BERTH_OK) {
            return status;
        }

        for (int32_t k = 0; k < more; ++k) {
            s->points[count + k] =
                from != NULL ? pose_apply(&solid->frame_from_solid, from[k]) : solid->centre;
        }

        count += more;
        const double lengths =
            v3_length(solid->centre) + v3_length(solid->frame_from_solid.t) + solid->radius;
        const double off = from == NULL ? solid->radius : BI_DISTANCE_SLACK * lengths;
        cloud->error = fmax(cloud->error, off + (hull != NULL ? hull->outside : 0.0));
    }

    return cloud->error < INFINITY ? set_hull(s, cloud, count) : BERTH_OK;
}

// ---- one joint ----------------------------------------------------------------------------------------------

// Sample values of a turning joint: how many, the first, and the spacing. The ends are samples; a whole turn has none.
static int32_t place_samples(double low, double high, double step, double* first, double* alpha) {
    const double range = high - low;
    const bool whole = !(range < 2.0 * PI) || !(fabs(low) <= BI_ANGLE_MAX && fabs(high) <= BI_ANGLE_MAX);

    const double parts = ceil((whole ? 2.0 * PI : range) / step);
    int32_t count = 1;
    if (!(parts < 1.0)) {
        count = parts > SAMPLES_MAX ? SAMPLES_MAX : (int32_t)parts;
    }

    *first = whole ? 0.0 : low;
    *alpha = (whole ? 2.0 * PI : range) / count;
    return whole ? count : count + 1;
}

static double farthest_from_axis(const BerthHull* hull, Vec3 axis) {
    double most = 0.0;
    for (int32_t i = 0; i < hull->vertex_count; ++i) {
        most = fmax(most, v3_length(v3_cross(axis, hull->vertices[i])));
    }
    return most * (1.0 + 16.0 * BI_ULP);
}

// The cloud in the axes of the frame's parent, with the frame's joint sampled.
static BerthStatus carry_cloud(Sampler* s, const RobotFrame* frame, Cloud* cloud) {
    double low = 0.0, high = 0.0, first = 0.0, alpha = 0.0;
    const bool slide = frame->motion == FRAME_SLIDE;
    if (frame->motion == FRAME_PLANAR || frame->motion == FRAME_FLOATING || !(cloud->error < INFINITY)) {
        cloud->error = INFINITY;
        return BERTH_OK;
    }

    bi_range_joint_value(frame, s->hierarchy->low, s->hierarchy->high, &low, &high);
    if (slide && !(high - low < INFINITY)) {
        cloud->error = INFINITY;
        return BERTH_OK;
    }

    const int32_t samples = slide ? 2 : place_samples(low, high, s->step, &first, &alpha);
    const int32_t count = cloud->hull->vertex_count;
    BerthStatus status = grow_points(s, (int64_t)samples * count);
    if (status != BERTH_OK) {
        return status;
    }

    for (int32_t k = 0; k < samples; ++k) {
        Pose move = pose_identity();
        if (slide) {
            move.t = v3_scale(frame->axis, k == 0 ? low : high);
        } else {
            // The last is the end itself, not what rounding makes of it.
            const double angle = k == samples - 1 && first == low && samples > 1 ? high : first + k * alpha;
            move = bi_pose_axis_angle(frame->axis, angle, v3(0, 0, 0));
        }

        const Pose parent_from_frame = pose_mul(&frame->parent_from_joint, &move);
        for (int32_t i = 0; i < count; ++i) {
            s->points[k * count + i] = pose_apply(&parent_from_frame, cloud->hull->vertices[i]);
        }
    }

    // Rounding, and what lies between two samples of a turn.
    const double reach = v3_length(cloud->hull->centre) + cloud->hull->radius + cloud->error;
    const double travel = slide ? fmax(fabs(low), fabs(high)) : 0.0;
    cloud->error += BI_DISTANCE_SLACK * (2.0 * reach + v3_length(frame->parent_from_joint.t) + travel);

    if (!slide) {
        double sine = 0.0, cosine = 1.0;
        bi_sincos(0.25 * alpha, &sine, &cosine);  // 1 - cos(alpha / 2) = 2 sin^2(alpha / 4)
        cloud->error +=
            2.0 * sine * sine * farthest_from_axis(cloud->hull, frame->axis) * (1.0 + BI_DISTANCE_SLACK);
    }

    return set_hull(s, cloud, samples * count);
}

// ---- the sweep ----------------------------------------------------------------------------------------------

// Around the points of clouds [first, end), each as far off as its error.
static Ball ball_around_clouds(const Sampler* s, int32_t first, int32_t end) {
    int32_t count = 0;
    for (int32_t p = first; p < end; ++p) {
        const Cloud* cloud = &s->clouds[p];
        if (!(cloud->error < INFINITY)) {
            return (Ball){v3(0, 0, 0), INFINITY};
        }
        for (int32_t i = 0; i < cloud->hull->vertex_count; ++i) {
            s->balls[count++] = (Ball){cloud->hull->vertices[i], cloud->error};
        }
    }

    return bi_ball_of_balls(s->balls, count);
}

// Two hulls are apart when their gap is above the sum of their errors (not twice a common one, as printed).
static double hulls_apart(const Cloud* a, const Cloud* b) {
    BerthShape shape_a, shape_b;
    if (!(a->error < INFINITY && b->error < INFINITY) || berth_shape_hull(a->hull, &shape_a) != BERTH_OK ||
        berth_shape_hull(b->hull, &shape_b) != BERTH_OK) {
        return -INFINITY;
    }

    const Pose same = pose_identity();
    const BerthGap gap = bi_shape_gap(&shape_a, &shape_b, &same, INFINITY);
    return gap.lower == gap.lower ? gap.lower - a->error - b->error : -INFINITY;
}

static void compare_clouds_below(Sampler* s, int32_t f) {
    const BerthRobot* robot = s->hierarchy->robot;
    const HierarchyLinks* links = s->links;
    for (int32_t c = f + 1; c < robot->frames[f].end; c = robot->frames[c].end) {
        for (int32_t p = links->first[c]; p < links->first[robot->frames[c].end]; ++p) {
            for (int32_t q = links->first[f]; q < links->first[c]; ++q) {
                bi_hierarchy_set_link_gap(s->hierarchy, links->link[p], links->link[q],
                                          hulls_apart(&s->clouds[p], &s->clouds[q]));
            }
        }
    }
}

static BerthStatus sweep_clouds(Sampler* s) {
    Hierarchy* h = s->hierarchy;
    BerthStatus status = BERTH_OK;
    for (int32_t f = h->frame_count - 1; f >= 0 && status == BERTH_OK; --f) {
        const RobotFrame* frame = &h->robot->frames[f];
        const int32_t first = s->links->first[f], own = s->links->first[f + 1];
        const int32_t end = s->links->first[frame->end];

        for (int32_t p = first; p < own && status == BERTH_OK; ++p) {
            status = make_link_cloud(s, s->links->link[p], &s->clouds[p]);
        }
        if (status != BERTH_OK) {
            return status;
        }

        h->rigid[f] = ball_around_clouds(s, first, own);
        h->both[f] = ball_around_clouds(s, first, end);
        compare_clouds_below(s, f);

        for (int32_t p = first; p < end && f > 0 && status == BERTH_OK; ++p) {
            status = carry_cloud(s, frame, &s->clouds[p]);
        }

        h->motion[f] = status == BERTH_OK ? ball_around_clouds(s, first, end) : h->both[f];
    }
    return status;
}

BerthStatus bi_hierarchy_sample(Hierarchy* h, const HierarchyDef* def, const HierarchyLinks* links) {
    Sampler s = {.hierarchy = h, .links = links, .step = def->step};
    const BerthAllocator* from = &h->allocator;
    const size_t count = (size_t)links->count;
    const size_t point_count = count * (CLOUD_MAX + 1);

    s.clouds = bi_take(from, count, sizeof *s.clouds);
    s.balls = bi_take(from, point_count, sizeof *s.balls);

    const BerthStatus status = s.clouds != NULL && s.balls != NULL ? sweep_clouds(&s) : no_memory();
    for (size_t i = 0; s.clouds != NULL && i < count; ++i) {
        berth_hull_destroy(s.clouds[i].hull);
    }

    bi_give(from, s.clouds, count, sizeof *s.clouds);
    bi_give(from, s.balls, point_count, sizeof *s.balls);
    bi_give(from, s.points, (size_t)s.capacity, sizeof *s.points);
    return status;
}
