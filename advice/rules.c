/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/rules.h"

#include "advice/calls.h"
#include "advice/setup.h"

/* Thresholds and their sources are in advice/limits.h. */
const struct rule rules[] = {
	{ "A03", ADVICE_LIKELY, false, RULE_LARGE, calls_direct_small },
	{ "A04", ADVICE_LIKELY, false, RULE_LARGE, calls_direct_metadata },
	{ "A05", ADVICE_LIKELY, false, RULE_LARGE, calls_cached_stream },
	{ "A14", ADVICE_PERHAPS, false, RULE_LARGE, calls_one_folder },
	{ "A17", ADVICE_PERHAPS, false, RULE_LARGE, calls_lustre_buffered },
	{ "A18", ADVICE_SURE, false, RULE_LARGE, calls_nfs_ceiling },
	{ "A19", ADVICE_LIKELY, false, RULE_LARGE, calls_overfetch },
	{ "A20", ADVICE_SURE, true, RULE_ALWAYS, setup_no_profile },
	{ "A21", ADVICE_SURE, true, RULE_ALWAYS, setup_cores_unmet },
	{ "A22", ADVICE_LIKELY, false, RULE_LARGE, setup_core_bytes },
	{ "A23", ADVICE_LIKELY, false, RULE_LARGE, setup_core_calls },
	{ "A24", ADVICE_LIKELY, false, RULE_ALWAYS, setup_cores_idle },
	{ "A25", ADVICE_LIKELY, false, RULE_ALWAYS, setup_one_core },
	{ "A26", ADVICE_LIKELY, true, RULE_LARGE, setup_one_node },
	{ "A27", ADVICE_LIKELY, true, RULE_LARGE, setup_imbalance },
	{ "A28", ADVICE_LIKELY, true, RULE_LARGE, setup_slow_node },
	{ "A29", ADVICE_SURE, false, RULE_LARGE, setup_resent },
	{ 0 },
};
