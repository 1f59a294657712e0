/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/print.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sysfs.h"
#include "cores/locality.h"
#include "record/json.h"

void print_add_text(struct json *json, const char *key, char *text)
{
	json_add_text(json, key, text ? text : "");
	free(text);
}

void print_add_findings(struct json *json, const struct findings *findings)
{
	struct json *list = json_add_list(json, "findings"), *one;
	const struct finding *finding = findings->list;
	size_t i;

	for (i = 0; i < findings->count; i++, finding++) {
		one = json_append_object(list);
		field_write(finding_fields, finding, one, 0, false);
		if (finding->measured_at)
			json_add_number(one, "same_bytes", (int64_t)finding->measured_at);
	}
}

void print_add_nics(struct json *list, const struct client_nics *nics, const char *xml)
{
	const struct client_nic *nic;
	struct cpuset cpus;
	struct json *one;
	size_t i;

	for (i = 0; i < nics->count; i++) {
		nic = &nics->nic[i];
		one = json_append_object(list);
		json_add_text(one, "card", nic->name);
		json_add_known(one, "numa_node", nic->numa_node);
		json_add_known(one, "mtu", sysfs_interface_number(nic->name, "mtu"));
		if (nic->numa_node >= 0 && locality_of_node(xml, nic->numa_node, &cpus, NULL) == 0)
			print_add_text(one, "cpus", cpuset_format(&cpus));
		json_add_text(one, "serves", nic->serves);
	}
}

void print_json(struct json *json)
{
	puts(json_line(json));
	json_free(json);
}
