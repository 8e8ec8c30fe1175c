// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// KDL behind a C interface, see peer_kdl.h. urdfdom reads the file; the KDL tree is built here from its
// model, because Debian's kdl_parser links rosconsole, log4cxx and libpython and logs to them. The result was
// compared with kdl_parser's tree on all robots of the test data (same segments, poses equal to the last
// bit).
#include "peer_kdl.h"

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <urdf_parser/urdf_parser.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct PeerKdl {
    urdf::ModelInterfaceSharedPtr model;
    KDL::Tree tree;
    std::vector<std::string> joints, links;
};

namespace {

KDL::Vector vector_of(const urdf::Vector3& v) {
    return KDL::Vector(v.x, v.y, v.z);
}

KDL::Frame frame_of(const urdf::Pose& pose) {
    const urdf::Rotation& r = pose.rotation;
    return KDL::Frame(KDL::Rotation::Quaternion(r.x, r.y, r.z, r.w), vector_of(pose.position));
}

// KDL names a joint's axis and origin in the parent's frame and gives the tip at zero.
KDL::Segment segment_of(const urdf::Link& link) {
    const urdf::Joint& joint = *link.parent_joint;
    KDL::Frame tip = frame_of(joint.parent_to_joint_origin_transform);
    KDL::Vector axis = tip.M * vector_of(joint.axis);
    switch (joint.type) {
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
        return KDL::Segment(link.name, KDL::Joint(joint.name, tip.p, axis, KDL::Joint::RotAxis), tip);
    case urdf::Joint::PRISMATIC:
        return KDL::Segment(link.name, KDL::Joint(joint.name, tip.p, axis, KDL::Joint::TransAxis), tip);
    default:
        return KDL::Segment(link.name, KDL::Joint(joint.name, KDL::Joint::None), tip);
    }
}

bool is_supported(const urdf::Joint& joint) {
    return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
           joint.type == urdf::Joint::PRISMATIC || joint.type == urdf::Joint::FIXED;
}

// Adds the children of `link` in name order of the model; the reason of a refusal or "".
std::string add_children(PeerKdl& robot, const urdf::Link& link) {
    for (const auto& child : link.child_links) {
        const urdf::Joint& joint = *child->parent_joint;
        if (!is_supported(joint)) {
            return "joint " + joint.name + " is floating or planar, which KDL does not have";
        }
        if (!robot.tree.addSegment(segment_of(*child), link.name)) {
            return "KDL refuses link " + child->name;
        }
        robot.links.push_back(child->name);
        if (joint.type != urdf::Joint::FIXED) {
            robot.joints.push_back(joint.name);
        }
        std::string reason = add_children(robot, *child);
        if (!reason.empty()) {
            return reason;
        }
    }
    return "";
}

// urdfdom tells its troubles to std::cerr and std::cout; while this lives, nobody hears them.
struct Quiet {
    std::ostringstream sink;
    std::streambuf *cerr_was, *cout_was;
    Quiet() : cerr_was(std::cerr.rdbuf(sink.rdbuf())), cout_was(std::cout.rdbuf(sink.rdbuf())) {}
    ~Quiet() {
        std::cerr.rdbuf(cerr_was);
        std::cout.rdbuf(cout_was);
    }
};

std::unique_ptr<PeerKdl> open_robot(const char* path, std::string& reason) {
    std::ifstream file(path);
    if (!file) {
        reason = "cannot open the file";
        return nullptr;
    }
    std::stringstream text;
    text << file.rdbuf();
    auto robot = std::make_unique<PeerKdl>();
    Quiet quiet;
    try {
        robot->model = urdf::parseURDF(text.str());
    } catch (const std::exception& e) {
        reason = std::string("urdfdom threw: ") + e.what();
        return nullptr;
    }
    if (!robot->model || !robot->model->getRoot()) {
        reason = "urdfdom refuses the file";
        return nullptr;
    }
    const urdf::Link& root = *robot->model->getRoot();
    robot->tree = KDL::Tree(root.name);
    robot->links.push_back(root.name);
    reason = add_children(*robot, root);
    return reason.empty() ? std::move(robot) : nullptr;
}

using Values = std::map<std::string, double>;

Values values_of(const char* const* names, const double* values, int count) {
    Values out;
    for (int i = 0; i < count; i++) {
        out[names[i]] = values[i];
    }
    return out;
}

// Joint array of a chain; the names of its moving joints in chain order.
KDL::JntArray chain_values(const KDL::Chain& chain, const Values& values, std::vector<std::string>& names) {
    KDL::JntArray q(chain.getNrOfJoints());
    for (unsigned i = 0; i < chain.getNrOfSegments(); i++) {
        const KDL::Joint& joint = chain.getSegment(i).getJoint();
        if (joint.getType() == KDL::Joint::None) {
            continue;
        }
        auto found = values.find(joint.getName());
        q(static_cast<unsigned>(names.size())) = found == values.end() ? 0 : found->second;
        names.push_back(joint.getName());
    }
    return q;
}

bool find_chain(const PeerKdl* robot, const char* link, KDL::Chain& chain) {
    return robot->tree.getChain(robot->tree.getRootSegment()->first, link, chain);
}

const urdf::Joint& model_joint(const PeerKdl* robot, int joint) {
    return *robot->model->joints_.at(robot->joints[static_cast<std::size_t>(joint)]);
}

}  // namespace

PeerKdl* peer_kdl_open(const char* urdf_path) {
    std::string reason;
    return open_robot(urdf_path, reason).release();
}

void peer_kdl_close(PeerKdl* robot) {
    delete robot;
}

void peer_kdl_refusal(const char* urdf_path, char* out, int size) {
    std::string reason;
    open_robot(urdf_path, reason);
    std::snprintf(out, static_cast<std::size_t>(size), "%s", reason.c_str());
}

int peer_kdl_joint_count(const PeerKdl* robot) {
    return static_cast<int>(robot->joints.size());
}

const char* peer_kdl_joint_name(const PeerKdl* robot, int joint) {
    return robot->joints[static_cast<std::size_t>(joint)].c_str();
}

int peer_kdl_link_count(const PeerKdl* robot) {
    return static_cast<int>(robot->links.size());
}

const char* peer_kdl_link_name(const PeerKdl* robot, int link) {
    return robot->links[static_cast<std::size_t>(link)].c_str();
}

const char* peer_kdl_joint_mimics(const PeerKdl* robot, int joint, double* multiplier, double* offset) {
    const auto& mimic = model_joint(robot, joint).mimic;
    if (!mimic) {
        return nullptr;
    }
    *multiplier = mimic->multiplier;
    *offset = mimic->offset;
    return mimic->joint_name.c_str();
}

void peer_kdl_joint_limits(const PeerKdl* robot, int joint, double* lower, double* upper) {
    const auto& limits = model_joint(robot, joint).limits;
    *lower = limits ? limits->lower : 0;
    *upper = limits ? limits->upper : 0;
}

int peer_kdl_link_pose(const PeerKdl* robot, const char* link, const char* const* joint_names,
                       const double* values, int count, double pose_out[12]) {
    KDL::Chain chain;
    if (!find_chain(robot, link, chain)) {
        return -1;
    }
    std::vector<std::string> names;
    KDL::JntArray q = chain_values(chain, values_of(joint_names, values, count), names);
    KDL::Frame pose;
    if (KDL::ChainFkSolverPos_recursive(chain).JntToCart(q, pose) < 0) {
        return -1;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            pose_out[3 * i + j] = pose.M(i, j);
        }
        pose_out[9 + i] = pose.p(i);
    }
    return 0;
}

int peer_kdl_jacobian(const PeerKdl* robot, const char* link, const char* const* joint_names,
                      const double* values, int count, double* columns_out, const char** column_names,
                      int capacity) {
    KDL::Chain chain;
    if (!find_chain(robot, link, chain)) {
        return -1;
    }
    std::vector<std::string> names;
    KDL::JntArray q = chain_values(chain, values_of(joint_names, values, count), names);
    int columns = static_cast<int>(names.size());
    KDL::Jacobian jacobian(chain.getNrOfJoints());
    if (columns > capacity || (columns > 0 && KDL::ChainJntToJacSolver(chain).JntToJac(q, jacobian) < 0)) {
        return -1;
    }
    for (int i = 0; i < columns; i++) {
        for (unsigned k = 0; k < 6; k++) {
            columns_out[6 * i + static_cast<int>(k)] = jacobian(k, static_cast<unsigned>(i));
        }
        column_names[i] = robot->model->joints_.at(names[static_cast<std::size_t>(i)])->name.c_str();
    }
    return columns;
}
