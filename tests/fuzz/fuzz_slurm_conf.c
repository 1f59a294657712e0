/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.conf, below a root of its own: includes name what is there. */
#include "lib/hostlist.h"
#include "lib/node.h"
#include "report/slurm_conf.h"
#include "tests/fuzz/fuzz.h"

static void look(const struct slurm_conf *conf)
{
	size_t i;
	struct findings findings = { 0 };
	const char *line, *name;
	struct node node;

	slurm_conf_is(conf, "SlurmdOffSpec", false);
	slurm_conf_has(conf, "PrologFlags", "Alloc");
	slurm_conf_get(conf, "SelectType");
	for (i = 0; i < 64; i++) {
		line = slurm_conf_record(conf, "NodeName", i, &name);
		if (!line)
			break;
		hostlist_match(name, "c1");
		node_init(&node);
		node_line_parse(&node, line, &findings, NULL);
	}
	findings_free(&findings);
}

FUZZ(slurm_conf)
{
	char *text = fuzz_text(data, size < 8192 ? size : 8192);
	struct slurm_conf *conf;
	struct err err = { "" };

	fuzz_file("slurm.conf", text);
	conf = slurm_conf_load(fuzz_folder(), "/slurm.conf", &err);
	MUST(conf || *err.text);
	if (conf)
		look(conf);
	slurm_conf_free(conf);
	hostlist_match(text, "c1");
	free(text);
	return 0;
}
