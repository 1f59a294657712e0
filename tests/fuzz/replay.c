/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay - run the kept inputs of the fuzz targets, without libFuzzer
 *
 * replay               all of them: tests/fuzz/corpus/NAME
 * replay NAME FILE...  these files, with this target
 *
 * Prints the name of each input before it runs; a failing input ends the program. */
#include <dirent.h>

#include "base/fileio.h"
#include "tests/fuzz/fuzz.h"

#define TARGETS_MAX 64

struct target {
	const char *name;
	fuzz_fn *fn;
};

static struct target targets[TARGETS_MAX];
static size_t target_count;
static int tried;

void fuzz_add(const char *name, fuzz_fn *fn)
{
	MUST(target_count < TARGETS_MAX);
	targets[target_count++] = (struct target){ name, fn };
}

static void try_file(const struct target *target, const char *path)
{
	struct err err;
	size_t size;
	char *text = fileio_read(path, 1 << 20, &size, &err);

	if (!text) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	printf("%s %s\n", target->name, path);
	fflush(stdout);
	target->fn((const uint8_t *)text, size);
	tried++;
	free(text);
}

static void try_folder(const struct target *target)
{
	char folder[2048], path[4096];
	struct dirent *de;
	int before = tried;
	DIR *dir;

	snprintf(folder, sizeof(folder), SRCDIR "/tests/fuzz/corpus/%s", target->name);
	dir = opendir(folder);
	while (dir && (de = readdir(dir))) {
		if (de->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, de->d_name);
		try_file(target, path);
	}
	if (dir)
		closedir(dir);
	if (tried == before) {
		fprintf(stderr, "%s: no inputs\n", folder);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	size_t i;
	int k;

	for (i = 0; i < target_count; i++) {
		if (argc == 1)
			try_folder(&targets[i]);
		for (k = 2; k < argc && !strcmp(argv[1], targets[i].name); k++)
			try_file(&targets[i], argv[k]);
	}
	fileio_rmtree(fuzz_folder(), NULL);
	printf("Running suite(s): fuzz\n"
	       "100%%: Checks: %d, Failures: 0, Errors: 0\n",
	       tried);
	return tried ? 0 : 1;
}
