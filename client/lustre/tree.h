/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - devices of a Lustre client in sysfs, debugfs and procfs, and their files
 *
 * The parameters of `lctl get_param` are in three folders, depending on version and file:
 * sysfs, debugfs (root only) and, to 2.12, procfs. They are read without lctl: a process
 * for each of some hundred OSTs would take longer than the job's prolog may. Files that
 * query a server (kbytesfree, filesfree, ..) are never read, and no mount is accessed:
 * all of it is in the kernel's memory.
 *
 * Terms   instance: one mount of one filesystem, "work-ffff9a2c41d08000": its name and
 *           the address of its superblock, which is different for each mount
 *           (lustre/llite/llite_lib.c:ll_fill_super()).
 *         device: "llite" of an instance, or its connection to one target: "osc" to an
 *           OST, "mdc" to an MDT, "work-OST0000-osc-ffff9a2c41..". Devices of a server
 *           to its own OSTs ("work-OST0000-osc-MDT0000") are skipped.
 *         index: of the target, as in its name (hexadecimal there).
 *         folder: "llite", "osc", "mdc", "lov".
 * Owner   tree_free(), NULL allowed. Values are copied.
 * Errors  NULL or -1, sentence in *err; of a value that cannot be read: -1, with errno.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_LUSTRE_TREE_H
#define JOBIO_CLIENT_LUSTRE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "client/type.h"

#define TREE_NAME_MAX 96
#define TREE_TEXT_MAX (64U << 10) /* of one file */
#define TREE_UNREAD (-2L)	  /* not read yet */

enum tree_kind {
	TREE_LLITE,
	TREE_MDC,
	TREE_OSC,
	TREE_KINDS
};

struct tree_device {
	enum tree_kind kind;
	unsigned int index;	  /* 0 for llite */
	long tracked;		  /* of llite: ID of the only one that is counted, as in stats.h */
	char name[TREE_NAME_MAX]; /* of the device */
	char instance[TREE_NAME_MAX]; /* of its mount */
};

struct tree {
	size_t count;
	struct tree_device *device; /* llite, mdc, osc; each sorted by name */
};

/* Return the devices of all mounted filesystems among the client's mounts. */
struct tree *tree_read(const struct client *client, struct err *err);
void tree_free(struct tree *tree);

const char *tree_folder(enum tree_kind kind);
/* Return "OST0001", "MDT0000"; "" for llite. */
const char *tree_target(const struct tree_device *device, char text[16]);
/* Return the name of the filesystem in an instance: "work". */
const char *tree_filesystem(const char *instance, char text[TREE_NAME_MAX]);

/* Open the file of a parameter. Return -1 with errno if there is none. */
#define TREE_PATH_MAX 1024
int tree_open(const struct config_client *section, const char *folder, const char *device,
	      const char *param, int flags);
/* Read the first line of a parameter; its whole text, of at most size - 1 bytes. */
int tree_line(const struct config_client *section, const char *folder, const char *device,
	      const char *param, char *line, size_t size);
int tree_text(const struct config_client *section, const char *folder, const char *device,
	      const char *param, char *text, size_t size);

/* Return the number at the start of a text, or of a parameter; -1: none. */
long tree_digits(const char *text);
long tree_number(const struct config_client *section, const char *folder, const char *device,
		 const char *param);

/* Return the inode of an instance's folder, which a new mount changes; 0 with errno: ENOENT, it is
 * not mounted; else unknown. */
unsigned long tree_inode(const struct config_client *section, const char *instance);

/* Return true if a mount of this source is a client's, not a server's own. */
bool tree_is_client(const char *source);

#endif
