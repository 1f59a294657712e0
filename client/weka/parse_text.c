/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parse files of WEKA: lines of text. Its JSON is in parse.c. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "client/weka/parse.h"

#define LINE_TEXT_MAX 1024

/* ---- service.conf ------------------------------------------------------ */

/* WEKA's own scripts write "key=value", its guide has "key = value", and the section of these keys
 * was never published: any line counts. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	if (length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text) {
		text[length - 1] = '\0';
		text++;
	}
	return text;
}

static void cut_comment(char *value)
{
	char *at;

	for (at = value; *at; at++) {
		if ((*at == '#' || *at == ';') &&
		    (at == value || at[-1] == ' ' || at[-1] == '\t')) {
			*at = '\0';
			return;
		}
	}
}

enum weka_switch weka_switch_of(const char *value)
{
	static const char *const no[] = { "false", "no", "0", "off", "f", "n" };
	static const char *const yes[] = { "true", "yes", "1", "on", "t", "y" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(no); i++) {
		if (!strcasecmp(value, no[i]))
			return WEKA_FALSE;
		if (!strcasecmp(value, yes[i]))
			return WEKA_TRUE;
	}
	return WEKA_UNCLEAR;
}

static void parse_isolate(struct weka_service *service, const char *value)
{
	enum weka_switch now = weka_switch_of(value);

	if (service->isolate_cpusets != WEKA_UNSET && service->isolate_cpusets != now)
		service->isolate_differs = true;
	service->isolate_cpusets = now;
	TEXT_SET(service->isolate_text, value);
}

static void parse_mode(struct weka_service *service, const char *value)
{
	char mode[WEKA_NAME_MAX];
	size_t i;

	TEXT_SET(mode, value);
	for (i = 0; mode[i]; i++)
		mode[i] = mode[i] == '-' ? '_' : (char)tolower((unsigned char)mode[i]);
	if (*service->cgroups_mode && strcmp(service->cgroups_mode, mode) != 0)
		service->cgroups_differs = true;
	TEXT_SET(service->cgroups_mode, mode);
}

static void parse_setting(struct weka_service *service, char *key, char *value)
{
	char *at;

	for (at = key; *at; at++)
		if (*at == '-')
			*at = '_';
	cut_comment(value);
	value = trim(value);
	if (!strcasecmp(key, "isolate_cpusets")) {
		parse_isolate(service, value);
	} else if (!strcasecmp(key, "cgroups_mode")) {
		parse_mode(service, value);
	} else if (!strcasecmp(key, "isolate_cpuset")) {
		TEXT_SET(service->odd_key, key);
		service->odd_isolate = weka_switch_of(value);
	} else if (!strcasecmp(key, "cgroup_mode")) {
		if (!*service->odd_key)
			TEXT_SET(service->odd_key, key);
		if (!*service->cgroups_mode)
			parse_mode(service, value);
	}
}

void weka_parse_service(const char *text, struct weka_service *service)
{
	char line[LINE_TEXT_MAX], *at, *separator;

	memset(service, 0, sizeof(*service));
	service->present = true;
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (text_next_line(&text, line, sizeof(line))) {
		at = line + strspn(line, " \t");
		separator = strpbrk(at, "=:");
		if (*at == '#' || *at == ';' || *at == '[' || !separator)
			continue;
		*separator = '\0';
		parse_setting(service, trim(at), separator + 1);
	}
}

/* ---- /proc/wekafs/interface -------------------------------------------- */

/* "Container=NAME FE 0: Connected frontend pid 4081176" or
 * "Container=NAME FE 0: Frontend is not connected" */
static void parse_link(char *line, struct weka_interface *interface)
{
	char *space = strchr(line, ' '), *colon, *text;
	struct weka_link *link;
	unsigned long number;

	if (!space || strncmp(space, " FE ", 4) != 0)
		return;
	if (interface->link_count == WEKA_LINKS_MAX) {
		interface->has_more = true;
		return;
	}
	colon = strchr(space + 4, ':');
	if (!colon)
		return;
	*space = *colon = '\0';
	if (number_parse(space + 4, 0, UINT16_MAX, &number, NULL) < 0)
		return;
	link = &interface->link[interface->link_count++];
	memset(link, 0, sizeof(*link));
	TEXT_SET(link->container, line);
	link->index = (unsigned int)number;
	text = trim(colon + 1);
	if (strncasecmp(text, "Connected", 9) != 0)
		return;
	link->connected = true;
	text = strrchr(text, ' ');
	if (text && number_parse(text + 1, 1, INT32_MAX, &number, NULL) == 0)
		link->pid = (long)number;
}

static void parse_interface_line(char *line, struct weka_interface *interface)
{
	unsigned long number;

	if (!strncmp(line, "Container=", 10))
		parse_link(line + 10, interface);
	else if (!strncmp(line, "GW driver_state:", 16))
		TEXT_SET(interface->driver_state, trim(line + 16));
	else if (!strncmp(line, "Active mounts:", 14) &&
		 number_parse(trim(line + 14), 0, INT32_MAX, &number, NULL) == 0)
		/* a sum if each container has a file of its own */
		interface->active_mounts =
			(interface->active_mounts > 0 ? interface->active_mounts : 0) +
			(long)number;
}

void weka_parse_interface(const char *text, struct weka_interface *interface)
{
	char line[LINE_TEXT_MAX];

	memset(interface, 0, sizeof(*interface));
	interface->active_mounts = -1;
	while (text_next_line(&text, line, sizeof(line)))
		parse_interface_line(line, interface);
}
