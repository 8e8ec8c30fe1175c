// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Robot: links and joints, constant once built. Made from a URDF by the io room or by the functions below.

#ifndef BERTH_ROBOT_H
#define BERTH_ROBOT_H

#include <berth/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Links, joints and collision geometry. Constant once built; may be shared between threads.
typedef struct BerthRobot BerthRobot;
/// Collects the parts of a robot until berth_robot_build.
typedef struct BerthRobotBuilder BerthRobotBuilder;

/// How a joint moves its child link.
typedef enum BerthJointType {
    BERTH_JOINT_FIXED = 0,   ///< not at all
    BERTH_JOINT_REVOLUTE,    ///< turns about its axis, within limits
    BERTH_JOINT_CONTINUOUS,  ///< turns about its axis, without limits
    BERTH_JOINT_PRISMATIC,   ///< slides along its axis
    BERTH_JOINT_FLOATING,    ///< seven values: x y z qx qy qz qw
    BERTH_JOINT_PLANAR       ///< three values: x y theta, in the plane whose normal is the axis
} BerthJointType;

/// Start from berth_default_joint_def().
typedef struct BerthJointDef {
    const char* name;             ///< unique in the robot; copied
    BerthJointType type;          ///< how it moves
    int32_t parent_link;          ///< index from berth_robot_add_link
    int32_t child_link;           ///< index from berth_robot_add_link
    BerthPose parent_from_joint;  ///< the joint's frame when its values are zero
    /// In the joint's frame, need not be unit; may be zero for fixed and floating joints only
    BerthVec3 axis;
    bool has_limits;          ///< `lower` and `upper` are valid; used for revolute and prismatic joints only
    double lower;             ///< radian or metre, <= upper
    double upper;             ///< radian or metre
    double velocity;          ///< largest, radian or metre per second; 0: not given
    double effort;            ///< largest, N or N m; 0: not given
    const char* mimic;        ///< name of the joint that it follows, or null
    double mimic_multiplier;  ///< value = multiplier * (value of that joint) + offset
    double mimic_offset;      ///< radian or metre
    uint32_t stamp;           ///< set by the default function; ties the def to this library version
} BerthJointDef;

/// The def to start from: fixed, at the parent's origin, axis x, no limits, no mimic.
BERTH_API BerthJointDef berth_default_joint_def(void);

/// An empty builder for a robot of this name (null: "").
BERTH_API BerthStatus berth_robot_builder_create(const char* name, const BerthAllocator* allocator,
                                                 BerthRobotBuilder** out);
/// Frees a builder; null is fine. Robots built with it stay.
BERTH_API void berth_robot_builder_destroy(BerthRobotBuilder* builder);
/// Adds a link. The name is copied; it must be neither empty nor in use. `index` may be null.
BERTH_API BerthStatus berth_robot_add_link(BerthRobotBuilder* builder, const char* name, int32_t* index);
/// Adds a joint between two links that were added before. `index` may be null.
BERTH_API BerthStatus berth_robot_add_joint(BerthRobotBuilder* builder, const BerthJointDef* def,
                                            int32_t* index);
/// Adds collision geometry to a link; a link may have several solids. Takes ownership of the solid, also on
/// failure. A null pose means the link's own frame. `source` (may be null) is kept for reports: a file name,
/// or "box".
BERTH_API BerthStatus berth_robot_add_solid(BerthRobotBuilder* builder, int32_t link,
                                            const BerthPose* link_from_solid, BerthSolid* solid,
                                            const char* source);
/// Adds a planar or floating joint between the world and the root link. Its values come first in the state;
/// its index comes after those of all other joints.
BERTH_API BerthStatus berth_robot_set_free_base(BerthRobotBuilder* builder, const char* name,
                                                BerthJointType type);

/// Checks the robot as spheres: when it is built, the geometry of each link that is not made of spheres alone
/// is replaced by balls that are proven to cover it, so that what is free for them is free for the robot.
/// They protrude by at most `protrusion` metres (> 0) where at most `most` balls (1 to 4096) per link can do
/// that in about a tenth of a second, otherwise by as little as was found. Which pairs are checked is still
/// decided by the original geometry; berth_robot_sum, and with it proven tables, are about the spheres. Of an
/// open mesh the surface is covered. With half-spaces or maps the build returns BERTH_ERR_UNSUPPORTED.
BERTH_API BerthStatus berth_robot_use_spheres(BerthRobotBuilder* builder, double protrusion, int32_t most);

/// Switches to listed pairs: every pair of links with geometry is checked, except those that are disabled and
/// links that are rigidly joined. Without a call of this function or of the next two, the default rule holds:
/// neighbours are skipped, and pairs that overlap in the default state and in 1000 random ones.
BERTH_API BerthStatus berth_robot_use_listed_pairs(BerthRobotBuilder* builder);
/// This pair is not checked. Switches to listed pairs. The reason (may be null) is kept for reports.
BERTH_API BerthStatus berth_robot_disable_pair(BerthRobotBuilder* builder, int32_t link_a, int32_t link_b,
                                               const char* reason);
/// This pair is checked although one of its links is disabled by default (an SRDF's
/// disable_default_collisions). A pair that is also disabled stays disabled, whatever the order of the calls.
/// Switches to listed pairs.
BERTH_API BerthStatus berth_robot_enable_pair(BerthRobotBuilder* builder, int32_t link_a, int32_t link_b);

/// Size of the text of a sum.
enum {
    BERTH_SUM_TEXT = 65  ///< 64 hexadecimal digits and a zero: SHA-256
};
/// Two links that are proven apart.
typedef struct BerthProvenPair {
    const char* link_a;  ///< one link
    const char* link_b;  ///< the other
    double gap;  ///< metres > 0: they are never nearer than this while all values are within the limits
} BerthProvenPair;
/// The range of a value within which a proof holds.
typedef struct BerthProvenLimit {
    const char* joint;  ///< its name
    double lower;       ///< radian or metre
    double upper;       ///< radian or metre
} BerthProvenLimit;
/// Pairs of links that are proven apart within joint limits, for one robot: the results of berth_prover_pair
/// with berth_robot_sum and berth_robot_limits, kept in an SRDF. It counts for the robot with that sum, and
/// only while its own sum is right.
typedef struct BerthProvenTable {
    char robot[BERTH_SUM_TEXT];      ///< berth_robot_sum of its robot
    const BerthProvenLimit* limits;  ///< every value that has limits, in the order of a state
    int32_t limit_count;             ///< of `limits`
    const BerthProvenPair* pairs;    ///< the pairs that are proven apart
    int32_t pair_count;              ///< of `pairs`
    char sum[BERTH_SUM_TEXT];        ///< berth_proven_table_sum of all the above
} BerthProvenTable;
/// The sum over everything in a table except `sum`. It reveals that a table was edited; it does not protect
/// against deceit, since anybody can compute it: berth_prover_confirm proves a gap again.
BERTH_API void berth_proven_table_sum(const BerthProvenTable* table, char out[BERTH_SUM_TEXT]);
/// Adds a named state: GROUP/NAME, or NAME where only one state has that name. `group` and `index` may be
/// null.
BERTH_API BerthStatus berth_robot_add_state(BerthRobotBuilder* builder, const char* group, const char* name,
                                            int32_t* index);
/// Sets one joint's values in a named state; `count` must be the joint's number of values (any for a fixed
/// joint, whose values are ignored).
BERTH_API BerthStatus berth_robot_add_state_value(BerthRobotBuilder* builder, int32_t state,
                                                  const char* joint, const double* values, int32_t count);
/// Adds a named group of joints; -1 stands for the free base, if it was set before.
BERTH_API BerthStatus berth_robot_add_group(BerthRobotBuilder* builder, const char* name,
                                            const int32_t* joints, int32_t joint_count);

/// What a failed build was about, so that a reader of files can name a line.
typedef struct BerthRobotFault {
    int32_t link;   ///< index, or -1
    int32_t joint;  ///< index, or -1
} BerthRobotFault;

/// Checks that links and joints form one tree, resolves mimics, merges fixed joints, determines the pairs to
/// check. The builder is empty afterwards, also on failure, and must still be destroyed. `fault` may be null.
BERTH_API BerthStatus berth_robot_build(BerthRobotBuilder* builder, BerthRobot** out, BerthRobotFault* fault);
/// Frees a robot; null is fine. Not while a scene borrows it.
BERTH_API void berth_robot_destroy(BerthRobot* robot);

/// One joint of a built robot.
typedef struct BerthJointInfo {
    const char* name;         ///< as in the URDF
    BerthJointType type;      ///< how it moves
    int32_t parent_link;      ///< index
    int32_t child_link;       ///< index
    BerthVec3 axis;           ///< unit, in the joint's frame
    bool has_limits;          ///< `lower` and `upper` are valid
    double lower;             ///< radian or metre
    double upper;             ///< radian or metre
    double velocity;          ///< largest, radian or metre per second; 0: not given
    double effort;            ///< largest, N or N m; 0: not given
    int32_t mimic;            ///< the joint that it finally follows, chains of mimics resolved, or -1
    double mimic_multiplier;  ///< value = multiplier * (value of that joint) + offset
    double mimic_offset;      ///< radian or metre
    int32_t first_value;      ///< index of its first value in a state; -1 for fixed and mimic joints
    int32_t value_count;      ///< 1, 3 (planar), 7 (floating) or 0
} BerthJointInfo;

/// One link of a built robot.
typedef struct BerthLinkInfo {
    const char* name;      ///< as in the URDF
    int32_t parent_joint;  ///< -1 for the root
    int32_t frame;         ///< links with the same frame are rigidly joined
    int32_t solid_count;   ///< solids of its collision geometry
} BerthLinkInfo;

/// Why a pair of links is not checked.
typedef enum BerthPairRule {
    BERTH_PAIR_CHECKED = 0,  ///< it is checked
    BERTH_PAIR_NO_GEOMETRY,  ///< one of the links has none
    BERTH_PAIR_RIGID,        ///< joined by fixed joints only: they never move relative to each other
    /// Neighbours in the chain, fixed joints merged (by the default rule, or listed as well)
    BERTH_PAIR_ADJACENT,
    BERTH_PAIR_ALWAYS_OVERLAP,  ///< they overlap in the default state and in all random ones (likewise)
    /// Listed as disabled, for example by an SRDF, without any of the rules above or a proof as a reason
    BERTH_PAIR_DISABLED,
    /// Listed as disabled and proven apart: skipped where the proof holds, otherwise checked
    BERTH_PAIR_PROVEN
} BerthPairRule;

/// The robot's name; lives as long as the robot.
BERTH_API const char* berth_robot_name(const BerthRobot* robot);
/// Links, including those without geometry.
BERTH_API int32_t berth_robot_link_count(const BerthRobot* robot);
/// Joints, including fixed ones; that of a free base is the last.
BERTH_API int32_t berth_robot_joint_count(const BerthRobot* robot);
/// Values of a state: one per moving joint, more for planar and floating ones, none for mimic joints.
BERTH_API int32_t berth_robot_value_count(const BerthRobot* robot);
/// One link; texts live as long as the robot.
BERTH_API BerthLinkInfo berth_robot_link(const BerthRobot* robot, int32_t link);
/// One joint; texts live as long as the robot.
BERTH_API BerthJointInfo berth_robot_joint(const BerthRobot* robot, int32_t joint);
/// A link by name; -1 when there is none.
BERTH_API int32_t berth_robot_find_link(const BerthRobot* robot, const char* name);
/// A joint by name; -1 when there is none.
BERTH_API int32_t berth_robot_find_joint(const BerthRobot* robot, const char* name);
/// A solid of a link, with its pose in the link's frame and its source (both may be null). Borrowed.
BERTH_API const BerthSolid* berth_robot_solid(const BerthRobot* robot, int32_t link, int32_t index,
                                              BerthPose* link_from_solid, const char** source);
/// Is this pair of links checked, and if not, why? `reason` (may be null) receives a text for people: what
/// the SRDF says, or the rule.
BERTH_API BerthPairRule berth_robot_pair(const BerthRobot* robot, int32_t link_a, int32_t link_b,
                                         const char** reason);
/// The sum over everything that a proof about the robot's own pairs depends on: collision geometry as it is
/// used (hulls where hulls were requested), joints and their limits, names. A free base is not part of it: it
/// moves all links together.
BERTH_API void berth_robot_sum(const BerthRobot* robot, char out[BERTH_SUM_TEXT]);
/// The limits that the robot's proofs are about: every value that has some, in the order of a state. Returns
/// how many; `out` may be null. Names live as long as the robot.
BERTH_API int32_t berth_robot_limits(const BerthRobot* robot, BerthProvenLimit* out);
/// The name of one value: the joint's name, or JOINT/x and so on. Writes at most `size` bytes, including the
/// terminating zero.
BERTH_API void berth_robot_value_name(const BerthRobot* robot, int32_t value, char* text, size_t size);
/// Writes the default state: zero, clamped to the limits; identity for floating joints.
BERTH_API void berth_robot_default_values(const BerthRobot* robot, double* values);
/// Writes the named state over `values` (joints that it does not name keep theirs). NAME or GROUP/NAME;
/// BERTH_ERR_ARGUMENT when there is none, or several of that NAME.
BERTH_API BerthStatus berth_robot_named_state(const BerthRobot* robot, const char* name, double* values);
/// The number of named states.
BERTH_API int32_t berth_robot_state_count(const BerthRobot* robot);
/// The name of a named state and of its group (`group` may be null), which is "" when it has none.
BERTH_API const char* berth_robot_state_name(const BerthRobot* robot, int32_t state, const char** group);
/// The number of groups of joints.
BERTH_API int32_t berth_robot_group_count(const BerthRobot* robot);
/// One group: its name, and its joints, borrowed. `joints` and `count` may be null.
BERTH_API const char* berth_robot_group(const BerthRobot* robot, int32_t group, const int32_t** joints,
                                        int32_t* count);
/// Metres: no point of the robot's solids and no link's origin is ever further than this from the base
/// frame's origin, within limits (joints without limits turn freely). +infinity with floating and planar
/// joints and with sliding joints without limits.
BERTH_API double berth_robot_reach(const BerthRobot* robot);

/// The poses of all links: world_from_link[link_count]. NaN values give NaN poses. Allocates nothing.
BERTH_API void berth_robot_link_poses(const BerthRobot* robot, const BerthPose* world_from_base,
                                      const double* values, BerthPose* world_from_link);
/// The velocity of a point fixed to `link` (given in the world) per unit of each value: columns[value_count].
/// A mimic joint contributes to the column of the joint that it follows. A floating joint's quaternion
/// columns are those of the normalised quaternion.
BERTH_API void berth_robot_point_jacobian(const BerthRobot* robot, const BerthPose* world_from_base,
                                          const double* values, int32_t link, BerthVec3 point,
                                          BerthVec3* columns);

/// Balls that cover bodies: berth/cover.h.
typedef struct BerthSpheres BerthSpheres;
/// How they are made: berth/cover.h.
typedef struct BerthSpheresDef BerthSpheresDef;
/// Covers links with spheres, one group per link, in the link's frame. `link`: that link only, which must
/// have geometry; -1: all. Takes seconds.
BERTH_API BerthStatus berth_robot_fit_spheres(const BerthRobot* robot, int32_t link,
                                              const BerthSpheresDef* def, BerthSpheres** out);
/// Measures the spheres of another model of the same robot against this one's geometry, matching links by
/// name. Shapes of its links other than spheres are left out and counted in `*others`, which may be null. Of
/// the def, the seed, threads, stop, progress and allocator are used.
BERTH_API BerthStatus berth_robot_measure_spheres(const BerthRobot* robot, const BerthRobot* spherized,
                                                  const BerthSpheresDef* def, int32_t* others,
                                                  BerthSpheres** out);

#ifdef __cplusplus
}
#endif
#endif
