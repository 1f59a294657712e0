/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio.conf: a row for each error message of a bad file, the bounds of each key from the
 * tables of keys, and what sections mean for nodes, clients and jobs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config_keys.h"
#include "base/config_load.h"
#include "base/config_names.h"
#include "base/config_query.h"
#include "client/client.h"
#include "tests/unit/conf.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"

static struct err err;

/* File => start of the error message, after the path of the file. */
static const char *const bad[] = {
	"[jobio]\n\ngate = maybe\n => :3: [jobio] gate: 'maybe': expected one of off warn enforce",
	"[jobio]\nenabled=off\n => :2: [jobio] enabled: 'off': expected one of no yes",
	"[jobio]\nrun_dir = run\n => :2: [jobio] run_dir: 'run': expected an absolute path",
	"[jobio]\nrun_dir = /a/../b\n => :2: [jobio] run_dir: '/a/../b': expected an absolute path",
	"[jobio]\ngate = off\ngate = warn\n => :3: [jobio] gate: 'warn': set twice",
	"[jobio]\ngaxx = off\n => :2: [jobio] gaxx: 'off': unknown key; is it 'gate'?",
	"[jobio]\nqxxz = off\n => :2: [jobio] qxxz: 'off': unknown key",
	"[jobio]\ngate\n => :2: expected [section]",
	"[jobio\ngate=off\n => :1: expected [section]",
	"[jobio]\ngarbage\ngate = maybe\n => :2: expected [section]",
	"[options]\nx = 2\n => :2: [options] x: '2': unknown section",
	"[client]\ntype = weka\n => :2: [client] type: 'weka': unknown section",
	"[option]\nio_cores_max = 257\n => :2: [option] io_cores_max: '257': expected a number from 1 to 256",
	"[option]\nio_cores_max = 2 \nio_cores = 2\n => :3: [option] io_cores: '2': unknown key",
	"[option]\nio_cores_min = 3\nio_cores_max = 2\n => : [option] io_cores_min: '3': more than io_cores_max",
	"[option]\nio_cores_default = 5\n => : [option] io_cores_default: '5': outside io_cores_min and io_cores_max",
	"[option]\nio_cores_min = 2\nio_cores_default = 1\n => : [option] io_cores_default: '1': outside",
	"[option]\nprofile_default = p\n => : [option] profile_default: 'p': no such [profile]",
	"[option]\nprofile_default = Big\n => :2: [option] profile_default: 'Big': expected a name of small letters, digits, '_' and '-'",
	"[count]\nmounts = /scratch tmp\n => : [count] mounts: 'tmp': expected an absolute path",
	"[count]\nmounts = /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /14 /15 /16 /17\n => : [count] mounts: '/17': more mount points than 16",
	"[ledger]\nmetrics_file = x.prom\n => : [ledger] metrics_file: 'x.prom': expected an absolute path",
	"[ledger]\nstore = mysql\n => : [ledger] store: 'mysql': expected sqlite, mariadb or an absolute path",
	"[ledger]\nstorage_loc = a-b\n => : [ledger] storage_loc: 'a-b': expected at most 64 letters, digits and '_'",
	"[ledger]\nstorage_loc = a234567890123456789012345678901234567890123456789012345678901234_\n => : [ledger] storage_loc: 'a2345",
	"[ledger]\nstorage_loc =\n => : [ledger] storage_loc: '': expected at most 64",
	"[ledger]\nstorage_pass_file = x\n => : [ledger] storage_pass_file: 'x': expected an absolute path",
	"[ledger]\nstorage_ca = x\n => : [ledger] storage_ca: 'x': expected an absolute path",
	"[advice]\ncalibration = here\n => : [advice] calibration: 'here': expected an absolute path",
	"[client Home]\ntype = nfs\n => :2: [client Home] type: 'nfs': its name is not of 1 to 32 small letters, digits, '_' and '-'",
	"[client w]\ntype = beegfs\n => :2: [client w] type: 'beegfs': expected one of weka lustre gpfs nfs",
	"[client w]\ntypo = weka\n => :2: [client w] typo: 'weka': unknown key; is it 'type'?",
	"[client w]\nstats_sock = /m\n => :2: [client w] stats_sock: '/m': unknown key; is it 'stats_socket'?",
	"[client w]\nlctl = /b\n => :2: [client w] lctl: not a key of type=weka",
	"[client w]\ntype = weka\n[client home]\nmounts = /home\ncommand = /usr/bin/weka\ntype = nfs\n => :5: [client home] command: not a key of type=nfs",
	"[client w]\ntype = lustre\ncontainer = c\n => :3: [client w] container: not a key of type=lustre",
	"[client home]\ntype = nfs\nproc_dir = /f\n[client w]\ntype = weka\n[jobio]\ngate = off\n => :3: [client home] proc_dir: not a key of type=nfs",
	"[client w]\ntype = weka\nnodes = n*\n => :3: [client w] nodes: 'n*': expected nodes as Slurm writes them: ALL, or n[01-04],m7",
	"[jobio]\nnodes = n[1-\n => :2: [jobio] nodes: 'n[1-': expected nodes as Slurm writes them",
	"[ledger]\nwait_nodes = c?\n => :2: [ledger] wait_nodes: 'c?': expected nodes as Slurm writes them",
	"[client a]\ntype = nfs\n[client b]\ntype = weka\ncore_change = affinity\n => : [client b] core_change: 'affinity': a WEKA client has cores of its own: expected never, grow or any",
	"[profile Stream]\nio_cores = 1\n => :2: [profile Stream] io_cores: '1': its name is not of 1 to 32 small letters, digits, '_' and '-'",
	"[profile a23456789012345678901234567890123]\nio_cores = 1\n => :2: [profile a23456789012345678901234567890123] io_cores: '1': its name is not",
	"[profile p]\nio_cores = 5\n => : [profile p] io_cores: '5': outside [option] io_cores_min and io_cores_max",
	"[profile p]\nread_ahead_kb = 4M\n => : [profile p] read_ahead_kb: '4M': expected a number from 0 to 1048576",
	"[profile p]\nread_ahead_kb = 1048577\n => : [profile p] read_ahead_kb: '1048577': expected a number from 0 to 1048576",
	"[profile p]\ndescription = a\x7fz\n => :2: [profile p] description: 'a?z': too long, or has control characters",
	"[profile a]\nenvironment = A=1 LD_PRELOAD=/x.so\n => : [profile a] environment: 'LD_PRELOAD=/x.so': LD_PRELOAD is not for a profile to set: it decides what runs, or is Slurm's",
	"[profile a]\nenvironment = A=$(id)\n => : [profile a] environment: 'A=$(id)': expected NAME=VALUE, of letters, digits and _./:,@+=-",
	"[profile a]\nenvironment = A=1 A=2\n => : [profile a] environment: 'A=1': A is set twice",
	"[client a]\ntype = nfs\n[profile p]\nmount_options = sync,nconnect=4\n => : [profile p] mount_options: 'nconnect=4': a remount of NFS changes sync, async, noatime, relatime, strictatime, nodiratime and diratime only",
	"[client h]\ntype = nfs\nmounts = /home /data\n[client l]\ntype = lustre\n[profile p]\nmount_options = rsize=65536\n => : [profile p] mount_options: 'rsize=65536': a remount of NFS changes sync, async, noatime, relatime, strictatime, nodiratime and diratime only; in /etc/fstab: SERVER:/EXPORT /home nfs defaults,rsize=65536 0 0",
	"[client w]\ntype = weka\n[client h]\ntype = nfs\n[profile s]\nio_cores = 1\n[profile s:h]\nmount_options = nconnect=4\n => : [profile s:h] mount_options: 'nconnect=4': a remount of NFS changes",
	"[profile s:]\nread_ahead_kb = 1\n => :2: [profile s:] read_ahead_kb: '1': its name is not of 1 to 32",
	"[profile s:a:b]\nread_ahead_kb = 1\n => :2: [profile s:a:b] read_ahead_kb: '1': its name is not of 1 to 32",
	"[client h]\ntype = nfs\n[profile s:h]\nread_ahead_kb = 1\n => : [profile s:h]: 's': no such [profile]",
	"[profile s]\ndescription = a\n[profile s:h]\nread_ahead_kb = 1\n => : [profile s:h]: 'h': no such [client]",
	"[client h]\ntype = nfs\n[profile s]\nio_cores = 1\n[profile s:h]\nio_cores = 1\n => : [profile s:h]: 'io_cores': belongs into the [profile] for all clients",
	"[client h]\ntype = nfs\n[profile s]\nio_cores = 1\n[profile s:h]\ndescription = a\n => : [profile s:h]: 'description': belongs into the [profile] for all clients",
	"[client h]\ntype = nfs\n[profile s]\nio_cores = 1\n[profile s:h]\nenvironment = A=1\n => : [profile s:h]: 'environment': belongs into the [profile] for all clients",
	"[client h]\ntype = nfs\n[profile s]\nio_cores = 1\n[profile s:h]\nread_ahead_kb = x\n => : [profile s:h] read_ahead_kb: 'x': expected a number from 0 to 1048576",
	"[client a2345678]\ntype = nfs\n[profile a2345678901234567890123456789012]\nio_cores = 1\n[profile a2345678901234567890123456789012:a23456789]\nread_ahead_kb = 1\n => :5: the name of a section, with all of its words, is longer than 49 characters",
};

static void expect_error(const char *text, const char *sentence)
{
	const char *file;

	tempdir_make();
	file = tempdir_put("jobio.conf", text);
	ck_assert_msg(config_load(file, &err) == NULL, "accepted: %s", text);
	ck_assert_msg(!strncmp(err.text, file, strlen(file)) &&
			      !strncmp(err.text + strlen(file), sentence, strlen(sentence)),
		      "'%s' instead of '%s'", err.text, sentence);
	tempdir_remove();
}

START_TEST(a_bad_jobio_conf_is_refused_with_file_line_and_reason)
{
	char text[600];

	for (size_t i = 0; i < ROWS(bad); i++) {
		const char *end = strstr(bad[i], " => ");

		snprintf(text, sizeof(text), "%.*s", (int)(end - bad[i]), bad[i]);
		expect_error(text, end + strlen(" => "));
	}
	ck_assert_ptr_null(config_load("/nonexistent/jobio.conf", &err));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(err.text,
			 "'/nonexistent/jobio.conf': cannot read: No such file or directory");
}
END_TEST

/* ---- keys -------------------------------------------------------------------------- */

/* jobio.conf(5) without quotes and macros, runs of blanks as one. */
static char *manual(void)
{
	char *text = fileio_read(SRCDIR "/man/jobio.conf.5", 1 << 20, NULL, &err), *from, *to;

	ck_assert_msg(text != NULL, "%s", err.text);
	for (from = to = text; *from; from++) {
		if (strchr("\"\\", *from))
			continue;
		if (*from == ' ' && to > text && to[-1] == ' ')
			continue;
		*to++ = *from;
	}
	*to = '\0';
	return text;
}

static void expect_in_manual(const char *page, const struct key *keys)
{
	char wanted[700], *at;

	for (; keys->name; keys++) {
		if (keys->kind == FIXED_PATH)
			continue;
		at = wanted + sprintf(wanted, " %s = ", keys->name);
		if (keys->kind == NUMBER)
			at += sprintf(at, "%lu..%lu (%s)", keys->min, keys->max, keys->initial);
		if (keys->kind == CHOICE && !strcmp(keys->choices[0], "no"))
			at += sprintf(at, "yes | no");
		else
			for (int i = 0; keys->kind == CHOICE && keys->choices[i]; i++)
				at += sprintf(at, "%s%s", i ? " | " : "", keys->choices[i]);
		if (keys->kind == CHOICE)
			sprintf(at, " (%s)", keys->initial);
		else if (keys->kind == PATH)
			sprintf(at, "PATH (%s", keys->initial);
		ck_assert_msg(strstr(page, wanted) != NULL, "jobio.conf(5) has no '%s'", wanted);
	}
}

START_TEST(jobio_conf_5_has_the_bounds_words_and_default_of_each_key)
{
	const struct key *const tables[] = { config_jobio_keys,	 config_option_keys,
					     config_count_keys,	 config_ledger_keys,
					     config_advice_keys, config_calibration_keys,
					     config_client_keys, config_profile_keys };
	char *page = manual();

	for (size_t i = 0; i < ROWS(tables); i++)
		expect_in_manual(page, tables[i]);
	for (size_t i = 0; i < CONFIG_TYPE_COUNT; i++)
		expect_in_manual(page, config_type_keys[i]);
	free(page);
}
END_TEST

/* ---- which clients and profiles ----------------------------------------------------- */

START_TEST(jobio_is_off_if_enabled_nodes_or_partitions_exclude_a_node_or_job)
{
	static const struct {
		const char *text, *node, *partitions, *why; /* NULL: jobio is on */
	} rows[] = {
		{ "", "c1", "batch", NULL },
		{ "enabled=yes\n", NULL, "", NULL },
		{ "enabled=no\n", NULL, NULL, "the site has switched jobio off (enabled=no)" },
		{ "nodes=c[1-2]\n", "c2", NULL, NULL },
		{ "nodes=c[1-2]\n", NULL, NULL, NULL },
		{ "nodes=n[01-04],m7 c[9-11]\n", "c10", NULL, NULL },
		{ "nodes=all\n", "c3", NULL, NULL },
		{ "nodes=c[1-2]\n", "c3", NULL,
		  "the site does not use jobio on node c3 yet (nodes=)" },
		{ "partitions=test, io\n", "c1", "io", NULL },
		{ "partitions=test io\n", "c1", "io,test", NULL },
		{ "partitions=test,io\n", "c1", "io,batch",
		  "the site does not use jobio in partition batch yet (partitions=)" },
		{ "partitions=test\n", NULL, "",
		  "the site uses jobio in partition test only: name it with --partition" },
		{ "partitions=test\n", "c1", NULL, NULL },
	};
	struct config *config;
	char text[100];

	for (size_t i = 0; i < ROWS(rows); i++) {
		snprintf(text, sizeof(text), "[jobio]\n%s", rows[i].text);
		config = conf_load(text);
		strcpy(err.text, "");
		ck_assert_int_eq(config_is_off(config, rows[i].node, rows[i].partitions, &err),
				 rows[i].why != NULL);
		ck_assert_str_eq(err.text, rows[i].why ? rows[i].why : "");
		config_free(config);
	}
}
END_TEST

START_TEST(an_epilog_waits_for_the_ledger_on_wait_nodes_if_host_is_set)
{
	struct config *config = conf_load("[ledger]\nhost=a\nwait_nodes=c[1-2]\n");

	ck_assert(config_waits(config, "c2") && !config_waits(config, "c3"));
	config_free(config);
	config = conf_load("[ledger]\nwait_nodes=c[1-2]\n");
	ck_assert(!config_waits(config, "c2"));
	config_free(config);
	config = conf_load("[ledger]\nhost=a\n");
	ck_assert(!config_waits(config, "c2"));
	config_free(config);
}
END_TEST

/* The names of a node's clients in their order: "a c". */
static const char *clients_of(const struct config *config, const char *node)
{
	const struct config_client *list[CONFIG_CLIENTS_MAX];
	size_t count = config_clients_for(config, node, list), i;
	static char names[256];

	*names = '\0';
	for (i = 0; i < count; i++)
		strcat(strcat(names, i ? " " : ""), list[i]->name);
	return names;
}

START_TEST(of_two_clients_of_one_type_with_the_same_mounts_the_first_is_used)
{
	static const char *const rows[][3] = {
		{ "[client a]\ntype=nfs\nnodes=c[1-3]\n[client b]\nnodes=c[2-9]\n", "c2", "a b" },
		{ "[client a]\ntype=nfs\nnodes=c[1-3]\n[client b]\nnodes=c[2-9]\n", "c9", "b" },
		{ "[client a]\ntype=nfs\nnodes=c[1-3]\n", "login", "" },
		{ "[client a]\ntype=weka\n[client b]\ntype=weka\n", "c1", "a" },
		{ "[client a]\nnodes=d1\n[client b]\ntype=weka\n", "c1", "b" },
		{ "[client all]\ntype=nfs\n[client home]\ntype=nfs\nmounts=/home\n[client l]\ntype=lustre\nmounts=/home\n",
		  "c1", "all l" },
		{ "[client h]\ntype=nfs\nmounts=/home /opt\n[client d]\ntype=nfs\nmounts=/data\n[client s]\ntype=nfs\nmounts=/soft /opt\n[client r]\ntype=nfs\n",
		  "c1", "h d" },
		{ "[client h]\ntype=nfs\nmounts=/home\n[client hs]\ntype=nfs\nmounts=/homes\n",
		  "c1", "h hs" },
	};
	struct config *config;

	for (size_t i = 0; i < ROWS(rows); i++) {
		config = conf_load(rows[i][0]);
		ck_assert_msg(!strcmp(clients_of(config, rows[i][1]), rows[i][2]), "%s: %s",
			      rows[i][0], clients_of(config, rows[i][1]));
		config_free(config);
	}
}
END_TEST

START_TEST(a_profile_applies_to_clients_of_types_that_have_its_settings)
{
	static const char *const rows[][2] = {
		{ "io_cores = 1", "" },
		{ "description = a", "" },
		{ "environment = A=1 B=/x,y:z C_2=a=b", "" },
		{ "mount_options = forcedirect", "weka lustre gpfs " },
		{ "mount_options = sync", "weka lustre gpfs nfs " },
		{ "read_ahead_kb = 0", "lustre nfs " },
		{ "parameters = osc.checksums=0", "lustre " },
		{ "mmconfig = maxMBpS=1", "gpfs " },
		{ "io_cores = 1\n[profile p:d]\nread_ahead_kb = 4096", "nfs " },
		{ "mount_options = forcedirect\n[profile p:a]\nmount_options = readcache",
		  "weka lustre gpfs " },
	};
	char text[500], who[80];
	struct config *config;

	for (size_t i = 0; i < ROWS(rows); i++) {
		snprintf(
			text, sizeof(text),
			"[client a]\ntype = weka\n[client b]\ntype = lustre\n[client c]\ntype = gpfs\n[client d]\ntype = nfs\n[profile other]\nmmconfig = maxMBpS=2\n[profile p]\n%s\n",
			rows[i][0]);
		config = conf_load(text);
		*who = '\0';
		for (size_t k = 0; k < 4; k++)
			if (config_profile_is_for(config, "p", &config->clients[k]))
				strcat(strcat(who, client_type_name(config->clients[k].type)), " ");
		ck_assert_str_eq(who, rows[i][1]);
		ck_assert_int_eq(config_profile_is_empty(config, "p"), !*who);
		ck_assert(!config_profile_is_for(config, "nosuch", &config->clients[0]));
		config_free(config);
	}
}
END_TEST

START_TEST(a_profile_for_one_client_replaces_the_one_for_all)
{
	struct config *config = conf_load(
		"[client home]\ntype=nfs\n[client work]\ntype=weka\n[profile scan:home]\nread_ahead_kb=4096\n[profile scan]\nio_cores=1\nmount_options=sync,forcedirect,noatime\n");
	const struct config_client *home = &config->clients[0], *work = &config->clients[1];
	const struct config_profile *all = config_profile_for(config, "scan", work);

	ck_assert_str_eq(config_profile_for(config, "scan", home)->read_ahead_kb, "4096");
	ck_assert_str_eq(config_profile_for(config, "scan", home)->mount_options, "");
	ck_assert_ptr_eq(all, config_profile_find(config, "scan"));
	ck_assert_str_eq(config_profile_options(all, work), "sync,forcedirect,noatime");
	ck_assert_str_eq(config_profile_options(all, home), "sync,noatime");
	ck_assert_ptr_null(config_profile_for(config, "other", work));
	ck_assert_ptr_null(config_profile_find(config, "scans"));
	ck_assert_uint_eq(config->profile_count, 1);
	config_free(config);
}
END_TEST

START_TEST(a_mistyped_profile_finds_the_nearest_name)
{
	struct config *config = conf_load(
		"[profile stream]\nio_cores=1\n[profile metadata]\nio_cores=1\n[profile aab]\nio_cores=1\n[profile aac]\nio_cores=1\n");
	static const char *const rows[][2] = {
		{ "straem", "stream" }, { "metadta", "metadata" }, { "stxxxm", "stream" },
		{ "aaa", "aab" },	{ "sxxxxm", NULL },	   { "zzz", NULL },
		{ "../../etc", NULL },
	};
	const char *nearest;

	for (size_t i = 0; i < ROWS(rows); i++) {
		nearest = config_profile_nearest(config, rows[i][0]);
		ck_assert_msg(!nearest == !rows[i][1], "%s", rows[i][0]);
		ck_assert(!nearest || !strcmp(nearest, rows[i][1]));
	}
	config_free(config);
}
END_TEST

START_TEST(store_and_hosts_of_the_ledger_are_lists_of_words)
{
	struct config *config = conf_load("[ledger]\nstore = sqlite\n");
	char word[CONFIG_WORD_MAX], list[600];

	ck_assert_str_eq(config->ledger.store, "/var/lib/jobio/ledger.sqlite");
	config_free(config);
	config = conf_load("[ledger]\nstore = mariadb\nhost = a, b c\n");
	ck_assert_str_eq(config->ledger.store, CONFIG_MARIADB);
	for (size_t i = 0; i < 4; i++) {
		ck_assert(config_word(config->ledger.host, i, word) == (i < 3));
		ck_assert(i == 3 || (word[0] == 'a' + (char)i && !word[1]));
	}
	config_free(config);
	memset(list, 'x', sizeof(list));
	list[CONFIG_WORD_MAX] = '\0'; /* words are not truncated */
	ck_assert(!config_word(list, 0, word) && !config_word(", ", 0, word));
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------ */

START_TEST(a_file_has_at_most_8_clients_64_profiles_10000_lines_of_198_characters)
{
	static char text[12000];
	char *at = text;

	for (int i = 0; i < CONFIG_CLIENTS_MAX; i++)
		at += sprintf(at, "[client c%d]\ntype = nfs\n", i);
	for (int i = 0; i < CONFIG_PROFILES_MAX; i++)
		at += sprintf(at, "[profile p%d]\nio_cores = 1\n", i);
	config_free(conf_load(text));
	sprintf(at, "[profile q]\nio_cores = 1\n");
	expect_error(text, ":146: [profile q] io_cores: '1': too many profiles");
	sprintf(at, "[client q]\ntype = nfs\n");
	expect_error(text, ":146: [client q] type: 'nfs': too many");
	memset(text, '\n', 10001);
	text[10000] = '\0';
	config_free(conf_load(text));
	text[10000] = '\n';
	text[10001] = '\0';
	expect_error(
		text,
		":10001: line of more than 198 characters, or a zero byte, or more than 10000 lines");
	memset(text, 'a', 600);
	text[600] = '\0';
	memcpy(text, "[jobio]\ngate = ", 15);
	expect_error(text, ":2: line of more than 198 characters");
}
END_TEST

/* ---- calibrations and the example -------------------------------------------------------- */

/* Load jobio.conf with these keys of [advice] and the calibration file that it names. */
static int calibrate(const char *keys, const char *constants, struct config **config)
{
	char text[600];
	int rc;

	tempdir_make();
	snprintf(text, sizeof(text), "[advice]\n%scalibration = %s\n", keys,
		 constants ? tempdir_put("advice.conf", constants) : tempdir_path("none"));
	*config = config_load(tempdir_put("jobio.conf", text), &err);
	ck_assert_msg(*config != NULL, "%s", err.text);
	rc = config_calibrate(*config, &err);
	tempdir_remove();
	return rc;
}

START_TEST(numbers_of_advice_that_jobio_conf_does_not_set_are_those_of_the_calibration)
{
	static const char *const rows[][2] = {
		{ "[advice]\ncore_read_mb = 1\n",
		  ":2: [advice] core_read_mb: '1': unknown key; is it 'core_read_mbs'?" },
		{ "[advice]\ncore_read_mbs = 0\n",
		  ":2: [advice] core_read_mbs: '0': expected a number from 1 to 1000000" },
		{ "[jobio]\nenabled = no\n", ":2: [jobio] enabled: 'no': expected [advice] only" },
		{ "[advice]\ncalibration = /a\n", ":2: [advice] calibration: '/a': unknown key" },
		{ "[advice]\nmin_mib = 1\nmin_mib = 2\n", ":3: [advice] min_mib: '2': set twice" },
		{ "hello\n", ":1: expected [section], key=value or a comment" },
		{ NULL, "/none': cannot read: No such file" },
	};
	struct config *config;

	ck_assert_int_eq(
		calibrate(
			"min_seconds = 1\ncore_read_mbs = 7000\n",
			"# measured\n[advice]\nmin_seconds = 2\ncore_read_mbs = 4936\nmin_mib = 3\n",
			&config),
		0);
	ck_assert_uint_eq(config->advice.min_seconds, 1);
	ck_assert_uint_eq(config->advice.core_read_mbs, 7000);
	ck_assert_uint_eq(config->advice.min_mib, 3);
	ck_assert_uint_eq(config->advice.core_read_iops, 144533);
	config_free(config);
	for (size_t i = 0; i < ROWS(rows); i++) {
		ck_assert_int_eq(calibrate("", rows[i][0], &config), -1);
		ck_assert_msg(strstr(err.text, rows[i][1]) != NULL, "%s", err.text);
		config_free(config);
	}
}
END_TEST

/* Text of the example, with the lines that start with '#' and no blank uncommented. */
static char *example(void)
{
	char *text = fileio_read(SRCDIR "/etc/jobio.conf", 65536, NULL, NULL), *from, *to;

	ck_assert_ptr_nonnull(text);
	for (from = to = text; *from; from++)
		if (*from != '#' || (from > text && from[-1] != '\n') || strchr(" \n", from[1]))
			*to++ = *from;
	*to = '\0';
	return text;
}

/* Every client accepts each profile for it, as in `jobio check` (J06, J07). */
static void expect_profiles_taken(const struct config *config)
{
	for (size_t i = 0; i < config->profile_count; i++) {
		const char *name = config->profiles[i].name;
		bool is_for_one = config_profile_is_empty(config, name);

		for (size_t k = 0; k < config->client_count; k++) {
			const struct config_client *client = &config->clients[k];
			struct findings findings = { 0 };

			if (!config_profile_is_for(config, name, client))
				continue;
			client_judge_profile(client, config_profile_for(config, name, client),
					     &findings);
			is_for_one |= findings.count == 0;
			findings_free(&findings);
		}
		ck_assert_msg(is_for_one, "[profile %s]: no client of the example takes it", name);
	}
}

START_TEST(the_example_loads_with_and_without_its_commented_lines)
{
	char *text = example();
	struct config *config = config_load(SRCDIR "/etc/jobio.conf", &err);

	ck_assert_msg(config != NULL, "%s", err.text);
	ck_assert_uint_eq(config->client_count, 1);
	ck_assert_uint_eq(config->profile_count, 3);
	/* the example is copied to nodes, which have no ledger of their own (L02) */
	ck_assert_str_eq(config->ledger.host, "accounting.example.org");
	expect_profiles_taken(config);
	config_free(config);
	config = conf_load(text);
	ck_assert_uint_eq(config->client_count, 4);
	ck_assert_uint_eq(config->profile_count, 6);
	expect_profiles_taken(config);
	config_free(config);
	free(text);
}
END_TEST

START_TEST(a_process_without_standard_input_reads_its_configuration)
{
	struct config *config;
	int kept = dup(0);

	tempdir_make();
	tempdir_put("jobio.conf", "[jobio]\ngate = off\n");
	close(0); /* the next open() returns 0 */
	config = config_load(tempdir_path("jobio.conf"), &err);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	ck_assert_int_eq(dup2(kept, 0), 0);
	ck_assert_msg(config && config->gate == GATE_OFF, "%s", err.text);
	config_free(config);
	ck_assert_int_eq(mkfifo(tempdir_path("fifo"), 0600), 0);
	ck_assert_ptr_null(config_load(tempdir_path("fifo"), &err));
	tempdir_remove();
}
END_TEST

UNIT_MAIN("config", a_bad_jobio_conf_is_refused_with_file_line_and_reason,
	  jobio_conf_5_has_the_bounds_words_and_default_of_each_key,
	  jobio_is_off_if_enabled_nodes_or_partitions_exclude_a_node_or_job,
	  an_epilog_waits_for_the_ledger_on_wait_nodes_if_host_is_set,
	  of_two_clients_of_one_type_with_the_same_mounts_the_first_is_used,
	  a_profile_applies_to_clients_of_types_that_have_its_settings,
	  a_profile_for_one_client_replaces_the_one_for_all,
	  a_mistyped_profile_finds_the_nearest_name,
	  store_and_hosts_of_the_ledger_are_lists_of_words,
	  a_file_has_at_most_8_clients_64_profiles_10000_lines_of_198_characters,
	  numbers_of_advice_that_jobio_conf_does_not_set_are_those_of_the_calibration,
	  the_example_loads_with_and_without_its_commented_lines,
	  a_process_without_standard_input_reads_its_configuration)
