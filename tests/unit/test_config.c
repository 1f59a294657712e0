/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/client.h"
#include "lib/config.h"
#include "lib/config_parts.h"
#include "lib/fileio.h"
#include "lib/finding.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* The sentence after the path of the file must start with 'sentence'. */
static void expect_error(const char *text, const char *sentence)
{
	struct config *config;
	const char *file;
	struct err err;

	tempdir_make();
	file = tempdir_put("jobio.conf", text);
	config = config_load(file, &err);
	ck_assert_msg(config == NULL, "accepted: %s", text);
	ck_assert_msg(!strncmp(err.text, file, strlen(file)), "%s", err.text);
	ck_assert_msg(!strncmp(err.text + strlen(file), sentence, strlen(sentence)),
		      "'%s' instead of '%s'", err.text + strlen(file), sentence);
	tempdir_remove();
}

START_TEST(an_empty_file_gives_the_documented_defaults)
{
	struct config *config = conf_load("");

	ck_assert_int_eq(config->gate, GATE_WARN);
	ck_assert_int_eq(config->on_error, ON_ERROR_CONTINUE);
	ck_assert_str_eq(config->run_dir, "/run/jobio");
	ck_assert_str_eq(config->spool_dir, "/var/spool/jobio");
	ck_assert_uint_eq(config->prolog_budget_ms, 10000);
	ck_assert_uint_eq(config->io_cores_max, 4);
	ck_assert_uint_eq(config->io_cores_default, 0);
	ck_assert_uint_eq(config->ledger.port, 8632);
	ck_assert_str_eq(config->ledger.host, "");
	ck_assert_uint_eq(config->client_count, 0);
	ck_assert_int_eq(config->count_kernel, SWITCH_YES);
	ck_assert_int_eq(config->count_latency, SWITCH_NO);
	ck_assert_str_eq(config->count_mounts, "");
	config_free(config);
}
END_TEST

START_TEST(what_is_counted_besides_the_client_is_a_list_of_mount_points)
{
	struct config *config = conf_load("[count]\nkernel = no\nlatency = yes\n"
					  "mounts = /scratch /a/b\n");

	ck_assert_int_eq(config->count_kernel, SWITCH_NO);
	ck_assert_int_eq(config->count_latency, SWITCH_YES);
	ck_assert_str_eq(config->count_mounts, "/scratch /a/b");
	config_free(config);
	expect_error("[count]\nmounts = /scratch tmp\n",
		     ": [count] mounts: 'tmp': expected an absolute path");
	expect_error(
		"[count]\nmounts = /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /14 /15 /16 /17\n",
		": [count] mounts: '/17': more mount points than 16");
	expect_error("[count]\nlatency = 1\n", ":2: [count] latency: '1': expected one of no yes");
}
END_TEST

START_TEST(sections_with_names_are_kept_apart)
{
	struct config *config = conf_load("[client weka]\ntype = weka\nnodes = c*\n"
					  "[client home]\ntype = nfs\n"
					  "[profile stream]\nio_cores = 2\n"
					  "[profile meta]\ndescription = small\n");

	ck_assert_uint_eq(config->client_count, 2);
	ck_assert_str_eq(config->clients[0].name, "weka");
	ck_assert_str_eq(config->clients[0].nodes, "c*");
	ck_assert_str_eq(config->clients[0].command, "/usr/bin/weka");
	ck_assert_str_eq(config->clients[0].stats_socket,
			 "/opt/weka/external-mounts/local-sockets/*/container.sock");
	ck_assert_int_eq(config->clients[1].type, CLIENT_NFS);
	ck_assert_ptr_eq(config_client_find(config, "home"), &config->clients[1]);
	ck_assert_ptr_null(config_client_find(config, "hom"));
	ck_assert_uint_eq(config_profile_find(config, "stream")->io_cores, 2);
	ck_assert_str_eq(config_profile_find(config, "meta")->description, "small");
	ck_assert_ptr_null(config_profile_find(config, "streams"));
	config_free(config);
}
END_TEST

START_TEST(a_client_takes_the_keys_of_its_type_only)
{
	struct config *config = conf_load("[client home]\nmountstats = /m/s\n"
					  "type = nfs\nmounts = /home\n");

	ck_assert_str_eq(config->clients[0].mountstats, "/m/s");
	config_free(config);
	expect_error("[client w]\ntype = weka\n[client home]\n"
		     "mounts = /home\ncommand = /usr/bin/weka\ntype = nfs\n",
		     ":5: [client home] command: not a key of type=nfs");
	expect_error("[client w]\ntype = lustre\numount_command = /bin/umount\n",
		     ":3: [client w] umount_command: not a key of type=lustre");
	expect_error("[client home]\ntype = nfs\nfstab = /etc/fstab\n",
		     ":3: [client home] fstab: not a key of type=nfs");
	expect_error("[client home]\nmountstats = /b\n",
		     ":2: [client home] mountstats: not a key of type=weka; is it 'mounts'?");
	expect_error("[client w]\nmountstat = /m\n",
		     ":2: [client w] mountstat: '/m': unknown key; is it 'mountstats'?");
	expect_error("[client w]\ntypo = weka\n",
		     ":2: [client w] typo: 'weka': unknown key; is it 'type'?");
}
END_TEST

START_TEST(read_ahead_of_a_profile_is_a_number)
{
	struct config *config = conf_load("[profile p]\nread_ahead_kb = 4096\n");

	ck_assert_str_eq(config->profiles[0].read_ahead_kb, "4096");
	config_free(config);
	expect_error("[profile p]\nread_ahead_kb = 4M\n",
		     ": [profile p] read_ahead_kb: '4M': expected a number from 0 to 1048576");
}
END_TEST

/* "a c": the clients of a node, in their order. */
static const char *clients_of(const struct config *config, const char *node)
{
	const struct config_client *list[CONFIG_CLIENTS_MAX];
	size_t count = config_clients_for(config, node, list), i;
	static char names[256];

	*names = '\0';
	for (i = 0; i < count; i++) {
		strcat(names, i ? " " : "");
		strcat(names, list[i]->name);
	}
	return names;
}

START_TEST(a_site_switches_jobio_off_as_a_whole_or_but_for_nodes_and_partitions)
{
	static const struct {
		const char *text, *node, *partitions, *why; /* NULL: on */
	} tries[] = {
		{ "", "c1", "batch", NULL },
		{ "", NULL, "", NULL },
		{ "[jobio]\nenabled=yes\n", "c1", "batch", NULL },
		{ "[jobio]\nenabled=no\n", NULL, NULL,
		  "the site has switched jobio off (enabled=no)" },
		{ "[jobio]\nnodes=c[12] d*\n", "c2", NULL, NULL },
		{ "[jobio]\nnodes=c[12] d*\n", "d7", NULL, NULL },
		{ "[jobio]\nnodes=c[12] d*\n", "c3", NULL,
		  "the site does not use jobio on node c3 yet (nodes=)" },
		{ "[jobio]\nnodes=c[12] d*\n", NULL, NULL, NULL },
		{ "[jobio]\npartitions=test, io\n", "c1", "io", NULL },
		{ "[jobio]\npartitions=test io\n", "c1", "io,test", NULL },
		{ "[jobio]\npartitions=test,io\n", "c1", "io,batch",
		  "the site does not use jobio in partition batch yet (partitions=)" },
		{ "[jobio]\npartitions=test\n", NULL, "",
		  "the site uses jobio in partition test only: name it with --partition" },
		{ "[jobio]\npartitions=test\n", "c1", NULL, NULL },
	};
	struct config *config;
	struct err why;
	size_t i;

	for (i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		config = conf_load(tries[i].text);
		strcpy(why.text, "");
		ck_assert_msg(config_is_off(config, tries[i].node, tries[i].partitions, &why) ==
				      (tries[i].why != NULL),
			      "%zu: %s", i, why.text);
		ck_assert_str_eq(why.text, tries[i].why ? tries[i].why : "");
		config_free(config);
	}
	expect_error("[jobio]\nenabled=off\n",
		     ":2: [jobio] enabled: 'off': expected one of no yes");
}
END_TEST

START_TEST(a_node_gets_all_clients_that_name_it)
{
	struct config *config = conf_load("[client a]\ntype = nfs\nnodes = c[1-3] gpu*\n"
					  "[client b]\nnodes = c*\n");

	ck_assert_str_eq(clients_of(config, "c2"), "a b");
	ck_assert_str_eq(clients_of(config, "gpu-17"), "a");
	ck_assert_str_eq(clients_of(config, "c9"), "b");
	ck_assert_str_eq(clients_of(config, "login"), "");
	config_free(config);
}
END_TEST

START_TEST(of_two_clients_of_one_type_the_first_has_the_mounts_of_both)
{
	struct config *config = conf_load("[client a]\nnodes = c[1-3]\n"
					  "[client b]\ntype = weka\n"
					  "[client home]\ntype = nfs\nmounts = /home /opt\n"
					  "[client data]\ntype = nfs\nmounts = /data\n"
					  "[client soft]\ntype = nfs\nmounts = /soft /opt\n"
					  "[client rest]\ntype = nfs\nnodes = c*\n");

	ck_assert_str_eq(clients_of(config, "c2"), "a home data");
	ck_assert_str_eq(clients_of(config, "c9"), "b home data");
	config_free(config);
}
END_TEST

START_TEST(a_profile_has_settings_for_all_clients_or_for_one)
{
	struct config *config = conf_load("[client home]\ntype = nfs\n"
					  "[client work]\ntype = weka\n"
					  "[profile scan:home]\n"
					  "read_ahead_kb = 4096\n"
					  "[profile scan]\nio_cores = 1\n"
					  "mount_options = forcedirect\n");
	const struct config_client *home = &config->clients[0];
	const struct config_client *work = &config->clients[1];
	const struct config_profile *profile;

	profile = config_profile_for(config, "scan", home);
	ck_assert_str_eq(profile->read_ahead_kb, "4096");
	ck_assert_str_eq(profile->mount_options, "");
	profile = config_profile_for(config, "scan", work);
	ck_assert_str_eq(profile->mount_options, "forcedirect");
	ck_assert_ptr_eq(profile, config_profile_find(config, "scan"));
	ck_assert_ptr_null(config_profile_for(config, "other", work));
	ck_assert_uint_eq(config->profile_count, 1);
	config_free(config);
}
END_TEST

START_TEST(a_profile_is_for_the_types_that_look_at_what_it_sets)
{
	static const struct {
		const char *set, *who;
	} cases[] = {
		{ "io_cores = 1", "" },
		{ "description = a", "" },
		{ "mount_options = forcedirect", "weka lustre gpfs " },
		{ "mount_options = sync", "weka lustre gpfs nfs " },
		{ "read_ahead_kb = 0", "lustre nfs " },
		{ "parameters = osc.checksums=0", "lustre " },
		{ "mmconfig = maxMBpS=1", "gpfs " },
	};
	char text[400], who[80];
	struct config *config;
	size_t i, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text),
			 "[client a]\ntype = weka\n[client b]\ntype = lustre\n"
			 "[client c]\ntype = gpfs\n[client d]\ntype = nfs\n"
			 "[profile other]\nmmconfig = maxMBpS=2\n"
			 "[profile p]\n%s\n",
			 cases[i].set);
		config = conf_load(text);
		*who = '\0';
		for (k = 0; k < 4; k++)
			if (config_profile_is_for(config, "p", &config->clients[k])) {
				strcat(who, client_type_name(config->clients[k].type));
				strcat(who, " ");
			}
		ck_assert_str_eq(who, cases[i].who);
		ck_assert_int_eq(config_profile_is_empty(config, "p"), !*who);
		config_free(config);
	}
}
END_TEST

START_TEST(a_profile_that_sets_something_of_one_client_only_is_not_empty)
{
	struct config *config = conf_load("[client home]\ntype = nfs\n"
					  "[client work]\ntype = weka\n"
					  "[profile bare]\nio_cores = 1\n"
					  "[profile scan]\nio_cores = 1\n"
					  "[profile scan:home]\n"
					  "read_ahead_kb = 4096\n");
	const struct config_client *home = &config->clients[0];
	const struct config_client *work = &config->clients[1];

	ck_assert(config_profile_is_empty(config, "bare"));
	ck_assert(!config_profile_is_for(config, "bare", home));
	ck_assert(!config_profile_is_empty(config, "scan"));
	ck_assert(config_profile_is_for(config, "scan", home));
	ck_assert(!config_profile_is_for(config, "scan", work));
	ck_assert(config_profile_is_empty(config, "nosuch"));
	ck_assert(!config_profile_is_for(config, "nosuch", home));
	config_free(config);
}
END_TEST

START_TEST(a_profile_for_one_client_needs_both_and_sets_no_cores)
{
	expect_error("[client home]\ntype = nfs\n"
		     "[profile scan:home]\nread_ahead_kb = 1\n",
		     ": [profile scan:home]: 'scan': no such [profile]");
	expect_error("[profile scan]\ndescription = a\n"
		     "[profile scan:home]\n"
		     "read_ahead_kb = 1\n",
		     ": [profile scan:home]: 'home': no such [client]");
	expect_error(
		"[client home]\ntype = nfs\n"
		"[profile scan]\ndescription = a\n"
		"[profile scan:home]\nio_cores = 1\n",
		": [profile scan:home]: 'io_cores': belongs into the [profile] for all clients");
	expect_error(
		"[client home]\ntype = nfs\n"
		"[profile scan]\ndescription = a\n"
		"[profile scan:home]\n"
		"read_ahead_kb = x\n",
		": [profile scan:home] read_ahead_kb: 'x': expected a number from 0 to 1048576");
	expect_error(
		"[profile scan:]\nread_ahead_kb = 1\n",
		":2: [profile scan:] read_ahead_kb: '1': its name is not of 1 to 32 small letters, digits, '_' and '-'");
	expect_error(
		"[profile scan:a:b]\nread_ahead_kb = 1\n",
		":2: [profile scan:a:b] read_ahead_kb: '1': its name is not of 1 to 32 small letters, digits, '_' and '-'");
}
END_TEST

START_TEST(a_bad_line_is_named_with_file_line_and_reason)
{
	expect_error("[jobio]\n\ngate = maybe\n",
		     ":3: [jobio] gate: 'maybe': expected one of off warn enforce");
	expect_error("[jobio]\nrun_dir = run\n",
		     ":2: [jobio] run_dir: 'run': expected an absolute path");
	expect_error("[option]\nio_cores_max = 65\n",
		     ":2: [option] io_cores_max: '65': expected a number from 1 to 64");
	expect_error("[option]\nio_cores_max = 2 \nio_cores = 2\n",
		     ":3: [option] io_cores: '2': unknown key");
	expect_error("[options]\nx = 2\n", ":2: [options] x: '2': unknown section");
	expect_error("[client]\ntype = weka\n", ":2: [client] type: 'weka': unknown section");
	expect_error("[client w]\ntype = beegfs\n",
		     ":2: [client w] type: 'beegfs': expected one of weka lustre gpfs nfs");
	expect_error(
		"[profile Stream]\nio_cores = 1\n",
		":2: [profile Stream] io_cores: '1': its name is not of 1 to 32 small letters, digits, '_' and '-'");
	expect_error(
		"[client Home]\ntype = nfs\n",
		":2: [client Home] type: 'nfs': its name is not of 1 to 32 small letters, digits, '_' and '-'");
	expect_error("[jobio]\ngate = off\ngate = warn\n", ":3: [jobio] gate: 'warn': set twice");
	expect_error("[jobio]\ngate\n", ":2: expected [section]");
	expect_error("[jobio\ngate=off\n", ":1: expected [section]");
}
END_TEST

START_TEST(a_line_too_long_is_an_error_not_cut)
{
	char text[600];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "[jobio]\ngate = ", 15);
	expect_error(text, ":2: line of more than 198 characters");
}
END_TEST

START_TEST(values_that_contradict_each_other_are_errors)
{
	expect_error("[option]\nio_cores_min = 3\nio_cores_max = 2\n",
		     ": [option] io_cores_min: '3': more than io_cores_max");
	expect_error("[option]\nio_cores_default = 9\n",
		     ": [option] io_cores_default: '9': outside");
	expect_error("[profile p]\nio_cores = 9\n", ": [profile p] io_cores: '9': outside");
	expect_error("[option]\nprofile_default = p\n",
		     ": [option] profile_default: 'p': no such [profile]");
}
END_TEST

START_TEST(metrics_are_written_to_an_absolute_path)
{
	expect_error("[ledger]\nmetrics_file = x.prom\n",
		     ": [ledger] metrics_file: 'x.prom': expected an absolute path");
}
END_TEST

START_TEST(the_store_is_a_file_or_mariadb)
{
	struct config *config = conf_load("[ledger]\nstore = sqlite\n");
	char word[CONFIG_WORD_MAX];

	ck_assert_str_eq(config->ledger.store, "/var/lib/jobio/ledger.sqlite");
	config_free(config);
	config = conf_load("[ledger]\nstore = /x\n");
	ck_assert_str_eq(config->ledger.store, "/x");
	config_free(config);
	config = conf_load("[ledger]\nstore = mariadb\nhost = a, b c\n");
	ck_assert_str_eq(config->ledger.store, CONFIG_MARIADB);
	ck_assert(config_word(config->ledger.host, 1, word));
	ck_assert_str_eq(word, "b");
	ck_assert(config_word(config->ledger.host, 2, word));
	ck_assert_str_eq(word, "c");
	ck_assert(!config_word(config->ledger.host, 3, word));
	config_free(config);
	expect_error("[ledger]\nstore = mysql\n",
		     ": [ledger] store: 'mysql': expected sqlite, mariadb or an absolute path");
	expect_error("[ledger]\nstorage_loc = a-b\n",
		     ": [ledger] storage_loc: 'a-b': expected at most 64 letters, digits and '_'");
	expect_error("[ledger]\nstorage_pass_file = x\n",
		     ": [ledger] storage_pass_file: 'x': expected an absolute path");
}
END_TEST

START_TEST(a_missing_file_is_told_from_a_bad_one)
{
	struct err err;

	ck_assert_ptr_null(config_load("/nonexistent/jobio.conf", &err));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(err.text,
			 "'/nonexistent/jobio.conf': cannot read: No such file or directory");
	tempdir_make();
	ck_assert_int_eq(mkfifo(tempdir_path("fifo"), 0600), 0);
	ck_assert_ptr_null(config_load(tempdir_path("fifo"), &err));
	ck_assert_int_eq(errno, EINVAL);
	tempdir_remove();
}
END_TEST

/* Its text, with the lines that a '#' and no blank puts out of use. */
static char *example(void)
{
	char *text = fileio_read(SRCDIR "/etc/jobio.conf", 65536, NULL, NULL);
	char *from, *to;

	ck_assert_ptr_nonnull(text);
	for (from = to = text; *from; from++)
		if (*from != '#' || (from > text && from[-1] != '\n') || strchr(" \n", from[1]))
			*to++ = *from;
	*to = '\0';
	return text;
}

START_TEST(the_example_loads_and_so_do_its_lines_that_are_not_in_use)
{
	const struct config_profile *scan;
	char *text = example();
	struct config *config;
	struct err err;

	config = config_load(SRCDIR "/etc/jobio.conf", &err);
	ck_assert_msg(config != NULL, "%s", err.text);
	ck_assert_uint_eq(config->client_count, 1);
	ck_assert_str_eq(clients_of(config, "login1"), "weka");
	/* it is copied to nodes, which have no ledger of their own (L02) */
	ck_assert_str_eq(config->ledger.host, "accounting.example.org");
	config_free(config);
	config = conf_load(text);
	ck_assert_str_eq(clients_of(config, "login1"), "home weka");
	ck_assert_int_eq(config->clients[0].type, CLIENT_NFS);
	ck_assert_str_eq(clients_of(config, "c1"), "weka");
	scan = config_profile_find(config, "scan");
	ck_assert_ptr_nonnull(scan);
	ck_assert_str_eq(scan->read_ahead_kb, "4096");
	ck_assert_str_eq(scan->mount_options, "");
	config_free(config);
	free(text);
}
END_TEST

/* As `jobio check` asks it (J06). */
static void expect_taken(const struct config *config, const char *name,
			 const struct config_client *client)
{
	struct findings findings = { 0 };

	client_judge_profile(client, config_profile_for(config, name, client), &findings);
	ck_assert_msg(findings.count == 0, "[profile %s] on [client %s]: %s", name, client->name,
		      findings.count ? findings.list[0].text : "");
	ck_assert_msg(config_profile_is_for(config, name, client),
		      "[profile %s] sets nothing of [client %s]", name, client->name);
}

START_TEST(each_profile_of_the_example_is_one_that_its_client_takes)
{
	static const struct {
		const char *client, *profile;
		enum client_type type;
	} rows[] = {
		{ "weka", "stream", CLIENT_WEKA },
		{ "weka", "metadata", CLIENT_WEKA },
		{ "weka", "cached", CLIENT_WEKA },
		{ "home", "scan", CLIENT_NFS },
		{ "scratch", "lustre-stream", CLIENT_LUSTRE },
		{ "fast", "scale", CLIENT_GPFS },
	};
	const struct config_client *client;
	char *text = example();
	struct config *config = conf_load(text);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		client = config_client_find(config, rows[i].client);
		ck_assert_msg(client && client->type == rows[i].type, "no [client %s] of its type",
			      rows[i].client);
		ck_assert_msg(config_profile_find(config, rows[i].profile), "no [profile %s]",
			      rows[i].profile);
		expect_taken(config, rows[i].profile, client);
	}
	ck_assert_uint_eq(config->profile_count, i);
	ck_assert_uint_eq(config->client_count, 4);
	client = config_client_find(config, "fast");
	ck_assert_str_eq(config_profile_find(config, "scale")->environment,
			 "ROMIO_HINTS=/etc/jobio/romio-hints.scale");
	config_free(config);
	free(text);
}
END_TEST

START_TEST(the_example_as_it_is_has_no_profile_that_its_client_refuses)
{
	struct config *config = config_load(SRCDIR "/etc/jobio.conf", NULL);
	size_t i;

	ck_assert_ptr_nonnull(config);
	ck_assert_uint_eq(config->profile_count, 3);
	for (i = 0; i < config->profile_count; i++)
		expect_taken(config, config->profiles[i].name, &config->clients[0]);
	config_free(config);
}
END_TEST

START_TEST(values_of_a_wrong_kind_are_told)
{
	char text[700], long_value[502];

	expect_error(
		"[option]\nprofile_default = Big\n",
		":2: [option] profile_default: 'Big': expected a name of small letters, digits, '_' and '-'");
	expect_error("[profile p]\ndescription = a\x7fz\n",
		     ":2: [profile p] description: 'a?z': too long, or has control characters");
	expect_error("[profile p]\ndescription = a\x01z\n",
		     ":2: [profile p] description: 'a?z': too long, or has control characters");
	memset(long_value, 'x', sizeof(long_value) - 1);
	long_value[sizeof(long_value) - 1] = '\0';
	snprintf(text, sizeof(text), "[profile p]\nmount_options = %s\n", long_value);
	expect_error(text, ":2: ");
	expect_error("[jobio]\nrun_dir = /a/../b\n",
		     ":2: [jobio] run_dir: '/a/../b': expected an absolute path");
	expect_error(
		"[client a]\ntype = weka\ncore_change = affinity\n",
		": [client a] core_change: 'affinity': a WEKA client has cores of its own: expected never, grow or any");
	expect_error(
		"[client a]\ntype = nfs\n"
		"[profile p]\nmount_options = sync,nconnect=4\n",
		": [profile p] mount_options: 'nconnect=4': a live NFS mount takes sync, async, noatime, relatime, strictatime, nodiratime and diratime only");
}
END_TEST

START_TEST(a_profile_gives_variables_that_do_no_harm)
{
	struct config *config = conf_load("[profile a]\nenvironment = A=1 B=/x,y:z C_2=a=b\n"
					  "[profile b]\nenvironment = A=2 B=/x,y:z C_2=a=b\n");

	/* nothing that a client could take */
	ck_assert(config_profile_is_empty(config, "b"));
	ck_assert_str_eq(config_profile_find(config, "b")->environment, "A=2 B=/x,y:z C_2=a=b");
	config_free(config);
	expect_error(
		"[profile a]\nenvironment = A=1 LD_PRELOAD=/x.so\n",
		": [profile a] environment: 'LD_PRELOAD=/x.so': LD_PRELOAD is not for a profile to set: it decides what runs, or is Slurm's");
	expect_error(
		"[profile a]\nenvironment = A=$(id)\n",
		": [profile a] environment: 'A=$(id)': expected NAME=VALUE, of letters, digits and _./:,@+=-");
	expect_error("[profile a]\nenvironment = A=1 A=2\n",
		     ": [profile a] environment: 'A=1': A is set twice");
	expect_error("[client n]\ntype = nfs\n[profile a]\nio_cores = 1\n"
		     "[profile a:n]\nenvironment = A=1\n",
		     ": [profile a:n]: 'environment': belongs into the [profile] for all clients");
}
END_TEST

START_TEST(there_are_so_many_clients_and_profiles_and_no_more)
{
	char text[6000] = "";
	struct config *config;
	int i;

	for (i = 0; i < CONFIG_CLIENTS_MAX; i++)
		sprintf(text + strlen(text), "[client c%d]\ntype = nfs\n", i);
	for (i = 0; i < CONFIG_PROFILES_MAX; i++)
		sprintf(text + strlen(text), "[profile p%d]\nio_cores = 1\n", i);
	config = conf_load(text);
	ck_assert_uint_eq(config->client_count, CONFIG_CLIENTS_MAX);
	ck_assert_uint_eq(config->profile_count, CONFIG_PROFILES_MAX);
	ck_assert_ptr_nonnull(config_profile_find(config, "p63"));
	config_free(config);
	sprintf(text + strlen(text), "[profile q]\nio_cores = 1\n");
	expect_error(text, ":146: [profile q] io_cores: '1': too many profiles");
	*text = '\0';
	for (i = 0; i <= CONFIG_CLIENTS_MAX; i++)
		sprintf(text + strlen(text), "[client c%d]\ntype = nfs\n", i);
	expect_error(text, ":18: [client c8] type: 'nfs': too many");
}
END_TEST

START_TEST(the_names_of_profiles_and_clients_have_a_longest)
{
	struct config *config;

	config = conf_load("[profile a2345678901234567890123456789012]\n"
			   "io_cores = 1\n");
	ck_assert_uint_eq(config->profile_count, 1);
	ck_assert_str_eq(config->profiles[0].name, "a2345678901234567890123456789012");
	config_free(config);
	expect_error(
		"[profile a23456789012345678901234567890123]\n"
		"io_cores = 1\n",
		":2: [profile a23456789012345678901234567890123] io_cores: '1': its name is not of 1 to 32 small letters, digits, '_' and '-'");
	ck_assert(config_is_name("0-_a"));
	ck_assert(!config_is_name("-a"));
	ck_assert(!config_is_name("_a"));
	ck_assert(!config_is_name(""));
	ck_assert(!config_is_name("a.b"));
}
END_TEST

START_TEST(a_mistyped_profile_finds_its_neighbour)
{
	struct config *config = conf_load("[profile stream]\nio_cores=1\n"
					  "[profile metadata]\nio_cores=1\n");

	ck_assert_str_eq(config_profile_nearest(config, "straem"), "stream");
	ck_assert_str_eq(config_profile_nearest(config, "metadta"), "metadata");
	ck_assert_ptr_null(config_profile_nearest(config, "zzz"));
	ck_assert_ptr_null(config_profile_nearest(config, "../../etc"));
	config_free(config);
}
END_TEST

/* jobio.conf and the file that its [advice] calibration names. */
static struct config *load_calibrated(const char *keys, const char *constants, struct err *err,
				      int *rc)
{
	struct config *config;
	char text[600];

	tempdir_make();
	snprintf(text, sizeof(text), "[advice]\n%scalibration = %s\n", keys,
		 tempdir_put("advice.conf", constants));
	config = config_load(tempdir_put("jobio.conf", text), err);
	ck_assert_msg(config != NULL, "%s", err->text);
	*rc = config_calibrate(config, err);
	tempdir_remove();
	return config;
}

START_TEST(a_calibration_gives_the_numbers_that_the_site_does_not_set_itself)
{
	struct err err = { "" };
	struct config *config;
	int rc;

	config = load_calibrated("core_read_mbs = 7000\n",
				 "# measured\n[advice]\n# why\n"
				 "core_read_mbs = 4936\n"
				 "core_write_mbs = 4900\n",
				 &err, &rc);
	ck_assert_msg(rc == 0, "%s", err.text);
	ck_assert_uint_eq(config->advice.core_read_mbs, 7000);
	ck_assert_uint_eq(config->advice.core_write_mbs, 4900);
	ck_assert_uint_eq(config->advice.core_read_iops, 144533);
	config_free(config);
	config = conf_load("");
	ck_assert_int_eq(config_calibrate(config, &err), 0);
	config_free(config);
}
END_TEST

START_TEST(a_calibration_holds_numbers_for_advice_and_nothing_else)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "[advice]\ncore_read_mb = 1\n",
		  ":2: [advice] core_read_mb: '1': unknown key; is it 'core_read_mbs'?" },
		{ "[advice]\ncore_read_mbs = 0\n",
		  ":2: [advice] core_read_mbs: '0': expected a number from 1 to 1000000" },
		{ "[jobio]\nenabled = no\n", ":2: [jobio] enabled: 'no': expected [advice] only" },
		{ "[advice]\ncalibration = /a\n", ":2: [advice] calibration: '/a': unknown key" },
		{ "[advice]\nmin_mib = 1\nmin_mib = 2\n", ":3: [advice] min_mib: '2': set twice" },
		{ "{\"a\": 1}\n", ":1: [] {\"a\": '1}': expected [advice] only" },
		{ "hello\n", ":1: expected [section], key=value or a comment" },
	};
	struct config *config;
	struct err err;
	size_t i;
	int rc;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		config = load_calibrated("", bad[i].text, &err, &rc);
		ck_assert_int_eq(rc, -1);
		ck_assert_msg(strstr(err.text, "advice.conf:") && strstr(err.text, bad[i].why),
			      "'%s' instead of '%s'", err.text, bad[i].why);
		config_free(config);
	}
	expect_error("[advice]\ncalibration = here\n",
		     ": [advice] calibration: 'here': expected an absolute path");
	config = conf_load("[advice]\ncalibration = /nowhere/a\n");
	ck_assert_int_eq(config_calibrate(config, &err), -1);
	ck_assert_msg(
		strstr(err.text, "[advice] calibration: '/nowhere/a': cannot read: No such file"),
		"%s", err.text);
	config_free(config);
}
END_TEST

START_TEST(the_bounds_of_cores_belong_to_what_is_allowed)
{
	struct config *config = conf_load("[option]\nio_cores_min = 2\nio_cores_max = 2\n"
					  "io_cores_default = 2\n[profile p]\nio_cores = 2\n");

	ck_assert_uint_eq(config->io_cores_min, 2);
	config_free(config);
	expect_error("[option]\nio_cores_min = 2\nio_cores_default = 1\n",
		     ": [option] io_cores_default: '1': outside io_cores_min and io_cores_max");
	expect_error("[option]\nio_cores_default = 5\n",
		     ": [option] io_cores_default: '5': outside");
	expect_error("[option]\nio_cores_min = 2\n[profile p]\nio_cores = 1\n",
		     ": [profile p] io_cores: '1': outside [option] io_cores_min and io_cores_max");
	expect_error("[profile p]\nio_cores = 5\n", ": [profile p] io_cores: '5': outside");
	config = conf_load("[option]\nio_cores_max = 64\n"
			   "[profile p]\nread_ahead_kb = 1048576\n"
			   "[profile q]\nread_ahead_kb = 0\n");
	ck_assert_uint_eq(config->io_cores_max, 64);
	config_free(config);
	expect_error("[profile p]\nread_ahead_kb = 1048577\n",
		     ": [profile p] read_ahead_kb: '1048577': expected a number from 0 to 1048576");
}
END_TEST

START_TEST(only_the_profile_for_all_clients_describes_itself)
{
	expect_error(
		"[client home]\ntype = nfs\n"
		"[profile scan]\nio_cores = 1\n"
		"[profile scan:home]\ndescription = a\n",
		": [profile scan:home]: 'description': belongs into the [profile] for all clients");
	expect_error(
		"[client w]\ntype = weka\n[client home]\ntype = nfs\n"
		"[profile scan]\nio_cores = 1\n"
		"[profile scan:home]\nmount_options = nconnect=4\n",
		": [profile scan:home] mount_options: 'nconnect=4': a live NFS mount takes sync, async, noatime, relatime, strictatime, nodiratime and diratime only; in /etc/fstab: SERVER:/EXPORT MOUNT_POINT nfs defaults,nconnect=4 0 0");
	config_free(conf_load("[client w]\ntype = weka\n"
			      "[client home]\ntype = nfs\n"
			      "[profile scan]\nio_cores = 1\n"
			      "[profile scan:w]\nmount_options = nconnect=4\n"));
}
END_TEST

START_TEST(options_that_only_nfs_could_take_are_those_of_a_live_mount)
{
	struct config *config =
		conf_load("[client w]\ntype = weka\n[client home]\ntype = nfs\n"
			  "[profile p]\nmount_options = sync,forcedirect,noatime\n");

	ck_assert_str_eq(config->profiles[0].nfs_options, "sync,noatime");
	ck_assert_str_eq(config_profile_options(&config->profiles[0], &config->clients[0]),
			 "sync,forcedirect,noatime");
	ck_assert_str_eq(config_profile_options(&config->profiles[0], &config->clients[1]),
			 "sync,noatime");
	config_free(config);
	config = conf_load("[profile p]\nmount_options = forcedirect\n");
	ck_assert_str_eq(config->profiles[0].nfs_options, "");
	config_free(config);
	config = conf_load("[client l]\ntype = lustre\n"
			   "[profile p]\nmount_options = flock\n");
	config_free(config);
	expect_error(
		"[client home]\ntype = nfs\nmounts = /home /data\n"
		"[client l]\ntype = lustre\n"
		"[profile p]\nmount_options = rsize=65536\n",
		": [profile p] mount_options: 'rsize=65536': a live NFS mount takes sync, async, noatime, relatime, strictatime, nodiratime and diratime only; in /etc/fstab: SERVER:/EXPORT /home nfs defaults,rsize=65536 0 0");
}
END_TEST

START_TEST(as_many_mounts_and_as_long_a_schema_as_there_may_be)
{
	struct config *config = conf_load(
		"[count]\nmounts = /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /14 /15 /16\n"
		"[ledger]\nstorage_loc = a23456789012345678901234567890123456789012345678901234567890123_\nstorage_ca = /ca\nstorage_pass_file = /pass\n");

	ck_assert_uint_eq(strlen(config->ledger.storage_loc), 64);
	config_free(config);
	expect_error(
		"[ledger]\nstorage_loc = a234567890123456789012345678901234567890123456789012345678901234_\n",
		": [ledger] storage_loc: 'a2345");
	expect_error("[ledger]\nstorage_loc =\n",
		     ": [ledger] storage_loc: '': expected at most 64");
	expect_error("[ledger]\nstorage_ca = x\n",
		     ": [ledger] storage_ca: 'x': expected an absolute path");
}
END_TEST

START_TEST(a_client_with_all_mounts_leaves_none_to_others_of_its_type)
{
	struct config *config = conf_load("[client all]\ntype = nfs\n"
					  "[client home]\ntype = nfs\nmounts = /home\n"
					  "[client other]\ntype = lustre\nmounts = /home\n");

	ck_assert_str_eq(clients_of(config, "c1"), "all other");
	config_free(config);
	config = conf_load("[client home]\ntype = nfs\nmounts = /home\n"
			   "[client homes]\ntype = nfs\nmounts = /homes\n"
			   "[client again]\ntype = nfs\nmounts = /homes\n");
	ck_assert_str_eq(clients_of(config, "c1"), "home homes");
	config_free(config);
}
END_TEST

START_TEST(a_name_is_near_when_half_of_its_letters_are_right)
{
	struct config *config = conf_load("[profile stream]\nio_cores=1\n"
					  "[profile aab]\nio_cores=1\n"
					  "[profile aac]\nio_cores=1\n");

	ck_assert_str_eq(config_profile_nearest(config, "stxxxm"), "stream");
	ck_assert_ptr_null(config_profile_nearest(config, "sxxxxm"));
	ck_assert_str_eq(config_profile_nearest(config, "aaa"), "aab");
	ck_assert_str_eq(config_profile_nearest(config, "stream"), "stream");
	ck_assert_uint_eq(config_distance("", "abc"), 3);
	ck_assert_uint_eq(config_distance("abc", ""), 3);
	ck_assert_uint_eq(config_distance("kitten", "sitting"), 3);
	ck_assert_uint_eq(config_distance("sunday", "saturday"), 3);
	config_free(config);
	expect_error("[jobio]\ngaxx = off\n",
		     ":2: [jobio] gaxx: 'off': unknown key; is it 'gate'?");
	expect_error("[jobio]\nqxxz = off\n", ":2: [jobio] qxxz: 'off': unknown key");
}
END_TEST

START_TEST(a_path_is_absolute_and_not_too_long)
{
	char path[402];

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[399] = '\0';
	ck_assert(config_is_path(path));
	path[399] = 'x';
	path[400] = '\0';
	ck_assert(!config_is_path(path));
	ck_assert(!config_is_path(""));
	ck_assert(!config_is_path("a/b"));
	ck_assert(config_is_path("/"));
}
END_TEST

START_TEST(a_word_of_a_list_is_as_long_as_its_room)
{
	char list[600], word[CONFIG_WORD_MAX];

	memset(list, 'x', sizeof(list));
	list[CONFIG_WORD_MAX - 1] = '\0';
	ck_assert(config_word(list, 0, word));
	ck_assert_str_eq(word, list);
	list[CONFIG_WORD_MAX - 1] = 'x';
	list[CONFIG_WORD_MAX] = '\0';
	ck_assert(!config_word(list, 0, word));
	ck_assert(config_word(" a,\tb ", 0, word));
	ck_assert_str_eq(word, "a");
	ck_assert(config_word(" a,\tb ", 1, word));
	ck_assert_str_eq(word, "b");
	ck_assert(!config_word(" a,\tb ", 2, word));
	ck_assert(!config_word("", 0, word));
	ck_assert(!config_word(", ", 0, word));
}
END_TEST

START_TEST(the_first_of_several_bad_lines_is_named)
{
	struct config *config;

	expect_error("[client a]\ntype = weka\nmountstats = /m\nbdi_dir = /b\n",
		     ":3: [client a] mountstats: not a key of type=weka");
	expect_error("[client a]\ntype = weka\n"
		     "[client b]\ntype = nfs\nfstab = /f\n",
		     ":5: [client b] fstab: not a key of type=nfs");
	expect_error("[jobio]\ngarbage\ngate = maybe\n", ":2: expected [section]");
	/* a name that begins like another */
	config = conf_load("[client a]\ntype = weka\n"
			   "[client ab]\ntype = nfs\nmountstats = /m\n");
	ck_assert_str_eq(config->clients[1].mountstats, "/m");
	config_free(config);
	config = conf_load("[client ab]\ntype = nfs\nmountstats = /m\n"
			   "[client a]\ntype = weka\nfstab = /f");
	ck_assert_str_eq(config->clients[1].fstab, "/f");
	config_free(config);
}
END_TEST

START_TEST(a_file_has_so_many_lines_and_no_more)
{
	char text[10002];

	memset(text, '\n', sizeof(text));
	text[10000] = '\0';
	config_free(conf_load(text));
	text[10000] = '\n';
	text[10001] = '\0';
	expect_error(
		text,
		":10001: line of more than 198 characters, or a zero byte, or more than 10000 lines");
}
END_TEST

START_TEST(all_numbers_that_the_site_sets_win_over_a_calibration)
{
	struct err err = { "" };
	struct config *config;
	int rc;

	config = load_calibrated("min_seconds = 1\ncore_read_mbs = 7000\n"
				 "io_processes = 5\n",
				 "[advice]\nmin_seconds = 2\n"
				 "core_read_mbs = 4936\nio_processes = 6\n"
				 "min_mib = 3\n",
				 &err, &rc);
	ck_assert_msg(rc == 0, "%s", err.text);
	ck_assert_uint_eq(config->advice.min_seconds, 1);
	ck_assert_uint_eq(config->advice.core_read_mbs, 7000);
	ck_assert_uint_eq(config->advice.io_processes, 5);
	ck_assert_uint_eq(config->advice.min_mib, 3);
	config_free(config);
}
END_TEST

START_TEST(a_site_that_names_no_partitions_has_them_all)
{
	struct config *config = conf_load("");

	ck_assert(config_has_partition(config, "batch"));
	config_free(config);
	config = conf_load("[jobio]\npartitions = test, io\n");
	ck_assert(config_has_partition(config, "test"));
	ck_assert(config_has_partition(config, "io"));
	ck_assert(!config_has_partition(config, "batch"));
	config_free(config);
}
END_TEST

START_TEST(all_texts_of_a_section_are_freed_and_gone)
{
	struct config *config = conf_load("");
	const struct key *key;

	config_free_texts(config, config_jobio_keys);
	for (key = config_jobio_keys; key->name; key++)
		if (key->kind != NUMBER && key->kind != CHOICE)
			ck_assert_msg(!*(char **)((char *)config + key->offset), "%s", key->name);
	config_free(config);
}
END_TEST

START_TEST(a_key_of_another_type_is_told_whatever_stands_behind_it)
{
	expect_error("[client home]\ntype = nfs\nfstab = /f\n"
		     "[client w]\ntype = weka\n[jobio]\ngate = off\n",
		     ":3: [client home] fstab: not a key of type=nfs");
}
END_TEST

#define LONGEST "a2345678901234567890123456789012"

START_TEST(a_profile_for_a_client_of_the_longest_name_is_for_it)
{
	struct config *config = conf_load("[client " LONGEST "]\ntype = nfs\n"
					  "[profile p]\nio_cores = 1\n"
					  "[profile p:" LONGEST "]\n"
					  "read_ahead_kb = 1\n");

	ck_assert_str_eq(config->client_profiles[0].client, LONGEST);
	ck_assert(config_profile_is_for(config, "p", &config->clients[0]));
	config_free(config);
}
END_TEST

START_TEST(a_section_whose_name_would_be_cut_is_an_error)
{
	struct config *config;

	/* 49 characters, and one more */
	config = conf_load("[client a2345678]\ntype = nfs\n"
			   "[profile " LONGEST "]\nio_cores = 1\n"
			   "[profile " LONGEST ":a2345678]\n"
			   "read_ahead_kb = 1\n");
	ck_assert_str_eq(config->client_profiles[0].client, "a2345678");
	config_free(config);
	expect_error(
		"[client a2345678]\ntype = nfs\n"
		"[profile " LONGEST "]\nio_cores = 1\n"
		"[profile " LONGEST ":a23456789]\nread_ahead_kb = 1\n",
		":5: the name of a section, with all of its words, is longer than 49 characters");
}
END_TEST

START_TEST(each_section_of_several_is_looked_at)
{
	struct config *config;

	expect_error("[client a]\ntype = nfs\n[client b]\ntype = weka\n"
		     "core_change = affinity\n",
		     ": [client b] core_change: 'affinity': a WEKA client");
	expect_error("[client a]\ntype = nfs\n[profile p]\nio_cores = 1\n"
		     "[profile p:a]\nread_ahead_kb = 1\n"
		     "[profile p:b]\nread_ahead_kb = 1\n",
		     ": [profile p:b]: 'b': no such [client]");
	config = conf_load("[client a]\ntype = nfs\n[client b]\ntype = nfs\n"
			   "[profile p]\nio_cores = 1\n"
			   "[profile q]\nio_cores = 1\n"
			   "[profile p:a]\nread_ahead_kb = 1\n"
			   "[profile q:b]\nread_ahead_kb = 1\n");
	ck_assert(!config_profile_is_empty(config, "q"));
	config_free(config);
}
END_TEST

START_TEST(a_client_has_defaults_for_the_keys_of_every_type)
{
	struct config *config = conf_load("[client a]\ntype = gpfs\n");
	const struct config_client *client = &config->clients[0];

	ck_assert_str_eq(client->mmdiag, "/usr/lpp/mmfs/bin/mmdiag");
	ck_assert_str_eq(client->lctl, "/usr/sbin/lctl");
	ck_assert_str_eq(client->bdi_dir, "/sys/class/bdi");
	ck_assert_str_eq(client->command, "/usr/bin/weka");
	config_free(config);
}
END_TEST

START_TEST(a_value_has_five_hundred_characters_at_most)
{
	const struct key key = { .name = "a", .kind = TEXT };
	char value[502], *text = NULL;

	memset(value, 'x', sizeof(value));
	value[CONFIG_TEXT_MAX] = '\0';
	ck_assert_ptr_null(config_set(&text, &key, value));
	ck_assert_str_eq(text, value);
	value[CONFIG_TEXT_MAX] = 'x';
	value[CONFIG_TEXT_MAX + 1] = '\0';
	ck_assert_str_eq(config_set(&text, &key, value), "too long, or has control characters");
	ck_assert_uint_eq(strlen(text), CONFIG_TEXT_MAX);
	free(text);
}
END_TEST

START_TEST(who_has_no_standard_input_reads_his_configuration_all_the_same)
{
	struct config *config;
	int kept = dup(0);
	struct err err;

	tempdir_make();
	tempdir_put("jobio.conf", "[jobio]\ngate = off\n");
	close(0); /* the file gets this number */
	config = config_load(tempdir_path("jobio.conf"), &err);
	ck_assert_msg(config != NULL, "%s", err.text);
	ck_assert_int_eq(config->gate, GATE_OFF);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	ck_assert_int_eq(dup2(kept, 0), 0);
	close(kept);
	config_free(config);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("config", an_empty_file_gives_the_documented_defaults,
	  what_is_counted_besides_the_client_is_a_list_of_mount_points,
	  sections_with_names_are_kept_apart, a_client_takes_the_keys_of_its_type_only,
	  read_ahead_of_a_profile_is_a_number,
	  a_site_switches_jobio_off_as_a_whole_or_but_for_nodes_and_partitions,
	  a_node_gets_all_clients_that_name_it,
	  of_two_clients_of_one_type_the_first_has_the_mounts_of_both,
	  a_profile_has_settings_for_all_clients_or_for_one,
	  a_profile_is_for_the_types_that_look_at_what_it_sets,
	  a_profile_that_sets_something_of_one_client_only_is_not_empty,
	  a_profile_for_one_client_needs_both_and_sets_no_cores,
	  a_bad_line_is_named_with_file_line_and_reason, a_line_too_long_is_an_error_not_cut,
	  values_that_contradict_each_other_are_errors, metrics_are_written_to_an_absolute_path,
	  the_store_is_a_file_or_mariadb, a_missing_file_is_told_from_a_bad_one,
	  the_example_loads_and_so_do_its_lines_that_are_not_in_use,
	  each_profile_of_the_example_is_one_that_its_client_takes,
	  the_example_as_it_is_has_no_profile_that_its_client_refuses,
	  values_of_a_wrong_kind_are_told, a_profile_gives_variables_that_do_no_harm,
	  there_are_so_many_clients_and_profiles_and_no_more,
	  the_names_of_profiles_and_clients_have_a_longest, a_mistyped_profile_finds_its_neighbour,
	  a_calibration_gives_the_numbers_that_the_site_does_not_set_itself,
	  a_calibration_holds_numbers_for_advice_and_nothing_else,
	  the_bounds_of_cores_belong_to_what_is_allowed,
	  only_the_profile_for_all_clients_describes_itself,
	  options_that_only_nfs_could_take_are_those_of_a_live_mount,
	  as_many_mounts_and_as_long_a_schema_as_there_may_be,
	  a_client_with_all_mounts_leaves_none_to_others_of_its_type,
	  a_name_is_near_when_half_of_its_letters_are_right, a_path_is_absolute_and_not_too_long,
	  a_word_of_a_list_is_as_long_as_its_room, the_first_of_several_bad_lines_is_named,
	  a_file_has_so_many_lines_and_no_more,
	  all_numbers_that_the_site_sets_win_over_a_calibration,
	  a_site_that_names_no_partitions_has_them_all, all_texts_of_a_section_are_freed_and_gone,
	  a_key_of_another_type_is_told_whatever_stands_behind_it,
	  a_profile_for_a_client_of_the_longest_name_is_for_it,
	  a_section_whose_name_would_be_cut_is_an_error, each_section_of_several_is_looked_at,
	  a_client_has_defaults_for_the_keys_of_every_type,
	  a_value_has_five_hundred_characters_at_most,
	  who_has_no_standard_input_reads_his_configuration_all_the_same)
