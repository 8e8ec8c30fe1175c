// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Files of motions: states, trajectories, segments, certificates, recorded poses.

#ifndef BERTH_IO_MOTION_H
#define BERTH_IO_MOTION_H

#include <berth/certificate.h>
#include <berth/io/syntax.h>
#include <berth/motion.h>
#include <berth/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Many states: row_count rows of value_count values, in the scene's order. Joints that a CSV does not name keep the
/// scene's state.
typedef struct BerthStates {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t row_count;         ///< states
    int32_t value_count;       ///< values of each
    double* values;            ///< row_count rows of value_count
} BerthStates;
/// .csv with a header of joint names, or .npy. At least one row. A column of a joint that follows another is compared with
/// that (1e-6), here and in the readers below.
BERTH_API BerthStatus berth_io_read_states(const char* path, const BerthScene* scene,
                                           const BerthIoOptions* options, BerthStates* out);
/// Frees what berth_io_read_states gave.
BERTH_API void berth_io_free_states(BerthStates* states);
/// "joint1=0.1,joint2=-0.5" written over `values` (berth_scene_value_count of them); on failure nothing is.
BERTH_API BerthStatus berth_io_parse_state(const char* text, const BerthScene* scene, double* values);

/// A trajectory: rows of values in the scene's order. Joints that the file does not name keep the scene's state.
typedef struct BerthTrajectory {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t row_count;         ///< states
    int32_t value_count;       ///< values of each
    double* positions;         ///< row_count rows of value_count
    double* velocities;        ///< the same, per second, or null; 0 for joints that are not named
    double* accelerations;     ///< the same, per second squared, or null
    double* times;             ///< row_count seconds, each larger than the one before; or null
    bool times_from_start;     ///< they count from the start of the motion, which may be before the first row
    bool* named;               ///< value_count: the file names it
    char* path;                ///< of the file, for texts
    int64_t* lines;            ///< row_count lines, or bytes of a binary file
    bool binary;               ///< `lines` are bytes
    /// Of a merged one: value_count a segment, and `lines` are numbers of rows; else null
    BerthCurve* curves;
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
/// Its name: "linear", "cubic" or "quintic".
BERTH_API const char* berth_interpolation_name(BerthInterpolation interpolation);
/// What a ROS joint trajectory controller makes of this file: straight lines through positions only, cubics through given
/// velocities, quintics through given accelerations. Fails where it could not: velocities without times, accelerations
/// without velocities.
BERTH_API BerthStatus berth_trajectory_interpolation(const BerthTrajectory* trajectory,
                                                     BerthInterpolation* out);
/// Rows less one; a single row is one segment of no length, so that its state is checked.
BERTH_API int32_t berth_trajectory_segment_count(const BerthTrajectory* trajectory);
/// Segment `index`, from row `index` to the next, timed when the trajectory is: the motion starts with the first row, or at
/// time 0 where times count from the start. Its arrays are borrowed from the trajectory; `curves` (value_count;
/// may be null for linear) is borrowed by cubic and quintic segments. Fails when velocities, accelerations or times are
/// missing, when a floating joint would turn along a curve, or when a curve runs beyond what values may be. Segments of a
/// merged trajectory are as they were merged, whatever `interpolation` says.
BERTH_API BerthStatus berth_trajectory_segment(const BerthTrajectory* trajectory, const BerthScene* scene,
                                               int32_t index, BerthInterpolation interpolation,
                                               BerthCurve* curves, BerthSegment* out);
/// Is the whole motion free, as a ROS joint trajectory controller executes it? In one call, as berth_motion_check_path; who asks often
/// keeps a BerthMotionChecker and asks it about each berth_trajectory_segment.
BERTH_API BerthStatus berth_trajectory_check(const BerthTrajectory* trajectory, const BerthScene* scene,
                                             double margin, BerthPathResult* out);
/// Adds whole turns to the values of continuous joints and to planar angles, so that each row is reached from the one
/// before the shorter way round. Half a turn, and a turn of a joint that others follow, are errors; the trajectory is
/// then of no use.
BERTH_API BerthStatus berth_trajectory_wrap(BerthTrajectory* trajectory, const BerthScene* scene);
/// One motion of several that have joints of their own, over their times: a row wherever one of them has one, and between
/// rows what each file says, cut at that time. Before its first row and behind its last a file's joints stand there.
/// `interpolations` has one a part. Fails when a part has no times, when two name the same joint, and as
/// berth_trajectory_segment does.
BERTH_API BerthStatus berth_trajectory_merge(const BerthTrajectory* parts,
                                             const BerthInterpolation* interpolations, int32_t part_count,
                                             const BerthScene* scene, BerthTrajectory* out);

/// Many segments that have nothing to do with each other: straight lines.
typedef struct BerthSegments {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t segment_count;     ///< segments
    int32_t value_count;       ///< values of a state
    double* values;            ///< segment_count times: value_count values at its start, then at its end
    char* path;                ///< as in BerthTrajectory
    int64_t* lines;            ///< segment_count
    bool binary;               ///< `lines` are bytes
} BerthSegments;
/// .csv with columns JOINT:from and JOINT:to, or .npy of shape (n, 2, values). At least one row.
BERTH_API BerthStatus berth_io_read_segments(const char* path, const BerthScene* scene,
                                             const BerthIoOptions* options, BerthSegments* out);
/// Frees what berth_io_read_segments gave.
BERTH_API void berth_io_free_segments(BerthSegments* segments);
/// Segment `index`, 0 <= index < segment_count; its arrays are borrowed.
BERTH_API BerthSegment berth_segments_segment(const BerthSegments* segments, int32_t index);
/// As berth_trajectory_wrap, for the end of each. After a failure the segments are of no use.
BERTH_API BerthStatus berth_segments_wrap(BerthSegments* segments, const BerthScene* scene);

/// A file of states or of segments that is read piece by piece, so that it may be of any size: what berth_io_read_states or
/// berth_io_read_segments would read, with the same refusals and texts, row after row. Its header was read; nothing is kept
/// of its rows.
typedef struct BerthRows BerthRows;
/// Some consecutive rows of it, and the memory to read them: one a thread.
typedef struct BerthRowPiece BerthRowPiece;
/// Opens `path`, as segments or as states. The scene, `path` and what `options` point to are borrowed until it is closed.
BERTH_API BerthStatus berth_io_open_rows(const char* path, const BerthScene* scene, bool segments,
                                         const BerthIoOptions* options, BerthRows** out);
/// Closes it; null is fine. Its pieces must be destroyed before.
BERTH_API void berth_io_close_rows(BerthRows* rows);
/// How many rows there are; -1 for a CSV, which shows that at its end.
BERTH_API int64_t berth_rows_count(const BerthRows* rows);
/// Numbers of a row: the scene's value_count, of segments twice that.
BERTH_API int32_t berth_rows_row_size(const BerthRows* rows);
/// Which share of the file was taken, 0 to 1.
BERTH_API double berth_rows_share(const BerthRows* rows);
/// A piece of at most `most` rows (> 0).
BERTH_API BerthStatus berth_row_piece_create(const BerthRows* rows, int32_t most, BerthRowPiece** out);
/// Frees it; null is fine.
BERTH_API void berth_row_piece_destroy(BerthRowPiece* piece);
/// Takes rows from `first` (>= 0) on: as many as fit, fewer at the end of the file, none behind it. `*count` says how many. By
/// one thread at a time. In a CSV rows before `first` are skipped unseen; going back begins at its start again. A file
/// without a row is an error when its first row is asked for.
BERTH_API BerthStatus berth_rows_take(BerthRows* rows, int64_t first, BerthRowPiece* piece, int32_t* count);
/// Reads what was taken into `values` (count rows of row_size). Any thread, each with its own piece; others may take
/// meanwhile. The text of a failure names the file and the line or byte.
BERTH_API BerthStatus berth_row_piece_read(BerthRowPiece* piece, double* values);
/// "FILE:LINE" or "FILE: byte N" of row `row` of the piece, counted from 0, that was read.
BERTH_API void berth_row_piece_line(const BerthRowPiece* piece, int32_t row, char* text, size_t size);

/// Writes a certificate all of whose segments are proven: text with a checksum, beside and renamed. The scene is the
/// one it was recorded in; its names go into the file for people.
BERTH_API BerthStatus berth_io_write_certificate(const char* path, const BerthCertificate* certificate,
                                                 const BerthScene* scene, const BerthIoOptions* options);
/// Reads one about this scene. What it says is not believed yet: berth_certificate_verify.
BERTH_API BerthStatus berth_io_read_certificate(const char* path, const BerthScene* scene,
                                                const BerthIoOptions* options, BerthCertificate** out);

/// What a certificate says about itself, without the scene that it is about.
typedef struct BerthCertificateFacts {
    int64_t segment_count;    ///< segments of the motion
    int64_t record_count;     ///< records of all of them: what a verifier proves again
    int32_t constant_count;   ///< pairs that never move against each other
    int32_t value_count;      ///< values of the scene
    int32_t body_count;       ///< bodies of the scene
    int32_t file_count;       ///< files that it was made from
    int32_t moving_count;     ///< objects that may move
    BerthMoving moving;       ///< and what is proven of them
    double margin;            ///< metres
    double self_margin;       ///< of two links of one robot, metres
    double delta;             ///< metres; proves nothing
    char interpolation[100];  ///< as it was noted, or ""
    char*
        lines;  ///< "file SUM NAME" of each file, "assumed COUNT WORD" of what the scene assumes; '\n' behind each
    size_t lines_capacity;     ///< bytes taken for them
    BerthAllocator allocator;  ///< of the lines
} BerthCertificateFacts;
/// Is this a file that begins as certificates do?
BERTH_API bool berth_io_is_certificate(const char* path);
/// Reads them. The checksum must be right and the version must be this library's; nothing is proven by that.
BERTH_API BerthStatus berth_io_read_certificate_facts(const char* path, const BerthIoOptions* options,
                                                      BerthCertificateFacts* out);
/// Frees the lines.
BERTH_API void berth_io_free_certificate_facts(BerthCertificateFacts* facts);

/// A recorded motion of a body (a hand, a tool): where its frame was.
typedef struct BerthPoses {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t row_count;         ///< rows of the file
    BerthPose* poses;          ///< world_from_body, row_count of them
    double* times;             ///< seconds, each larger than the one before; null when the file has none
} BerthPoses;
/// CSV with columns x, y, z (metre), perhaps qx, qy, qz, qw or roll, pitch, yaw, perhaps time; in any order. At least
/// one row.
BERTH_API BerthStatus berth_io_read_poses(const char* path, const BerthAllocator* allocator, BerthPoses* out);
/// Frees what berth_io_read_poses gave.
BERTH_API void berth_io_free_poses(BerthPoses* poses);

#ifdef __cplusplus
}
#endif
#endif
