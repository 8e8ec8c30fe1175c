// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// `berth path --certificate`: writes the proof of a free motion to a file. `--verify`: verifies a proof instead of searching.
// Entries: path_write_certificate, path_verify_certificate.

#include <math.h>
#include <stdlib.h>

#include "cli/files.h"
#include "cli/path/path.h"

static int report_interrupt(const PathJob* job, int32_t done) {
    fprintf(stderr, "berth path: interrupted after %d of %d segments of the certificate\n", (int)done,
            (int)job->segment_count);
    return EXIT_INTERRUPTED;
}

static bool stopped_by_user(void* user) {
    (void)user;
    return cli_interrupted();
}

// A little below a proven clearance, but not below the requested margin.
static double margin_below(double clearance, double margin) {
    const double below = clearance * (1.0 - 1e-6);
    return below > margin && below <= 1e6 ? below : margin;
}

// Checks all segments once more, in order and on this thread, and records what proves each.
static int record_segments(const PathJob* job, BerthMotionChecker* motion, BerthCertificate* certificate) {
    BerthCurve* curves = calloc((size_t)job->question->value_count + 1, sizeof *curves);
    if (curves == NULL) {
        return cli_out_of_memory();
    }

    const BerthMotionRequest request = {.certificate = certificate};
    BerthStatus status = BERTH_OK;
    int32_t done = 0;

    for (; done < job->segment_count && status == BERTH_OK && !cli_interrupted(); ++done) {
        BerthSegment segment;
        BerthMotionResult result;
        status = path_segment(job, done, curves, &segment);
        if (status == BERTH_OK) {
            status = berth_motion_check_segment(motion, &segment, &request, &result);
        }

        if (status == BERTH_OK && result.verdict == BERTH_UNKNOWN && cli_interrupted()) {
            break;
        }
    }

    free(curves);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }
    return done < job->segment_count ? report_interrupt(job, done) : EXIT_FREE;
}

// With these margins; if a segment could not be shown free with them, `*proven` is false and nothing is written.
static int write_with_margins(const PathJob* job, double margin, double self_margin, bool* proven) {
    BerthMotionCheckerDef def = job->def;
    def.margin = margin;
    def.self_margin = self_margin;
    def.cancelled = stopped_by_user;

    BerthMotionChecker* motion = NULL;
    BerthCertificate* certificate = NULL;
    BerthStatus made = berth_motion_checker_create(job->question->scene, &def, &motion);
    if (made == BERTH_OK) {
        made = berth_certificate_create(motion, NULL, &certificate);
    }

    if (made == BERTH_OK) {
        berth_certificate_set_interpolation(certificate, job->interpolation_name);
    }

    int status = made == BERTH_OK ? record_segments(job, motion, certificate) : cli_report_failure(made);
    int64_t count = 0;
    *proven = status == EXIT_FREE && berth_certificate_segment_count(certificate, &count) == count;

    if (*proven) {
        const BerthStatus wrote = berth_io_write_certificate(job->question->options->certificate, certificate,
                                                             job->question->scene, &job->question->io);
        status = wrote == BERTH_OK ? files_commit() : cli_report_failure(wrote);
    }

    berth_certificate_destroy(certificate);
    berth_motion_checker_destroy(motion);
    return status;
}

int path_write_certificate(const PathJob* job) {
    const char* file = job->question->options->certificate;
    if (path_verdict(job) != BERTH_FREE) {
        fprintf(stderr, "%s: not written: the motion is not proven free\n", file);
        return EXIT_FREE;  // the verdict decides
    }

    // Prove the clearances in the answer, as margins a little below them; if that fails, the requested margins.
    const double asked_self = job->def.self_margin >= 0.0 ? job->def.self_margin : job->def.margin;
    const double margin = margin_below(job->counts.environment.lower, job->def.margin);
    const double self_margin = margin_below(job->counts.self.lower, asked_self);

    bool proven = false;
    int status = EXIT_FREE;

    if (margin > job->def.margin || self_margin > asked_self) {
        status = write_with_margins(job, margin, self_margin, &proven);
    }
    if (status == EXIT_FREE && !proven) {
        status = write_with_margins(job, job->def.margin, asked_self, &proven);
    }

    if (status == EXIT_FREE && !proven) {
        fprintf(stderr, "%s: not written: a segment was not proven free again\n", file);
        status = EXIT_UNKNOWN;
    }
    return status;
}

// ---- checking one --------------------------------------------------------------------------------------------

static void report_holds(Text* text, const PathJob* job, const BerthCertificateReport* report) {
    const PathCounts* counts = &job->counts;

    if (!job->question->options->json) {
        text_printf(text, "the certificate holds: %d segment%s free", (int)job->segment_count,
                    job->segment_count == 1 ? " is" : "s are");
        if (job->segments == NULL) {
            text_printf(text, " (%s between rows)", job->interpolation_name);
        }
        if (isfinite(report->clearance)) {
            text_puts(text, "; its records alone show that every gap is larger than ");
            text_length(text, report->clearance);
        }
        text_printf(text, " (%lld records at %lld configurations proven again in %.3g s)\n",
                    (long long)report->records, (long long)report->configurations, job->seconds);
        if (job->question->moving == BERTH_MOVING_REACH) {
            text_puts(text, "it holds wherever objects that may move can have got to\n");
        }
        if (!job->question->options->quiet) {
            cli_text_assumed(text, job->question->scene, job->question->moving, counts->answers.outside_count,
                             job->late_count, report->proven_count);
        }
        return;
    }

    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_text(&json, "verdict", berth_verdict_name(BERTH_FREE));
    json_key_text(&json, "certificate", "holds");

    json_key_open(&json, "clearance", '{');
    json_key_number(&json, "lower", report->clearance);
    json_key_open(&json, "self", '{');
    json_key_number(&json, "lower", report->self_clearance);
    json_close(&json, '}');
    json_key_open(&json, "environment", '{');
    json_key_number(&json, "lower", report->environment_clearance);
    json_close(&json, '}');
    json_close(&json, '}');

    path_json_margins(&json, job);
    json_key_int(&json, "segments", job->segment_count);
    if (job->segments == NULL) {
        json_key_text(&json, "interpolation", job->interpolation_name);
    }
    cli_json_assumed(&json, job->question->scene, job->question->moving, counts->answers.outside_count,
                     job->late_count, report->proven_count);

    json_key_open(&json, "stats", '{');
    json_key_int(&json, "configurations", report->configurations);
    json_key_int(&json, "records", report->records);
    json_key_int(&json, "pairs", berth_scene_pair_count(job->question->scene));
    json_key_number(&json, "seconds", job->seconds);
    json_close(&json, '}');

    json_close(&json, '}');
    text_puts(text, "\n");
}

static int verify_segments(PathJob* job, const BerthCertificate* certificate, BerthSegment* segments,
                           BerthCurve* curves) {
    BerthStatus status = BERTH_OK;

    for (int32_t i = 0; i < job->segment_count && status == BERTH_OK; ++i) {
        status = path_segment(job, i,
                              curves != NULL ? curves + (size_t)i * (size_t)job->question->value_count : NULL,
                              &segments[i]);
    }
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    BerthCertificateReport report;
    const BerthVerifyDef asked = berth_motion_verify_def(&job->def);
    const double start = cli_seconds();
    status = berth_certificate_verify(certificate, job->question->scene, segments, job->segment_count, &asked,
                                      &report);
    job->seconds = cli_seconds() - start;

    if (status != BERTH_OK) {
        if (status == BERTH_ERR_ARGUMENT) {
            fprintf(stderr, "%s: it does not hold: %s\n", job->question->options->verify, berth_error_text());
            return EXIT_WRONG;
        }
        return cli_report_failure(status);
    }

    job->question->moving =
        report.moving;  // a proof for all that they can reach assumes nothing, even if that was not requested
    job->counts.answers.done = job->segment_count;
    job->counts.answers.free_count = job->segment_count;

    Text text = {0};
    report_holds(&text, job, &report);
    const int wrote = cli_write_output(&text);
    text_free(&text);
    return wrote;
}

int path_verify_certificate(PathJob* job) {
    BerthCertificate* certificate = NULL;
    const BerthStatus read = berth_io_read_certificate(job->question->options->verify, job->question->scene,
                                                       &job->question->io, &certificate);
    if (read != BERTH_OK) {
        return cli_report_failure(read);
    }

    const size_t count = (size_t)job->segment_count;
    const bool curved = job->interpolation != BERTH_INTERPOLATION_LINEAR && !job->merged;
    BerthSegment* segments = calloc(count + 1, sizeof *segments);
    BerthCurve* curves =
        curved ? calloc(count * (size_t)job->question->value_count + 1, sizeof *curves) : NULL;

    const int status = segments == NULL || (curved && curves == NULL)
                           ? cli_out_of_memory()
                           : verify_segments(job, certificate, segments, curves);

    free(segments);
    free(curves);
    berth_certificate_destroy(certificate);
    return status;
}
