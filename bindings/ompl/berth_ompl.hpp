// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth inside OMPL: a StateValidityChecker and a MotionValidator that proves what it calls valid. Header-only, C++17.
//
//     auto space = berth_ompl::makeSpace(scene, {"joint1", "joint2"});        // bounds are the joint limits
//     auto si = std::make_shared<ompl::base::SpaceInformation>(space);
//     berth_ompl::install(si, scene, {"joint1", "joint2"});
//
// A motion is valid when every one of the infinitely many configurations on it is proven free; there is no resolution to
// choose. What is unknown is invalid. The scene is borrowed, must be committed, and must not be edited meanwhile: checkers of
// an edited scene call everything invalid. Several threads may ask at once.

#ifndef BERTH_OMPL_HPP
#define BERTH_OMPL_HPP

#include <berth/berth.h>
#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <ompl/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace berth_ompl {

namespace ob = ompl::base;

/// Is the scene laid out for wide registers (berth/lanes.h)? Most motions are proven many times faster then; the verdicts are the
/// same.
enum class Lanes {
    Auto,  ///< where that pays for `expected_motions`: of robots made of spheres it does for a few, of others for tens of thousands
    Always,  ///< where the scene fits
    Never
};

/// What is required of states and motions.
struct Options {
    double margin = 0.0;        ///< required clearance, metres
    double self_margin = -1.0;  ///< of two links of one robot, metres; < 0: as `margin`
    double delta = 1e-4;        ///< motions that come nearer than margin + delta may be called invalid
    int64_t interval_budget = 1000000;  ///< work that one motion may cost; beyond it the motion is invalid
    Lanes lanes = Lanes::Auto;          ///< which engine is asked first
    int64_t expected_motions = 5000;    ///< about how many states and motions will be asked about in all
};

namespace detail {

inline void require(BerthStatus status, const char* what) {
    if (status != BERTH_OK) {
        const std::string text = berth_error_text();
        throw ompl::Exception(what, text.empty() ? berth_status_meaning(status) : text);
    }
}

inline std::vector<std::string> namesOrAll(const BerthScene* scene, std::vector<std::string> names) {
    if (names.empty()) {
        for (int32_t i = 0; i < berth_scene_value_count(scene); ++i) {
            char text[512];
            berth_scene_value_name(scene, i, text, sizeof text);
            names.emplace_back(text);
        }
    }
    return names;
}

/// The joint that has a value of the scene, if that is its only one.
inline bool findJoint(const BerthScene* scene, int32_t value, BerthJointInfo* out) {
    int32_t first = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, nullptr, nullptr);
        for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
            *out = berth_robot_joint(robot, i);
            if (out->value_count == 1 && first + out->first_value == value) {
                return true;
            }
        }
        first += berth_robot_value_count(robot);
    }
    return false;
}

/// From states of a space to values of a scene: real vectors and SO2, alone or one after the other.
class Layout {
public:
    Layout(const ob::StateSpace* space, const BerthScene* scene, const std::vector<std::string>& names)
        : values_(berth_scene_values(scene), berth_scene_values(scene) + berth_scene_value_count(scene)) {
        addParts(space);
        for (const std::string& name : namesOrAll(scene, names)) {
            places_.push_back(berth_scene_find_value(scene, name.c_str()));
            if (places_.back() < 0) {
                throw ompl::Exception("berth_ompl", "the scene has no value '" + name + "'");
            }
        }
        if (places_.size() != wraps_.size()) {
            throw ompl::Exception("berth_ompl", "the state space has " + std::to_string(wraps_.size()) +
                                                    " values, " + std::to_string(places_.size()) +
                                                    " were named");
        }
    }

    /// The scene's values for a state; those that are not planned for keep the scene's.
    void read(const ob::State* state, std::vector<double>* out) const {
        *out = values_;
        std::size_t next = 0;
        readPart(space_, state, &next, out);
    }

    /// The end of a motion, reached the way the space interpolates: turns the shorter way round.
    void unwrap(const std::vector<double>& from, std::vector<double>* to) const {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const auto at = static_cast<std::size_t>(places_[i]);
            if (wraps_[i]) {
                (*to)[at] = from[at] + std::remainder((*to)[at] - from[at], 2.0 * M_PI);
            }
        }
    }

private:
    void addParts(const ob::StateSpace* space) {
        if (const auto* real = dynamic_cast<const ob::RealVectorStateSpace*>(space)) {
            wraps_.insert(wraps_.end(), real->getDimension(), false);
        } else if (dynamic_cast<const ob::SO2StateSpace*>(space) != nullptr) {
            wraps_.push_back(true);
        } else if (space->isCompound() && dynamic_cast<const ob::CompoundStateSpace*>(space) != nullptr &&
                   space->getType() == ob::STATE_SPACE_UNKNOWN) {
            for (const auto& part : space->as<ob::CompoundStateSpace>()->getSubspaces()) {
                addParts(part.get());
            }
        } else {
            throw ompl::Exception(
                "berth_ompl",
                "state spaces of real vectors and SO2, or made of these, are expected: the proof is "
                "about straight lines of joint values");
        }
        space_ = space;
    }

    void readPart(const ob::StateSpace* space, const ob::State* state, std::size_t* next,
                  std::vector<double>* out) const {
        if (dynamic_cast<const ob::RealVectorStateSpace*>(space) != nullptr) {
            const double* values = state->as<ob::RealVectorStateSpace::StateType>()->values;
            for (unsigned i = 0; i < space->getDimension(); ++i) {
                (*out)[static_cast<std::size_t>(places_[(*next)++])] = values[i];
            }
        } else if (dynamic_cast<const ob::SO2StateSpace*>(space) != nullptr) {
            (*out)[static_cast<std::size_t>(places_[(*next)++])] =
                state->as<ob::SO2StateSpace::StateType>()->value;
        } else {
            const auto* compound = state->as<ob::CompoundState>();
            const auto& parts = space->as<ob::CompoundStateSpace>()->getSubspaces();
            for (std::size_t i = 0; i < parts.size(); ++i) {
                readPart(parts[i].get(), compound->components[i], next, out);
            }
        }
    }

    const ob::StateSpace* space_ = nullptr;
    std::vector<double> values_;
    std::vector<int32_t> places_;
    std::vector<bool> wraps_;
};

/// Checkers for as many threads as ask at once; one that is idle is taken again.
template <typename Checker, typename Make, typename Destroy>
class Pool {
public:
    Pool(Make make, Destroy destroy) : make_(std::move(make)), destroy_(std::move(destroy)) {
        give(take());
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() {
        for (Checker* each : idle_) {
            destroy_(each);
        }
    }

    Checker* take() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!idle_.empty()) {
                Checker* found = idle_.back();
                idle_.pop_back();
                return found;
            }
        }
        return make_();
    }

    void give(Checker* checker) {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(checker);
    }

private:
    Make make_;
    Destroy destroy_;
    std::mutex mutex_;
    std::vector<Checker*> idle_;
};

template <typename Checker, typename Make, typename Destroy>
auto makePool(Make make, Destroy destroy) {
    return std::make_shared<Pool<Checker, Make, Destroy>>(std::move(make), std::move(destroy));
}

using LanesPtr = std::shared_ptr<const BerthLanes>;

/// The scene laid out, or null.
inline LanesPtr makeLanes(const BerthScene* scene, const Options& options) {
    const int64_t count = std::max<int64_t>(options.expected_motions, 1);
    const bool wanted = options.lanes == Lanes::Always ||
                        (options.lanes == Lanes::Auto && berth_lanes_pay(scene, count, count));
    if (!wanted) {
        return nullptr;
    }
    BerthLanesDef def = berth_default_lanes_def();
    def.margin = options.margin;
    def.self_margin = options.self_margin;
    def.expected_states = def.expected_segments = count;
    BerthLanes* made = nullptr;
    require(berth_lanes_create(scene, &def, &made), "berth_ompl: lanes");
    return LanesPtr(made, [](const BerthLanes* each) { berth_lanes_destroy(const_cast<BerthLanes*>(each)); });
}

// The pools keep the lanes: checkers are destroyed before them.
inline auto makeCheckers(const BerthScene* scene, const Options& options, const LanesPtr& lanes) {
    const auto make = [scene, options, lanes]() {
        BerthCheckerDef def = berth_default_checker_def();
        def.margin = options.margin;
        def.self_margin = options.self_margin;
        def.lanes = lanes.get();
        BerthChecker* made = nullptr;
        require(berth_checker_create(scene, &def, &made), "berth_ompl: checker");
        return made;
    };
    return makePool<BerthChecker>(make, [](BerthChecker* each) { berth_checker_destroy(each); });
}

inline auto makeMotions(const BerthScene* scene, const Options& options, const LanesPtr& lanes) {
    const auto make = [scene, options, lanes]() {
        BerthMotionCheckerDef def = berth_default_motion_checker_def();
        def.margin = options.margin;
        def.self_margin = options.self_margin;
        def.delta = options.delta;
        def.interval_budget = options.interval_budget;
        def.lanes = lanes.get();
        BerthMotionChecker* made = nullptr;
        require(berth_motion_checker_create(scene, &def, &made), "berth_ompl: motion checker");
        return made;
    };
    return makePool<BerthMotionChecker>(make,
                                        [](BerthMotionChecker* each) { berth_motion_checker_destroy(each); });
}

}  // namespace detail

/// A state space of these values of a scene (none: all of them), in this order: its bounds are the joint limits. A continuous
/// joint is an SO2; where there is none the space is a RealVectorStateSpace.
inline ob::StateSpacePtr makeSpace(const BerthScene* scene, std::vector<std::string> names = {}) {
    auto space = std::make_shared<ob::CompoundStateSpace>();
    auto flat = std::make_shared<ob::RealVectorStateSpace>();
    bool turns = false;

    for (const std::string& name : detail::namesOrAll(scene, std::move(names))) {
        BerthJointInfo joint;
        const int32_t value = berth_scene_find_value(scene, name.c_str());
        if (value < 0 || !detail::findJoint(scene, value, &joint)) {
            throw ompl::Exception("berth_ompl",
                                  "the scene has no value '" + name + "', or its joint has several");
        }

        if (joint.type == BERTH_JOINT_CONTINUOUS) {
            turns = true;
            space->addSubspace(std::make_shared<ob::SO2StateSpace>(), 1.0);
            continue;
        }
        if (!joint.has_limits) {
            throw ompl::Exception("berth_ompl", "joint '" + name + "' has no limits: a space needs bounds");
        }
        auto one = std::make_shared<ob::RealVectorStateSpace>();
        one->addDimension(name, joint.lower, joint.upper);
        space->addSubspace(one, 1.0);
        flat->addDimension(name, joint.lower, joint.upper);
    }

    if (turns) {
        return space;
    }
    return flat;
}

/// Is one configuration free? Proven, or it is not valid.
class StateValidityChecker : public ob::StateValidityChecker {
public:
    /// `names`: which value of the scene each value of the state is; none: all, in the scene's order. The others keep what they
    /// are in the scene now.
    StateValidityChecker(const ob::SpaceInformationPtr& si, const BerthScene* scene,
                         const std::vector<std::string>& names = {}, const Options& options = {})
        : StateValidityChecker(si, scene, names, options, detail::makeLanes(scene, options)) {}

    /// The same with a layout that others use, too, or null.
    StateValidityChecker(const ob::SpaceInformationPtr& si, const BerthScene* scene,
                         const std::vector<std::string>& names, const Options& options,
                         const detail::LanesPtr& lanes)
        : ob::StateValidityChecker(si),
          layout_(si->getStateSpace().get(), scene, names),
          checkers_(detail::makeCheckers(scene, options, lanes)) {
        specs_.clearanceComputationType = ob::StateValidityCheckerSpecs::BOUNDED_APPROXIMATE;
    }

    bool isValid(const ob::State* state) const override {
        BerthCheckResult result{};
        const BerthCheckRequest request{};
        return ask(state, request, &result) && result.verdict == BERTH_FREE;
    }

    /// A lower bound of the smallest gap, metres: proven. 0 in a collision and where nothing could be told.
    double clearance(const ob::State* state) const override {
        BerthCheckResult result{};
        BerthCheckRequest request{};
        request.distance = true;
        const bool known = ask(state, request, &result) && result.verdict == BERTH_FREE;
        if (!known) {
            return 0.0;
        }
        return result.has_clearance ? result.clearance.lower : std::numeric_limits<double>::infinity();
    }

private:
    bool ask(const ob::State* state, const BerthCheckRequest& request, BerthCheckResult* result) const {
        std::vector<double> values;
        layout_.read(state, &values);
        BerthChecker* checker = checkers_->take();
        const BerthStatus status = berth_check_state(checker, values.data(), &request, result);
        checkers_->give(checker);
        return status == BERTH_OK;
    }

    detail::Layout layout_;
    decltype(detail::makeCheckers(nullptr, Options{}, nullptr)) checkers_;
};

/// Is every configuration of a motion free? Proven, or it is not valid.
class MotionValidator : public ob::MotionValidator {
public:
    /// As StateValidityChecker.
    MotionValidator(const ob::SpaceInformationPtr& si, const BerthScene* scene,
                    const std::vector<std::string>& names = {}, const Options& options = {})
        : MotionValidator(si, scene, names, options, detail::makeLanes(scene, options)) {}

    /// As StateValidityChecker.
    MotionValidator(const ob::SpaceInformationPtr& si, const BerthScene* scene,
                    const std::vector<std::string>& names, const Options& options,
                    const detail::LanesPtr& lanes)
        : ob::MotionValidator(si),
          layout_(si->getStateSpace().get(), scene, names),
          has_lanes_(lanes != nullptr),
          motions_(detail::makeMotions(scene, options, lanes)) {}

    bool checkMotion(const ob::State* s1, const ob::State* s2) const override {
        BerthMotionResult result{};
        return count(isFree(s1, s2, false, &result));
    }

    /// Of a motion that is not valid `lastValid` is at or before the first contact, and the motion up to it is proven free; it
    /// is s1 (0) where no more can be shown.
    bool checkMotion(const ob::State* s1, const ob::State* s2,
                     std::pair<ob::State*, double>& lastValid) const override {
        BerthMotionResult result{};
        // The first contact is for the bodies to find: lanes say sooner that there is none.
        if ((has_lanes_ && isFree(s1, s2, false, &result)) || isFree(s1, s2, true, &result)) {
            return count(true);
        }

        const double t = provenUpTo(s1, s2, result.t_low);
        lastValid.second = t;
        if (lastValid.first != nullptr) {
            if (t > 0.0) {
                si_->getStateSpace()->interpolate(s1, s2, t, lastValid.first);
            } else {
                si_->copyState(lastValid.first, s1);
            }
        }
        return count(false);
    }

private:
    bool isFree(const ob::State* s1, const ob::State* s2, bool first_contact,
                BerthMotionResult* result) const {
        std::vector<double> from, to;
        layout_.read(s1, &from);
        layout_.read(s2, &to);
        layout_.unwrap(from, &to);

        BerthSegment segment{};
        segment.value_count = static_cast<int32_t>(from.size());
        segment.from = from.data();
        segment.to = to.data();
        BerthMotionRequest request{};
        request.first_contact = first_contact;

        BerthMotionChecker* motion = motions_->take();
        const BerthStatus status = berth_motion_check_segment(motion, &segment, &request, result);
        motions_->give(motion);
        return status == BERTH_OK && result->verdict == BERTH_FREE;
    }

    /// The largest of a few places not after `t` to which the motion is proven free. What is proven is about the very state
    /// that the space makes of it.
    double provenUpTo(const ob::State* s1, const ob::State* s2, double t) const {
        ob::State* state = si_->allocState();
        BerthMotionResult result{};
        double back =
            1e-6;  // of the bracket's own rounding, then more: what touches is a little before it, too
        double found = 0.0;
        for (int tries = 0; tries < 20 && t - back > 0.0; ++tries) {
            si_->getStateSpace()->interpolate(s1, s2, t - back, state);
            if (isFree(s1, state, false, &result)) {
                found = t - back;
                break;
            }
            back *= 2.0;
        }
        si_->freeState(state);
        return found;
    }

    bool count(bool is_valid) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto& counted = is_valid ? valid_ : invalid_;
        counted += 1;
        return is_valid;
    }

    detail::Layout layout_;
    bool has_lanes_;
    decltype(detail::makeMotions(nullptr, Options{}, nullptr)) motions_;
    mutable std::mutex mutex_;
};

/// Gives a space information both.
inline void install(const ob::SpaceInformationPtr& si, const BerthScene* scene,
                    const std::vector<std::string>& names = {}, const Options& options = {}) {
    const detail::LanesPtr lanes = detail::makeLanes(scene, options);
    si->setStateValidityChecker(std::make_shared<StateValidityChecker>(si, scene, names, options, lanes));
    si->setMotionValidator(std::make_shared<MotionValidator>(si, scene, names, options, lanes));
}

}  // namespace berth_ompl

#endif
