/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/weka.h"

#include <stddef.h>

#include "client/weka/cores.h"
#include "client/weka/facts.h"
#include "client/weka/judge.h"
#include "client/weka/options.h"
#include "client/weka/wire.h"

/* cores first: a restarted client may come back with other options */
static const struct change_kind *const changes[] = { &weka_cores,
						     &weka_mount_option, NULL };

const struct client_type_ops weka_type = {
	.name = "weka",
	.fstypes = WEKA_FSTYPE,
	.facts_size = sizeof(struct weka_facts),
	.clear = weka_facts_clear,
	.inspect = weka_inspect,
	.load = weka_load,
	.keep = weka_keep,
	.key = weka_key,
	.rules = weka_rules,
	.changes = changes,
	.wire = weka_wire_read,
	.wire_source = "container.sock",
	.sizing = &weka_sizing,
	.cores_command = weka_cores_command,
};
