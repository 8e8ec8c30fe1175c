// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The command line: one table of options, strict in what it accepts, helpful about what it rejects.
// Entry: cli_parse_options.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef enum OptionKind {
    KIND_FLAG,
    KIND_TEXT,
    KIND_LIST,
    KIND_COUNT,
    KIND_MANY,
    KIND_SEED,
    KIND_LARGE,
    KIND_METRES,
    KIND_STEP
} OptionKind;

typedef struct OptionSpec {
    const char* name;
    char letter;
    OptionKind kind;
    size_t offset;         // of its field in Options
    const char* argument;  // its name in the help
    const char* help;
    unsigned mask;
} OptionSpec;

#define AT(field) offsetof(Options, field)

static const OptionSpec specs[] = {
    {"at", 0, KIND_LIST, AT(at), "J=V,...", "joint values, radian or metre; others keep the scene's state",
     FOR_CHECK | FOR_PATH | FOR_PLAN | FOR_MAP | FOR_CONTACT | FOR_BATCH | FOR_VIEW},
    {"state", 0, KIND_LIST, AT(state), "NAME",
     "a named state: NAME, GROUP/NAME or ROBOT/NAME; may be repeated",
     FOR_CHECK | FOR_PATH | FOR_PLAN | FOR_MAP | FOR_CONTACT | FOR_BATCH | FOR_VIEW},
    {"states", 0, KIND_TEXT, AT(states), "FILE", "many states: .csv with a header of joint names, or .npy",
     FOR_CHECK},
    {"summary", 0, KIND_FLAG, AT(summary), NULL, "only the counts of free, colliding and unknown answers",
     FOR_CHECK | FOR_PATH | FOR_MAP},
    {"distance", 0, KIND_FLAG, AT(distance), NULL,
     "also the smallest gap, as [lower, upper] with its two points", FOR_CHECK},
    {"range", 0, KIND_TEXT, AT(range), "MIN,MAX",
     "the smallest gap, faster: bounds may be coarse below MIN metres, and are not sought above MAX",
     FOR_CHECK},
    {"all", 0, KIND_FLAG, AT(all), NULL,
     "every pair that touches; with --distance, every pair's gap; path: every segment that collides; "
     "contact: every point",
     FOR_CHECK | FOR_PATH | FOR_CONTACT},
    {"margin", 0, KIND_METRES, AT(margin), "M", "a gap of M metres or less is a collision (default 0)",
     FOR_CHECK | FOR_PATH | FOR_PLAN | FOR_BATCH},
    {"self-margin", 0, KIND_METRES, AT(self_margin), "M",
     "the margin for pairs of a robot's own links (default: as --margin)",
     FOR_CHECK | FOR_PATH | FOR_PLAN | FOR_BATCH},
    {"delta", 0, KIND_METRES, AT(delta), "D",
     "gaps from margin to margin + D may be unknown (path: default 1e-4; 0: decided down to rounding; "
     "check ignores it and always does so)",
     FOR_CHECK | FOR_PATH | FOR_PLAN | FOR_BATCH},
    {"engine", 0, KIND_TEXT, AT(engine), "boxes|rss|spheres",
     "which bounding volume trees to use, for comparison (default boxes, the fastest)", FOR_CHECK | FOR_PATH},
    {"limits", 0, KIND_FLAG, AT(limits), NULL, "values outside joint limits are an error (exit 2)",
     FOR_CHECK | FOR_PATH | FOR_BATCH},
    {"segments", 0, KIND_TEXT, AT(segments), "FILE",
     "many segments: .csv with columns JOINT:from and JOINT:to, or .npy of shape (n, 2, values)",
     FOR_PATH | FOR_BATCH},
    {"interpolation", 0, KIND_TEXT, AT(interpolation), "linear|cubic|quintic",
     "interpolation between rows (default: as a ROS controller executes the file)", FOR_PATH},
    {"moving", 0, KIND_TEXT, AT(moving), "stand|reach",
     "objects that may move: assumed to stay where the scene has them (default), or everywhere they "
     "can have got to since the start (needs time)",
     FOR_PATH},
    {"wrap", 0, KIND_FLAG, AT(wrap), NULL, "continuous joints go the shorter way round", FOR_PATH | FOR_PLAN},
    {"first-contact", 0, KIND_FLAG, AT(first_contact), NULL, "bracket the earliest contact", FOR_PATH},
    {"no-clearance", 0, KIND_FLAG, AT(no_clearance), NULL,
     "do not search for the smallest gap of a free motion: only the verdict, several times as fast",
     FOR_PATH | FOR_PLAN},
    {"time", 0, KIND_STEP, AT(time), "S", "stop after S seconds: what is undecided by then is unknown",
     FOR_PATH},
    {"tracking-error", 0, KIND_TEXT, AT(tracking_error), "E|J=E,...",
     "how far joints may deviate from the path, radian or metre", FOR_PATH},
    {"method", 0, KIND_TEXT, AT(method), "NAME",
     "for comparison: second-order, refined, adaptive, or fixed (samples, proves nothing); contact: "
     "overlap (default), manifold or elemental",
     FOR_PATH | FOR_CONTACT},
    {"resolution", 0, KIND_STEP, AT(resolution), "EPS",
     "for --method fixed: the largest step of any joint between samples (default 0.01)", FOR_PATH},
    {"certificate", 0, KIND_TEXT, AT(certificate), "FILE", "write the proof", FOR_PATH | FOR_PLAN},
    {"verify", 0, KIND_TEXT, AT(verify), "FILE", "check a proof against this scene and trajectory", FOR_PATH},
    {"from", 0, KIND_TEXT, AT(plan.from), "S",
     "where the motion starts: J=V,..., a state's NAME, or @FILE (its first row); default: the scene's state",
     FOR_PLAN},
    {"to", 0, KIND_LIST, AT(plan.to), "S",
     "where it ends, in the same forms; may be repeated: it may end in any of them", FOR_PLAN},
    {"problems", 0, KIND_TEXT, AT(plan.problems), "FILE",
     "many problems: one JSON object per line, {\"name\", \"scene\": {\"objects\": []}, \"start\", "
     "\"goals\"}",
     FOR_PLAN},
    {"planner", 0, KIND_TEXT, AT(plan.planner), "NAME",
     "how to search: rrt-connect (default); sbl checks edges late; prm keeps a roadmap between "
     "--problems",
     FOR_PLAN},
    {"time", 0, KIND_STEP, AT(time), "S",
     "stop searching after S seconds (default 10), for each of several problems", FOR_PLAN},
    {"goal-pose", 0, KIND_LIST, AT(plan.goal_poses), "LINK=X,Y,Z,R,P,Y",
     "or the pose in which a link ends, in the world: metres, then roll, pitch, yaw in radians; may "
     "be repeated: any of these poses",
     FOR_PLAN},
    {"group", 0, KIND_TEXT, AT(plan.group), "NAME",
     "only the joints of this SRDF group move: NAME, or ROBOT/NAME; the others keep the start's values",
     FOR_PLAN},
    {"weights", 0, KIND_TEXT, AT(plan.weights), "J=W,...",
     "how much each joint counts in lengths (default 1 each)", FOR_PLAN},
    {"no-shorten", 0, KIND_FLAG, AT(plan.no_shorten), NULL,
     "keep the motion as it was found, without shortening it", FOR_PLAN},
    {"timed", 0, KIND_FLAG, AT(plan.timed), NULL,
     "also times and velocities, within velocity and acceleration limits; corners are rounded if that "
     "is proven free",
     FOR_PLAN},
    {"output", 'o', KIND_TEXT, AT(output), "FILE",
     "write the motion: .csv, or .json of trajectory_msgs/JointTrajectory", FOR_PLAN},
    {"input", 0, KIND_TEXT, AT(monitor.input), "SOURCE",
     "joint angles: a recorded file, '-' for standard input, udp:HOST:PORT or dds:/TOPIC", FOR_MONITOR},
    {"output", 'o', KIND_LIST, AT(monitor.outputs), "udp:HOST:PORT",
     "where to send permits, every cycle; json:HOST:PORT for JSON, dds:/TOPIC for DDS; may be repeated",
     FOR_MONITOR},
    {"source", 0, KIND_LIST, AT(monitor.sources), "NAME=ROBOT|J,...",
     "who reports what: a robot, or joints in this order; may be repeated (default: 'state' reports all)",
     FOR_MONITOR},
    {"from", 0, KIND_LIST, AT(monitor.from), "HOST[:PORT]",
     "who may send datagrams; may be repeated (default: anybody, on loopback only)",
     FOR_MONITOR | FOR_CONTACT},
    {"topic", 0, KIND_LIST, AT(monitor.topics), "NAME=/TOPIC",
     "with dds: a ROS 2 topic of a --cloud (PointCloud2; may be followed by ,invalid:free and "
     ",empty:free) or of an object (PoseStamped); /TOPIC alone: of transforms (TFMessage); may be "
     "repeated",
     FOR_MONITOR},
    {"frame", 0, KIND_LIST, AT(monitor.frames), "NAME[=X/Y/Z/R/P/Y]",
     "the pose of a frame of these messages in the world; may be repeated (default: world, at its "
     "origin)",
     FOR_MONITOR},
    {"key", 0, KIND_TEXT, AT(monitor.key), "FILE",
     "sign permits, and accept only signed datagrams; make it by 'openssl rand -hex 32 >FILE', "
     "readable only by you",
     FOR_MONITOR},
    {"trust-network", 0, KIND_FLAG, AT(monitor.trust_network), NULL,
     "trust everyone on the network: accept other hosts without a key, and DDS", FOR_MONITOR | FOR_CONTACT},
    {"cloud", 0, KIND_LIST, AT(monitor.clouds), "NAME=KEY:V,...",
     "a sensor whose points are received: points, radius, speed, uncertainty, intrusion, person, latency, "
     "silence, "
     "ignore",
     FOR_MONITOR},
    {"map", 0, KIND_LIST, AT(monitor.maps), "NAME=KEY:V,...",
     "a map whose cells are received: size, resolution, cells, speed, origin, yaw, unknown, outside, "
     "and the keys of --cloud",
     FOR_MONITOR},
    {"choice", 0, KIND_LIST, AT(monitor.choices), "NAME=OPT:BODY|..",
     "models that messages switch between; the first is active at the start", FOR_MONITOR},
    {"load-mass", 0, KIND_STEP, AT(monitor.load_mass), "KG",
     "effective mass of an arm at its load: with an attached mass m it brakes KG / (KG + m) times as "
     "hard",
     FOR_MONITOR},
    {"explain", 0, KIND_FLAG, AT(monitor.explain), NULL,
     "print every term of the required distance, and what a millisecond of silence costs; guard "
     "nothing",
     FOR_MONITOR},
    {"fast", 0, KIND_FLAG, AT(monitor.fast), NULL,
     "replay as fast as possible, with simulated time (needs no rights)", FOR_MONITOR},
    {"speed", 0, KIND_STEP, AT(monitor.speed), "X", "replay X times as fast as recorded (default 1)",
     FOR_MONITOR},
    {"rate", 0, KIND_STEP, AT(monitor.rate), "HZ",
     "rows per second of a file without 'time' (default: one per cycle)", FOR_MONITOR},
    {"interpolate", 0, KIND_FLAG, AT(monitor.interpolate), NULL,
     "replay: a message every cycle, on the motion between two rows", FOR_MONITOR},
    {"differences", 0, KIND_FLAG, AT(monitor.differences), NULL,
     "replay: if rows have no speeds, compute them from differences (otherwise the largest speeds are "
     "taken)",
     FOR_MONITOR},
    {"objects-stand", 0, KIND_FLAG, AT(monitor.objects_stand), NULL,
     "replay: moving objects and persons are where the scene has them", FOR_MONITOR},
    {"auto-start", 0, KIND_FLAG, AT(monitor.auto_start), NULL,
     "replay: reset after every fault (it always begins with one)", FOR_MONITOR},
    {"refine", 0, KIND_FLAG, AT(monitor.refine), NULL,
     "if capsules and boxes are too near, let the meshes decide, within the cycle's budget", FOR_MONITOR},
    {"fixed-buffers", 0, KIND_FLAG, AT(monitor.fixed_buffers), NULL,
     "always use the largest speeds, not the reported ones", FOR_MONITOR},
    {"no-scale", 0, KIND_FLAG, AT(monitor.no_scale), NULL,
     "permits without the speed scale: less work per cycle", FOR_MONITOR},
    {"latch-near", 0, KIND_FLAG, AT(monitor.latch_near), NULL, "STOP for nearness also lasts until a reset",
     FOR_MONITOR},
    {"crawl", 0, KIND_STEP, AT(monitor.crawl), "V",
     "an arm stopped for nearness may be backed out (RETREAT), as long as no gap can shrink by more "
     "than V m/s times the horizon",
     FOR_MONITOR},
    {"valid-for", 0, KIND_STEP, AT(monitor.valid_for), "S",
     "seconds that a permit is valid (default 0.003, or 1.5 periods if that is more)", FOR_MONITOR},
    {"skew", 0, KIND_STEP, AT(monitor.skew), "S",
     "seconds by which senders' stamps may differ from CLOCK_MONOTONIC (default: no common clock; "
     "stamps are compared with each other)",
     FOR_MONITOR},
    {"good", 0, KIND_MANY, AT(monitor.good), "N",
     "good messages from each source between a reset and a permit (default 10; replay 1)", FOR_MONITOR},
    {"limit-tolerance", 0, KIND_TEXT, AT(monitor.limit_tolerance), "RAD,M",
     "how far joints may be beyond their limits: turning, sliding (default 0.001,0.0001)", FOR_MONITOR},
    {"jump-slack", 0, KIND_METRES, AT(monitor.jump_slack), "E",
     "radian or metre by which joints may jump further than their speed allows (default 0.01)", FOR_MONITOR},
    {"index", 0, KIND_TEXT, AT(monitor.index), "KIND[,N]",
     "how near bodies are found: octree (default), list, grid or region; N: bodies in a node of the "
     "octree before it is split; for comparison, permits are the same",
     FOR_MONITOR},
    {"reorder", 0, KIND_SEED, AT(monitor.reorder), "N",
     "a message that arrives late is ignored if its number is at most N behind; otherwise STOP "
     "(default 8)",
     FOR_MONITOR},
    {"tracking-error", 0, KIND_METRES, AT(monitor.tracking_error), "E",
     "radian or metre by which joints may differ from what is reported (default 0)", FOR_MONITOR},
    {"model-error", 0, KIND_METRES, AT(monitor.model_error), "M",
     "metres by which bodies may be larger than their models (default 0)", FOR_MONITOR},
    {"robot-uncertainty", 0, KIND_METRES, AT(monitor.robot_uncertainty), "Z",
     "Z_r of the separation from people, metres; required if there are any people", FOR_MONITOR},
    {"capsules", 0, KIND_COUNT, AT(monitor.capsules), "N",
     "at most N capsules for a mesh of a link (default 2)", FOR_MONITOR},
    {"boxes", 0, KIND_COUNT, AT(monitor.boxes), "N", "at most N boxes for a mesh of an object (default 16)",
     FOR_MONITOR},
    {"not-real-time", 0, KIND_FLAG, AT(monitor.not_real_time), NULL,
     "run without SCHED_FIFO and locked memory; every status says so", FOR_MONITOR | FOR_CONTACT},
    {"priority", 0, KIND_COUNT, AT(monitor.priority), "P", "priority of SCHED_FIFO, 1 to 98 (default 80)",
     FOR_MONITOR | FOR_CONTACT},
    {"watchdog", 0, KIND_STEP, AT(monitor.watchdog), "S",
     "end a loop that has hung for S seconds, exit 5 (default 1)", FOR_MONITOR | FOR_CONTACT},
    {"cycles", 0, KIND_SEED, AT(monitor.cycles), "N", "end after N cycles", FOR_MONITOR | FOR_CONTACT},
    {"seconds", 0, KIND_STEP, AT(monitor.seconds), "S", "end after S seconds", FOR_MONITOR | FOR_CONTACT},
    {"log", 0, KIND_TEXT, AT(monitor.log), "FILE", "write events, status and dropped messages, one line each",
     FOR_MONITOR},
    {"stats", 0, KIND_TEXT, AT(monitor.stats), "FILE",
     "write statistics in the format of Prometheus, every second and at SIGUSR1", FOR_MONITOR},
    {"rows", 0, KIND_TEXT, AT(monitor.rows), "FILE.csv",
     "write one row per cycle, for plots: verdict, pair, distance, required distance, age, own time",
     FOR_MONITOR},
    {"rows-every", 0, KIND_MANY, AT(monitor.rows_every), "N",
     "one row for every N cycles, and for each cycle in which verdict or reason changes (default 1)",
     FOR_MONITOR},
    {"rows-most", 0, KIND_SEED, AT(monitor.rows_most), "N",
     "write at most N rows; later ones are only counted (default 1000000)", FOR_MONITOR},
    {"bench", 0, KIND_STEP, AT(monitor.bench), "S",
     "run for S seconds and report the times of cycles; without --input, on a generated motion", FOR_MONITOR},
    {"test-delay", 0, KIND_TEXT, AT(monitor.test_delay), "S@CYCLE",
     "fault injection: cycle CYCLE takes S seconds longer", FOR_MONITOR},
    {"test-fault", 0, KIND_TEXT, AT(monitor.test_fault), "KIND@CYCLE",
     "fault injection: hang, rounding, flush or model, at cycle CYCLE; contact: hang",
     FOR_MONITOR | FOR_CONTACT},
    {"pairs", 0, KIND_FLAG, AT(pairs), NULL, "list every pair of links, and why it is checked or not",
     FOR_INFO},
    {"capsules", 0, KIND_FLAG, AT(show_capsules), NULL,
     "the capsules and boxes that berth monitor uses for each body", FOR_INFO},
    {"output", 'o', KIND_TEXT, AT(output), "FILE", "where to write (new, srdf: default is standard output)",
     FOR_NEW | FOR_SPHERES | FOR_SRDF | FOR_MAP},
    {"output", 'o', KIND_TEXT, AT(output), "OUT.npy",
     "write verdicts, one byte each: 0 unknown, 1 free, 2 collision; unfinished work is in "
     "OUT.npy.part",
     FOR_BATCH},
    {"clearance", 0, KIND_TEXT, AT(clearance), "FILE.npy",
     "also write lower bounds of the smallest gap, in metres (needs -o)", FOR_BATCH},
    {"resume", 0, KIND_FLAG, AT(resume), NULL, "continue where OUT.npy.part ends, if it exists", FOR_BATCH},
    {"spheres-only", 0, KIND_FLAG, AT(spheres_only), NULL,
     "check spheres instead of the robot: the URDF's own, else covers proven by berth (assumed: "
     "spheres_only)",
     FOR_CHECK | FOR_PATH | FOR_PLAN | FOR_BATCH | FOR_INFO},
    {"count", 0, KIND_MANY, AT(count), "N",
     "number of spheres of all links together (default: five per link)", FOR_SPHERES | FOR_MAP},
    {"protrusion", 0, KIND_METRES, AT(protrusion), "P",
     "instead: as few spheres as possible that extend no more than P metres beyond the geometry",
     FOR_SPHERES | FOR_MAP},
    {"effort", 0, KIND_STEP, AT(effort), "E",
     "how much work to spend on tighter spheres, up to 100 (default 1)", FOR_SPHERES},
    {"link", 0, KIND_LIST, AT(links), "NAME[=N]",
     "this link only, with N spheres; may be repeated (without N: its share of --count, or within "
     "--protrusion)",
     FOR_SPHERES},
    {"metric", 0, KIND_TEXT, AT(map.metric), "l1|l2",
     "l2: spheres (default); l1: octahedra, for maps that are queried in L1 (JSON only)", FOR_SPHERES},
    {"time", 0, KIND_STEP, AT(time), "S",
     "stop after S seconds with the tightest cover proven by then, which differs from run to run and "
     "is marked so",
     FOR_SPHERES},
    {"srdf-out", 0, KIND_TEXT, AT(srdf_out), "FILE", "write an SRDF with link_sphere_approximation",
     FOR_SPHERES},
    {"compare", 0, KIND_TEXT, AT(compare), "URDF", "measure the spheres of this model against the geometry",
     FOR_SPHERES},
    {"lint", 0, KIND_TEXT, AT(lint), "FILE", "list what is wrong with this SRDF; write none", FOR_SRDF},
    {"sample", 0, KIND_MANY, AT(sample), "N",
     "class undecided pairs as 'never' if they do not touch in N random states", FOR_SRDF},
    {"allow-default", 0, KIND_FLAG, AT(allow_default), NULL,
     "also disable pairs that overlap in the default state but not in every state, as MoveIt does", FOR_SRDF},
    {"budget", 0, KIND_MANY, AT(budget), "N", "at most N comparisons for a pair of links (default 30000)",
     FOR_SRDF},
    {"follower", 0, KIND_TEXT, AT(follower), "NAME=FILE",
     "lead an object along a recorded motion: .csv of x, y, z, optionally orientation and time; or "
     "live: NAME=udp:HOST:PORT",
     FOR_CONTACT},
    {"output", 'o', KIND_LIST, AT(monitor.outputs), "udp:HOST:PORT",
     "live: where to send the force that the hand feels, every cycle, as JSON; may be repeated", FOR_CONTACT},
    {"period", 0, KIND_STEP, AT(live_period), "S", "live: length of a cycle in seconds (default 0.001)",
     FOR_CONTACT},
    {"silence", 0, KIND_STEP, AT(live_silence), "S",
     "live: if the last pose is older than S seconds, the force is 0 (default 0.02)", FOR_CONTACT},
    {"force-limit", 0, KIND_STEP, AT(force_limit), "N",
     "live: larger forces are limited to N newtons, and moments in proportion (default 50)", FOR_CONTACT},
    {"constrain", 0, KIND_FLAG, AT(constrain), NULL, "the follower stops at surfaces and slides along them",
     FOR_CONTACT},
    {"coupling", 0, KIND_TEXT, AT(coupling), "K,B",
     "spring (N/m) and damper (N s/m) between the hand and the follower (default 1000,5)", FOR_CONTACT},
    {"steps", 0, KIND_MANY, AT(steps), "N", "move objects that have a mass N times, then report",
     FOR_CONTACT},
    {"dt", 0, KIND_STEP, AT(dt), "S", "length of a step in seconds (default 0.001)", FOR_CONTACT},
    {"rate", 0, KIND_FLAG, AT(rate), NULL, "measure how many cycles per second are sustained", FOR_CONTACT},
    {"levels", 0, KIND_TEXT, AT(levels), "0..6", "levels of the spherical octrees, for comparison",
     FOR_CONTACT},
    {"skip-allowed", 0, KIND_FLAG, AT(skip_allowed), NULL, "leave out pairs that may touch", FOR_CONTACT},
    {"structure", 0, KIND_TEXT, AT(map.structure), "LIST",
     "octree, odm, eodm, dm, edt, lists or all: what to build, separated by commas (default: chosen "
     "by size, noise and metric); query: which one answers (default: the fastest in the map)",
     FOR_MAP},
    {"resolution", 0, KIND_STEP, AT(resolution), "R", "metres per cell, for volumes, clouds, meshes and .lin",
     FOR_MAP},
    {"origin", 0, KIND_TEXT, AT(map.origin), "X,Y,Z",
     "corner at which the cells begin: for volumes and .lin (default 0), clouds and meshes (default: "
     "around them)",
     FOR_MAP},
    {"levels", 0, KIND_COUNT, AT(map.levels), "N",
     "2^N cells per side, for clouds and meshes (default: as needed)", FOR_MAP},
    {"radius", 0, KIND_METRES, AT(map.radius), "R",
     "points are balls of radius R; query --random: the largest radius", FOR_MAP},
    {"unknown", 0, KIND_TEXT, AT(map.unknown), "free|occupied",
     "what unknown space counts as (default occupied)", FOR_MAP},
    {"outside", 0, KIND_TEXT, AT(map.outside), "free|occupied",
     "what the space outside the map counts as (default: for query occupied, for convert --esdf free)",
     FOR_MAP},
    {"ball", 0, KIND_LIST, AT(map.ball), "X,Y,Z,R", "query this ball (2-D maps: X,Y,R); may be repeated",
     FOR_MAP},
    {"balls", 0, KIND_TEXT, AT(map.balls), "FILE",
     "query many balls: .csv with columns x,y,z,r (2-D maps: x,y,r)", FOR_MAP},
    {"random", 0, KIND_LARGE, AT(map.random), "N", "query N random balls in the map", FOR_MAP},
    {"metric", 0, KIND_TEXT, AT(map.metric), "l1|l2", "metric of balls and distances (default l2, Euclidean)",
     FOR_MAP},
    {"all", 0, KIND_FLAG, AT(all), NULL, "list every obstacle that is equally near", FOR_MAP},
    {"occupied", 0, KIND_TEXT, AT(map.occupied), "FILE",
     "update: cells that contain these points become occupied (.csv .npy .pcd .ply)", FOR_MAP},
    {"free", 0, KIND_TEXT, AT(map.free), "FILE",
     "update: cells that contain these points, and none of --occupied, become free", FOR_MAP},
    {"scan", 0, KIND_LIST, AT(map.scan), "CLOUD",
     "update: points seen by a sensor; rays clear the cells they pass (assumed) and hit the cells "
     "where they end; may be repeated",
     FOR_MAP},
    {"sensor", 0, KIND_LIST, AT(map.sensor), "X,Y,Z",
     "update: position of the sensor of --scan (one for all scans, or one each)", FOR_MAP},
    {"range", 0, KIND_METRES, AT(map.range), "R",
     "update: rays of --scan clear up to R metres, and hit nothing beyond that", FOR_MAP},
    {"esdf", 0, KIND_FLAG, AT(map.esdf), NULL,
     "convert: signed distances of cell centres, metres, to .npy (float64; < 0 in obstacles)", FOR_MAP},
    {"gradient", 0, KIND_FLAG, AT(map.gradient), NULL,
     "convert: the gradient of these distances to .npy, shape (x, y, z, 3)", FOR_MAP},
    {"slice", 0, KIND_TEXT, AT(map.slice), "Z",
     "convert: a picture of the cells at height Z, with distances, to .png or .svg (2-D maps: any Z)",
     FOR_MAP},
    {"stats", 0, KIND_TEXT, AT(map.stats), "FILE",
     "write one row per ball: verdict, distance, steps, microseconds", FOR_MAP},
    {"report", 0, KIND_TEXT, AT(report), "FILE.html",
     "also write a report to read and mail: the answer, plots, numbers, and how to get them again",
     FOR_PATH | FOR_PLAN | FOR_MONITOR | FOR_SPHERES | FOR_MAP},
    {"trajectory", 0, KIND_TEXT, AT(view.trajectory), "FILE",
     "a motion to play and to prove: .csv, .npy, or JointTrajectory as JSON or YAML", FOR_VIEW},
    {"port", 0, KIND_SEED, AT(view.port), "P",
     "port on 127.0.0.1 (default 8420, or the next free one; 0: any)", FOR_VIEW},
    {"monitor", 0, KIND_TEXT, AT(view.monitor), "HOST:PORT",
     "show the permits that berth monitor --output udp:HOST:PORT sends here", FOR_VIEW},
    {"html", 0, KIND_TEXT, AT(view.html), "FILE", "write one page that works from disk; serve nothing",
     FOR_VIEW},
    {"png", 0, KIND_TEXT, AT(view.png), "FILE", "write a picture, by headless chromium; serve nothing",
     FOR_VIEW},
    {"no-open", 0, KIND_FLAG, AT(view.no_open), NULL, "print the address, open no browser", FOR_VIEW},
    {"force", 'f', KIND_FLAG, AT(force), NULL,
     "overwrite existing files (batch: start anew over OUT.npy.part)", FOR_NEW | FOR_BATCH},
    {"robot", 0, KIND_TEXT, AT(robot), "URDF",
     "the robot for a scene file that holds none (.scene, MotionBenchMaker)",
     FOR_ALL & ~(unsigned)(FOR_SPHERES | FOR_SRDF)},
    {"srdf", 0, KIND_TEXT, AT(srdf), "FILE", "allowed pairs, groups and named states for a bare URDF",
     FOR_ALL},
    {"package", 0, KIND_LIST, AT(packages), "NAME=DIR", "the folder of package://NAME/; may be repeated",
     FOR_ALL},
    {"dae-units", 0, KIND_TEXT, AT(dae_units), "obey|ignore",
     "whether to obey the unit that COLLADA files declare (default obey)", FOR_ALL},
    {"json", 0, KIND_FLAG, AT(json), NULL, "print answers as JSON on standard output, and nothing else there",
     FOR_ALL},
    {"strict", 0, KIND_FLAG, AT(strict), NULL,
     "exit 3 if anything was assumed or warned about; proofs in SRDFs are repeated", FOR_ALL},
    {"threads", 0, KIND_COUNT, AT(threads), "N", "threads for many answers (default: one per processor)",
     FOR_ALL},
    {"seed", 0, KIND_SEED, AT(seed), "N",
     "seed of random numbers: for plan, spheres, srdf; check, path, info and new use none", FOR_ALL},
    {"quiet", 'q', KIND_FLAG, AT(quiet), NULL, "answers only: no warnings, no assumptions, no progress",
     FOR_ALL},
    {"verbose", 'v', KIND_FLAG, AT(verbose), NULL, "print every warning, not one line per kind", FOR_ALL},
    {"help", 'h', KIND_FLAG, AT(help), NULL, "this text", FOR_ALL},
};
#define SPEC_COUNT ((int)(sizeof specs / sizeof specs[0]))
_Static_assert(sizeof specs / sizeof specs[0] <= (size_t)8 * GIVEN_BYTES, "a bit for each option");

static const OptionSpec* find_long_option(const Command* command, const char* name, size_t length) {
    for (int i = 0; i < SPEC_COUNT; ++i) {
        if ((specs[i].mask & command->mask) != 0 && strlen(specs[i].name) == length &&
            memcmp(specs[i].name, name, length) == 0) {
            return &specs[i];
        }
    }
    return NULL;
}

static bool unknown_option(const Command* command, const char* given) {
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);

    // An option of another command would do nothing here.
    for (int i = 0; i < SPEC_COUNT && given[1] == '-'; ++i) {
        if (strcmp(specs[i].name, name + 2) == 0) {
            cli_reject(command->name, "%s does nothing for this command; 'berth help %s' lists what does",
                       name, command->name);
            return false;
        }
    }

    enum { LIMIT = 3 };
    const char* best = NULL;
    int best_distance = LIMIT + 1;
    for (int i = 0; i < SPEC_COUNT; ++i) {
        char whole[64];
        (void)snprintf(whole, sizeof whole, "--%s", specs[i].name);
        const int distance = berth_word_distance(name, whole, LIMIT);
        const bool longer_form = strlen(name) > 3 && strncmp(name, whole, strlen(name)) == 0;
        if ((specs[i].mask & command->mask) != 0 && (longer_form ? 0 : distance) < best_distance) {
            best = specs[i].name;
            best_distance = longer_form ? 0 : distance;
        }
    }

    if (best != NULL) {
        cli_reject(command->name, "unknown option %s; did you mean --%s?", name, best);
    } else {
        cli_reject(command->name, "unknown option %s; 'berth help %s' lists them", name, command->name);
    }
    return false;
}

bool cli_read_numbers(const char* text, int count, double* out) {
    for (int i = 0; i < count; ++i) {
        char* end = NULL;
        const size_t length = strcspn(text, ",");
        out[i] = strtod(text, &end);
        const bool plain = strspn(text, "0123456789.eE+-") >= length && length > 0;
        if (!plain || end != text + length || !(fabs(out[i]) <= 1e7) ||
            (text[length] == ',') != (i + 1 < count)) {
            return false;
        }
        text += length + 1;
    }
    return true;
}

static bool read_whole_number(const char* text, int64_t* out) {
    char* end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    *out = value;
    return errno == 0 && end != text && *end == '\0';
}

static bool read_real(const char* text, double* out) {
    char* end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && text[strspn(text, "0123456789.eE+-")] == '\0';
}

static bool reject_value(const Command* command, const OptionSpec* spec, const char* text,
                         const char* range) {
    cli_reject(command->name, "--%s '%s': expected %s", spec->name, text, range);
    return false;
}

/// The range of an option, and its description in messages.
typedef struct WholeRange {
    int64_t low, high;
    const char* words;
} WholeRange;

typedef struct RealRange {
    double low, high;
    const char* words;
} RealRange;

static const WholeRange whole_ranges[] = {[KIND_COUNT] = {1, 1024, "a whole number from 1 to 1024"},
                                          [KIND_MANY] = {1, 1000000, "a whole number from 1 to 1000000"},
                                          [KIND_SEED] = {0, INT64_MAX, "a whole number, 0 or more"},
                                          [KIND_LARGE] = {1, INT64_MAX, "a whole number, at least 1"}};

static const RealRange real_ranges[] = {[KIND_METRES] = {0.0, 1e7, "metres, 0 or more, at most 1e7"},
                                        [KIND_STEP] = {1e-9, 1e6, "a number from 1e-9 to 1e6"}};

// Stores a value in the field of an option. `text` is null only for flags.
static bool store_value(const Command* command, const OptionSpec* spec, const char* text, Options* out) {
    void* field = (char*)out + spec->offset;
    int64_t whole = 0;
    double real = 0.0;

    switch (spec->kind) {
    case KIND_FLAG:
        *(bool*)field = true;
        return true;
    case KIND_TEXT:
        if (*(const char**)field != NULL) {
            cli_reject(command->name, "--%s is given twice", spec->name);
            return false;
        }
        *(const char**)field = text;
        return true;
    case KIND_LIST: {
        TextList* list = field;
        if (list->count == TEXT_LIST_MAX) {
            cli_reject(command->name, "--%s is given more than %d times", spec->name, TEXT_LIST_MAX);
            return false;
        }
        list->items[list->count++] = text;
        return true;
    }
    case KIND_COUNT:
    case KIND_MANY:
    case KIND_SEED:
    case KIND_LARGE: {
        const WholeRange* range = &whole_ranges[spec->kind];
        if (!read_whole_number(text, &whole) || whole < range->low || whole > range->high) {
            return reject_value(command, spec, text, range->words);
        }
        if (spec->kind == KIND_COUNT || spec->kind == KIND_MANY) {
            *(int*)field = (int)whole;
        } else {
            *(int64_t*)field = whole;
        }
        return true;
    }
    case KIND_METRES:
    case KIND_STEP: {
        const RealRange* range = &real_ranges[spec->kind];
        if (!read_real(text, &real) || !(real >= range->low && real <= range->high)) {
            return reject_value(command, spec, text, range->words);
        }
        *(double*)field = real;
        return true;
    }
    }
    return false;
}

// Parses an argument that begins with '-'. If the option needs a value, also takes the next argument and advances *index.
static bool parse_option(const Command* command, int argc, char** argv, int* index, Options* out) {
    const char* given = argv[*index];
    const OptionSpec* spec = NULL;
    const char* value = NULL;

    // "--name=value" or "-nvalue".
    if (given[1] == '-') {
        const size_t length = strcspn(given + 2, "=");
        spec = find_long_option(command, given + 2, length);
        value = given[2 + length] == '=' ? given + 2 + length + 1 : NULL;
    } else {
        for (int i = 0; i < SPEC_COUNT; ++i) {
            if (specs[i].letter == given[1] && specs[i].letter != 0 && (specs[i].mask & command->mask) != 0) {
                spec = &specs[i];
            }
        }
        value = spec != NULL && given[2] != '\0' ? given + 2 : NULL;
    }

    if (spec == NULL || (spec->kind == KIND_FLAG && value != NULL && given[1] != '-')) {
        return unknown_option(command, given);
    }
    if (spec->kind == KIND_FLAG && value != NULL) {
        cli_reject(command->name, "--%s takes no value", spec->name);
        return false;
    }

    // The value is the next argument.
    if (spec->kind != KIND_FLAG && value == NULL) {
        if (*index + 1 >= argc) {
            cli_reject(command->name, "--%s needs a value: --%s %s", spec->name, spec->name, spec->argument);
            return false;
        }
        value = argv[++*index];
    }

    const size_t place = (size_t)(spec - specs);
    out->given[place / 8] |= (uint8_t)(1u << place % 8);
    return store_value(command, spec, value, out);
}

int cli_refuse_idle(const char* command, const Options* options, const char* const* names, const char* why) {
    for (int i = 0; i < SPEC_COUNT; ++i) {
        const bool given = (options->given[i / 8] >> i % 8 & 1) != 0;
        for (int k = 0; given && names[k] != NULL; ++k) {
            if (strcmp(specs[i].name, names[k]) == 0) {
                return cli_reject(command, "--%s does nothing %s", names[k], why);
            }
        }
    }
    return EXIT_FREE;
}

bool cli_parse_options(const Command* command, int argc, char** argv, Options* out) {
    *out = (Options){.delta = -1.0,
                     .resolution = -1.0,
                     .self_margin = -1.0,
                     .protrusion = -1.0,
                     .effort = -1.0,
                     .monitor.robot_uncertainty = -1.0,
                     .monitor.jump_slack = -1.0,
                     .monitor.reorder = -1,
                     .monitor.rows_most = -1,
                     .view.port = -1};

    bool options_end = false;
    for (int i = 0; i < argc; ++i) {
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0') {
            if (!parse_option(command, argc, argv, &i, out)) {
                return false;
            }
        } else if (out->argument_count == TEXT_LIST_MAX) {
            cli_reject(command->name, "more than %d arguments", TEXT_LIST_MAX);
            return false;
        } else {
            out->arguments[out->argument_count++] = argv[i];
        }
    }
    return true;
}

static bool is_named(const char* const* names, const char* name) {
    for (; *names != NULL; ++names) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

void cli_print_options(FILE* stream, const Command* command, const char* const* without) {
    for (int i = 0; i < SPEC_COUNT; ++i) {
        if ((specs[i].mask & command->mask) == 0 || (without != NULL && is_named(without, specs[i].name))) {
            continue;
        }
        char left[64];
        (void)snprintf(left, sizeof left, "%s%c%s--%s%s%s", specs[i].letter ? "-" : "",
                       specs[i].letter ? specs[i].letter : ' ', specs[i].letter ? ", " : "   ", specs[i].name,
                       specs[i].argument != NULL ? " " : "",
                       specs[i].argument != NULL ? specs[i].argument : "");
        cli_print_help_option(stream, left, specs[i].help);
    }
}
