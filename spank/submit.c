/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/submit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/number.h"

#define COMMAND_LINE_MAX (256 * 1024)
#define ARGUMENTS_MAX 4096
#define CORE_SPEC_MAX 0x7fffUL /* the highest bit means threads (slurm.h) */

/* slurm.h: config_key_pair_t, the same in 22.05 .. 26.05 */
struct key_pair {
	char *name;
	char *value;
};

struct client {
	void *opt;
	bool (*isset)(void *opt, const char *name);
	char *(*get)(void *opt, const char *name);
	int (*set)(void *opt, const char *name, const char *value, bool early);
};

/* ISO C has no cast from an object pointer to a function pointer; POSIX requires this form
 * (dlsym(3)). */
static void find(void *to, const char *symbol)
{
	*(void **)to = dlsym(RTLD_DEFAULT, symbol);
}

static int find_client(struct client *client, struct err *err)
{
	find(&client->opt, "opt");
	find(&client->isset, "slurm_option_isset");
	find(&client->get, "slurm_option_get");
	find(&client->set, "slurm_option_set");
	if (client->opt && client->isset && client->get && client->set)
		return 0;
	return err_set(
		err,
		"this Slurm client does not export %s, so --core-spec cannot be set for you; give --core-spec itself (the site can guard it with jobio's contrib/job_submit.lua)",
		!client->opt	 ? "'opt'"
		: !client->isset ? "'slurm_option_isset'"
		: !client->get	 ? "'slurm_option_get'"
				 : "'slurm_option_set'");
}

enum submit_command submit_command(void)
{
	/* each client's own record: sbatch/opt.c, salloc/opt.c, srun/opt.c */
	if (dlsym(RTLD_DEFAULT, "sbopt"))
		return SUBMIT_SBATCH;
	if (dlsym(RTLD_DEFAULT, "saopt"))
		return SUBMIT_SALLOC;
	if (dlsym(RTLD_DEFAULT, "sropt"))
		return SUBMIT_SRUN;
	return SUBMIT_OTHER;
}

int submit_is_set(const char *option, struct err *err)
{
	struct client client;

	if (find_client(&client, err) < 0)
		return -1;
	return client.isset(client.opt, option) ? 1 : 0;
}

int submit_core_spec(unsigned int *cores, struct err *err)
{
	struct client client;
	unsigned long n;
	char *text;

	if (find_client(&client, err) < 0)
		return -1;
	if (!client.isset(client.opt, "core-spec"))
		return 0;
	/* allocated by Slurm (xmalloc), never freed */
	text = client.get(client.opt, "core-spec");
	if (!text || number_parse(text, 0, CORE_SPEC_MAX, &n, NULL) < 0)
		return 0; /* "unset": a later --thread-spec replaced it */
	*cores = (unsigned int)n;
	return 1;
}

const char *submit_partitions(void)
{
	struct client client;
	const char *text;

	if (find_client(&client, NULL) < 0 || !client.isset(client.opt, "partition"))
		return "";
	/* as above */
	text = client.get(client.opt, "partition");
	return text ? text : "";
}

int submit_set_core_spec(unsigned int cores, struct err *err)
{
	struct client client;
	unsigned int now = 0;
	char text[16];

	if (find_client(&client, err) < 0)
		return -1;
	snprintf(text, sizeof(text), "%u", cores);
	if (client.set(client.opt, "core-spec", text, false) != 0 ||
	    submit_core_spec(&now, err) != 1 || now != cores)
		return err_set(
			err,
			"this Slurm client does not take --core-spec=%s from a plugin; give it yourself (the site can guard it with jobio's contrib/job_submit.lua)",
			text);
	return 0;
}

int submit_in_allocation(void)
{
	const char *job = getenv("SLURM_JOB_ID");

	if (submit_command() != SUBMIT_SRUN)
		return 0;
	return submit_is_set("jobid", NULL) == 1 || (job && *job);
}

/* Return the value of KEY as "scontrol show config" prints it, from the slurm.conf that this client
 * has read; NULL: unknown. slurm_ctl_conf_2_key_pairs() (api/config_info.c) has the layout of its
 * own slurm_conf, so that the plugin does not depend on it; it takes some 0.1 ms and sends no
 * RPC. */
static const char *site_value(const char *key)
{
	void *conf = dlsym(RTLD_DEFAULT, "slurm_conf");
	void *(*pairs_of)(void *conf), *(*begin)(void *list);
	void *(*next)(void *iterator), *list, *iterator;
	void (*end)(void *iterator);
	struct key_pair *pair;
	const char *value = NULL;

	find(&pairs_of, "slurm_ctl_conf_2_key_pairs");
	find(&begin, "slurm_list_iterator_create");
	find(&next, "slurm_list_next");
	find(&end, "slurm_list_iterator_destroy");
	if (!conf || !pairs_of || !begin || !next || !end)
		return NULL;
	list = pairs_of(conf); /* never freed */
	iterator = list ? begin(list) : NULL;
	if (!iterator)
		return NULL;
	while (!value && (pair = next(iterator)))
		if (pair->name && !strcmp(pair->name, key))
			value = pair->value;
	end(iterator);
	return value;
}

int submit_site_reserves(struct err *err)
{
	const char *allowed, *select;

	/* -M: the job may go to a cluster with another slurm.conf */
	if (submit_is_set("clusters", NULL) == 1)
		return 1;
	allowed = site_value("AllowSpecResourcesUsage");
	if (allowed && !strcasecmp(allowed, "no")) {
		err_set(err,
			"this cluster does not let jobs reserve cores (slurm.conf lacks AllowSpecResourcesUsage=yes); ask its administrator");
		return 0;
	}
	select = allowed ? site_value("SelectType") : NULL;
	if (select && !strcmp(select, "select/linear")) {
		err_set(err,
			"this cluster's scheduler cannot reserve cores (SelectType=select/linear; select/cons_tres can); ask its administrator");
		return 0;
	}
	return 1;
}

/* Return argv as the kernel has it, in static memory. */
static char **command_line(int *argc)
{
	static char *argv[ARGUMENTS_MAX + 1];
	static char text[COMMAND_LINE_MAX + 1];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got, size = 0;
	char *at;

	*argc = 0;
	if (fd < 0)
		return argv;
	do {
		got = read(fd, text + size, (size_t)(COMMAND_LINE_MAX - size));
		size += got > 0 ? got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(fd);
	for (at = text; at < text + size && *argc < ARGUMENTS_MAX; at += strlen(at) + 1)
		argv[(*argc)++] = at;
	return argv;
}

/* Return true if any word ends so: cheap, and false for nearly every command line. */
static bool has_word(char **argv, const char *word)
{
	size_t length = strlen(word), size;

	for (; *argv; argv++) {
		size = strlen(*argv);
		if (size >= length && !strcmp(*argv + size - length, word))
			return true;
	}
	return false;
}

int submit_has_early(const char *name, const char *word)
{
	struct option *(*table_of)(void *opt, char **letters), *table;
	void *opt = dlsym(RTLD_DEFAULT, "opt");
	int argc = 0, index, c, saved = opterr, found = 0;
	char *letters = NULL;
	char **argv = command_line(&argc);

	/* Slurm's own table (slurm_opt.c) defines where the options end and which words are
	 * arguments of options: "sbatch -J --io-cores=help job.sh" */
	find(&table_of, "slurm_option_table_create");
	if (!opt || !table_of || !has_word(argv, word))
		return 0;
	table = table_of(opt, &letters);
	if (!table || !letters)
		return 0;
	optind = 0;
	opterr = 0;
	for (;;) {
		index = -1;
		c = getopt_long(argc, argv, letters, table, &index);
		if (c == -1)
			break;
		if (index >= 0 && optarg && !strcmp(table[index].name, name) &&
		    !strcmp(optarg, word))
			found = 1;
	}
	opterr = saved;
	optind = 0; /* the clients start from the beginning */
	return found;
}
