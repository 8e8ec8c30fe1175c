// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Plans with OMPL's RRTConnect on a Panda between a table and a shelf; every edge is proven free by berth.
//     plan_panda PANDA.urdf PANDA.srdf

#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>

#include <cstdio>

#include "berth_ompl.hpp"

namespace ob = ompl::base;
namespace og = ompl::geometric;

static BerthScene* makeScene(const char* urdf, const char* srdf) {
    BerthIoOptions options = berth_default_io_options();
    options.srdf = srdf;
    BerthScene* scene = nullptr;
    berth_ompl::detail::require(berth_io_read_scene(urdf, &options, &scene), "scene");
    const BerthPose table = berth_pose_from_rpy({0.55, 0.0, 0.2}, {0.0, 0.0, 0.0});
    const BerthPose shelf = berth_pose_from_rpy({0.55, 0.0, 0.75}, {0.0, 0.0, 0.0});
    berth_ompl::detail::require(berth_scene_add_box(scene, "table", {0.4, 1.2, 0.04}, &table, nullptr),
                                "table");
    berth_ompl::detail::require(berth_scene_add_box(scene, "shelf", {0.4, 0.05, 0.5}, &shelf, nullptr),
                                "shelf");
    berth_ompl::detail::require(berth_scene_commit(scene), "commit");
    return scene;
}

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: plan_panda PANDA.urdf PANDA.srdf\n");
        return 2;
    }
    ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
    BerthScene* scene = nullptr;
    int status = 2;

    try {
        scene = makeScene(argv[1], argv[2]);
        std::vector<std::string> joints;
        for (int i = 1; i <= 7; ++i) {
            joints.push_back("panda_joint" + std::to_string(i));
        }

        // The setup is OMPL's own; berth answers its two questions.
        og::SimpleSetup setup(berth_ompl::makeSpace(scene, joints));
        berth_ompl::Options options;
        options.margin = 0.005;
        berth_ompl::install(setup.getSpaceInformation(), scene, joints, options);
        setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));

        ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
        const double from[7] = {-0.8, 0.2, 0.0, -1.9, 0.0, 2.1, 0.785},
                     to[7] = {0.8, 0.2, 0.0, -1.9, 0.0, 2.1, 0.785};
        for (unsigned i = 0; i < 7; ++i) {
            start[i] = from[i];
            goal[i] = to[i];
        }
        setup.setStartAndGoalStates(start, goal);

        const bool solved = setup.solve(10.0) == ob::PlannerStatus::EXACT_SOLUTION;
        if (solved) {
            setup.simplifySolution();
            const og::PathGeometric& path = setup.getSolutionPath();
            std::printf("found: %zu states, length %.3f, every edge proven free: %s\n", path.getStateCount(),
                        path.length(), path.check() ? "yes" : "no");
            status = path.check() ? 0 : 1;
        } else {
            std::printf("no motion was found in 10 s\n");
            status = 3;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }

    berth_scene_destroy(scene);
    return status;
}
