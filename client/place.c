/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/place.h"

#include <string.h>

#include "base/text.h"

/* Parse ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAG..] - FSTYPE SOURCE SUPER:
 * proc_pid_mountinfo(5). */
bool place_parse(struct place *place)
{
	char *word[5], *rest = NULL, *more = NULL, *tail = strstr(place->text, " - ");
	size_t i;

	if (!tail)
		return false;
	tail[1] = '\0';
	for (i = 0; i < 5; i++) {
		word[i] = strtok_r(i ? NULL : place->text, " ", &rest);
		if (!word[i])
			return false;
	}
	place->fstype = strtok_r(tail + 3, " ", &more);
	if (!strtok_r(NULL, " ", &more))
		return false;
	text_unescape_octal(word[4]);
	place->id = word[0];
	place->parent = word[1];
	place->tags = rest;
	place->device = word[2];
	place->target = word[4];
	return true;
}

bool place_device(const char *mountinfo, const char *target, char device[PLACE_DEVICE_MAX])
{
	struct place place;
	bool found = false;

	while (text_next_line(&mountinfo, place.text, sizeof(place.text))) {
		if (!place_parse(&place) || strcmp(place.target, target) != 0)
			continue;
		found = strlen(place.device) < PLACE_DEVICE_MAX;
		if (found)
			strcpy(device, place.device);
	}
	return found;
}
