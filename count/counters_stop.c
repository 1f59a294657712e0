/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/counters_stop.h"

#include <unistd.h>

#include "count/counters_load.h"
#include "count/pins.h"

struct status {
	void (*each)(uint32_t job, const char *mount, void *arg);
	void *arg;
	struct counters_state *state;
};

static int list_folder(struct pins *p, void *arg, struct err *err)
{
	struct status *s = arg;
	size_t i;

	(void)err;
	if (p->is_readable)
		pins_fill_state(p, s->state);
	for (i = 0; i < p->entry_count; i++)
		s->each(p->entries[i].key.job, p->entries[i].value.mount, s->arg);
	return 0;
}

int counters_status(const struct counters_options *options,
		    void (*each)(uint32_t job, const char *mount, void *arg), void *arg,
		    struct counters_state *state, struct err *err)
{
	struct status s = { each, arg, state };
	int lock, rc = pins_begin(options, state, &lock, err);

	if (rc <= 0)
		return rc;
	rc = pins_each(options, list_folder, &s, err);
	close(lock);
	return rc;
}

int counters_stop(const struct counters_options *options, uint32_t job, struct err *err)
{
	int lock, rc;

	if (!pins_have_bpffs(options, NULL))
		return 0;
	lock = pins_lock(options, "", err);
	if (lock < 0)
		return -1;
	rc = pins_forget(options, job, true, err);
	close(lock);
	if (rc > 0)
		counters_unload_async(options);
	return rc < 0 ? -1 : 0;
}
