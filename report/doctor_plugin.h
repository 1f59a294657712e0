/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_plugin.h - does Slurm find jobio.so, and would it take it?
 *
 * Terms   word: jobio.so as plugstack.conf names it. Without a '/' in front
 *           Slurm looks for it in the folders of PluginDir (plugstack.c:
 *           _spank_plugin_find).
 * Runs    jobio check, on the host itself only; adds findings, see
 *           doctor_view.h. The plugin is loaded in a child with a deadline:
 *           whatever it does there, it does to nobody.
 */
#ifndef JOBIO_REPORT_DOCTOR_PLUGIN_H
#define JOBIO_REPORT_DOCTOR_PLUGIN_H

#include "report/doctor_view.h"

void doctor_plugin(const struct doctor *doctor, const char *word);

#endif
