// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reports: one HTML file about one answer of a command, to read and to mail. First the answer in words, then plots and
// the 3-D view at the moment that matters, then the numbers and how to get them again.

#ifndef VIEW_REPORT_H
#define VIEW_REPORT_H

#include <berth/cover.h>

#include "view/view.h"

/// A report being made. Start with zeros except for borrowed members; call report_free at the end.
typedef struct Report {
    const char* command;    ///< "path"
    const char* title;      ///< a file
    Text words;             ///< HTML: the answer
    Text plots;             ///< HTML
    Text numbers;           ///< HTML: rows of a table
    Text page;              ///< a complete page of the view, or empty
    const char* page_note;  ///< the reason if there is no such page; may be null
    Text view_note;         ///< HTML: a note about it, or empty
} Report;

/// A line of a plot.
typedef struct ReportSeries {
    const char *name, *colour;
    const double *x, *y;  ///< NaN leaves a gap
    int count;
    bool dashed;
} ReportSeries;

typedef struct ReportPlot {
    const char *title, *x_name, *y_name;
    const ReportSeries* series;
    int series_count;
    double mark;  ///< on the x axis; NaN: none
    const char* mark_name;
} ReportPlot;

/// Adds the command's answer for people; its first line is the headline.
void report_words(Report* report, const char* text);
/// Adds every number and word of a JSON answer, as rows.
void report_numbers(Report* report, const char* json);
void report_plot(Report* report, const ReportPlot* plot);
/// Adds bars, one per name.
void report_bars(Report* report, const char* title, const char* unit, const char* const* names,
                 const double* values, int count);

/// What the view in a report shows. With all members zero except `question` and `title`: the scene in its state.
typedef struct ReportView {
    Question* question;                 ///< the scene is committed
    const BerthTrajectory* trajectory;  ///< or null
    BerthInterpolation interpolation;
    const char* title;
    bool profile;  ///< also plot the clearance along the motion; the view begins where the clearance is least
    double start;  ///< otherwise: where the view begins on the motion; NaN: at its least clearance
    const BerthSpheres* spheres;  ///< of the first robot, shown around it; or null
    ViewVisuals* visuals;         ///< the visuals of the scene's URDFs, or null
} ReportView;

/// Adds the view. If it cannot be made, the report gives the reason.
void report_view(Report* report, const ReportView* what);
/// Writes the report. EXIT_FREE, or a status after a message.
int report_write(Report* report, const char* path);
void report_free(Report* report);

#endif
