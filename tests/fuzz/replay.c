/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay - try the kept inputs of one fuzz target, without libFuzzer
 *
 * Inputs are the files of tests/fuzz/corpus/NAME, or those that are named. One
 * that fails ends the program. */
#include <dirent.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static void try_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *in = fopen(path, "r");
	size_t size;

	if (!in) {
		perror(path);
		exit(1);
	}
	size = fread(data, 1, sizeof(data), in);
	fclose(in);
	LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
	const char *folder = SRCDIR "/tests/fuzz/corpus/" FUZZ_NAME;
	char path[4096];
	struct dirent *de;
	int count = 0;
	DIR *dir;

	for (; count + 1 < argc; count++)
		try_file(argv[count + 1]);
	dir = argc > 1 ? NULL : opendir(folder);
	while (dir && (de = readdir(dir))) {
		if (de->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, de->d_name);
		try_file(path);
		count++;
	}
	if (dir)
		closedir(dir);
	printf("Running suite(s): fuzz " FUZZ_NAME
	       "\n100%%: Checks: %d, Failures: 0, Errors: 0\n",
	       count);
	return count ? 0 : 1;
}
