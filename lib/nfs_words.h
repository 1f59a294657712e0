/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs_words.h - which options a profile may name for NFS: one list for all
 *
 * Terms   live: what a mounted filesystem takes (mount_options of a profile).
 *         new: what a second mount of the same source gets beside the first
 *           one, with a superblock of its own (mount of a profile). What the
 *           kernel would let it share in silence with the first (connections,
 *           timeouts), and what makes I/O errors of a slow server (soft), is
 *           none of it.
 * Owner   results are constant.
 * Errors  NULL: a profile may have it; else why not.
 * Runs    everywhere, also in the plugin.
 */
#ifndef JOBIO_NFS_WORDS_H
#define JOBIO_NFS_WORDS_H

#include <stdbool.h>

#define NFS_WORD_MAX 64

bool nfs_words_is_live(const char *word);

/* Of the comma-separated list; 'word' is the one that it may not have. */
const char *nfs_words_refusal(const char *list, char word[NFS_WORD_MAX]);

#endif
