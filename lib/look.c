/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/look.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"

#define PARTS_MAX (LOOK_TEXT_MAX / LOOK_PART_BYTES + 1)
#define WORD_SIZE 16

void look_put(FILE *out, const struct look_from *from, enum look_kind kind, const char *text)
{
	size_t size = strlen(text), at;
	unsigned int part = 1, parts;

	parts = size ? (unsigned int)((size - 1) / LOOK_PART_BYTES + 1) : 1;
	for (at = 0; part <= parts; at += LOOK_PART_BYTES, part++)
		fprintf(out, LOOK_MARK " %c %u %u %u %u %s %.*s\n", (char)kind, from->nodes,
			from->ask, part, parts, from->node, (int)LOOK_PART_BYTES, text + at);
}

/* ---- lines ----------------------------------------------------------------- */

struct line {
	char kind, name[LOOK_NODE_MAX];
	unsigned int nodes, ask, part, parts;
	const char *text;
};

/* The word at *at, which moves behind the blank that ends it. */
static bool next_word(const char **at, char *word, size_t room)
{
	size_t length = strcspn(*at, " \n");

	if (!length || length >= room || (*at)[length] != ' ')
		return false;
	memcpy(word, *at, length);
	word[length] = '\0';
	*at += length + 1;
	return true;
}

static bool next_number(const char **at, unsigned long most, unsigned int *out)
{
	char word[WORD_SIZE];
	unsigned long number;

	if (!next_word(at, word, sizeof(word)) || number_parse(word, 0, most, &number, NULL) < 0)
		return false;
	*out = (unsigned int)number;
	return true;
}

static bool parse(struct line *line, const char *text)
{
	char word[WORD_SIZE];

	if (!next_word(&text, word, sizeof(word)) || strcmp(word, LOOK_MARK) != 0 ||
	    !next_word(&text, word, sizeof(word)) || word[1] ||
	    (word[0] != LOOK_RECORD && word[0] != LOOK_ERROR) ||
	    !next_number(&text, LOOK_NODES_MAX, &line->nodes) ||
	    !next_number(&text, UINT32_MAX, &line->ask) ||
	    !next_number(&text, PARTS_MAX, &line->part) ||
	    !next_number(&text, PARTS_MAX, &line->parts) ||
	    !next_word(&text, line->name, sizeof(line->name)))
		return false;
	line->kind = word[0];
	line->text = text;
	return line->part >= 1 && line->part <= line->parts &&
	       (line->ask || line->kind == LOOK_ERROR);
}

/* ---- nodes ----------------------------------------------------------------- */

/* Where the node is, or belongs. */
static size_t place_of(const struct looks *looks, const char *name)
{
	size_t low = 0, high = looks->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(looks->node[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int make_room(struct looks *looks)
{
	struct look_node **more;

	if (looks->count < looks->room)
		return 0;
	looks->room = looks->room ? looks->room * 2 : 16;
	more = realloc(looks->node, looks->room * sizeof(*more));
	if (!more)
		return -1;
	looks->node = more;
	return 0;
}

/* NULL: out of memory. */
static struct look_node *node_of(struct looks *looks, const char *name)
{
	size_t at = place_of(looks, name);
	struct look_node *node;

	if (at < looks->count && !strcmp(looks->node[at]->name, name))
		return looks->node[at];
	node = make_room(looks) == 0 ? calloc(1, sizeof(*node)) : NULL;
	if (!node)
		return NULL;
	memmove(looks->node + at + 1, looks->node + at, (looks->count++ - at) * sizeof(node));
	looks->node[at] = node;
	snprintf(node->name, sizeof(node->name), "%s", name);
	return node;
}

static void drop_part(struct look_node *node)
{
	free(node->part);
	node->part = NULL;
	node->part_bytes = 0;
	node->parts = 0;
}

static void finish(struct look_node *node, const struct line *line)
{
	free(node->text);
	node->text = node->part;
	node->part = NULL;
	drop_part(node);
	node->kind = line->kind;
	node->ask = line->ask;
	node->is_mute = !line->ask;
}

/* The next part of what is on its way; anything else begins anew, or is lost. */
static int add_part(struct look_node *node, const struct line *line)
{
	size_t size = strcspn(line->text, "\n");
	char *more;

	if (line->part == 1)
		drop_part(node);
	else if (line->part != node->parts + 1 || line->ask != node->of_ask)
		return drop_part(node), 0;
	if (node->part_bytes + size > LOOK_TEXT_MAX)
		return drop_part(node), 0;
	more = realloc(node->part, node->part_bytes + size + 1);
	if (!more)
		return -1;
	memcpy(more + node->part_bytes, line->text, size);
	node->part = more;
	node->part_bytes += size;
	more[node->part_bytes] = '\0';
	node->parts = line->part;
	node->of_ask = line->ask;
	if (line->part == line->parts)
		finish(node, line);
	return 1;
}

int looks_take(struct looks *looks, const char *text)
{
	struct look_node *node;
	struct line line;

	if (!parse(&line, text))
		return 0;
	if (looks->count == LOOK_NODES_MAX)
		return 0;
	node = node_of(looks, line.name);
	if (!node)
		return -1;
	if (line.nodes)
		looks->nodes = line.nodes;
	return add_part(node, &line);
}

void looks_free(struct looks *looks)
{
	size_t i;

	if (!looks)
		return;
	for (i = 0; i < looks->count; i++) {
		free(looks->node[i]->text);
		free(looks->node[i]->part);
		free(looks->node[i]);
	}
	free(looks->node);
	memset(looks, 0, sizeof(*looks));
}
