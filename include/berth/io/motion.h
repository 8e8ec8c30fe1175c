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

/// Many states: row_count rows of value_count values, in the scene's order. Joints that a CSV does not name
/// keep the scene's values.
typedef struct BerthStates {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t row_count;         ///< states
    int32_t value_count;       ///< values per state
    double* values;            ///< row_count rows of value_count
} BerthStates;
/// Reads a .csv with a header of joint names, or an .npy. At least one row. A column of a joint that follows
/// another one must agree with that (within 1e-6), here and in the readers below.
BERTH_API BerthStatus berth_io_read_states(const char* path, const BerthScene* scene,
                                           const BerthIoOptions* options, BerthStates* out);
/// Frees what berth_io_read_states returned.
BERTH_API void berth_io_free_states(BerthStates* states);
/// Writes the values of a text such as "joint1=0.1,joint2=-0.5" over `values` (berth_scene_value_count of
/// them); on failure `values` is not changed.
BERTH_API BerthStatus berth_io_parse_state(const char* text, const BerthScene* scene, double* values);

/// A trajectory: rows of values in the scene's order. Joints that the file does not name keep the scene's
/// values.
typedef struct BerthTrajectory {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t row_count;         ///< states
    int32_t value_count;       ///< values per state
    double* positions;         ///< row_count rows of value_count
    double* velocities;        ///< likewise, per second, or null; 0 for joints that are not named
    double* accelerations;     ///< likewise, per second squared, or null
    double* times;             ///< row_count times, seconds, strictly increasing; or null
    bool times_from_start;     ///< they count from the start of the motion, which may precede the first row
    bool* named;               ///< value_count flags: the file names this value
    char* path;                ///< of the file, for error texts
    int64_t* lines;            ///< row_count line numbers, or byte offsets in a binary file
    bool binary;               ///< `lines` are byte offsets
    /// For a merged trajectory: value_count curves per segment, and `lines` are row numbers; otherwise null
    BerthCurve* curves;
} BerthTrajectory;
/// Reads a .csv with a header of joint names and optionally `time`, `JOINT:velocity`, `JOINT:acceleration`;
/// JSON or YAML of trajectory_msgs/JointTrajectory, also inside MoveIt's RobotTrajectory; or an .npy. At
/// least one row. Opposite orientations of a floating joint in consecutive rows are refused.
BERTH_API BerthStatus berth_io_read_trajectory(const char* path, const BerthScene* scene,
                                               const BerthIoOptions* options, BerthTrajectory* out);
/// Frees what berth_io_read_trajectory returned.
BERTH_API void berth_io_free_trajectory(BerthTrajectory* trajectory);

/// How values run from one row to the next.
typedef enum BerthInterpolation {
    BERTH_INTERPOLATION_LINEAR = 0,  ///< straight segments
    BERTH_INTERPOLATION_CUBIC,       ///< through positions and velocities, as ROS controllers do
    BERTH_INTERPOLATION_QUINTIC      ///< through positions, velocities and accelerations
} BerthInterpolation;
/// "linear", "cubic" or "quintic".
BERTH_API const char* berth_interpolation_name(BerthInterpolation interpolation);
/// The interpolation that a ROS joint trajectory controller uses for this file: straight segments for
/// positions only, cubics with velocities, quintics with accelerations. Fails where the controller would: for
/// velocities without times, or accelerations without velocities.
BERTH_API BerthStatus berth_trajectory_interpolation(const BerthTrajectory* trajectory,
                                                     BerthInterpolation* out);
/// The number of rows less one; a single row is one segment of length zero, so that its state is checked.
BERTH_API int32_t berth_trajectory_segment_count(const BerthTrajectory* trajectory);
/// Segment `index`, from row `index` to the next; timed when the trajectory is: the motion starts with the
/// first row, or at time 0 where times count from the start. Its arrays are borrowed from the trajectory;
/// cubic and quintic segments also borrow `curves` (value_count curves; may be null for linear), which this
/// function fills. Fails when velocities, accelerations or times are missing, when a floating joint would
/// turn along a curve, or when a curve exceeds the valid range of values. Segments of a merged trajectory are
/// as they were merged, whatever `interpolation` says.
BERTH_API BerthStatus berth_trajectory_segment(const BerthTrajectory* trajectory, const BerthScene* scene,
                                               int32_t index, BerthInterpolation interpolation,
                                               BerthCurve* curves, BerthSegment* out);
/// Is the whole motion free, as a ROS joint trajectory controller executes it? One call, as
/// berth_motion_check_path; for frequent queries keep a BerthMotionChecker and check each
/// berth_trajectory_segment.
BERTH_API BerthStatus berth_trajectory_check(const BerthTrajectory* trajectory, const BerthScene* scene,
                                             double margin, BerthPathResult* out);
/// Adds whole turns to the values of continuous joints and to planar angles, so that each row is reached from
/// the one before the shorter way round. Half a turn, and a turn of a joint that others follow, are errors,
/// after which the trajectory must not be used.
BERTH_API BerthStatus berth_trajectory_wrap(BerthTrajectory* trajectory, const BerthScene* scene);
/// Merges motions of different joints into one over their common time: a row wherever a part has one, and
/// between rows each part's own interpolation, split at that time. Before a part's first row and after its
/// last its joints stand still. `interpolations` has one entry per part. Fails when a part has no times, when
/// two parts name the same joint, and where berth_trajectory_segment does.
BERTH_API BerthStatus berth_trajectory_merge(const BerthTrajectory* parts,
                                             const BerthInterpolation* interpolations, int32_t part_count,
                                             const BerthScene* scene, BerthTrajectory* out);

/// Many independent straight segments.
typedef struct BerthSegments {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t segment_count;     ///< segments
    int32_t value_count;       ///< values per state
    double* values;            ///< per segment: value_count values at its start, then value_count at its end
    char* path;                ///< as in BerthTrajectory
    int64_t* lines;            ///< segment_count line numbers, or byte offsets in a binary file
    bool binary;               ///< `lines` are byte offsets
} BerthSegments;
/// Reads a .csv with columns JOINT:from and JOINT:to, or an .npy of shape (n, 2, values). At least one row.
BERTH_API BerthStatus berth_io_read_segments(const char* path, const BerthScene* scene,
                                             const BerthIoOptions* options, BerthSegments* out);
/// Frees what berth_io_read_segments returned.
BERTH_API void berth_io_free_segments(BerthSegments* segments);
/// Segment `index`, 0 <= index < segment_count; its arrays are borrowed.
BERTH_API BerthSegment berth_segments_segment(const BerthSegments* segments, int32_t index);
/// As berth_trajectory_wrap, for the end of each segment. After a failure the segments must not be used.
BERTH_API BerthStatus berth_segments_wrap(BerthSegments* segments, const BerthScene* scene);

/// A file of states or of segments of any size that is read piece by piece: the same rows as
/// berth_io_read_states or berth_io_read_segments would read, with the same errors and texts. Its header has
/// been read; its rows are not kept.
typedef struct BerthRows BerthRows;
/// Some consecutive rows of such a file, and the memory to read them: one per thread.
typedef struct BerthRowPiece BerthRowPiece;
/// Opens `path`, as segments or as states. The scene, `path` and what `options` point to are borrowed until
/// it is closed.
BERTH_API BerthStatus berth_io_open_rows(const char* path, const BerthScene* scene, bool segments,
                                         const BerthIoOptions* options, BerthRows** out);
/// Closes the file; null is fine. Its pieces must be destroyed first.
BERTH_API void berth_io_close_rows(BerthRows* rows);
/// The number of rows; -1 for a CSV, whose number of rows is known only at its end.
BERTH_API int64_t berth_rows_count(const BerthRows* rows);
/// Numbers in a row: the scene's value_count for states, twice that for segments.
BERTH_API int32_t berth_rows_row_size(const BerthRows* rows);
/// The share of the file that was taken, 0 to 1.
BERTH_API double berth_rows_share(const BerthRows* rows);
/// A piece with room for `most` rows (> 0).
BERTH_API BerthStatus berth_row_piece_create(const BerthRows* rows, int32_t most, BerthRowPiece** out);
/// Frees a piece; null is fine.
BERTH_API void berth_row_piece_destroy(BerthRowPiece* piece);
/// Takes rows from `first` (>= 0) on: as many as fit, fewer at the end of the file, none beyond it. `*count`
/// receives their number. By one thread at a time. In a CSV rows before `first` are skipped without being
/// checked; going back starts at the beginning again. A file without rows is an error when its first row is
/// taken.
BERTH_API BerthStatus berth_rows_take(BerthRows* rows, int64_t first, BerthRowPiece* piece, int32_t* count);
/// Reads the rows that were taken into `values` (count rows of row_size). By any thread, each with its own
/// piece, also while another thread takes rows. The text of a failure names the file and the line or byte.
BERTH_API BerthStatus berth_row_piece_read(BerthRowPiece* piece, double* values);
/// Writes the place of row `row` of the piece, from 0, that was read: "FILE:LINE" or "FILE: byte N".
BERTH_API void berth_row_piece_line(const BerthRowPiece* piece, int32_t row, char* text, size_t size);

/// Writes a certificate all of whose segments are proven: text with a checksum, to a temporary file that is
/// then renamed. The scene must be the one in which it was recorded; its names go into the file for readers.
BERTH_API BerthStatus berth_io_write_certificate(const char* path, const BerthCertificate* certificate,
                                                 const BerthScene* scene, const BerthIoOptions* options);
/// Reads a certificate for this scene. Nothing that it says is verified yet: see berth_certificate_verify.
BERTH_API BerthStatus berth_io_read_certificate(const char* path, const BerthScene* scene,
                                                const BerthIoOptions* options, BerthCertificate** out);

/// What a certificate states about itself, without its scene.
typedef struct BerthCertificateFacts {
    int64_t segment_count;    ///< segments of the motion
    int64_t record_count;     ///< records of all segments, which a verifier proves again
    int32_t constant_count;   ///< pairs that never move relative to each other
    int32_t value_count;      ///< values of the scene
    int32_t body_count;       ///< bodies of the scene
    int32_t file_count;       ///< files that it was made from
    int32_t moving_count;     ///< objects that may move
    BerthMoving moving;       ///< what is assumed of them
    double margin;            ///< metres
    double self_margin;       ///< between two links of one robot, metres
    double delta;             ///< metres; information only
    char interpolation[100];  ///< as recorded, or ""
    /// "file SUM NAME" for each file, "assumed COUNT WORD" for what the scene assumes; each ends with '\n'
    char* lines;
    size_t lines_capacity;     ///< bytes allocated for them
    BerthAllocator allocator;  ///< that of `lines`
} BerthCertificateFacts;
/// Does the file begin as certificates do?
BERTH_API bool berth_io_is_certificate(const char* path);
/// Reads these facts. The checksum must be right and the version must be this library's; that proves nothing.
BERTH_API BerthStatus berth_io_read_certificate_facts(const char* path, const BerthIoOptions* options,
                                                      BerthCertificateFacts* out);
/// Frees the lines.
BERTH_API void berth_io_free_certificate_facts(BerthCertificateFacts* facts);

/// A recorded motion of a body (a hand, a tool): the poses of its frame.
typedef struct BerthPoses {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    int32_t row_count;         ///< rows of the file
    BerthPose* poses;          ///< world_from_body, row_count of them
    double* times;             ///< seconds, strictly increasing; null when the file has none
} BerthPoses;
/// Reads a CSV with columns x, y, z (metres), optionally qx, qy, qz, qw or roll, pitch, yaw, and optionally
/// time, in any order. At least one row.
BERTH_API BerthStatus berth_io_read_poses(const char* path, const BerthAllocator* allocator, BerthPoses* out);
/// Frees what berth_io_read_poses returned.
BERTH_API void berth_io_free_poses(BerthPoses* poses);

#ifdef __cplusplus
}
#endif
#endif
