/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/layout.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/child.h"
#include "client/lustre/facts.h"
#include "client/mounts.h"

#define LOOK_MS 1000U /* timeout of an MDT */
#define LAYOUT_BYTES_MAX 65536

/* ---- bytes ------------------------------------------------------------------ */

/* lustre/include/uapi/linux/lustre/lustre_user.h, 2.10 to 2.17: the first number is the type of the
 * layout, in host byte order. */
#define MAGIC_V1 0x0BD10BD0U
#define MAGIC_V3 0x0BD30BD0U
#define MAGIC_SPECIFIC 0x0BD50BD0U
#define MAGIC_COMPONENTS 0x0BD60BD0U

#define PLAIN_BYTES 32 /* lov_user_md_v1: .. count (28) */
#define HEAD_BYTES 32  /* lov_comp_md_v1: .. entries (14) .. */
#define ENTRY_BYTES 48 /* lov_comp_md_entry_v1: .. offset (24), size (28) .. */

struct bytes {
	const unsigned char *at;
	size_t size;
};

static uint32_t number_at(const struct bytes *bytes, size_t offset, size_t width)
{
	uint16_t half;
	uint32_t number;

	if (width == sizeof(half)) {
		memcpy(&half, bytes->at + offset, sizeof(half));
		return half;
	}
	memcpy(&number, bytes->at + offset, sizeof(number));
	return number;
}

static long plain_stripes(const struct bytes *bytes)
{
	uint32_t magic;

	if (bytes->size < PLAIN_BYTES)
		return LUSTRE_UNKNOWN;
	magic = number_at(bytes, 0, 4);
	if (magic != MAGIC_V1 && magic != MAGIC_V3 && magic != MAGIC_SPECIFIC)
		return LUSTRE_UNKNOWN;
	return number_at(bytes, 28, 2);
}

static long component_stripes(const struct bytes *bytes, size_t index)
{
	size_t entry = HEAD_BYTES + index * ENTRY_BYTES, offset, size;
	struct bytes part;

	if (bytes->size < entry + ENTRY_BYTES)
		return LUSTRE_UNKNOWN;
	offset = number_at(bytes, entry + 24, 4);
	size = number_at(bytes, entry + 28, 4);
	if (offset > bytes->size || size > bytes->size - offset)
		return LUSTRE_UNKNOWN;
	part = (struct bytes){ bytes->at + offset, size };
	return plain_stripes(&part);
}

long layout_stripes(const void *data, size_t size)
{
	const struct bytes bytes = { data, size };
	long most = 0, one;
	size_t count, i;

	if (size < HEAD_BYTES || number_at(&bytes, 0, 4) != MAGIC_COMPONENTS)
		return plain_stripes(&bytes);
	count = number_at(&bytes, 14, 2);
	for (i = 0; i < count; i++) {
		one = component_stripes(&bytes, i);
		if (one == LUSTRE_UNKNOWN)
			return LUSTRE_UNKNOWN;
		most = one > most ? one : most;
	}
	return most;
}

/* ---- the job's directory ------------------------------------------------------- */

bool layout_matters(const struct client_desired *desired)
{
	const char *list = desired && desired->parameters ? desired->parameters : "";

	return options_get(list, "osc.max_pages_per_rpc", NULL, 0) ||
	       options_get(list, "llite.max_read_ahead_mb", NULL, 0);
}

/* Return true if the path is on a mount of the client; the name is compared only. */
static bool is_here(const struct client *client, const char *folder)
{
	const char *target;
	size_t length, i;

	for (i = 0; i < client->common.mount_count; i++) {
		target = client->common.mounts[i].target;
		length = strlen(target);
		if (!strncmp(folder, target, length) && (!folder[length] || folder[length] == '/'))
			return true;
	}
	return false;
}

static bool is_answering(const struct lustre_facts *facts)
{
	size_t i;

	for (i = 0; i < facts->target_count; i++)
		if (facts->target[i].kind == TREE_MDC &&
		    strcmp(facts->target[i].state, "FULL") != 0 &&
		    strcmp(facts->target[i].state, "IDLE") != 0)
			return false;
	return facts->target_count > 0;
}

/* Switch to the job's user, irrevocably. */
static int become(const struct client_desired *desired)
{
	const gid_t gid = desired->gid;

	if (geteuid() != 0)
		return 0;
	return setgroups(1, &gid) < 0 || setresgid(desired->gid, desired->gid, desired->gid) < 0 ||
			       setresuid(desired->uid, desired->uid, desired->uid) < 0
		       ? -1
		       : 0;
}

static int print_stripes(void *arg)
{
	static unsigned char data[LAYOUT_BYTES_MAX];
	const struct client_desired *desired = arg;
	ssize_t size;

	if (become(desired) < 0)
		return 1;
	size = getxattr(desired->work_dir, "lustre.lov", data, sizeof(data));
	if (size < 0 && errno != ENODATA)
		return 1;
	printf("%ld\n", size < 0 ? 0 : layout_stripes(data, (size_t)size));
	return 0;
}

void layout_read(struct client *client, const struct client_desired *desired)
{
	struct lustre_facts *facts = lustre_facts_of(client);
	struct child_result result = { 0 };

	facts->folder_stripes = LUSTRE_UNKNOWN;
	if (!layout_matters(desired) || !desired->work_dir || !is_here(client, desired->work_dir) ||
	    !is_answering(facts))
		return;
	lustre_facts_drop_counters(client); /* requests to an MDT are counted */
	if (child_call(desired->work_dir, print_stripes, (void *)desired, LOOK_MS, &result, NULL) <
	    0)
		return;
	if (result.status == 0 && *result.out)
		facts->folder_stripes = strtol(result.out, NULL, 10);
	child_result_free(&result);
}
