// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Forward kinematics and Jacobians by Orocos KDL on a URDF that urdfdom reads: the peer of our own reader and
// of our own kinematics, with which it shares no code. Link with -lorocos-kdl -lurdfdom_model.
//
// KDL knows revolute, continuous, prismatic and fixed joints. A URDF with a floating or planar joint is
// refused. KDL knows no mimic joints: the caller passes their values like any other.
#ifndef BERTH_TEST_ORACLE_PEER_KDL_H
#define BERTH_TEST_ORACLE_PEER_KDL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerKdl PeerKdl;  // constant once open

/// Null if the file cannot be read; peer_kdl_refusal() of the same path says why. Prints nothing; opening
/// mutes std::cerr and std::cout for a moment, so open robots on one thread.
PeerKdl* peer_kdl_open(const char* urdf_path);
void peer_kdl_close(PeerKdl* robot);
/// Why peer_kdl_open refuses this path, or "" if it does not. The text goes to `out`, cut to `size`.
void peer_kdl_refusal(const char* urdf_path, char* out, int size);

/// Moving joints, in KDL's tree order. Names live as long as the robot.
int peer_kdl_joint_count(const PeerKdl* robot);
const char* peer_kdl_joint_name(const PeerKdl* robot, int joint);
int peer_kdl_link_count(const PeerKdl* robot);
const char* peer_kdl_link_name(const PeerKdl* robot, int link);  // root first
/// Names of the mimicked joint of a moving joint, or null; value = multiplier * other + offset, as urdfdom
/// read it.
const char* peer_kdl_joint_mimics(const PeerKdl* robot, int joint, double* multiplier, double* offset);
void peer_kdl_joint_limits(const PeerKdl* robot, int joint, double* lower,
                           double* upper);  // 0 0 if none given

/// Pose of a link in the root link's frame: rotation row by row, then translation. Joints that are not named
/// are at zero; names that KDL does not know are ignored. Returns 0, or -1 for an unknown link.
int peer_kdl_link_pose(const PeerKdl* robot, const char* link, const char* const* joint_names,
                       const double* values, int count, double pose_out[12]);

/// Jacobian of the link's origin in the root frame: one column of six (velocity xyz, angular velocity xyz)
/// for each moving joint from root to link, in that order, at columns_out + 6 * i; column_names[i] names the
/// joint. Mimic joints are columns of their own. Returns the number of columns, or -1 for an unknown link or
/// if more than `capacity` are needed.
int peer_kdl_jacobian(const PeerKdl* robot, const char* link, const char* const* joint_names,
                      const double* values, int count, double* columns_out, const char** column_names,
                      int capacity);

#ifdef __cplusplus
}
#endif

#endif
