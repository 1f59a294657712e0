/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forgets a job, lists jobs, takes everything out. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "count/counters_parts.h"
#include "count/folder.h"

int counters_stop(const struct counters_options *options, uint32_t job, struct err *err)
{
	char names[64];
	int lock, rc;

	if (!counters_has_bpffs(options, NULL))
		return 0;
	lock = counters_lock_home(options, err);
	if (lock < 0)
		return -1;
	rc = pins_each_folder(options, pins_stop_folder, &job, err);
	counters_folder_names(names, sizeof(names));
	others_visit(options, &(struct others){ .but = names, .stop = &job, .retire = true });
	close(lock);
	counters_sweep_away(options);
	return rc;
}

struct listing {
	void (*each)(uint32_t job, const char *mount, void *arg);
	void *arg;
	struct counters_state *state;
};

static int list_entry(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		      void *arg)
{
	struct listing *l = arg;

	(void)p;
	l->each(key->job, entry->mount, l->arg);
	l->state->slots_used++;
	return 0;
}

static int list_folder(struct pins *p, void *arg, struct err *err)
{
	struct listing *l = arg;

	counters_fill_state(l->state, p);
	if (pins_each_entry(p, list_entry, l))
		return err_set(err, "counters: '%s': cannot read it", p->folder);
	return 0;
}

int counters_status(const struct counters_options *options,
		    void (*each)(uint32_t job, const char *mount, void *arg), void *arg,
		    struct counters_state *state, struct err *err)
{
	struct listing l = { each, arg, state };
	int lock, rc = counters_look(options, state, &lock, err);

	if (rc <= 0)
		return rc;
	rc = pins_each_folder(options, list_folder, &l, err);
	others_visit(options, &(struct others){ .but = COUNTERS_LAYOUT, .each = each, .arg = arg });
	close(lock);
	return rc;
}

/* Whatever version it is, and what a killed helper left half done. */
int counters_unload(const struct counters_options *options, struct err *err)
{
	char home[256], path[516];
	struct dirent *entry;
	int loading, lock, rc = 0;
	DIR *dir;

	if (!counters_has_bpffs(options, NULL))
		return 0;
	loading = counters_lock_loading(options, err);
	lock = loading < 0 ? -1 : counters_lock_home(options, err);
	if (lock < 0) {
		if (loading >= 0)
			close(loading);
		return -1;
	}
	counters_home_path(options, home, sizeof(home));
	dir = opendir(home);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (folder_is_whole(entry->d_name) && folder_retire(path, NULL) == 0)
			strcat(path, "-old");
		if (folder_remove(path, err) < 0)
			rc = -1;
	}
	if (dir)
		closedir(dir);
	close(lock);
	close(loading);
	return rc;
}
