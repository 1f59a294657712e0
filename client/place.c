/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/place.h"

#include <stdint.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"

/* ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAG..] - FSTYPE SOURCE SUPER:
 * proc_pid_mountinfo(5) */
bool place_parse(struct place *place)
{
	char *word[5], *rest = NULL, *tail = strstr(place->text, " - ");
	size_t i;

	if (!tail)
		return false;
	*tail = '\0';
	for (i = 0; i < 5; i++) {
		word[i] = strtok_r(i ? NULL : place->text, " ", &rest);
		if (!word[i])
			return false;
	}
	place->fstype = strtok_r(tail + 3, " ", &rest);
	place->source = strtok_r(NULL, " ", &rest);
	if (!place->source ||
	    number_parse(word[0], 0, UINT32_MAX, &place->id, NULL) < 0 ||
	    number_parse(word[1], 0, UINT32_MAX, &place->parent, NULL) < 0)
		return false;
	text_unescape_octal(word[4]);
	text_unescape_octal((char *)place->source);
	place->device = word[2];
	place->root = word[3];
	place->target = word[4];
	return true;
}

static bool is_below(const char *target, const char *folder)
{
	size_t length = strcmp(folder, "/") ? strlen(folder) : 0;

	return !strncmp(target, folder, length) && target[length] == '/' &&
	       target[length + 1];
}

static bool fits(const struct place_search *search, const struct place *place)
{
	if (search->target && search->below)
		return is_below(place->target, search->target);
	return (!search->target || !strcmp(place->target, search->target)) &&
	       (!search->source || !strcmp(place->source, search->source)) &&
	       (!search->id || place->id == search->id) &&
	       (!search->parent || place->parent == search->parent);
}

bool place_find(const char *mountinfo, const struct place_search *search,
		struct place *place)
{
	const char *rest = mountinfo, *line = rest, *at = NULL;

	while (text_next_line(&rest, place->text, sizeof(place->text))) {
		if (place_parse(place) && fits(search, place))
			at = line;
		line = rest;
	}
	return at && text_next_line(&at, place->text, sizeof(place->text)) &&
	       place_parse(place);
}

bool place_device(const char *mountinfo, const char *target,
		  char device[PLACE_DEVICE_MAX])
{
	const struct place_search search = { .target = target };
	struct place place;

	if (!place_find(mountinfo, &search, &place) ||
	    strlen(place.device) >= PLACE_DEVICE_MAX)
		return false;
	strcpy(device, place.device);
	return true;
}
