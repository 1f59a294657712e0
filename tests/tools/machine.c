/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine - print machines of tests/machines
 *
 *   machine xml NAME          its hwloc XML
 *   machine names             one a line
 *   machine entry FILE.xml    a recorded machine as an entry of the table
 *
 * 'entry' loads the file with the filters of Slurm's xcpuinfo.c.
 */
#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/machines/machines.h"

static const char table[] = SRCDIR "/tests/machines/machines.txt";

static int load(hwloc_topology_t *topology, const char *file)
{
	static const hwloc_obj_type_t dropped[] = {
		HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L4CACHE,
		HWLOC_OBJ_L5CACHE, HWLOC_OBJ_MISC,
	};

	if (hwloc_topology_init(topology) < 0 || hwloc_topology_set_xml(*topology, file) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		hwloc_topology_set_type_filter(*topology, dropped[i], HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_io_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	return hwloc_topology_load(*topology);
}

/* ---- entry ------------------------------------------------------------------- */

/* Write numbers in their order: "0-3,8,16-22/2". */
static void put_list(FILE *out, const unsigned int *numbers, unsigned int count)
{
	unsigned int i, end, step;

	for (i = 0; i < count; i = end) {
		end = i + 1;
		step = end < count && numbers[end] > numbers[i] ? numbers[end] - numbers[i] : 0;
		while (step && end < count && numbers[end] == numbers[end - 1] + step)
			end++;
		if (end - i == 2 && step > 1)
			end = i + 1;
		fprintf(out, "%s%u", i ? "," : "", numbers[i]);
		if (end - i > 1)
			fprintf(out, "-%u", numbers[end - 1]);
		if (end - i > 1 && step > 1)
			fprintf(out, "/%u", step);
	}
}

static void put_set(FILE *out, const char *word, hwloc_const_bitmap_t set)
{
	unsigned int *numbers = calloc((size_t)hwloc_bitmap_last(set) + 2, sizeof(*numbers));
	unsigned int count = 0;
	int bit;

	for (bit = hwloc_bitmap_first(set); bit >= 0; bit = hwloc_bitmap_next(set, bit))
		numbers[count++] = (unsigned int)bit;
	fprintf(out, "%s ", word);
	if (count)
		put_list(out, numbers, count);
	else
		fputc('-', out);
	free(numbers);
}

static const char *word_of(hwloc_obj_type_t type)
{
	switch (type) {
	case HWLOC_OBJ_PACKAGE:
		return "package";
	case HWLOC_OBJ_DIE:
		return "die";
	case HWLOC_OBJ_GROUP:
		return "group";
	case HWLOC_OBJ_L3CACHE:
		return "l3";
	case HWLOC_OBJ_CORE:
		return "core";
	case HWLOC_OBJ_PU:
		return "pu";
	case HWLOC_OBJ_MEMCACHE:
		return "memcache";
	case HWLOC_OBJ_NUMANODE:
		return "numa";
	default:
		fprintf(stderr, "machine: a level that the table has not: %s\n",
			hwloc_obj_type_string(type));
		exit(1);
	}
}

static bool has_number(hwloc_obj_t obj)
{
	return obj->os_index != HWLOC_UNKNOWN_INDEX && obj->type != HWLOC_OBJ_L3CACHE &&
	       obj->type != HWLOC_OBJ_GROUP;
}

/* Write the CPUs that no object below contains: offline CPUs. */
static void put_offline(FILE *out, hwloc_obj_t obj)
{
	hwloc_bitmap_t gone = hwloc_bitmap_dup(obj->complete_cpuset);

	hwloc_bitmap_andnot(gone, gone, obj->cpuset);
	for (unsigned int i = 0; i < obj->arity; i++)
		hwloc_bitmap_andnot(gone, gone, obj->children[i]->complete_cpuset);
	if (!hwloc_bitmap_iszero(gone))
		put_set(out, " offline", gone);
	hwloc_bitmap_free(gone);
}

static void put_memory(FILE *out, hwloc_obj_t obj)
{
	for (hwloc_obj_t child = obj->memory_first_child; child; child = child->next_sibling) {
		fprintf(out, " %s", word_of(child->type));
		if (has_number(child))
			fprintf(out, " %u", child->os_index);
		put_memory(out, child);
	}
}

/* The core consists of CPUs only, all of them online. */
static bool is_plain(hwloc_obj_t obj)
{
	if (obj->type != HWLOC_OBJ_CORE || obj->memory_arity || !obj->arity ||
	    !hwloc_bitmap_isequal(obj->cpuset, obj->complete_cpuset))
		return false;
	for (unsigned int i = 0; i < obj->arity; i++)
		if (obj->children[i]->type != HWLOC_OBJ_PU)
			return false;
	return true;
}

/* Write one line for all cores that equal the first one; returns their number. */
static unsigned int put_cores(FILE *out, hwloc_obj_t *cores, unsigned int left)
{
	unsigned int count = 1, threads = cores[0]->arity;
	unsigned int *numbers = calloc(left, sizeof(*numbers));

	while (has_number(cores[0]) && count < left && is_plain(cores[count]) &&
	       has_number(cores[count]) && cores[count]->arity == threads)
		count++;
	for (unsigned int i = 0; i < count; i++)
		numbers[i] = cores[i]->os_index;
	fputs("core ", out);
	if (has_number(cores[0]))
		put_list(out, numbers, count);
	else
		fputc('-', out);
	fputs(" pu", out);
	for (unsigned int thread = 0; thread < threads; thread++) {
		for (unsigned int i = 0; i < count; i++)
			numbers[i] = cores[i]->children[thread]->os_index;
		fputc(' ', out);
		put_list(out, numbers, count);
	}
	fputc('\n', out);
	free(numbers);
	return count;
}

static unsigned int put_pus(FILE *out, hwloc_obj_t *pus, unsigned int left)
{
	unsigned int *numbers = calloc(left, sizeof(*numbers)), count = 0;

	for (; count < left && pus[count]->type == HWLOC_OBJ_PU; count++)
		numbers[count] = pus[count]->os_index;
	fputs("pu ", out);
	put_list(out, numbers, count);
	fputc('\n', out);
	free(numbers);
	return count;
}

static void put_children(FILE *out, hwloc_obj_t parent, unsigned int depth);

static void put_object(FILE *out, hwloc_obj_t obj, unsigned int depth)
{
	fputs(word_of(obj->type), out);
	if (has_number(obj))
		fprintf(out, " %u", obj->os_index);
	put_memory(out, obj);
	put_offline(out, obj);
	if (obj->arity == 1 && !is_plain(obj->children[0]) &&
	    obj->children[0]->type != HWLOC_OBJ_PU) {
		fputc(' ', out);
		put_object(out, obj->children[0], depth);
		return;
	}
	fputc('\n', out);
	put_children(out, obj, depth + 1);
}

static void put_children(FILE *out, hwloc_obj_t parent, unsigned int depth)
{
	unsigned int i = 0;

	while (i < parent->arity) {
		for (unsigned int tab = 0; tab < depth; tab++)
			fputc('\t', out);
		if (is_plain(parent->children[i])) {
			i += put_cores(out, &parent->children[i], parent->arity - i);
		} else if (parent->children[i]->type == HWLOC_OBJ_PU) {
			i += put_pus(out, &parent->children[i], parent->arity - i);
		} else {
			put_object(out, parent->children[i], depth);
			i++;
		}
	}
}

#if HWLOC_API_VERSION >= 0x00020400 && HWLOC_API_VERSION < 0x00030000

static void put_kinds(FILE *out, hwloc_topology_t topology, const char *word)
{
	int count = hwloc_cpukinds_get_nr(topology, 0), efficiency;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct hwloc_info_s *infos;
	unsigned int info_count;

	for (int i = 0; i < count; i++) {
		if (hwloc_cpukinds_get_info(topology, (unsigned int)i, cpus, &efficiency,
					    &info_count, &infos, 0) < 0)
			continue;
		put_set(out, word, cpus);
		if (efficiency >= 0)
			fprintf(out, " efficiency=%d", efficiency);
		for (unsigned int k = 0; k < info_count; k++)
			fprintf(out, " %s=%s", infos[k].name, infos[k].value);
		fputc('\n', out);
	}
	hwloc_bitmap_free(cpus);
}

#else

static void put_kinds(FILE *out, hwloc_topology_t topology, const char *word)
{
	(void)out;
	(void)topology;
	(void)word;
}

#endif

static void put_entry(FILE *out, hwloc_topology_t topology)
{
	hwloc_obj_t root = hwloc_get_root_obj(topology);
	hwloc_const_bitmap_t cpus, nodes;

	fputs("machine ?\n", out);
	cpus = hwloc_topology_get_allowed_cpuset(topology);
	nodes = hwloc_topology_get_allowed_nodeset(topology);
	if (!hwloc_bitmap_isequal(cpus, root->cpuset)) {
		put_set(out, "\tallowed", cpus);
		fputc('\n', out);
	}
	if (!hwloc_bitmap_isequal(nodes, root->nodeset)) {
		put_set(out, "\tallowed-nodes", nodes);
		fputc('\n', out);
	}
	put_kinds(out, topology, "\tkind");
	if (root->memory_arity) {
		fputc('\t', out);
		for (hwloc_obj_t child = root->memory_first_child; child;
		     child = child->next_sibling) {
			fprintf(out, "%s%s", child == root->memory_first_child ? "" : " ",
				word_of(child->type));
			if (has_number(child))
				fprintf(out, " %u", child->os_index);
			put_memory(out, child);
		}
		fputc('\n', out);
	}
	if (!hwloc_bitmap_isequal(root->cpuset, root->complete_cpuset)) {
		char *line = NULL;
		size_t size;
		FILE *text = open_memstream(&line, &size);

		put_offline(text, root);
		fclose(text);
		if (*line)
			fprintf(out, "\t%s\n", line + 1);
		free(line);
	}
	put_children(out, root, 1);
}

static int show_entry(const char *file)
{
	hwloc_topology_t topology;

	if (load(&topology, file) < 0) {
		fprintf(stderr, "machine: %s: hwloc cannot load it\n", file);
		return 1;
	}
	put_entry(stdout, topology);
	hwloc_topology_destroy(topology);
	return 0;
}

static int write_xml(const char *name)
{
	struct err err = { "standard output cannot be written" };
	char *xml = machines_xml(table, name, &err);
	int rc = 1;

	if (xml && fputs(xml, stdout) >= 0 && fflush(stdout) == 0)
		rc = 0;
	else
		fprintf(stderr, "machine: %s\n", err.text);
	free(xml);
	return rc;
}

int main(int argc, char **argv)
{
	struct err err;

	if (argc == 2 && !strcmp(argv[1], "names") && machines_names(table, stdout, &err) == 0)
		return 0;
	if (argc == 3 && !strcmp(argv[1], "xml"))
		return write_xml(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "entry"))
		return show_entry(argv[2]);
	fputs("usage: machine {names | xml NAME | entry FILE}\n", stderr);
	return 2;
}
