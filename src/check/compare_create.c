// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes the list of comparisons. Everything that can be compared is a node of a tree: a robot's base over its
// frames as its joints connect them, objects in groups of two by position. A node has its own bodies and
// those below it; blocks of the list compare own with own (pairs), own with a subtree, subtree with subtree.
// No recursion: pending work is on a stack, including the closing of a block.
// Entries: bi_compare_create, bi_compare_destroy.

#include <string.h>

#include "check/compare.h"

// A block of fewer pairs is not worth a comparison of its own: it would cost as much as it saves.
enum { BLOCK_MIN = 3 };

typedef struct CompareNode {
    int32_t first_child, next;       // -1: none
    int32_t first_body, body_count;  // of `listed`
    int32_t own;  // ball around its own bodies, -1: it has none, or no ball is large enough
    int32_t all;  // ball around everything in the subtree, or -1
} CompareNode;

typedef enum WorkKind {
    WORK_WITHIN_SUBTREE,  // all pairs within a's subtree
    WORK_OWN_OWN,         // a's own bodies against b's own
    WORK_OWN_SUBTREE,     // a's own bodies against b's subtree
    WORK_SUBTREES,        // a's subtree against b's
    WORK_CLOSE            // the block of step a, opened when there were b pairs
} WorkKind;

typedef struct CompareWork {
    WorkKind kind;
    int32_t a, b;
} CompareWork;

typedef struct ListBuild {
    const CompareInput* input;
    const BerthScene* scene;
    CompareList* list;
    Arena scratch;
    CompareNode* nodes;
    int32_t node_count;
    int32_t* listed;  // bodies by node
    int32_t listed_count;
    int32_t* root;   // node of each robot's base
    int32_t* loose;  // nodes of what stands alone: the tree of objects, then those without a ball
    int32_t loose_count;
    float* least;  // one a pair of the scene
    Ball* spare;   // scratch for group balls
    // What is being written.
    CompareStep* steps;
    size_t step_capacity;
    int32_t step_count, pair_count;
    CompareWork* work;
    size_t work_capacity;
    int32_t work_count;
    double limit;  // pairs proven further apart are left out
    bool failed;   // out of memory
} ListBuild;

static BerthStatus out_of_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "checker: out of memory for its list of %s", "pairs");
}

// ---- nodes and balls ----------------------------------------------------------------------------------------

static Ball body_ball(const ListBuild* b, int32_t body) {
    return (Ball){b->input->bodies[body].local, b->input->bodies[body].radius};
}

// Adds a ball; -1 when it has no bound.
static int32_t add_ball(ListBuild* b, Ball ball, int32_t frame, int32_t robot, double size) {
    if (!(ball.radius >= 0.0 && ball.radius < INFINITY)) {
        return -1;
    }
    b->list->balls[b->list->ball_count] = (CompareBall){
        .local = ball.centre, .radius = ball.radius, .still_size = size, .frame = frame, .robot = robot};
    return b->list->ball_count++;
}

static Ball ball_around_own(ListBuild* b, const CompareNode* node, double* size) {
    bool bounded = true;
    for (int32_t i = 0; i < node->body_count; ++i) {
        const int32_t body = b->listed[node->first_body + i];
        b->spare[i] = body_ball(b, body);
        bounded = bounded && b->spare[i].radius < INFINITY;
        *size = fmax(*size, b->input->bodies[body].still_size);
    }
    return bounded ? bi_ball_of_balls(b->spare, node->body_count) : (Ball){v3(0, 0, 0), INFINITY};
}

static void set_own_ball(ListBuild* b, CompareNode* node, int32_t frame, int32_t robot, double* size) {
    node->own = -1;
    if (node->body_count == 1) {
        const int32_t body = b->listed[node->first_body];
        *size = fmax(*size, b->input->bodies[body].still_size);
        node->own = b->input->bodies[body].radius < INFINITY ? body : -1;
    } else if (node->body_count > 1) {
        node->own = add_ball(b, ball_around_own(b, node, size), frame, robot, *size);
    }
}

// Which node a body is listed under: its frame's, or its own for one that stands alone (-1 here).
static int32_t node_of_body(const ListBuild* b, int32_t body) {
    const SceneBody* s = &b->scene->bodies[body];
    if (s->robot < 0) {
        return -1;
    }
    return b->root[s->robot] + (s->frame < 0 ? 0 : s->frame - b->scene->robots[s->robot].first_frame);
}

// Bodies of robots by node, in their order; make_loose_nodes lists those that stand alone.
static void list_bodies(ListBuild* b) {
    for (int32_t i = 0; i < b->scene->body_count; ++i) {
        const int32_t n = node_of_body(b, i);
        if (n >= 0) {
            b->nodes[n].body_count += 1;
        }
    }

    for (int32_t n = 0; n < b->node_count; ++n) {
        b->nodes[n].first_body = b->listed_count;
        b->listed_count += b->nodes[n].body_count;
        b->nodes[n].body_count = 0;
    }

    for (int32_t i = 0; i < b->scene->body_count; ++i) {
        const int32_t n = node_of_body(b, i);
        if (n >= 0) {
            b->listed[b->nodes[n].first_body + b->nodes[n].body_count++] = i;
        }
    }
}

static int32_t add_node(ListBuild* b) {
    b->nodes[b->node_count] = (CompareNode){.first_child = -1, .next = -1, .own = -1, .all = -1};
    return b->node_count++;
}

// Attached objects are not in the robot's hierarchy: their balls are carried up and added where they pass.
static void add_attached(ListBuild* b, int32_t robot, Ball* subtree_ball) {
    const SceneRobot* r = &b->scene->robots[robot];
    const Hierarchy* h = b->input->hierarchies[robot];
    for (int32_t i = b->scene->link_body_count; i < b->scene->moved_body_count; ++i) {
        const SceneBody* body = &b->scene->bodies[i];
        if (body->robot != robot) {
            continue;
        }

        int32_t f = body->frame < 0 ? 0 : body->frame - r->first_frame;
        Ball ball = body_ball(b, i);
        if (body->frame < 0) {
            ball.centre = pose_apply_back(&r->world_from_base, ball.centre);
        }

        for (; f >= 0; f = r->robot->frames[f].parent) {
            if (!(ball.radius < INFINITY && subtree_ball[f].radius < INFINITY)) {
                subtree_ball[f].radius = INFINITY;
            } else {
                subtree_ball[f] = subtree_ball[f].radius < 0.0 ? ball : bi_ball_merge(subtree_ball[f], ball);
            }
            ball = bi_range_step(&r->robot->frames[f], ball, h->low, h->high);
        }
    }
}

/// A ball of a subtree and what it moves with.
typedef struct SubtreeBall {
    Ball ball;
    int32_t frame;  // of the robot
} SubtreeBall;

// MR of a frame, or M of it in the axes of the one above. With attached objects M is what MR becomes when it is moved.
static SubtreeBall subtree_ball_of(const ListBuild* b, int32_t robot, int32_t f, const Ball* placed) {
    const RobotFrame* frame = &b->scene->robots[robot].robot->frames[f];
    const Hierarchy* h = b->input->hierarchies[robot];
    if (!b->input->swept || f == 0) {
        return (SubtreeBall){placed[f], f};
    }
    const bool bare = placed[f].radius == h->both[f].radius;
    const Ball moved =
        bare || placed[f].radius < 0.0 ? h->motion[f] : bi_range_step(frame, placed[f], h->low, h->high);
    return (SubtreeBall){moved, frame->parent};
}

static BerthStatus make_robot_nodes(ListBuild* b, int32_t robot) {
    const SceneRobot* r = &b->scene->robots[robot];
    const Hierarchy* h = b->input->hierarchies[robot];
    const int32_t n = r->robot->frame_count;
    Ball* subtree_ball = bi_arena_take(&b->scratch, (size_t)n, sizeof *subtree_ball);
    double* size = bi_arena_take(&b->scratch, (size_t)n, sizeof *size);
    if (subtree_ball == NULL || size == NULL) {
        return out_of_memory();
    }

    memcpy(subtree_ball, h->both, (size_t)n * sizeof *subtree_ball);
    add_attached(b, robot, subtree_ball);

    for (int32_t f = n - 1; f >= 0; --f) {
        CompareNode* node = &b->nodes[b->root[robot] + f];
        const int32_t frame = f > 0 ? r->first_frame + f : -1;
        const int32_t mover = f > 0 ? robot : -1;
        set_own_ball(b, node, frame, mover, &size[f]);

        const SubtreeBall subtree = subtree_ball_of(b, robot, f, subtree_ball);
        Ball ball = subtree.ball;
        if (subtree.frame == 0) {
            const double lengths = v3_length(ball.centre) + v3_length(r->world_from_base.t) + ball.radius;
            ball = (Ball){pose_apply(&r->world_from_base, ball.centre),
                          ball.radius + BI_DISTANCE_SLACK * lengths};
        }
        // In the base's axes nothing moves: what the values add to the rounding is in the ball's own slack.
        if (node->first_child < 0) {
            node->all = node->own;
        } else {
            node->all = add_ball(b, ball, subtree.frame > 0 ? r->first_frame + subtree.frame : -1,
                                 subtree.frame > 0 ? robot : -1, size[f]);
        }

        if (f > 0) {
            const int32_t parent = r->robot->frames[f].parent;
            CompareNode* above = &b->nodes[b->root[robot] + parent];
            size[parent] = fmax(size[parent], size[f]);
            node->next = above->first_child;  // from the last child to the first: the list is in order
            above->first_child = b->root[robot] + f;
        }
    }
    return BERTH_OK;
}

// ---- objects in groups --------------------------------------------------------------------------------------

static double coordinate_of(const ListBuild* b, int32_t body, int axis) {
    return v3_at(b->input->bodies[body].local, axis);
}

// Puts the bodies that belong before `middle` along the axis there: quickselect with a bounded number of rounds.
static void split_bodies(const ListBuild* b, int32_t* bodies, int32_t count, int32_t middle, int axis) {
    int32_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = coordinate_of(b, bodies[low + (high - low) / 2], axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (coordinate_of(b, bodies[i], axis) < pivot) {
                ++i;
            }
            while (coordinate_of(b, bodies[j], axis) > pivot) {
                --j;
            }
            if (i <= j) {
                const int32_t swap = bodies[i];
                bodies[i++] = bodies[j];
                bodies[j--] = swap;
            }
        }

        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int widest_axis(const ListBuild* b, const int32_t* bodies, int32_t count) {
    Vec3 low = b->input->bodies[bodies[0]].local;
    Vec3 high = low;
    for (int32_t i = 1; i < count; ++i) {
        low = v3_min(low, b->input->bodies[bodies[i]].local);
        high = v3_max(high, b->input->bodies[bodies[i]].local);
    }

    const Vec3 d = v3_sub(high, low);
    if (d.x >= d.y && d.x >= d.z) {
        return 0;
    }
    return d.y >= d.z ? 1 : 2;
}

// A binary tree over listed bodies [first, first + count), which are sorted by it. Depth is the logarithm of the count,
// but nodes wait in a queue anyway: node n is opened when its turn comes.
static void make_object_tree(ListBuild* b, int32_t first, int32_t count) {
    const int32_t top = add_node(b);
    b->nodes[top].first_body = first;
    b->nodes[top].body_count = count;
    b->loose[b->loose_count++] = top;

    for (int32_t n = top; n < b->node_count; ++n) {
        CompareNode* node = &b->nodes[n];
        double size = 0.0;
        const Ball ball = ball_around_own(b, node, &size);
        if (node->body_count == 1) {
            node->own = node->all = b->listed[node->first_body];
            continue;
        }

        node->all = add_ball(b, ball, -1, -1, size);
        int32_t* bodies = b->listed + node->first_body;
        const int32_t half = node->body_count / 2;
        split_bodies(b, bodies, node->body_count, half, widest_axis(b, bodies, node->body_count));

        const int32_t left = add_node(b), right = add_node(b);
        b->nodes[left].first_body = node->first_body;
        b->nodes[left].body_count = half;
        b->nodes[right].first_body = node->first_body + half;
        b->nodes[right].body_count = node->body_count - half;
        b->nodes[left].next = right;
        node->first_child = left;
        node->body_count = 0;  // its bodies are its children's
    }
}

static void make_loose_nodes(ListBuild* b) {
    const int32_t first = b->listed_count;
    for (int32_t i = b->scene->moved_body_count; i < b->scene->body_count; ++i) {
        if (b->input->bodies[i].radius < INFINITY) {
            b->listed[b->listed_count++] = i;
        }
    }

    if (b->listed_count > first) {
        make_object_tree(b, first, b->listed_count - first);
    }

    for (int32_t i = b->scene->moved_body_count; i < b->scene->body_count; ++i) {
        if (!(b->input->bodies[i].radius < INFINITY)) {
            const int32_t n = add_node(b);
            b->nodes[n].first_body = b->listed_count;
            b->nodes[n].body_count = 1;
            b->listed[b->listed_count++] = i;
            b->loose[b->loose_count++] = n;
        }
    }
}

static BerthStatus make_nodes(ListBuild* b) {
    const BerthScene* scene = b->scene;
    const size_t bodies = (size_t)scene->body_count, frames = (size_t)scene->frame_count;
    const size_t robots = (size_t)scene->robot_count;

    b->nodes = bi_arena_take(&b->scratch, frames + 2 * bodies + robots, sizeof *b->nodes);
    b->listed = bi_arena_take(&b->scratch, bodies, sizeof *b->listed);
    b->root = bi_arena_take(&b->scratch, robots, sizeof *b->root);
    b->loose = bi_arena_take(&b->scratch, bodies + 1, sizeof *b->loose);
    b->spare = bi_arena_take(&b->scratch, bodies, sizeof *b->spare);

    // A ball for each body, two for each frame, one for each group of objects.
    b->list->balls =
        bi_arena_take(&b->list->arena, 2 * bodies + 2 * (frames + robots), sizeof *b->list->balls);
    if (!b->nodes || !b->listed || !b->root || !b->loose || !b->spare || !b->list->balls) {
        return out_of_memory();
    }

    memcpy(b->list->balls, b->input->bodies, bodies * sizeof *b->list->balls);
    b->list->ball_count = scene->body_count;

    for (int32_t r = 0; r < scene->robot_count; ++r) {
        b->root[r] = b->node_count;
        for (int32_t f = 0; f < scene->robots[r].robot->frame_count; ++f) {
            (void)add_node(b);
        }
    }
    list_bodies(b);

    BerthStatus status = BERTH_OK;
    for (int32_t r = 0; r < scene->robot_count && status == BERTH_OK; ++r) {
        status = make_robot_nodes(b, r);
    }

    b->list->moved_end = b->list->ball_count;
    make_loose_nodes(b);
    return status;
}

// ---- what is proven about pairs -----------------------------------------------------------------------------

// Where a body's ball can be within limits, in the world.
static Ball world_range(const ListBuild* b, int32_t body) {
    const SceneBody* s = &b->scene->bodies[body];
    const Ball ball = body_ball(b, body);
    if (s->frame < 0) {
        return ball;
    }

    const SceneRobot* r = &b->scene->robots[s->robot];
    const Hierarchy* h = b->input->hierarchies[s->robot];
    const Ball at_base = bi_range_ball(r->robot, s->frame - r->first_frame, 0, ball, h->low, h->high);
    const double lengths = v3_length(at_base.centre) + v3_length(r->world_from_base.t) + at_base.radius;
    return (Ball){pose_apply(&r->world_from_base, at_base.centre),
                  at_base.radius + BI_DISTANCE_SLACK * lengths};
}

// Two bodies of one robot, one of them attached: balls in the axes of the last frame that carries both.
static double attached_least_gap(const ListBuild* b, const ScenePair* pair) {
    const SceneBody* a = &b->scene->bodies[pair->body_a];
    const SceneBody* c = &b->scene->bodies[pair->body_b];
    const SceneRobot* r = &b->scene->robots[a->robot];
    const Hierarchy* h = b->input->hierarchies[a->robot];
    if (a->frame < 0 || c->frame < 0) {
        return bi_hierarchy_ball_gap(world_range(b, pair->body_a), world_range(b, pair->body_b));
    }

    const int32_t fa = a->frame - r->first_frame, fc = c->frame - r->first_frame;
    int32_t i = fa, j = fc;
    while (i != j) {  // parents come first
        if (i > j) {
            i = r->robot->frames[i].parent;
        } else {
            j = r->robot->frames[j].parent;
        }
    }

    return bi_hierarchy_ball_gap(bi_range_ball(r->robot, fa, i, body_ball(b, pair->body_a), h->low, h->high),
                                 bi_range_ball(r->robot, fc, i, body_ball(b, pair->body_b), h->low, h->high));
}

static double pair_least_gap(const ListBuild* b, const ScenePair* pair, const Ball* ranges) {
    const SceneBody* a = &b->scene->bodies[pair->body_a];
    const SceneBody* c = &b->scene->bodies[pair->body_b];
    if (a->robot >= 0 && a->robot == c->robot) {
        if (a->object >= 0 || c->object >= 0) {
            return attached_least_gap(b, pair);
        }
        const BerthRobot* robot = b->scene->robots[a->robot].robot;
        return (double)bi_hierarchy_link_gap(b->input->hierarchies[a->robot], robot->links[a->link].geometry,
                                             robot->links[c->link].geometry);
    }
    return bi_hierarchy_ball_gap(ranges[pair->body_a], ranges[pair->body_b]);
}

static BerthStatus find_least_gaps(ListBuild* b) {
    const BerthScene* scene = b->scene;
    b->least = bi_arena_take(&b->scratch, (size_t)scene->pair_count, sizeof *b->least);
    Ball* ranges = bi_arena_take(&b->scratch, (size_t)scene->body_count, sizeof *ranges);
    if (b->least == NULL || ranges == NULL) {
        return out_of_memory();
    }

    for (int32_t i = 0; i < scene->body_count; ++i) {
        ranges[i] = world_range(b, i);
    }

    for (int32_t i = 0; i < scene->pair_count; ++i) {
        const ScenePair* pair = &scene->pairs[i];
        if (!pair->constant) {
            b->least[i] =
                bi_float_down(pair_least_gap(b, pair, ranges) - pair->padding * (1.0 + 4.0 * BI_ULP));
        }
    }
    return BERTH_OK;
}

// ---- the list -----------------------------------------------------------------------------------------------

static void push_work(ListBuild* b, WorkKind kind, int32_t a, int32_t c) {
    CompareWork* work = bi_arena_grow(&b->scratch, b->work, (size_t)b->work_count, (size_t)b->work_count + 1,
                                      &b->work_capacity, sizeof *b->work);
    if (work == NULL) {
        b->failed = true;
        return;
    }
    b->work = work;
    b->work[b->work_count++] = (CompareWork){kind, a, c};
}

static void add_step(ListBuild* b, CompareStep step) {
    CompareStep* steps = bi_arena_grow(&b->scratch, b->steps, (size_t)b->step_count,
                                       (size_t)b->step_count + 1, &b->step_capacity, sizeof *b->steps);
    if (steps == NULL) {
        b->failed = true;
        return;
    }
    b->steps = steps;
    b->steps[b->step_count++] = step;
}

// The pair of two bodies that the scene has, or -1.
static int32_t find_pair_index(const BerthScene* scene, int32_t x, int32_t y) {
    const int32_t a = x < y ? x : y, c = x < y ? y : x;
    int32_t low = 0, high = scene->pair_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const ScenePair* p = &scene->pairs[middle];
        if (p->body_a < a || (p->body_a == a && p->body_b < c)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }

    const bool found =
        low < scene->pair_count && scene->pairs[low].body_a == a && scene->pairs[low].body_b == c;
    return found ? low : -1;
}

static void open_block(ListBuild* b, int32_t ball_a, int32_t ball_b) {
    push_work(b, WORK_CLOSE, b->step_count, b->pair_count);
    add_step(b, (CompareStep){.a = ball_a, .b = ball_b, .pair = -1});
}

// A block without pairs goes, one of very few loses its comparison; else what holds for all its pairs is written down.
static void close_block(ListBuild* b, const CompareWork* work) {
    const int32_t pairs = b->pair_count - work->b;
    if (pairs == 0) {
        b->step_count = work->a;
        return;
    }

    CompareStep* step = &b->steps[work->a];
    const int32_t inside = b->step_count - work->a - 1;
    if (pairs < BLOCK_MIN) {
        memmove(step, step + 1, (size_t)inside * sizeof *step);
        b->step_count -= 1;
        return;
    }

    step->skip = inside + 1;
    step->least = INFINITY;
    for (int32_t i = 1; i <= inside; i += step[i].skip) {
        step->least = step[i].least < step->least ? step[i].least : step->least;
        step->padding = step[i].padding > step->padding ? step[i].padding : step->padding;
    }
}

static void compare_own_with_own(ListBuild* b, const CompareNode* a, const CompareNode* c) {
    const bool block = a->own >= 0 && c->own >= 0 && a->body_count * c->body_count >= BLOCK_MIN;
    CompareWork close = {WORK_CLOSE, b->step_count, b->pair_count};
    if (block) {
        add_step(b, (CompareStep){.a = a->own, .b = c->own, .pair = -1});
    }

    for (int32_t i = 0; i < a->body_count; ++i) {
        for (int32_t k = 0; k < c->body_count; ++k) {
            const int32_t x = b->listed[a->first_body + i], y = b->listed[c->first_body + k];
            const int32_t pair = find_pair_index(b->scene, x, y);
            if (pair < 0 || b->scene->pairs[pair].constant || b->least[pair] > b->limit) {
                continue;
            }

            b->pair_count += 1;
            add_step(b, (CompareStep){.a = x,
                                      .b = y,
                                      .skip = 1,
                                      .pair = pair,
                                      .least = b->least[pair],
                                      .padding = bi_float_up(b->scene->pairs[pair].padding)});
        }
    }

    if (block && !b->failed) {
        close_block(b, &close);
    }
}

// Work waits on a stack, so what is to be done first is pushed last.
static void compare_own_with_subtree(ListBuild* b, int32_t a, int32_t c) {
    if (b->nodes[a].body_count == 0) {
        return;
    }
    if (b->nodes[c].first_child < 0) {
        compare_own_with_own(b, &b->nodes[a], &b->nodes[c]);
        return;
    }

    if (b->nodes[a].own >= 0 && b->nodes[c].all >= 0) {
        open_block(b, b->nodes[a].own, b->nodes[c].all);
    }
    for (int32_t k = b->nodes[c].first_child; k >= 0; k = b->nodes[k].next) {
        push_work(b, WORK_OWN_SUBTREE, a, k);
    }
    push_work(b, WORK_OWN_OWN, a, c);
}

static void compare_subtrees(ListBuild* b, int32_t a, int32_t c) {
    CompareNode* na = &b->nodes[a];
    CompareNode* nc = &b->nodes[c];
    if (na->first_child < 0 || nc->first_child < 0) {
        if (na->first_child < 0) {
            compare_own_with_subtree(b, a, c);
        } else {
            compare_own_with_subtree(b, c, a);
        }
        return;
    }

    if (na->all >= 0 && nc->all >= 0) {
        open_block(b, na->all, nc->all);
    }

    // The larger one is opened; one without a ball is larger than any.
    const double ra = na->all >= 0 ? b->list->balls[na->all].radius : (double)INFINITY;
    const double rc = nc->all >= 0 ? b->list->balls[nc->all].radius : (double)INFINITY;
    const int32_t open = ra >= rc ? a : c, other = ra >= rc ? c : a;
    for (int32_t k = b->nodes[open].first_child; k >= 0; k = b->nodes[k].next) {
        push_work(b, WORK_SUBTREES, k, other);
    }
    push_work(b, WORK_OWN_SUBTREE, open, other);
}

// The paper's three steps for the subtree of `a`. Neighbours are compared too where the scene has them as a pair.
static void compare_within_subtree(ListBuild* b, int32_t a) {
    if (b->nodes[a].first_child < 0) {
        return;
    }

    if (!(b->limit < INFINITY)) {
        // A ball is never apart from itself: only the table of proven gaps (the paper's scfree) can skip this block.
        open_block(b, 0, 0);
    }

    // Third: the same within each child.
    for (int32_t c = b->nodes[a].first_child; c >= 0; c = b->nodes[c].next) {
        push_work(b, WORK_WITHIN_SUBTREE, c, -1);
    }

    // Second: the children's subtrees against each other.
    for (int32_t c = b->nodes[a].first_child; c >= 0; c = b->nodes[c].next) {
        for (int32_t d = b->nodes[c].next; d >= 0; d = b->nodes[d].next) {
            push_work(b, WORK_SUBTREES, c, d);
        }
    }

    // First: the link's own bodies against its children's own and its grandchildren's subtrees.
    for (int32_t c = b->nodes[a].first_child; c >= 0; c = b->nodes[c].next) {
        for (int32_t k = b->nodes[c].first_child; k >= 0; k = b->nodes[k].next) {
            push_work(b, WORK_OWN_SUBTREE, a, k);
        }
        push_work(b, WORK_OWN_OWN, a, c);
    }
}

static void run_work(ListBuild* b) {
    while (b->work_count > 0 && !b->failed) {
        const CompareWork work = b->work[--b->work_count];
        switch (work.kind) {
        case WORK_WITHIN_SUBTREE:
            compare_within_subtree(b, work.a);
            break;
        case WORK_OWN_OWN:
            compare_own_with_own(b, &b->nodes[work.a], &b->nodes[work.b]);
            break;
        case WORK_OWN_SUBTREE:
            compare_own_with_subtree(b, work.a, work.b);
            break;
        case WORK_SUBTREES:
            compare_subtrees(b, work.a, work.b);
            break;
        case WORK_CLOSE:
            close_block(b, &work);
            break;
        }
    }
}

// One whole list of the pairs that are not proven further apart than `limit`.
static BerthStatus make_steps(ListBuild* b, double limit, CompareStep** steps, int32_t* count,
                              CompareRange* self_range) {
    b->limit = limit;
    b->step_count = b->pair_count = b->work_count = 0;

    for (int32_t r = 0; r < b->scene->robot_count && !b->failed; ++r) {
        self_range[r].first = b->step_count;
        push_work(b, WORK_WITHIN_SUBTREE, b->root[r], -1);
        run_work(b);
        self_range[r].end = b->step_count;
    }

    for (int32_t r = 0; r < b->scene->robot_count && !b->failed; ++r) {
        for (int32_t s = r + 1; s < b->scene->robot_count; ++s) {
            push_work(b, WORK_SUBTREES, b->root[r], b->root[s]);
            run_work(b);
        }
        for (int32_t i = 0; i < b->loose_count && !b->failed; ++i) {
            push_work(b, WORK_SUBTREES, b->root[r], b->loose[i]);
            run_work(b);
        }
    }

    *steps = NULL;
    if (!b->failed) {
        *steps = bi_arena_take(&b->list->arena, (size_t)b->step_count, sizeof **steps);
    }
    if (*steps == NULL) {
        return out_of_memory();
    }

    if (b->step_count > 0) {
        memcpy(*steps, b->steps, (size_t)b->step_count * sizeof **steps);
    }
    *count = b->step_count;
    return BERTH_OK;
}

static BerthStatus make_limits(ListBuild* b) {
    CompareList* list = b->list;
    const size_t values = (size_t)b->scene->value_count;
    list->low = bi_arena_take(&list->arena, values, sizeof *list->low);
    list->high = bi_arena_take(&list->arena, values, sizeof *list->high);
    if (list->low == NULL || list->high == NULL) {
        return out_of_memory();
    }

    for (int32_t r = 0; r < b->scene->robot_count; ++r) {
        const SceneRobot* robot = &b->scene->robots[r];
        bi_range_limits(robot->robot, list->low + robot->first_value, list->high + robot->first_value);
    }
    return BERTH_OK;
}

static BerthStatus make_both_lists(ListBuild* b) {
    CompareList* list = b->list;
    const size_t robots = (size_t)b->scene->robot_count;
    list->every_self = bi_arena_take(&list->arena, robots, sizeof *list->every_self);
    list->near_self = bi_arena_take(&list->arena, robots, sizeof *list->near_self);
    list->placed = bi_arena_take(&list->arena, (size_t)list->ball_count, sizeof *list->placed);
    if (list->every_self == NULL || list->near_self == NULL || list->placed == NULL) {
        return out_of_memory();
    }

    for (int32_t i = 0; i < list->ball_count; ++i) {  // those that stand still are there for good
        const CompareBall* ball = &list->balls[i];
        list->placed[i] =
            (PlacedBall){ball->local, ball->radius + 2.0 * BI_DISTANCE_SLACK * ball->still_size};
    }

    BerthStatus status = find_least_gaps(b);
    if (status == BERTH_OK) {
        status = make_steps(b, INFINITY, &list->every, &list->every_count, list->every_self);
    }
    if (status == BERTH_OK) {
        status = make_steps(b, b->input->margin, &list->near, &list->near_count, list->near_self);
    }
    return status;
}

BerthStatus bi_compare_create(const CompareInput* input, const BerthAllocator* allocator, CompareList* out) {
    *out = (CompareList){.body_count = input->scene->body_count,
                         .moved_body_count = input->scene->moved_body_count,
                         .margin = input->margin};
    bi_arena_init(&out->arena, allocator, 0);
    ListBuild b = {.input = input, .scene = input->scene, .list = out};
    bi_arena_init(&b.scratch, allocator, 0);

    BerthStatus status = make_nodes(&b);
    if (status == BERTH_OK) {
        status = make_limits(&b);
    }
    if (status == BERTH_OK) {
        status = make_both_lists(&b);
    }

    bi_arena_free(&b.scratch);
    return status;
}

void bi_compare_destroy(CompareList* list) {
    bi_arena_free(&list->arena);
}
