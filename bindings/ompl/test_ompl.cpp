// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth inside OMPL: what it calls valid is never refuted by dense samples, lastValid is at or before contact, threads may ask
// at once, RRTConnect's paths are free. Last line: N passed, N failed.

#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "berth_ompl.hpp"

namespace ob = ompl::base;
namespace og = ompl::geometric;

static int passed = 0, failed = 0;

static void expect(bool holds, const std::string& what) {
    (holds ? passed : failed) += 1;
    if (!holds) {
        std::printf("FAILED: %s\n", what.c_str());
    }
}

/// Three rods in a plane, the last joint endless.
static const char* const arm_urdf = R"(<robot name="rods">
<link name="base"/>
<link name="r1"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.36 0.04 0.04"/></geometry></collision></link>
<link name="r2"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.36 0.04 0.04"/></geometry></collision></link>
<link name="r3"><collision><origin xyz="0.1 0 0"/><geometry><box size="0.16 0.04 0.04"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="r1"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="j2" type="revolute"><parent link="r1"/><child link="r2"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
<limit lower="-2.5" upper="2.5" velocity="1" effort="1"/></joint>
<joint name="j3" type="continuous"><parent link="r2"/><child link="r3"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/></joint>
</robot>
)";

static BerthScene* makeScene(const std::string& folder) {
    const std::string path = folder + "/ompl_rods.urdf";
    std::ofstream(path) << arm_urdf;
    BerthScene* scene = nullptr;
    berth_ompl::detail::require(berth_io_read_scene(path.c_str(), nullptr, &scene), "scene");
    const double places[4][2] = {{0.6, 0.3}, {-0.5, 0.5}, {0.1, -0.6}, {0.7, -0.5}};
    for (int i = 0; i < 4; ++i) {
        const std::string name = "post" + std::to_string(i);
        berth_ompl::detail::require(
            berth_scene_add_sphere(scene, name.c_str(), 0.06, {places[i][0], places[i][1], 0.0}, nullptr),
            "post");
    }
    berth_ompl::detail::require(berth_scene_commit(scene), "commit");
    return scene;
}

/// An oracle: forward kinematics and distances written out for this one arm, no line of it berth's. The least distance of posts
/// to the rods' middle lines less both radii, where rods are thinner than they are: what collides here does.
static bool surelyCollides(const double q[3]) {
    const double places[4][2] = {{0.6, 0.3}, {-0.5, 0.5}, {0.1, -0.6}, {0.7, -0.5}};
    const double spans[3][2] = {{0.02, 0.38}, {0.02, 0.38}, {0.02, 0.18}};
    double x = 0.0, y = 0.0, angle = 0.0;
    for (int i = 0; i < 3; ++i) {
        angle += q[i];
        const double c = std::cos(angle), s = std::sin(angle);
        for (const auto& post : places) {
            const double along = (post[0] - x) * c + (post[1] - y) * s,
                         across = -(post[0] - x) * s + (post[1] - y) * c;
            const double off = std::max({spans[i][0] - along, along - spans[i][1], 0.0});
            const double side = std::max(std::fabs(across) - 0.02, 0.0);
            if (std::hypot(off, side) < 0.06 - 1e-9) {
                return true;
            }
        }
        x += 0.4 * c;
        y += 0.4 * s;
    }
    return false;
}

struct Rods {
    BerthScene* scene;
    ob::SpaceInformationPtr si;
};

static Rods makeRods(const std::string& folder, berth_ompl::Lanes lanes) {
    Rods rods{makeScene(folder), nullptr};
    rods.si = std::make_shared<ob::SpaceInformation>(berth_ompl::makeSpace(rods.scene));
    berth_ompl::Options options;
    options.lanes = lanes;
    berth_ompl::install(rods.si, rods.scene, {}, options);
    rods.si->setup();
    return rods;
}

static void readState(const Rods& rods, const ob::State* state, double q[3]) {
    std::vector<double> values;
    rods.si->getStateSpace()->copyToReals(values, state);
    std::copy(values.begin(), values.end(), q);
}

/// Is any of many samples from s1 to a place `t` of the motion surely in collision?
static bool samplesCollide(const Rods& rods, const ob::State* s1, const ob::State* s2, double t) {
    ob::State* state = rods.si->allocState();
    bool found = false;
    for (int i = 0; i <= 400 && !found; ++i) {
        double q[3];
        rods.si->getStateSpace()->interpolate(s1, s2, t * i / 400.0, state);
        readState(rods, state, q);
        found = surelyCollides(q);
    }
    rods.si->freeState(state);
    return found;
}

static void statesAgree(const Rods& rods) {
    const auto sampler = rods.si->allocStateSampler();
    ob::State* state = rods.si->allocState();
    int wrong = 0, valid = 0;
    for (int i = 0; i < 3000; ++i) {
        sampler->sampleUniform(state);
        double q[3];
        readState(rods, state, q);
        const bool is_valid = rods.si->isValid(state);
        valid += is_valid;
        wrong += is_valid && surelyCollides(q);
        const double gap = rods.si->getStateValidityChecker()->clearance(state);
        wrong += (gap > 0.0) != is_valid;
    }
    rods.si->freeState(state);
    expect(wrong == 0, "valid states are free, and have a clearance");
    expect(valid > 300 && valid < 2900, "both kinds of states were seen");
}

static void motionsAgree(const Rods& rods) {
    const auto sampler = rods.si->allocStateSampler();
    ob::State *s1 = rods.si->allocState(), *s2 = rods.si->allocState(), *last = rods.si->allocState(),
              *same = rods.si->allocState();
    int refuted = 0, late = 0, odd = 0, valid = 0, invalid = 0, short_of = 0;
    for (int i = 0; i < 1500; ++i) {
        do {
            sampler->sampleUniform(s1);
        } while (!rods.si->isValid(s1));
        sampler->sampleUniformNear(s2, s1, 3.0);

        std::pair<ob::State*, double> answer(last, -1.0);
        const bool is_free = rods.si->checkMotion(s1, s2);
        odd += rods.si->checkMotion(s1, s2, answer) != is_free;
        if (is_free) {
            valid += 1;
            refuted += samplesCollide(rods, s1, s2, 1.0);
            continue;
        }

        // The place is within the motion, its state is the one there, and nothing before it collides.
        invalid += 1;
        const double t = answer.second;
        late += !(t >= 0.0 && t < 1.0) || samplesCollide(rods, s1, s2, t) || !rods.si->isValid(last);
        rods.si->getStateSpace()->interpolate(s1, s2, t, same);
        odd += rods.si->distance(same, last) > 1e-9;
        odd += t > 0.0 && !rods.si->checkMotion(s1, last);
        short_of += t < 0.98 && !samplesCollide(rods, s1, s2, std::min(1.0, t + 0.02));

        std::pair<ob::State*, double> nowhere(nullptr, -1.0);
        odd += rods.si->checkMotion(s1, s2, nowhere) || nowhere.second != t;
    }
    expect(refuted == 0, "a valid motion has no sample in collision");
    expect(late == 0, "lastValid is at or before contact");
    expect(odd == 0, "lastValid is told the same in all ways");
    expect(valid > 200 && invalid > 200,
           "both kinds of motions were seen: " + std::to_string(valid) + " and " + std::to_string(invalid));
    expect(short_of < invalid / 4, "lastValid is near the contact in most cases");
    for (ob::State* each : {s1, s2, last, same}) {
        rods.si->freeState(each);
    }
}

/// From 3.0 to -3.0 an endless joint turns by 0.28, not by 6.
static void turnsTheShorterWay(const Rods& rods) {
    ob::ScopedState<> a(rods.si->getStateSpace()), b(rods.si->getStateSpace());
    a = std::vector<double>{1.2, 0.3, 3.0};
    b = std::vector<double>{1.2, 0.3, -3.0};
    int wrong = 0;
    for (int i = 0; i < 60; ++i) {
        a[0] = b[0] = -2.9 + 0.1 * i;
        const bool is_free = rods.si->checkMotion(a.get(), b.get());
        wrong += is_free && samplesCollide(rods, a.get(), b.get(), 1.0);
        wrong += !is_free && rods.si->isValid(a.get()) && rods.si->isValid(b.get()) &&
                 rods.si->getStateValidityChecker()->clearance(a.get()) > 0.06;  // the tip moves by 0.05 m
    }
    expect(wrong == 0, "SO2 goes the shorter way round");
}

/// The same rods as beads.
static const char* const beads_urdf = R"(<robot name="beads">
<link name="base"/>
<link name="r1"><collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<link name="r2"><collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="r1"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="j2" type="revolute"><parent link="r1"/><child link="r2"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
<limit lower="-2.5" upper="2.5" velocity="1" effort="1"/></joint>
</robot>
)";

/// Lanes by default for robots made of spheres, and for others where so many motions come that covering them pays.
static void lanesAreMadeWhereTheyPay(const Rods& rods, const std::string& folder) {
    using berth_ompl::Lanes;
    const std::string path = folder + "/ompl_beads.urdf";
    std::ofstream(path) << beads_urdf;
    BerthScene* beads = nullptr;
    berth_ompl::detail::require(berth_io_read_scene(path.c_str(), nullptr, &beads), "scene");
    berth_ompl::detail::require(berth_scene_add_sphere(beads, "post", 0.06, {0.3, 0.3, 0.0}, nullptr),
                                "post");
    berth_ompl::detail::require(berth_scene_commit(beads), "commit");

    const auto has = [](const BerthScene* scene, Lanes lanes, int64_t motions) {
        berth_ompl::Options options;
        options.lanes = lanes;
        options.expected_motions = motions;
        return berth_ompl::detail::makeLanes(scene, options) != nullptr;
    };
    const int64_t usual = berth_ompl::Options{}.expected_motions;
    expect(has(beads, berth_ompl::Options{}.lanes, usual), "beads are laid out by default");
    expect(!has(rods.scene, Lanes::Auto, usual), "rods are not");
    expect(has(rods.scene, Lanes::Auto, 10000000), "but for many motions");
    expect(has(rods.scene, Lanes::Always, 1), "or when somebody wants it");
    expect(!has(beads, Lanes::Never, usual), "and nobody has to");
    berth_scene_destroy(beads);
}

/// One engine says of a motion what the other one says, but where it is too close to tell.
static void enginesAgree(const Rods& rods, const Rods& others) {
    const auto sampler = rods.si->allocStateSampler();
    ob::State *s1 = rods.si->allocState(), *s2 = rods.si->allocState();
    int split = 0, contradicted = 0, valid = 0;
    for (int i = 0; i < 3000; ++i) {
        sampler->sampleUniform(s1);
        sampler->sampleUniformNear(s2, s1, 2.0);
        const bool one = rods.si->checkMotion(s1, s2), other = others.si->checkMotion(s1, s2);
        valid += one;
        split += one != other;
        contradicted += one != other && samplesCollide(rods, s1, s2, 1.0);
    }
    rods.si->freeState(s1);
    rods.si->freeState(s2);
    expect(contradicted == 0 && split <= 3, "lanes and bodies agree on motions");
    expect(valid > 100, "some were valid");
}

static void threadsAskAtOnce(const Rods& rods) {
    std::vector<ob::ScopedState<>> states;
    std::vector<char> wanted;
    const auto sampler = rods.si->allocStateSampler();
    for (int i = 0; i < 400; ++i) {
        states.emplace_back(rods.si->getStateSpace());
        sampler->sampleUniform(states.back().get());
    }
    for (std::size_t i = 0; i + 1 < states.size(); ++i) {
        wanted.push_back(static_cast<char>(rods.si->checkMotion(states[i].get(), states[i + 1].get())));
    }

    int wrong[4] = {0, 0, 0, 0};
    std::vector<std::thread> threads;
    for (int& mine : wrong) {
        threads.emplace_back([&rods, &states, &wanted, &mine]() {
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                mine += rods.si->checkMotion(states[i].get(), states[i + 1].get()) !=
                        static_cast<bool>(wanted[i]);
                mine += wanted[i] != 0 && !rods.si->isValid(states[i].get());
            }
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    expect(wrong[0] + wrong[1] + wrong[2] + wrong[3] == 0, "threads get the same answers");
}

static void plansAreFree(const Rods& rods) {
    int solved = 0, refuted = 0;
    for (int i = 0; i < 10; ++i) {
        og::SimpleSetup setup(rods.si);
        setup.setPlanner(std::make_shared<og::RRTConnect>(rods.si));
        ob::ScopedState<> start(rods.si->getStateSpace()), goal(rods.si->getStateSpace());
        do {
            start.random();
        } while (!rods.si->isValid(start.get()));
        do {
            goal.random();
        } while (!rods.si->isValid(goal.get()));
        setup.setStartAndGoalStates(start, goal);
        if (setup.solve(2.0) != ob::PlannerStatus::EXACT_SOLUTION) {
            continue;
        }
        solved += 1;
        setup.simplifySolution(0.05);
        const og::PathGeometric& path = setup.getSolutionPath();
        for (std::size_t s = 0; s + 1 < path.getStateCount(); ++s) {
            refuted += samplesCollide(rods, path.getState(s), path.getState(s + 1), 1.0);
        }
    }
    expect(solved >= 5, "RRTConnect finds motions");
    expect(refuted == 0, "no sample of a planned motion collides");
}

template <typename Call>
static bool throws(Call call) {
    try {
        call();
    } catch (const ompl::Exception&) {
        return true;
    }
    return false;
}

static void wrongUseIsRefused(const Rods& rods) {
    const auto other = std::make_shared<ob::SpaceInformation>(std::make_shared<ob::RealVectorStateSpace>(2));
    expect(throws([&]() { berth_ompl::install(other, rods.scene); }), "a space of another size");
    expect(throws([&]() {
               berth_ompl::install(other, rods.scene, {"j1", "nobody"});
           }),
           "a name that is none");
    expect(throws([&]() { (void)berth_ompl::makeSpace(rods.scene, {"nobody"}); }),
           "a space of a name that is none");
    berth_ompl::Options negative;
    negative.margin = -1.0;
    expect(throws([&]() { berth_ompl::install(rods.si, rods.scene, {}, negative); }), "a negative margin");

    // Not a number, and a scene that was edited: never valid.
    ob::ScopedState<> state(rods.si->getStateSpace());
    state = std::vector<double>{0.0, 0.0, 0.0};
    expect(rods.si->isValid(state.get()), "the stretched arm is free");
    expect(rods.si->checkMotion(state.get(), state.get()), "and so is standing still there");
    state[0] = std::nan("");
    expect(!rods.si->isValid(state.get()) && !rods.si->checkMotion(state.get(), state.get()),
           "NaN is not valid");
    state[0] = 0.0;
    (void)berth_scene_add_sphere(rods.scene, "far", 0.1, {9.0, 9.0, 9.0}, nullptr);
    std::pair<ob::State*, double> last(nullptr, -1.0);
    expect(!rods.si->isValid(state.get()) && !rods.si->checkMotion(state.get(), state.get()) &&
               !rods.si->checkMotion(state.get(), state.get(), last) && last.second == 0.0,
           "nothing is valid in an edited scene");
}

int main(int argc, char** argv) {
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(7);
    try {
        const std::string folder = argc > 1 ? argv[1] : ".";
        Rods bodies = makeRods(folder, berth_ompl::Lanes::Never),
             lanes = makeRods(folder, berth_ompl::Lanes::Always);
        lanesAreMadeWhereTheyPay(bodies, folder);
        enginesAgree(bodies, lanes);
        for (Rods* rods : {&bodies, &lanes}) {
            statesAgree(*rods);
            motionsAgree(*rods);
            turnsTheShorterWay(*rods);
            threadsAskAtOnce(*rods);
            plansAreFree(*rods);
            wrongUseIsRefused(*rods);
            rods->si.reset();  // checkers go before the scene
            berth_scene_destroy(rods->scene);
        }
    } catch (const std::exception& error) {
        expect(false, error.what());
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
