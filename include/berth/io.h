// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Io: files to objects. Every error text begins with FILE:LINE (binary files: FILE: byte N). Any bytes give an
// answer or an error, in bounded time and memory.

#ifndef BERTH_IO_H
#define BERTH_IO_H

#include <berth/field.h>
#include <berth/monitor.h>
#include <berth/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How files are read. Start from berth_default_io_options().
typedef struct BerthIoOptions {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    /// Called once a warning with one line of text, which begins with FILE:LINE. May be null.
    void (*warn)(void* user, const char* text);
    void* user;                   ///< passed to `warn`
    const char* const* packages;  ///< NAME=DIR, searched first
    int32_t package_count;        ///< of `packages`
    const char* srdf;             ///< for a bare URDF, or null
    const char*
        robot;  ///< URDF for scene files that hold no robot (MoveIt .scene, MotionBenchMaker), or null
    bool ignore_dae_units;  ///< --dae-units ignore
    uint32_t stamp;         ///< set by the default function; ties the def to this library version
} BerthIoOptions;

/// The options to start from: no packages, no SRDF, warnings are dropped. Null in their place means the same.
BERTH_API BerthIoOptions berth_default_io_options(void);

/// How one mesh file is read into a mesh.
typedef struct BerthMeshOptions {
    BerthVec3 scale;  ///< per axis; a negative determinant flips the winding
} BerthMeshOptions;

/// STL and OBJ by own readers, DAE, PLY, glTF and others through assimp when it was built in.
BERTH_API BerthStatus berth_io_read_mesh(const char* path, BerthVec3 scale, const BerthIoOptions* options,
                                         BerthMesh** out);
/// A URDF, with options->srdf if given. `hull`: names of links whose meshes become hulls ("*" for all).
BERTH_API BerthStatus berth_io_read_robot(const char* urdf_path, const char* srdf_path, bool free_base,
                                          const char* const* hull, int32_t hull_count,
                                          const BerthIoOptions* options, BerthRobot** out);
/// A .yaml scene, a bare URDF, a MoveIt .scene or a MotionBenchMaker scene. Committed.
BERTH_API BerthStatus berth_io_read_scene(const char* path, const BerthIoOptions* options, BerthScene** out);

/// One line of a problems file: {"name", "scene": {"objects": [...]}, "start": [...], "goals": [[...]]}.
typedef struct BerthProblem {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    char* name;                ///< of the problem
    int32_t value_count;       ///< of the scene
    double* start;             ///< value_count
    double* goals;             ///< goal_count rows of value_count
    int32_t goal_count;        ///< rows of `goals`
    BerthObjectId* objects;    ///< that were added to the scene
    int32_t object_count;      ///< of `objects`
} BerthProblem;
/// Parses one line (`length` bytes; `path` and `line` are for texts and for files it names), adds its objects to the
/// scene and commits. On failure the scene has its own objects again and `out` is empty.
BERTH_API BerthStatus berth_io_read_problem(const char* text, size_t length, const char* path, int32_t line,
                                            const BerthIoOptions* options, BerthScene* scene,
                                            BerthProblem* out);
/// Takes the problem's objects out of the scene again (not when `scene` is null; commit is left to the caller) and
/// frees the problem.
BERTH_API void berth_io_free_problem(BerthScene* scene, BerthProblem* problem);

/// Many states: row_count rows of value_count values, in the scene's order. Joints that a CSV does not name keep
/// the scene's state.
typedef struct BerthStates {
    BerthAllocator allocator;        ///< all zero: the C library's heap
    int32_t row_count, value_count;  ///< states, and values of each
    double* values;                  ///< row_count rows of value_count
} BerthStates;
/// .csv with a header of joint names, or .npy.
BERTH_API BerthStatus berth_io_read_states(const char* path, const BerthScene* scene,
                                           const BerthIoOptions* options, BerthStates* out);
/// Frees what berth_io_read_states gave.
BERTH_API void berth_io_free_states(BerthStates* states);
/// "joint1=0.1,joint2=-0.5" written over `values`.
BERTH_API BerthStatus berth_io_parse_state(const char* text, const BerthScene* scene, double* values);

/// A trajectory: rows of values in the scene's order. Joints that the file does not name keep the scene's state.
typedef struct BerthTrajectory {
    BerthAllocator allocator;        ///< all zero: the C library's heap
    int32_t row_count, value_count;  ///< states, and values of each
    double* positions;               ///< row_count rows of value_count
    double* velocities;              ///< the same, per second, or null; 0 for joints that are not named
    double* accelerations;           ///< the same, per second squared, or null
    double* times;                   ///< row_count seconds, each larger than the one before; or null
    bool* named;                     ///< value_count: the file names it
    char* path;                      ///< of the file, for texts
    int64_t* places;                 ///< row_count lines, or bytes of a binary file
    bool binary;                     ///< places are bytes, not lines
} BerthTrajectory;
/// .csv with a header of joint names and perhaps `time`, `JOINT:velocity`, `JOINT:acceleration`; JSON or YAML of
/// trajectory_msgs/JointTrajectory, also within MoveIt's RobotTrajectory; or .npy. At least one row. Between rows no
/// floating joint has opposite orientations.
BERTH_API BerthStatus berth_io_read_trajectory(const char* path, const BerthScene* scene,
                                               const BerthIoOptions* options, BerthTrajectory* out);
/// Frees what berth_io_read_trajectory gave.
BERTH_API void berth_io_free_trajectory(BerthTrajectory* trajectory);

/// How values run from one row to the next.
typedef enum BerthInterpolation {
    BERTH_INTERPOLATION_LINEAR = 0,  ///< straight lines
    BERTH_INTERPOLATION_CUBIC,       ///< through positions and velocities, as ROS controllers do
    BERTH_INTERPOLATION_QUINTIC      ///< through accelerations as well
} BerthInterpolation;
/// Rows less one; a single row is one segment of no length, so that its state is checked.
BERTH_API int32_t berth_trajectory_segment_count(const BerthTrajectory* trajectory);
/// Segment `index`, from row `index` to the next. Its arrays are borrowed from the trajectory; `curves` (value_count;
/// may be null for linear) is borrowed by cubic and quintic segments. Fails when velocities, accelerations or times
/// are missing, when a floating joint would turn along a curve, or when a curve runs beyond what values may be.
BERTH_API BerthStatus berth_trajectory_segment(const BerthTrajectory* trajectory, const BerthScene* scene,
                                               int32_t index, BerthInterpolation interpolation,
                                               BerthCurve* curves, BerthSegment* out);
/// Adds whole turns to the values of continuous joints and to planar angles, so that each row is reached from the one
/// before the shorter way round. Half a turn, and a turn of a joint that others follow, are errors; the trajectory is
/// then of no use.
BERTH_API BerthStatus berth_trajectory_wrap(BerthTrajectory* trajectory, const BerthScene* scene);

/// Many segments that have nothing to do with each other: straight lines.
typedef struct BerthSegments {
    BerthAllocator allocator;            ///< all zero: the C library's heap
    int32_t segment_count, value_count;  ///< segments, and values of a state
    double* values;   ///< segment_count times: value_count values at its start, then at its end
    char* path;       ///< as in BerthTrajectory
    int64_t* places;  ///< segment_count
    bool binary;      ///< places are bytes, not lines
} BerthSegments;
/// .csv with columns JOINT:from and JOINT:to, or .npy of shape (n, 2, values).
BERTH_API BerthStatus berth_io_read_segments(const char* path, const BerthScene* scene,
                                             const BerthIoOptions* options, BerthSegments* out);
/// Frees what berth_io_read_segments gave.
BERTH_API void berth_io_free_segments(BerthSegments* segments);
/// Segment `index`, borrowed.
BERTH_API BerthSegment berth_segments_segment(const BerthSegments* segments, int32_t index);
/// As berth_trajectory_wrap, for the end of each.
BERTH_API BerthStatus berth_segments_wrap(BerthSegments* segments, const BerthScene* scene);

/// Writes a certificate all of whose segments are proven: text with a checksum, beside and renamed. The scene is the
/// one
/// it was recorded in; its names go into the file for people.
BERTH_API BerthStatus berth_io_write_certificate(const char* path, const BerthCertificate* certificate,
                                                 const BerthScene* scene, const BerthIoOptions* options);
/// Reads one about this scene. What it says is not believed yet: berth_certificate_verify.
BERTH_API BerthStatus berth_io_read_certificate(const char* path, const BerthScene* scene,
                                                const BerthIoOptions* options, BerthCertificate** out);

/// What goes over a socket to and from a monitor: docs/monitor.md has the bytes. Nothing here allocates.
typedef enum BerthWireKind {
    BERTH_WIRE_STATE = 1,  ///< joints
    BERTH_WIRE_POSE,       ///< an object
    BERTH_WIRE_PERMIT,     ///< what a monitor sends: go until a time, or stop
    BERTH_WIRE_RESET,      ///< asks for permits again after a fault
    BERTH_WIRE_CLOUD,      ///< points of a sensor, or a part of them
    BERTH_WIRE_SWITCH,     ///< which of a choice's options is in force
    BERTH_WIRE_KIND_COUNT  ///< how many there are
} BerthWireKind;
enum {
    BERTH_WIRE_NAME = 64,     ///< most bytes of a name
    BERTH_WIRE_VALUES = 512,  ///< most values of a state message
    BERTH_WIRE_POINTS = 360,  ///< most points of a message
    BERTH_WIRE_SIZE = 9216    ///< most bytes of a message
};
/// One message, whatever its kind.
typedef struct BerthWireMessage {
    BerthWireKind kind;              ///< says which fields count
    uint64_t stream, sequence;       ///< as in BerthMonitorMessage
    double stamp;                    ///< NaN: none
    char name[BERTH_WIRE_NAME + 1];  ///< of the source, object, cloud or choice
    int32_t count;                   ///< STATE: values
    bool has_velocities;             ///< STATE: `velocities` are told
    double positions[BERTH_WIRE_VALUES], velocities[BERTH_WIRE_VALUES];  ///< STATE
    BerthPose pose;                                                      ///< POSE
    BerthPermit permit;  ///< PERMIT: `valid_until` is how long it lives from now on, bodies are not told
    int32_t first,
        total;  ///< CLOUD: these are the points from `first` on, of `total` in all messages of this sequence
    int32_t point_count;  ///< CLOUD: points here
    bool alive;           ///< CLOUD: the sensor says that it lives; an empty cloud is free space then only
    BerthVec3 points[BERTH_WIRE_POINTS];  ///< CLOUD: in the world, metres
    char option[BERTH_WIRE_NAME + 1];     ///< SWITCH; `name` is the choice
} BerthWireMessage;
/// Bytes of a message in binary form, at most BERTH_WIRE_SIZE; 0 when it does not fit.
BERTH_API size_t berth_wire_write(const BerthWireMessage* message, void* bytes, size_t size);
/// The same as one line of JSON.
BERTH_API size_t berth_wire_write_json(const BerthWireMessage* message, char* text, size_t size);
/// Either form. Anything else - another magic number or version, a length or checksum that is wrong, names or counts
/// too long, NaN
/// in JSON - is an error and leaves nothing of use in `out`.
BERTH_API BerthStatus berth_wire_read(const void* bytes, size_t size, BerthWireMessage* out);

/// Copies a URDF with the collisions of all links that have spheres replaced by these; everything else stays as it is.
/// The spheres are of this robot, as read from that file. Written beside and renamed.
BERTH_API BerthStatus berth_io_write_spherized(const char* path, const char* urdf_path,
                                               const BerthRobot* robot, const BerthSpheres* spheres,
                                               const BerthIoOptions* options);
/// An SRDF with MoveIt's link_sphere_approximation of all links that have spheres: a copy of `srdf_path`, or, when
/// that is
/// null, nothing but these.
BERTH_API BerthStatus berth_io_write_sphere_srdf(const char* path, const char* srdf_path,
                                                 const BerthRobot* robot, const BerthSpheres* spheres,
                                                 const BerthIoOptions* options);
/// A URDF of one link, with the spheres of one body (group 0).
BERTH_API BerthStatus berth_io_write_sphere_body(const char* path, const char* name,
                                                 const BerthSpheres* spheres, const BerthIoOptions* options);

/// An SRDF as a document, apart from any robot.
typedef struct BerthSrdf BerthSrdf;
/// One <disable_collisions> or <enable_collisions>.
typedef struct BerthSrdfPair {
    const char* link_a;   ///< one link
    const char* link_b;   ///< the other
    const char* reason;   ///< or null
    const char* comment;  ///< written behind it; null or left out when there is none
    bool enable;          ///< <enable_collisions>: else <disable_collisions>
    int32_t line;         ///< where it stands in the file; not written
} BerthSrdfPair;
/// Reads an SRDF as a document: names are not looked up in any robot.
BERTH_API BerthStatus berth_io_read_srdf(const char* path, const BerthIoOptions* options, BerthSrdf** out);
/// Frees a document; null is fine.
BERTH_API void berth_io_free_srdf(BerthSrdf* srdf);
/// Its pairs, in the order of the file; texts are borrowed.
BERTH_API int32_t berth_srdf_pair_count(const BerthSrdf* srdf);
/// One of its pairs; texts are borrowed from the document.
BERTH_API BerthSrdfPair berth_srdf_pair(const BerthSrdf* srdf, int32_t index);
/// The text of an SRDF for the robot `name` with these pairs, and everything of `rest` (may be null) but its own pairs
/// and disable_default_collisions; comments of `rest` are not kept. `comment` (may be null) stands at the top.
BERTH_API BerthStatus berth_io_srdf_text(const char* name, const BerthSrdf* rest, const char* comment,
                                         const BerthSrdfPair* pairs, int32_t count,
                                         const BerthIoOptions* options, char** text, size_t* size);
/// Frees what berth_io_srdf_text gave.
BERTH_API void berth_io_free_srdf_text(const BerthIoOptions* options, char* text, size_t size);

// ---- maps and point clouds --------------------------------------------------------------------------------------

/// A map and where its bytes are: a .bmap stays a mapped file, everything else is built in memory.
typedef struct BerthMap BerthMap;

/// How a file becomes a map. Start from berth_default_map_options().
typedef struct BerthMapOptions {
    double
        resolution;  ///< metres a cell: of .npy volumes, clouds and meshes (needed there); 0: what the file says
    bool has_origin;   ///< else .npy: 0; clouds and meshes: as they need
    BerthVec3 origin;  ///< corner of cell (0, 0, 0)
    int32_t levels;    ///< clouds and meshes: 2^levels cells a side; < 0: as they need
    double radius;     ///< clouds: points are balls of this radius, metres
    bool
        unknown_given;  ///< else .bmap: as it was built; clouds and meshes: what they do not touch is free; all other: occupied
    bool unknown_is_free;  ///< when given: unknown cells are no obstacles
    uint32_t parts;        ///< BerthFieldPart; a .bmap that has them keeps all that it has
    size_t memory_limit;   ///< bytes; 0: 4 GB. What would need more is refused with how much that is
    bool (*progress)(void* user, double share);  ///< as in BerthFieldDef; may be null
    void* progress_user;                         ///< passed to `progress`
    uint32_t stamp;  ///< set by the default function; ties the def to this library version
} BerthMapOptions;
/// The options to start from: what the file says, no parts.
BERTH_API BerthMapOptions berth_default_map_options(void);

/// What is known about a map beside its field.
typedef struct BerthMapFacts {
    const char* format;       ///< "lin", "octomap", "map_server", "npy", "points", "mesh", "scene" or "bmap"
    int64_t points, dropped;  ///< of a cloud: taken, and left out because they are NaN or infinite or outside
    int64_t open_meshes;      ///< meshes of which only the surface is occupied
    bool background_taken_free;  ///< nothing says that the rest is free: clouds and meshes
    uint64_t file_bytes;         ///< size of the file
} BerthMapFacts;

/// By extension: .lin, .bt and .ot, .yaml of ROS' map_server (with its PGM or PNG), .npy, .pcd .ply .xyz .csv .txt
/// .pts (points),
/// .stl .obj .dae .gltf .glb (meshes), .yaml scenes (their standing objects), .bmap. A PLY with faces is a mesh.
/// Images that are turned (yaw) are refused. A file that is mapped must not
/// be written over in place (berth renames).
BERTH_API BerthStatus berth_io_open_map(const char* path, const BerthMapOptions* map_options,
                                        const BerthIoOptions* options, BerthMap** out);
/// Frees a map and its field; null is fine.
BERTH_API void berth_io_close_map(BerthMap* map);
/// Lives as long as the map.
BERTH_API const BerthField* berth_map_field(const BerthMap* map);
/// Where the map came from and what that leaves open.
BERTH_API BerthMapFacts berth_map_facts(const BerthMap* map);
/// The field alone, whole in memory: berth_field_destroy. For scenes. `facts` may be null.
BERTH_API BerthStatus berth_io_read_field(const char* path, const BerthMapOptions* map_options,
                                          const BerthIoOptions* options, BerthField** out,
                                          BerthMapFacts* facts);
/// Is it a map by its name: .lin, .bt, .ot, .bmap; or a .yaml file that is there and has a line "image:"?
BERTH_API bool berth_io_is_map(const char* path);

/// By extension, written beside and renamed: .bmap (everything, with a checksum), .lin (obstacles; cells 1 wide from
/// 0; its sizes are powers
/// of two, and what is then outside of the map is occupied unless the field takes unknown cells as free, with a
/// warning), .bt (3-D; occupied and free
/// leaves), .npy (int8: -1 unknown, 0 free, 1 occupied; the map's size), .yaml (2-D; with an image NAME.pgm beside
/// it). `facts` may be null.
BERTH_API BerthStatus berth_io_write_map(const char* path, const BerthField* field,
                                         const BerthMapFacts* facts, const BerthIoOptions* options);

/// Points of a cloud: finite, within 1e7 m.
typedef struct BerthPoints {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    BerthVec3* points;         ///< count of them, in the cloud's frame
    int64_t count, capacity;   ///< points, and room for
    int64_t dropped;           ///< NaN or infinite
} BerthPoints;
/// .pcd (ascii, binary, binary_compressed), .ply (ascii, binary of both orders), and text of x y z (.xyz .csv .txt
/// .pts).
BERTH_API BerthStatus berth_io_read_points(const char* path, const BerthIoOptions* options, BerthPoints* out);
/// Frees what berth_io_read_points gave.
BERTH_API void berth_io_free_points(BerthPoints* points);

/// Balls: centre and radius each, 4 numbers a ball; z is 0 in the plane.
typedef struct BerthBalls {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    double* balls;             ///< x, y, z, radius of each
    int64_t count;             ///< balls
} BerthBalls;
/// CSV with columns x, y, z, r, or with dim 2 x, y, r; in any order, or in this one without a header; radii >= 0.
BERTH_API BerthStatus berth_io_read_balls(const char* path, int32_t dim, const BerthIoOptions* options,
                                          BerthBalls* out);
/// Frees what berth_io_read_balls gave.
BERTH_API void berth_io_free_balls(BerthBalls* balls);

#ifdef __cplusplus
}
#endif
#endif
