/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/stepio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fileio.h"
#include "lib/number.h"
#include "lib/rundir.h"

#define IO_BYTES_MAX 4096

static int take(const char *line, const char *name, uint64_t *value)
{
	size_t length = strlen(name);
	unsigned long n;

	if (strncmp(line, name, length) != 0 ||
	    strncmp(line + length, ": ", 2) != 0 ||
	    number_parse(line + length + 2, 0, UINT64_MAX, &n, NULL) < 0)
		return 0;
	*value = n;
	return 1;
}

int stepio_read(struct stepio *io, const char *path, struct err *err)
{
	char *text = fileio_read(path, IO_BYTES_MAX, NULL, err);
	struct stepio new = { .time = time(NULL) };
	char *line, *state = NULL;
	int found = 0;

	if (!text)
		return -1;
	for (line = strtok_r(text, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state)) {
		found += take(line, "rchar", &new.read_bytes);
		found += take(line, "wchar", &new.write_bytes);
		found += take(line, "syscr", &new.read_calls);
		found += take(line, "syscw", &new.write_calls);
	}
	free(text);
	if (found != 4)
		return err_set(err, "'%s': has not the four counters", path);
	*io = new;
	return 0;
}

static const char *number_or_null(uint32_t n, char *text, size_t room)
{
	snprintf(text, room, "%" PRIu32, n);
	return n == STEPIO_NONE ? "null" : text;
}

/* "text" as JSON, what is not ASCII as '?'; never longer than 'room'. */
static void quote(const char *text, char *out, size_t room)
{
	size_t used = 0;

	out[used++] = '"';
	for (; *text && used + 4 < room; text++) {
		if (*text == '"' || *text == '\\')
			out[used++] = '\\';
		out[used++] = *text >= ' ' && *text <= '~' ? *text : '?';
	}
	out[used++] = '"';
	out[used] = '\0';
}

static int format(char *text, size_t room, const char *step,
		  const struct stepio *from, const struct stepio *to,
		  const struct stepio_label *label)
{
	char job[16], task[16], refused[2 * ERR_MAX] = "";

	if (label->refused)
		quote(label->refused, refused, sizeof(refused));

	return snprintf(
		text, room,
		"{\"step\":\"%s\",\"source\":\"stepd\","
		"\"read_bytes\":%" PRIu64 ",\"write_bytes\":%" PRIu64 ","
		"\"read_calls\":%" PRIu64 ",\"write_calls\":%" PRIu64 ","
		"\"array_job_id\":%s,\"array_task_id\":%s,"
		"\"start\":%lld,\"end\":%lld%s%s}\n",
		step, to->read_bytes - from->read_bytes,
		to->write_bytes - from->write_bytes,
		to->read_calls - from->read_calls,
		to->write_calls - from->write_calls,
		number_or_null(label->array_job_id, job, sizeof(job)),
		number_or_null(label->array_task_id, task, sizeof(task)),
		(long long)from->time, (long long)to->time,
		*refused ? ",\"refused\":" : "", refused);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

int stepio_write(const struct stepio *from, const struct stepio *to,
		 const struct stepio_label *label, const char *run_dir,
		 struct err *err)
{
	char path[RUNDIR_PATH_MAX], text[2 * ERR_MAX + 512];
	int size;

	if (!is_there(run_dir))
		return 0;
	if (rundir_step_file(path, run_dir, label->job_id, label->step_id,
			     err) < 0 ||
	    rundir_make_job(run_dir, label->job_id, err) < 0 ||
	    rundir_make_steps(run_dir, label->job_id, err) < 0)
		return -1;
	size = format(text, sizeof(text), strrchr(path, '/') + 1, from, to,
		      label);
	return fileio_write_volatile(path, text, (size_t)size, 0600, err);
}
