// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// OMPL behind a C interface, see peer_ompl.h. Defaults of OMPL throughout, but for the resolution.

#include "plan_ompl/peer_ompl.h"

#include <ompl/base/goals/GoalStates.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include <time.h>

#include <cstdlib>

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

double now() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

const double* values_of(const ob::State* state) {
    return state->as<ob::RealVectorStateSpace::StateType>()->values;
}

ob::StateSpacePtr make_space(const PeerOmplQuery* query) {
    auto space = std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned>(query->dimension));
    ob::RealVectorBounds bounds(static_cast<unsigned>(query->dimension));
    for (int i = 0; i < query->dimension; ++i) {
        bounds.setLow(static_cast<unsigned>(i), query->low[i]);
        bounds.setHigh(static_cast<unsigned>(i), query->high[i]);
    }
    space->setBounds(bounds);
    space->setLongestValidSegmentFraction(query->resolution / space->getMaximumExtent());
    return space;
}

void set_ends(og::SimpleSetup* setup, const PeerOmplQuery* query) {
    ob::ScopedState<> state(setup->getStateSpace());
    const auto set = [&](const double* values) {
        for (int i = 0; i < query->dimension; ++i) {
            state[static_cast<unsigned>(i)] = values[i];
        }
    };
    auto goals = std::make_shared<ob::GoalStates>(setup->getSpaceInformation());
    set(query->start);
    setup->addStartState(state);
    for (int i = 0; i < query->goal_count; ++i) {
        set(query->goals + static_cast<std::ptrdiff_t>(i) * query->dimension);
        goals->addState(state);
    }
    setup->setGoal(goals);
}

void tell_rows(const og::PathGeometric& path, int dimension, PeerOmplResult* out) {
    out->row_count = static_cast<int>(path.getStateCount());
    out->rows = static_cast<double*>(
        std::malloc(path.getStateCount() * static_cast<std::size_t>(dimension) * sizeof *out->rows));
    for (std::size_t i = 0; i < path.getStateCount(); ++i) {
        for (int k = 0; k < dimension; ++k) {
            out->rows[i * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(k)] =
                values_of(path.getState(static_cast<unsigned>(i)))[k];
        }
    }
}

}  // namespace

PeerOmplResult peer_ompl_plan(const PeerOmplQuery* query) {
    static const bool quiet = [query]() {
        ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
        ompl::RNG::setSeed(query->seed);
        return true;
    }();
    (void)quiet;
    PeerOmplResult out = {};
    og::SimpleSetup setup(make_space(query));
    setup.setStateValidityChecker(
        [query](const ob::State* state) { return query->is_free(query->user, values_of(state)) != 0; });
    setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));
    set_ends(&setup, query);
    setup.setup();

    const double start = now();
    out.found = setup.solve(query->seconds) == ob::PlannerStatus::EXACT_SOLUTION;
    out.search = now() - start;
    if (out.found) {
        out.found_length = setup.getSolutionPath().length();
        const double simplify = now();
        setup.simplifySolution();
        out.simplify = now() - simplify;
        out.length = setup.getSolutionPath().length();
        tell_rows(setup.getSolutionPath(), query->dimension, &out);
    }
    return out;
}
