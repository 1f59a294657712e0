/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/machines/machines.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16

struct kind {
	const char *word, *type, *attributes;
	bool memory;
};

static const struct kind kinds[] = {
	{ "machine", "Machine", "", false },
	{ "package", "Package", "", false },
	{ "die", "Die", "", false },
	{ "group", "Group", " kind=\"0\" subkind=\"0\"", false },
	{ "l3", "L3Cache",
	  " cache_size=\"33554432\" depth=\"3\" cache_linesize=\"64\" cache_associativity=\"16\" cache_type=\"0\"",
	  false },
	{ "core", "Core", "", false },
	{ "pu", "PU", "", false },
	{ "memcache", "MemCache",
	  " cache_size=\"17179869184\" depth=\"1\" cache_linesize=\"64\" cache_associativity=\"1\" cache_type=\"0\"",
	  true },
	{ "numa", "NUMANode", " local_memory=\"68719476736\"", true },
};

enum {
	MACHINE,
	CORE = 5,
	PU,
	MEMCACHE,
	NUMA,
	KINDS
};

struct object {
	const struct kind *kind;
	long os; /* -1: it has none */
	struct object *first, *last, *next;
	hwloc_bitmap_t cpus, all; /* all: those that are offline, too */
	hwloc_bitmap_t nodes;	  /* below it and around it */
};

struct reader {
	const char *table, *name;
	unsigned int line;
	struct object *machine;
	struct object *at[DEPTH_MAX];	       /* innermost object of the lines above */
	hwloc_bitmap_t allowed, allowed_nodes; /* NULL: everything */
	char *cpukinds;
	struct err *err;
};

/* ---- lists ------------------------------------------------------------------ */

static int read_number(const char **at, unsigned int *number)
{
	char *end;

	if (**at < '0' || **at > '9')
		return -1;
	*number = (unsigned int)strtoul(*at, &end, 10);
	*at = end;
	return 0;
}

/* One part: "7", "0-3" or "0-6/2". */
static int read_part(const char **at, unsigned int *first, unsigned int *last, unsigned int *step)
{
	*step = 1;
	if (read_number(at, first) < 0)
		return -1;
	*last = *first;
	if (**at == '-') {
		(*at)++;
		if (read_number(at, last) < 0 || *last < *first)
			return -1;
	}
	if (**at == '/') {
		(*at)++;
		if (read_number(at, step) < 0 || *step == 0)
			return -1;
	}
	return 0;
}

unsigned int *machines_list(const char *list, unsigned int *count, struct err *err)
{
	unsigned int room = 64, used = 0, first, last, step;
	unsigned int *numbers = calloc(room, sizeof(*numbers));
	const char *at = list;

	*count = 0;
	if (!*list || !strcmp(list, "-"))
		return numbers;
	while (numbers) {
		if (read_part(&at, &first, &last, &step) < 0)
			break;
		for (unsigned int i = first; i <= last; i += step) {
			if (used == room)
				numbers = reallocarray(numbers, room *= 2, sizeof(*numbers));
			if (!numbers)
				return NULL;
			numbers[used++] = i;
		}
		if (!*at) {
			*count = used;
			return numbers;
		}
		if (*at++ != ',')
			break;
	}
	free(numbers);
	err_set(err, "'%s': not a list", list);
	return NULL;
}

static hwloc_bitmap_t read_set(const char *list, struct err *err)
{
	unsigned int count, *numbers = machines_list(list, &count, err);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (unsigned int i = 0; numbers && i < count; i++)
		hwloc_bitmap_set(set, numbers[i]);
	if (!numbers) {
		hwloc_bitmap_free(set);
		return NULL;
	}
	free(numbers);
	return set;
}

/* ---- the tree ----------------------------------------------------------------- */

static struct object *object_add(struct object *parent, unsigned int kind, long os)
{
	struct object *object = calloc(1, sizeof(*object));

	object->kind = &kinds[kind];
	object->os = os;
	object->cpus = hwloc_bitmap_alloc();
	object->all = hwloc_bitmap_alloc();
	object->nodes = hwloc_bitmap_alloc();
	if (parent && parent->last)
		parent->last->next = object;
	else if (parent)
		parent->first = object;
	if (parent)
		parent->last = object;
	if (kind == PU)
		hwloc_bitmap_set(object->cpus, (unsigned int)os);
	return object;
}

static void object_free(struct object *object)
{
	struct object *child = object ? object->first : NULL, *next;

	for (; child; child = next) {
		next = child->next;
		object_free(child);
	}
	if (object) {
		hwloc_bitmap_free(object->cpus);
		hwloc_bitmap_free(object->all);
		hwloc_bitmap_free(object->nodes);
	}
	free(object);
}

/* CPUs and memory below an object are its own. */
static void gather(struct object *object)
{
	if (object->kind == &kinds[NUMA])
		hwloc_bitmap_set(object->nodes, (unsigned int)object->os);
	for (struct object *child = object->first; child; child = child->next) {
		gather(child);
		hwloc_bitmap_or(object->cpus, object->cpus, child->cpus);
		hwloc_bitmap_or(object->all, object->all, child->all);
		hwloc_bitmap_or(object->nodes, object->nodes, child->nodes);
	}
	hwloc_bitmap_or(object->all, object->all, object->cpus);
}

/* Memory is near all CPUs of the object that it hangs on. */
static void spread(struct object *object, hwloc_const_bitmap_t around)
{
	hwloc_bitmap_t near = hwloc_bitmap_dup(around);
	struct object *child;

	for (child = object->first; child; child = child->next)
		if (child->kind->memory)
			hwloc_bitmap_or(near, near, child->nodes);
	for (child = object->first; child; child = child->next) {
		if (child->kind->memory) {
			hwloc_bitmap_copy(child->cpus, object->cpus);
			hwloc_bitmap_copy(child->all, object->all);
			spread(child, child->nodes);
		} else {
			hwloc_bitmap_or(child->nodes, child->nodes, near);
			spread(child, near);
		}
	}
	hwloc_bitmap_free(near);
}

/* ---- reading --------------------------------------------------------------------- */

static int fail(struct reader *reader, const char *what)
{
	return err_set(reader->err, "%s: line %u: %s", reader->table, reader->line, what);
}

static int fail_list(struct reader *reader)
{
	return err_prefix(reader->err, "%s: line %u", reader->table, reader->line);
}

/* Cores of one list, the k-th with the k-th CPU of each list that follows. */
static int read_cores(struct reader *reader, struct object *parent, char **words)
{
	unsigned int count = 1, *os = NULL, *pus = NULL, pu_count;
	struct object **cores = NULL;
	int rc = -1;

	words = &words[1]; /* behind "core" */
	if (strcmp(words[0], "-") != 0 && !(os = machines_list(words[0], &count, reader->err)))
		return fail_list(reader);
	cores = calloc(count + 1, sizeof(struct object *));
	for (unsigned int i = 0; i < count; i++)
		cores[i] = object_add(parent, CORE, os ? (long)os[i] : -1);
	for (words += 2; *words && strcmp(*words, "offline") != 0; words++) {
		pus = machines_list(*words, &pu_count, reader->err);
		if (!pus) {
			fail_list(reader);
			goto out;
		}
		if (pu_count != count) {
			free(pus);
			fail(reader, "a core wants a CPU of each list");
			goto out;
		}
		for (unsigned int i = 0; i < count; i++)
			object_add(cores[i], PU, pus[i]);
		free(pus);
	}
	reader->at[DEPTH_MAX - 1] = cores[count ? count - 1 : 0];
	rc = 0;
out:
	free(cores);
	free(os);
	return rc;
}

static int read_pus(struct reader *reader, struct object *parent, const char *list)
{
	unsigned int count, *os = machines_list(list, &count, reader->err);

	if (!os)
		return fail_list(reader);
	for (unsigned int i = 0; i < count; i++)
		object_add(parent, PU, os[i]);
	free(os);
	return 0;
}

static int read_into(struct reader *reader, hwloc_bitmap_t *set, const char *list)
{
	hwloc_bitmap_t more = read_set(list, reader->err);

	if (!more)
		return fail_list(reader);
	if (!*set)
		*set = hwloc_bitmap_alloc();
	hwloc_bitmap_or(*set, *set, more);
	hwloc_bitmap_free(more);
	return 0;
}

/* "kind LIST [efficiency=N] [NAME=VALUE...]" */
static int read_kind(struct reader *reader, char **words)
{
	hwloc_bitmap_t set = read_set(words[1], reader->err);
	char *cpus = NULL, *old = reader->cpukinds, *value;
	size_t room;
	FILE *out;

	if (!set)
		return fail_list(reader);
	out = open_memstream(&reader->cpukinds, &room);
	hwloc_bitmap_asprintf(&cpus, set);
	fprintf(out, "%s  <cpukind cpuset=\"%s\"", old ? old : "", cpus);
	words += 2;
	if (*words && !strncmp(*words, "efficiency=", 11))
		fprintf(out, " forced_efficiency=\"%s\"", *words++ + 11);
	fputs(">\n", out);
	for (; *words; words++) {
		value = strchr(*words, '=');
		fprintf(out, "    <info name=\"%.*s\" value=\"%s\"/>\n", (int)strcspn(*words, "="),
			*words, value ? value + 1 : "");
	}
	fputs("  </cpukind>\n", out);
	fclose(out);
	hwloc_bitmap_free(set);
	free(cpus);
	free(old);
	return 0;
}

/* 1: the line is about the machine as a whole, and read. */
static int read_whole(struct reader *reader, char **words)
{
	int rc;

	if (!words[0] || !words[1])
		return 0;
	if (!strcmp(words[0], "allowed"))
		rc = read_into(reader, &reader->allowed, words[1]);
	else if (!strcmp(words[0], "allowed-nodes"))
		rc = read_into(reader, &reader->allowed_nodes, words[1]);
	else if (!strcmp(words[0], "kind"))
		rc = read_kind(reader, words);
	else
		return 0;
	return rc < 0 ? -1 : 1;
}

/* "package 0": an object; its number may be missing. */
static struct object *read_object(struct object *parent, char ***words)
{
	unsigned int kind;
	long os = -1;

	for (kind = 1; kind < KINDS; kind++)
		if (!strcmp(**words, kinds[kind].word))
			break;
	if (kind == KINDS || kind == PU)
		return NULL;
	(*words)++;
	if (**words && ***words >= '0' && ***words <= '9')
		os = strtol(*(*words)++, NULL, 10);
	return object_add(parent, kind, os);
}

/* One line: objects, each in the one before it, memory beside. */
static int read_path(struct reader *reader, unsigned int depth, char **words)
{
	struct object *in = reader->at[depth - 1], *memory = NULL, *object;

	while (*words) {
		bool last = !words[1];

		if (!last && !strcmp(*words, "core") && words[2] && !strcmp(words[2], "pu")) {
			if (read_cores(reader, in, words) < 0)
				return -1;
			in = reader->at[DEPTH_MAX - 1];
			while (*words && strcmp(*words, "offline") != 0)
				words++;
		} else if (!last && !strcmp(*words, "pu")) {
			if (read_pus(reader, in, words[1]) < 0)
				return -1;
			words += 2;
		} else if (!last && !strcmp(*words, "offline")) {
			if (read_into(reader, &in->all, words[1]) < 0)
				return -1;
			words += 2;
		} else {
			object = read_object(memory ? memory : in, &words);
			if (!object)
				return fail(reader, "an unknown word");
			if (!object->kind->memory)
				in = object;
			memory = object->kind == &kinds[MEMCACHE] ? object : NULL;
		}
	}
	reader->at[depth] = in;
	return 0;
}

static int read_line(struct reader *reader, char *line)
{
	unsigned int depth = (unsigned int)strspn(line, "\t"), count = 0;
	char *words[64], *state, *word;
	int whole;

	if (depth >= DEPTH_MAX - 1 || !reader->at[depth - 1])
		return fail(reader, "too deep");
	word = strtok_r(line + depth, " \n", &state);
	for (; word && count < 63; word = strtok_r(NULL, " \n", &state))
		words[count++] = word;
	words[count] = NULL;
	if (word)
		return fail(reader, "too many words");
	whole = depth == 1 ? read_whole(reader, words) : 0;
	if (whole)
		return whole < 0 ? -1 : 0;
	return read_path(reader, depth, words);
}

static int read_machine(struct reader *reader)
{
	FILE *in = fopen(reader->table, "r");
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	if (!in)
		return err_set(reader->err, "%s: cannot be opened", reader->table);
	while (rc == 0 && getline(&line, &room, in) > 0) {
		reader->line++;
		if (*line == '\t' && reader->machine) {
			rc = read_line(reader, line);
		} else if (reader->machine) {
			break;
		} else if (!strncmp(line, "machine ", 8)) {
			line[strcspn(line, "\n")] = '\0';
			if (!strcmp(line + 8, reader->name))
				reader->at[0] = reader->machine = object_add(NULL, MACHINE, 0);
		}
	}
	free(line);
	fclose(in);
	if (rc == 0 && !reader->machine)
		rc = err_set(reader->err, "%s: no machine '%s'", reader->table, reader->name);
	return rc;
}

/* ---- writing ----------------------------------------------------------------------- */

static void write_set(FILE *out, const char *name, hwloc_const_bitmap_t set)
{
	char *text = NULL;

	hwloc_bitmap_asprintf(&text, set);
	fprintf(out, " %s=\"%s\"", name, text);
	free(text);
}

static void write_children(FILE *out, const struct object *object, const struct reader *reader,
			   bool memory);

static void write_object(FILE *out, const struct object *object, const struct reader *reader)
{
	fprintf(out, "<object type=\"%s\"", object->kind->type);
	if (object->os >= 0)
		fprintf(out, " os_index=\"%ld\"", object->os);
	write_set(out, "cpuset", object->cpus);
	write_set(out, "complete_cpuset", object->all);
	if (object == reader->machine)
		write_set(out, "allowed_cpuset", reader->allowed ? reader->allowed : object->cpus);
	write_set(out, "nodeset", object->nodes);
	write_set(out, "complete_nodeset", object->nodes);
	if (object == reader->machine)
		write_set(out, "allowed_nodeset",
			  reader->allowed_nodes ? reader->allowed_nodes : object->nodes);
	fprintf(out, "%s>\n", object->kind->attributes);
	write_children(out, object, reader, true);
	write_children(out, object, reader, false);
	fputs("</object>\n", out);
}

static void write_children(FILE *out, const struct object *object, const struct reader *reader,
			   bool memory)
{
	for (object = object->first; object; object = object->next)
		if (object->kind->memory == memory)
			write_object(out, object, reader);
}

static char *write_xml(struct reader *reader)
{
	hwloc_bitmap_t nothing = hwloc_bitmap_alloc();
	char *xml = NULL;
	size_t size;
	FILE *out = open_memstream(&xml, &size);

	gather(reader->machine);
	spread(reader->machine, nothing);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	      "<topology version=\"2.0\">\n",
	      out);
	write_object(out, reader->machine, reader);
	if (reader->cpukinds)
		fputs(reader->cpukinds, out);
	fputs("</topology>\n", out);
	fclose(out);
	hwloc_bitmap_free(nothing);
	return xml;
}

char *machines_xml(const char *table, const char *name, struct err *err)
{
	struct reader reader = { .table = table, .name = name, .err = err };
	char *xml = NULL;

	if (read_machine(&reader) == 0)
		xml = write_xml(&reader);
	object_free(reader.machine);
	hwloc_bitmap_free(reader.allowed);
	hwloc_bitmap_free(reader.allowed_nodes);
	free(reader.cpukinds);
	return xml;
}

int machines_write(const char *table, const char *name, const char *path, struct err *err)
{
	char *xml = machines_xml(table, name, err);
	FILE *out;
	int rc = -1;

	if (!xml)
		return -1;
	out = fopen(path, "w");
	if (out && fputs(xml, out) >= 0)
		rc = 0;
	if (!out || fclose(out) != 0 || rc < 0)
		rc = err_set(err, "%s: cannot be written", path);
	free(xml);
	return rc;
}

int machines_names(const char *table, FILE *out, struct err *err)
{
	FILE *in = fopen(table, "r");
	char *line = NULL;
	size_t room = 0;

	if (!in)
		return err_set(err, "%s: cannot be opened", table);
	while (getline(&line, &room, in) > 0)
		if (!strncmp(line, "machine ", 8))
			fputs(line + 8, out);
	free(line);
	fclose(in);
	return 0;
}
