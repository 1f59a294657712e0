/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm says of a node, and RUN/node.json. Parts: record of jobio-slurm,
 * node line, core map. What is taken is what a reservation is computed from. */
#include "lib/core_map.h"
#include "lib/node.h"
#include "lib/reservation.h"
#include "tests/fuzz/fuzz.h"

static void check_reservation(const struct node *node, const struct core_map *map,
			      enum reservation_kind kind, unsigned int count)
{
	struct reservation_request request = { kind, count };
	struct reservation reservation = { 0 };
	struct err err = { "" };

	if (reservation_compute(node, map, &request, &reservation, &err) == 0)
		free(reservation_abs_cpus_text(&reservation));
	else
		MUST(*err.text);
	reservation_free(&reservation);
}

static void reserve(const struct node *node, const struct core_map *map)
{
	check_reservation(node, map, RESERVATION_UNSET, 0);
	check_reservation(node, map, RESERVATION_CORES, 2);
	check_reservation(node, map, RESERVATION_THREADS, 3);
}

static struct core_map *check_map(const char *text)
{
	struct err err = { "" };
	struct core_map *map = core_map_parse(text, &err), *again;
	char *first, *second;

	MUST(map || *err.text);
	if (!map)
		return NULL;
	first = core_map_format(map);
	MUST(first);
	again = core_map_parse(first, &err);
	MUST(again);
	second = core_map_format(again);
	MUST(second && !strcmp(first, second));
	free(second);
	free(first);
	core_map_free(again);
	return map;
}

FUZZ(node)
{
	char *record = fuzz_part(&data, &size);
	char *line = fuzz_part(&data, &size);
	char *text = fuzz_part(&data, &size);
	struct core_map *map = check_map(text);
	struct findings findings = { 0 };
	struct node node;
	struct err err;

	if (node_parse_json(&node, record, &err) == 0) {
		if (map)
			reserve(&node, map);
	}
	node_init(&node);
	if (node_line_parse(&node, line, &findings, &err) == 0 && map)
		reserve(&node, map);
	findings_free(&findings);
	core_map_free(map);
	free(text);
	free(line);
	free(record);
	return 0;
}
