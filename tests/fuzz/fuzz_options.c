/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mount tables and mount options. Parts: mount table, fstab, options that a
 * profile wants. */
#include "client/mount_option.h"
#include "client/mounts.h"
#include "client/weka/options.h"
#include "tests/fuzz/fuzz.h"

static int count(void *arg, const char *option, const char *key, const char *value)
{
	size_t *bytes = arg;

	MUST(strlen(key) <= strlen(option));
	*bytes += strlen(option) + (value ? 0 : 1);
	return 0;
}

static void try_list(const char *options, const char *wanted)
{
	size_t bytes = 0;
	char value[64];
	char *list;

	MUST(options_each(options, count, &bytes) == 0);
	MUST(options_length(options) <= strlen(options));
	options_get(options, "rw", value, sizeof(value));
	options_get(options, "dentry_max_age_positive", value, 8);
	list = mount_option_remount(&weka_options, options, wanted);
	MUST(list && !strncmp(list, "remount", 7));
	free(list);
	setting_verify(&weka_options, options, options, "", NULL);
	setting_verify(&weka_options, options, wanted, wanted, NULL);
	weka_options_kept(options, wanted, NULL);
}

FUZZ(options)
{
	char *table = fuzz_part(&data, &size);
	char *fstab = fuzz_part(&data, &size);
	char *wanted = fuzz_part(&data, &size);
	struct mounts *mounts, *kept;
	struct err err = { "" };
	char *list;
	size_t i;

	mounts = mounts_parse(table, "wekafs nfs");
	kept = mounts_parse(fstab, "wekafs");
	MUST((mounts && kept) || *err.text);
	for (i = 0; mounts && i < mounts->count; i++) {
		const struct client_mount *mount = &mounts->mount[i], *line;

		MUST(mounts_find(mounts, mount->target) == mount);
		try_list(mount->options, wanted);
		line = kept ? mounts_find(kept, mount->target) : NULL;
		list = weka_mount_options(mount->options, line ? line->options : "");
		MUST(list);
		free(list);
	}
	mounts_free(kept);
	mounts_free(mounts);
	free(wanted);
	free(fstab);
	free(table);
	return 0;
}
