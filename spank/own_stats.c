/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/own_stats.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/fileio.h"
#include "lib/rundir.h"
#include "lib/text.h"
#include "spank/own_node.h"

#define STATS_BYTES_MAX (16U << 20)
#define PATH_TEXT_MAX 256
#define SUPERBLOCKS_MAX 64 /* that a job has alone */

enum {
	TABLE,
	STATS,
	FILES
};

/* Steps may begin within one second. */
static void print_now(FILE *out, const char *word)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	fprintf(out, "%s %lld.%09ld\n", word, (long long)now.tv_sec,
		now.tv_nsec);
}

/* ---- what is of NFS in a table and in its counters ----------------------------- */

static bool is_nfs(const struct own_mount *mount)
{
	static const struct own_word nfs = { "nfs", 3 }, nfs4 = { "nfs4", 4 };

	return own_word_is(&mount->type, &nfs) ||
	       own_word_is(&mount->type, &nfs4);
}

static bool is_covered(const char *after, const struct own_mount *mount)
{
	struct own_mount other;

	while (own_mounts_next(&after, &other))
		if (own_word_is(&other.target, &mount->target))
			return true;
	return false;
}

static bool is_there(const struct own_mount list[], int count,
		     const struct own_mount *mount)
{
	int i;

	for (i = 0; i < count; i++)
		if (own_word_is(&list[i].device, &mount->device))
			return true;
	return false;
}

/* Each superblock of NFS that the node has not, with the first mount that no
 * other hides. Returns how many; more than SUPERBLOCKS_MAX: there was no room. */
static int find_own(const char *table, const char *nodes,
		    struct own_mount list[SUPERBLOCKS_MAX])
{
	struct own_mount mount;
	int count = 0;

	while (own_mounts_next(&table, &mount)) {
		if (!is_nfs(&mount) || is_there(list, count, &mount) ||
		    is_covered(table, &mount) ||
		    !own_mounts_is_own(nodes, &mount))
			continue;
		if (count == SUPERBLOCKS_MAX)
			return count + 1;
		list[count++] = mount;
	}
	return count;
}

/* "device SOURCE mounted on TARGET with fstype nfs4 ..": mangled as mountinfo's */
static bool begins(const char *line, const struct own_mount *mount)
{
	size_t length = strcspn(line, "\n");
	const char *at = memmem(line, length, " mounted on ", 12);

	if (strncmp(line, "device ", 7) != 0 || !at)
		return false;
	at += 12;
	return (size_t)(line + length - at) > mount->target.bytes &&
	       !memcmp(at, mount->target.text, mount->target.bytes) &&
	       !strncmp(at + mount->target.bytes, " with fstype nfs", 16);
}

/* Of several on one place the last is seen. */
static void print_stats(FILE *out, const char *stats,
			const struct own_mount *mount)
{
	const char *part = NULL, *end;

	for (; *stats; stats = text_behind_line(stats))
		if (begins(stats, mount))
			part = stats;
	if (!part)
		return;
	for (end = text_behind_line(part); *end == '\t' || *end == '\n';)
		end = text_behind_line(end);
	fprintf(out, "%.*s", (int)(end - part), part);
}

/* NULL stats: unreadable */
static void print_part(FILE *out, const char *word,
		       const struct own_mount list[], int count,
		       const char *stats)
{
	bool is_known = !count || (stats && count <= SUPERBLOCKS_MAX);
	int i;

	if (is_known)
		print_now(out, word);
	else
		fprintf(out, "%s -1\n", word);
	for (i = 0; is_known && i < count; i++) {
		fprintf(out, "%.*s\n", (int)list[i].line.bytes,
			list[i].line.text);
		print_stats(out, stats, &list[i]);
	}
}

/* ---- the task --------------------------------------------------------------- */

static int open_own(const char *proc, const char *name)
{
	char path[PATH_TEXT_MAX];

	snprintf(path, sizeof(path), "%.200s/self/%s", proc, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The message waits until slurmstepd asks for it, and holds the files. */
static void hand_over(int task, const char *proc)
{
	int files[FILES] = { open_own(proc, "mountinfo"),
			     open_own(proc, "mountstats") };
	union {
		char bytes[CMSG_SPACE(sizeof(files))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(files));
	memcpy(CMSG_DATA(header), files, sizeof(files));
	/* what does not arrive is unknown at the end */
	if (files[TABLE] >= 0 && files[STATS] >= 0)
		sendmsg(task, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (files[TABLE] >= 0)
		close(files[TABLE]);
	if (files[STATS] >= 0)
		close(files[STATS]);
}

static char *read_stats(const char *proc)
{
	char path[PATH_TEXT_MAX];

	snprintf(path, sizeof(path), "%.200s/self/mountstats", proc);
	return fileio_read(path, STATS_BYTES_MAX, NULL, NULL);
}

static void note_begin(const char *proc, const struct own_mount list[],
		       int count, char page[OWN_STATS_BYTES_MAX])
{
	char *text = NULL, *stats = count ? read_stats(proc) : NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out)
		print_part(out, "begin", list, count, stats);
	if (!out || fclose(out) != 0 || size >= OWN_STATS_BYTES_MAX)
		strcpy(page, "begin -1\n");
	else
		strcpy(page, text);
	free(text);
	free(stats);
}

static void note_all(const struct own_stats *stats, const char *proc,
		     const char *mine, const struct own_node *node,
		     struct own_page *page)
{
	struct own_mount list[SUPERBLOCKS_MAX];
	int count;

	own_mounts_types(mine, node->mounts, page->types);
	page->is_elsewhere =
		own_mounts_is_elsewhere(mine, node->mounts, node->work_dir);
	if (stats->task >= 0)
		hand_over(stats->task, proc);
	count = find_own(mine, node->mounts, list);
	note_begin(proc, list, count, page->begin);
}

void own_stats_begin(const struct own_stats *stats, const char *proc,
		     const char *noted, struct own_page *page)
{
	struct own_node node;
	char *mine;

	if (own_node_is_ours(proc, noted))
		return;
	mine = own_mounts_table(proc, "self");
	own_node_load(&node, proc, noted);
	if (mine && node.mounts)
		note_all(stats, proc, mine, &node, page);
	own_node_free(&node);
	free(mine);
}

/* ---- slurmstepd ----------------------------------------------------------------- */

void own_stats_open(struct own_stats *stats)
{
	int ends[2];

	stats->task = stats->stepd = -1;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	stats->task = ends[0];
	stats->stepd = ends[1];
}

static int take_over(int stepd, int files[FILES])
{
	union {
		char bytes[CMSG_SPACE(sizeof(int) * FILES)];
		struct cmsghdr align;
	} control;
	char byte;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *header;

	if (recvmsg(stepd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
		return -1;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(int) * FILES))
		return -1;
	memcpy(files, CMSG_DATA(header), sizeof(int) * FILES);
	return 0;
}

/* Returns how many superblocks were seen, -1 unknown. */
static int print_end(FILE *out, const struct own_node *node,
		     const int files[FILES], struct own_page *page)
{
	char *mine = fileio_read_fd(files[TABLE], OWN_TABLE_BYTES_MAX, NULL);
	struct own_mount list[SUPERBLOCKS_MAX];
	char *stats = NULL;
	int count = -1;

	if (mine && node->mounts) {
		own_mounts_types(mine, node->mounts, page->types);
		count = find_own(mine, node->mounts, list);
		if (count)
			stats = fileio_read_fd(files[STATS], STATS_BYTES_MAX,
					       NULL);
		print_part(out, "end", list, count, stats);
	}
	free(mine);
	free(stats);
	return count;
}

static int take_end(FILE *out, const struct own_stats *stats, const char *proc,
		    const char *noted, struct own_page *page)
{
	struct own_node node;
	int files[FILES], count;

	if (stats->stepd < 0 || take_over(stats->stepd, files) < 0)
		return -1;
	own_node_load(&node, proc, noted);
	count = print_end(out, &node, files, page);
	own_node_free(&node);
	close(files[TABLE]);
	close(files[STATS]);
	return count;
}

/* Is there more than a time? */
static bool has_rows(const char *begin)
{
	return !strncmp(begin, "begin -1", 8) || *text_behind_line(begin);
}

char *own_stats_end(struct own_stats *stats, const char *proc,
		    const char *noted, struct own_page *page)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int count;

	if (!out)
		return NULL;
	fprintf(out, "own 1\n%s", page->begin);
	count = take_end(out, stats, proc, noted, page);
	if (count < 0)
		fprintf(out, "end -1\n");
	if (stats->stepd >= 0) {
		close(stats->stepd);
		close(stats->task);
	}
	stats->task = stats->stepd = -1;
	if (fclose(out) == 0 &&
	    (count > 0 || has_rows(page->begin) || (count < 0 && *page->begin)))
		return text;
	free(text);
	return NULL;
}

int own_stats_write(const char *text, const char *run_dir, uint32_t job_id,
		    uint32_t step_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX], file[RUNDIR_PATH_MAX + 8];

	if (rundir_step_file(path, run_dir, job_id, step_id, err) < 0)
		return -1;
	snprintf(file, sizeof(file), "%s" RUNDIR_OWN, path);
	return fileio_write_volatile(file, text, strlen(text), 0600, err);
}
