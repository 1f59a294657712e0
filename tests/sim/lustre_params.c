/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lustre_params - the effect of writing a parameter in the kernel's Lustre
 *
 * Below $LUSTRE_TREE, a folder of plain files (tests/tools/lustre-tree), write(2)
 * clamps or refuses values, raises limits for good and changes related parameters, as
 * recorded from Lustre 2.17. A library for LD_PRELOAD, or linked into a program. A write
 * to the parameter $LUSTRE_DENY fails with EIO.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096L
#define MIB (1L << 20)
#define DIRTY_MAX 2047L
#define MODS_OF_SERVER 8L
#define BYTES_OF_SERVER (4 * MIB)

static long get(const char *folder, const char *name)
{
	char path[PATH_MAX + 64], text[64] = "";
	long n = -1;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = fopen(path, "re");
	if (in && fgets(text, sizeof(text), in))
		n = strtol(text, NULL, 10);
	if (in)
		fclose(in);
	return n;
}

static void put(const char *folder, const char *name, long value)
{
	char path[PATH_MAX + 64], text[32];
	int fd, length;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	length = snprintf(text, sizeof(text), "%ld\n", value);
	if (fd >= 0) {
		syscall(SYS_write, fd, text, (size_t)length);
		close(fd);
	}
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* lustre/include/obd.h:client_adjust_max_dirty() */
static void drag_dirty(const char *folder)
{
	long need =
		get(folder, "max_pages_per_rpc") * get(folder, "max_rpcs_in_flight") * PAGE / MIB;

	if (need > DIRTY_MAX)
		need = DIRTY_MAX;
	if (get(folder, "max_dirty_mb") >= 0 && need > get(folder, "max_dirty_mb"))
		put(folder, "max_dirty_mb", need);
}

static int set_rpcs(const char *folder, int is_mdc, long value)
{
	if (value < 1 + is_mdc || value > 256)
		return refuse(ERANGE);
	put(folder, "max_rpcs_in_flight", value);
	if (is_mdc && get(folder, "max_mod_rpcs_in_flight") >= value)
		put(folder, "max_mod_rpcs_in_flight", value - 1);
	drag_dirty(folder);
	return 0;
}

/* A value that is refused has changed the related parameter all the same. */
static int set_mods(const char *folder, long value)
{
	if (value < 1)
		return refuse(ERANGE);
	if (value >= get(folder, "max_rpcs_in_flight"))
		put(folder, "max_rpcs_in_flight", value + 1);
	if (value > MODS_OF_SERVER)
		return refuse(ERANGE);
	put(folder, "max_mod_rpcs_in_flight", value);
	return 0;
}

static int set_pages(const char *folder, const char *text, long value)
{
	if (strchr(text, 'M'))
		value = value * MIB / PAGE;
	if (value < 1 || value * PAGE > BYTES_OF_SERVER)
		return refuse(ERANGE);
	put(folder, "max_pages_per_rpc", value);
	drag_dirty(folder);
	return 0;
}

static int set_clamped(const char *folder, const char *name, long value, long most)
{
	put(folder, name, value > most ? most : value);
	return 0;
}

/* The llite parameter switches checksums of all targets on and off. */
static int set_checksums(const char *folder, long value)
{
	char pattern[PATH_MAX + 64];
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/../../[om][sd]c/*", folder);
	put(folder, "checksums", value != 0);
	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (i = 0; i < found.gl_pathc; i++)
		put(found.gl_pathv[i], "checksums", value != 0);
	globfree(&found);
	return 0;
}

static int set_cached(const char *folder, long value)
{
	char path[PATH_MAX + 64], text[256];
	int fd, length;

	snprintf(path, sizeof(path), "%s/max_cached_mb", folder);
	length = snprintf(text, sizeof(text),
			  "users: 5\nmax_cached_mb: %ld\nused_mb: 0\n"
			  "unused_mb: 0\nunevict_mb: 0\nreclaim_count: 0\n",
			  value < 64 ? 64 : value);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -1;
	syscall(SYS_write, fd, text, (size_t)length);
	close(fd);
	return 0;
}

static int set_number(const char *folder, const char *name, const char *text)
{
	int is_mdc = strstr(folder, "/mdc/") != NULL;
	long value = strtol(text, NULL, 10);

	if (!isdigit((unsigned char)*text))
		return refuse(EINVAL);
	if (!strcmp(name, "max_rpcs_in_flight"))
		return set_rpcs(folder, is_mdc, value);
	if (!strcmp(name, "max_mod_rpcs_in_flight"))
		return set_mods(folder, value);
	if (!strcmp(name, "max_pages_per_rpc"))
		return set_pages(folder, text, value);
	if (!strcmp(name, "max_dirty_mb") && value >= DIRTY_MAX)
		return refuse(ERANGE);
	if (!strcmp(name, "max_read_ahead_per_file_mb"))
		return set_clamped(folder, name, value, get(folder, "max_read_ahead_mb"));
	if (!strcmp(name, "max_read_ahead_whole_mb"))
		return set_clamped(folder, name, value, get(folder, "max_read_ahead_per_file_mb"));
	if (!strcmp(name, "statahead_max"))
		return set_clamped(folder, name, value, 2048);
	if (!strcmp(name, "checksums") && strstr(folder, "/llite/"))
		return set_checksums(folder, value);
	if (!strcmp(name, "max_cached_mb"))
		return set_cached(folder, value);
	put(folder, name, value);
	return 0;
}

/* Any text is accepted, but a name without '%' only in mode nodelocal. */
static int set_text(int fd, const char *folder, const char *name, const char *text, size_t size)
{
	char path[PATH_MAX + 64], var[64] = "";
	FILE *in;

	snprintf(path, sizeof(path), "%s/jobid_var", folder);
	in = fopen(path, "re");
	if (in && !fgets(var, sizeof(var), in))
		*var = '\0';
	if (in)
		fclose(in);
	if (!strcmp(name, "jobid_name") && !strchr(text, '%') && strncmp(var, "nodelocal", 9) != 0)
		return 0;
	if (ftruncate(fd, 0) < 0)
		return -1;
	syscall(SYS_pwrite64, fd, text, size, 0L);
	if (!size || text[size - 1] != '\n')
		syscall(SYS_pwrite64, fd, "\n", 1UL, (long)size);
	return 0;
}

/* The layout of any folder for the calling user: the file $LUSTRE_TREE/layout/UID. Each call
 * adds a line to the file "asked" there. */
ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	const char *tree = getenv("LUSTRE_TREE");
	char file[PATH_MAX];
	ssize_t length;
	int fd;

	if (!tree || strcmp(name, "lustre.lov") != 0)
		return syscall(SYS_getxattr, path, name, value, size);
	snprintf(file, sizeof(file), "%s/layout/asked", tree);
	fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd >= 0) {
		syscall(SYS_write, fd, "\n", 1UL);
		close(fd);
	}
	snprintf(file, sizeof(file), "%s/layout/%u", tree, geteuid());
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return refuse(errno == ENOENT ? ENODATA : errno);
	length = read(fd, value, size);
	close(fd);
	return length;
}

ssize_t write(int fd, const void *data, size_t size)
{
	const char *tree = getenv("LUSTRE_TREE"), *deny = getenv("LUSTRE_DENY");
	char link[48], path[PATH_MAX], text[128], *name;
	ssize_t length = -1;
	int rc;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (tree)
		length = readlink(link, path, sizeof(path) - 1);
	if (length < 0 || strncmp(path, tree, strlen(tree)) != 0 || size >= sizeof(text))
		return syscall(SYS_write, fd, data, size);
	path[length] = '\0';
	name = strrchr(path, '/');
	*name++ = '\0';
	memcpy(text, data, size);
	text[size] = '\0';
	if (deny && !strcmp(deny, name))
		return refuse(EIO);
	if (!strncmp(name, "jobid_", 6))
		rc = set_text(fd, path, name, text, size);
	else
		rc = set_number(path, name, text);
	return rc < 0 ? -1 : (ssize_t)size;
}
