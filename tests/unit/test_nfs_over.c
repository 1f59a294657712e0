/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A new NFS mount for a job: which options it gets, and what the kernel shows of
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/change.h"
#include "client/client.h"
#include "client/nfs/nfs.h"
#include "client/place.h"
#include "lib/child.h"
#include "lib/fileio.h"
#include "lib/journal.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static void expect_list(const char *shown, const char *wanted, const char *list)
{
	char *have = nfs_over_list(shown, wanted);

	ck_assert_str_eq(have, list);
	free(have);
}

#define SAFE "ro,nosuid,nodev,noexec,relatime"

START_TEST(a_new_mount_has_every_option_of_the_old_one_that_it_does_not_replace)
{
	expect_list(SAFE ",vers=3,rsize=1048576,wsize=262144,namlen=255,hard,"
			 "nolock,proto=tcp,timeo=600,retrans=2,sec=krb5p,"
			 "mountaddr=192.0.2.1,mountvers=3,mountport=20048,"
			 "mountproto=udp,local_lock=all,addr=192.0.2.1",
		    "rsize=65536",
		    SAFE ",vers=3,wsize=262144,namlen=255,hard,"
			 "nolock,proto=tcp,timeo=600,retrans=2,sec=krb5p,"
			 "mountaddr=192.0.2.1,mountvers=3,mountport=20048,"
			 "mountproto=udp,local_lock=all,addr=192.0.2.1,"
			 "rsize=65536");
	expect_list("rw,noatime,nodiratime,seclabel,vers=4.2,"
		    "context=\"u:o:nfs_t:s0:c1,c2\",clientaddr=192.0.2.9",
		    "nocto,noac",
		    "rw,noatime,nodiratime,vers=4.2,"
		    "context=\"u:o:nfs_t:s0:c1,c2\",clientaddr=192.0.2.9,"
		    "nocto,noac");
}
END_TEST

START_TEST(an_option_takes_the_place_of_what_it_sets)
{
	expect_list("rw,relatime,acregmin=1,acregmax=2,acdirmin=3,acdirmax=4,"
		    "hard",
		    "actimeo=60", "rw,relatime,hard,actimeo=60");
	expect_list("rw,relatime,acregmin=1,acregmax=2", "acregmin=9",
		    "rw,relatime,acregmax=2,acregmin=9");
	expect_list("rw,relatime,proto=tcp,port=2050,nconnect=4,mountproto=tcp",
		    "proto=rdma", "rw,relatime,mountproto=tcp,proto=rdma");
}
END_TEST

START_TEST(a_mount_that_keeps_all_access_times_goes_on_to_keep_them)
{
	expect_list("rw,vers=3", "nocto", "rw,vers=3,strictatime,nocto");
}
END_TEST

/* ---- mountinfo ------------------------------------------------------------- */

static const char mountinfo[] =
	"21 1 8:2 / / rw,relatime - xfs /dev/sda2 rw\n"
	"80 21 0:60 / /mnt/my\\040work rw shared:4 - nfs 192.0.2.40:/a rw\n"
	"x 21 0:60 / /mnt/my\\040work rw shared:4 - nfs 192.0.2.40:/a rw\n"
	"82 21 0:60 / /mnt/my\\040work rw\n"
	"81 80 0:61 /b /mnt/my\\040work ro - nfs 192.0.2.40:/\\134a ro\n"
	"83 21 0:62 / /mnt/my\\040workshop rw - nfs 192.0.2.40:/b rw\n";

static unsigned long found(struct place_search search)
{
	struct place place;

	return place_find(mountinfo, &search, &place) ? place.id : 0;
}

START_TEST(the_last_mount_on_a_place_is_seen)
{
	const struct place_search search = { .target = "/mnt/my work" };
	struct place place;

	ck_assert(place_find(mountinfo, &search, &place));
	ck_assert_uint_eq(place.id, 81);
	ck_assert_uint_eq(place.parent, 80);
	ck_assert_str_eq(place.device, "0:61");
	ck_assert_str_eq(place.root, "/b");
	ck_assert_str_eq(place.fstype, "nfs");
	ck_assert_str_eq(place.source, "192.0.2.40:/\\a");
	ck_assert_uint_eq(found((struct place_search){ .id = 83 }), 83);
	ck_assert_uint_eq(found((struct place_search){ .id = 84 }), 0);
	ck_assert_uint_eq(found((struct place_search){ .target = "/mnt/my work",
						       .parent = 21 }),
			  80);
	ck_assert_uint_eq(found((struct place_search){ .target = "/mnt/my work",
						       .source = "x" }),
			  0);
}
END_TEST

START_TEST(below_a_place_is_what_its_name_begins)
{
	ck_assert_uint_eq(
		found((struct place_search){ .target = "/mnt", .below = true }),
		83);
	ck_assert_uint_eq(
		found((struct place_search){ .target = "/", .below = true }),
		83);
	ck_assert_uint_eq(found((struct place_search){ .target = "/mnt/my work",
						       .below = true }),
			  0);
}
END_TEST

/* ---- what the kernel shows --------------------------------------------------- */

static struct config_client section;
static struct client *client;

#define STATS                                                                  \
	"device 192.0.2.40:/a mounted on /mnt/a with fstype nfs "              \
	"statvers=1.1\n"                                                       \
	"\topts:\trw,vers=3,acregmin=3,acregmax=60,acdirmin=30,acdirmax=60\n"  \
	"device 192.0.2.40:/a mounted on /mnt/a with fstype nfs "              \
	"statvers=1.1\n"                                                       \
	"\topts:\trw,vers=3,acregmin=60,acregmax=60,acdirmin=60,acdirmax=60\n" \
	"no device mounted on /mnt/b\n\topts:\trw,nocto\n"

static void node(const char *options)
{
	static char table[600], info[600], stats[600], line[800];
	struct err err;

	tempdir_make();
	snprintf(line, sizeof(line), "192.0.2.40:/a /mnt/a nfs %s 0 0\n",
		 options);
	strcpy(table, tempdir_put("mounts", line));
	strcpy(info, tempdir_put("mountinfo",
				 "80 21 0:60 / /mnt/a rw - nfs 192.0.2.40:/a "
				 "rw\n"));
	strcpy(stats, tempdir_put("mountstats", STATS));
	section = (struct config_client){ .name = (char *)"home",
					  .type = CLIENT_NFS,
					  .mounts = (char *)"",
					  .timeout_ms = 1000,
					  .mount_table = table,
					  .mountinfo = info,
					  .mountstats = stats,
					  .bdi_dir = tempdir_name };
	client = client_open(&section, "/run/jobio", "/spool/state", NULL);
	ck_assert_ptr_nonnull(client);
	ck_assert_int_eq(client_inspect(client, 1000, &err), 0);
}

static void away(void)
{
	client_close(client);
	tempdir_remove();
}

static void expect_verified(const char *before, const char *wanted,
			    const char *why)
{
	struct err err = { "" };
	int rc = nfs_over_verify(client, "/mnt/a", before, wanted, &err);

	ck_assert_str_eq(err.text, why);
	ck_assert_int_eq(rc, *why ? -1 : 0);
}

START_TEST(defaults_that_the_table_does_not_show_are_found_in_mountstats)
{
	node("rw,nosuid,vers=3,rsize=65536,acregmin=60,acdirmin=60,sec=krb5");
	ck_assert(nfs_over_stand(client, "/mnt/a", "rsize=65536,actimeo=60"));
	ck_assert(nfs_over_stand(client, "/mnt/a", "lookupcache=all"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "actimeo=61"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "nocto"));
	ck_assert(!nfs_over_stand(client, "/mnt/b", "rsize=65536"));
	/* of these the kernel shows all but the default */
	ck_assert(!nfs_over_stand(client, "/mnt/a", "lookupcache=none"));
	ck_assert(nfs_over_stand(client, "/mnt/a", "port=2049"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "port=20049"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "wsize=2049"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "acl=all"));
	away();
	node("rw,vers=3,port=20049,lookupcache=pos");
	ck_assert(nfs_over_stand(client, "/mnt/a", "port=20049"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "port=2049"));
	ck_assert(nfs_over_stand(client, "/mnt/a", "lookupcache=pos"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "lookupcache=all"));
	away();
}
END_TEST

START_TEST(a_new_mount_that_lost_something_of_the_old_one_is_not_as_wanted)
{
	node("rw,nosuid,vers=3,rsize=65536,acregmin=60,acdirmin=60,sec=krb5");
	expect_verified("rw,nosuid,vers=3,rsize=4096,acregmax=9,sec=krb5",
			"rsize=65536,actimeo=60", "");
	expect_verified("rw,nosuid,nodev,vers=3", "rsize=65536",
			"it has lost 'nodev' on the way");
	expect_verified("ro,nosuid", "rsize=65536",
			"it has lost 'ro' on the way");
	expect_verified("rw,sec=krb5p", "rsize=65536",
			"it has lost 'sec=krb5p' on the way");
	expect_verified("rw", "rsize=65536,wsize=65536",
			"the kernel did not give it wsize=65536");
	away();
}
END_TEST

START_TEST(what_stood_before_is_noted_with_the_mount_that_had_it)
{
	char *old;

	node("rw,nosuid,vers=3,rsize=65536,nordirplus");
	old = nfs_over_old(client, "/mnt/a", 80,
			   "rsize=4096,nocto,nordirplus,acregmin=0");
	ck_assert_str_eq(old,
			 "id=80,rsize=65536,!nocto,nordirplus,acregmin=60");
	free(old);
	away();
}
END_TEST

START_TEST(a_reboot_undoes_a_new_mount)
{
	ck_assert(!client_change_outlives_reboot("nfs", "mount"));
}
END_TEST

/* ---- there and back -------------------------------------------------------------- */

/* They keep the tables: the new mount is the last line of both. */
#define MOUNT                                                                  \
	"#!/bin/sh\n"                                                          \
	"cd '%s' || exit 9\n"                                                  \
	"echo \"mount $*\" >>calls\n"                                          \
	"[ -e refused ] && { cat refused >&2; exit 32; }\n"                    \
	"[ -e hangs ] && exec sleep 60\n"                                      \
	"[ -e lies ] && exit 0\n"                                              \
	"[ -e shows ] && set -- $1 $2 $3 $4 \"$(cat shows)\" $6 $7\n"          \
	"echo \"$6 $7 $3 $5 0 0\" >>mounts\n"                                  \
	"echo \"81 80 0:61 / $7 rw - $3 $6 rw\" >>mountinfo\n"                 \
	"[ -e late ] && exit 32\n"                                             \
	"exit 0\n"
#define UMOUNT                                                                 \
	"#!/bin/sh\n"                                                          \
	"cd '%s' || exit 9\n"                                                  \
	"echo \"umount $*\" >>calls\n"                                         \
	"[ -e busy ] && [ $1 = -i ] && { echo \"device is busy\" >&2; "        \
	"exit 16; }\n"                                                         \
	"[ -e stays ] && { cat stays >&2; exit $(wc -l <stays); }\n"           \
	"[ -e blind ] && exec rm mountinfo\n"                                  \
	"sed -i '$d' mounts mountinfo\n"                                       \
	"[ -e late ] && exit 32\n"                                             \
	"exit 0\n"

#define OLD "rw,relatime,vers=3,rsize=65536,proto=tcp,addr=192.0.2.40"
#define CALL                                                                   \
	"mount -i -t nfs -o rw,relatime,vers=3,proto=tcp,addr=192.0.2.40,"     \
	"rsize=4096 192.0.2.40:/a /mnt/a\n"
#define NEW_LINE                                                               \
	"192.0.2.40:/a /mnt/a nfs rw,relatime,vers=3,rsize=4096,proto=tcp,"    \
	"addr=192.0.2.40 0 0\n"
#define INFO "80 21 0:60 / /mnt/a rw - nfs 192.0.2.40:/a rw\n"
#define NEW_INFO "81 80 0:61 / /mnt/a rw - nfs 192.0.2.40:/a rw\n"

static struct client_want want;
static struct client_plan plan;
static struct findings findings;
static struct err err;
static struct journal_change change;

static void look_again(void)
{
	ck_assert_msg(client_inspect(client, 60000, &err) == 0, "%s", err.text);
}

static void begin(const char *options)
{
	static char mount_command[600], umount_command[600];

	node(options);
	tempdir_command("mount", MOUNT, mount_command);
	tempdir_command("umount", UMOUNT, umount_command);
	section.mount_command = mount_command;
	section.umount_command = umount_command;
	section.mount_change = MOUNT_CHANGE_OVER;
	section.timeout_ms = 60000;
	client_close(client);
	client = client_open(&section, tempdir_name, tempdir_name, NULL);
	ck_assert_ptr_nonnull(client);
	look_again();
	want = (struct client_want){ .alone = true,
				     .mount_options = "",
				     .read_ahead_kb = "",
				     .mount = "rsize=4096" };
	change = (struct journal_change){ .target = (char *)"/mnt/a",
					  .old_value =
						  (char *)"id=80,rsize=65536",
					  .new_value = (char *)"rsize=4096" };
}

/* A new mount is there. */
static void begin_made(void)
{
	begin(OLD);
	tempdir_put("mounts",
		    "192.0.2.40:/a /mnt/a nfs " OLD " 0 0\n" NEW_LINE);
	tempdir_put("mountinfo", INFO NEW_INFO);
}

static void end(void)
{
	change_clear(&plan);
	findings_free(&findings);
	away();
}

static void expect_finding(const char *code, const char *text)
{
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, code);
	ck_assert_str_eq(findings.list[0].text, text);
	findings_free(&findings);
}

static void expect_plan(size_t count)
{
	change_clear(&plan);
	ck_assert_int_eq(
		nfs_over.plan(&nfs_over, client, &want, &plan, &findings, &err),
		0);
	ck_assert_uint_eq(plan.count, count);
}

static bool holds(void)
{
	return nfs_over.holds(&nfs_over, client, &want);
}

static enum change_made make(void)
{
	return nfs_over.make(&nfs_over, client, &change, &findings);
}

static enum change_undone undo(void)
{
	return nfs_over.undo(&nfs_over, client, &change, &findings);
}

START_TEST(a_new_mount_is_planned_where_it_would_change_something)
{
	begin(OLD);
	expect_plan(1);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_str_eq(plan.change[0].target, "/mnt/a");
	ck_assert_str_eq(plan.change[0].old_value, "id=80,rsize=65536");
	ck_assert_str_eq(plan.change[0].new_value, "rsize=4096");
	ck_assert(!holds());
	want.mount = "rsize=65536";
	expect_plan(0);
	ck_assert(holds());
	want.mount = "";
	expect_plan(0);
	ck_assert(holds());
	want.mount = NULL;
	expect_plan(0);
	ck_assert(holds());
	want.mount = "rsize=4096";
	nfs_mount_at(client, "/mnt/a")->is_hung = true;
	expect_plan(0);
	ck_assert(!holds()); /* nobody has it */
	ck_assert_uint_eq(findings.count, 0);
	end();
}
END_TEST

START_TEST(each_mount_of_the_client_gets_a_new_one)
{
	begin(OLD);
	tempdir_put("mounts", "192.0.2.40:/a /mnt/a nfs " OLD " 0 0\n"
			      "192.0.2.41:/b /mnt/b nfs " OLD " 0 0\n"
			      "192.0.2.42:/c /mnt/c nfs " OLD " 0 0\n");
	tempdir_put("mountinfo",
		    INFO "70 21 0:50 / /mnt/b rw - nfs 192.0.2.41:/b rw\n"
			 "71 21 0:51 / /mnt/c rw - nfs 192.0.2.42:/c rw\n");
	look_again();
	expect_plan(3);
	ck_assert_str_eq(plan.change[1].target, "/mnt/b");
	ck_assert_str_eq(plan.change[1].old_value, "id=70,rsize=65536");
	nfs_mount_at(client, "/mnt/b")->is_hung = true;
	expect_plan(2);
	ck_assert_str_eq(plan.change[1].target, "/mnt/c");
	end();
}
END_TEST

START_TEST(a_mount_that_hangs_does_not_hide_what_others_have)
{
	begin(OLD);
	tempdir_put("mounts",
		    "192.0.2.41:/b /mnt/b nfs " OLD " 0 0\n"
		    "192.0.2.40:/a /mnt/a nfs " OLD " 0 0\n" NEW_LINE);
	tempdir_put("mountinfo",
		    "70 21 0:50 / /mnt/b rw - nfs 192.0.2.41:/b rw\n" INFO
			    NEW_INFO);
	look_again();
	ck_assert_ptr_nonnull(nfs_mount_at(client, "/mnt/b"));
	ck_assert(!holds()); /* one has it not */
	nfs_mount_at(client, "/mnt/b")->is_hung = true;
	ck_assert(holds());
	end();
}
END_TEST

START_TEST(a_site_and_other_jobs_keep_a_new_mount_away)
{
	begin(OLD);
	want.alone = false;
	expect_plan(0);
	expect_finding("NF46", "the profile's new mount was left out: the job "
			       "shares this node with others");
	section.mount_change = MOUNT_CHANGE_NEVER;
	ck_assert(nfs_over_is_refused(client, &want));
	expect_plan(0);
	expect_finding("NF49", "mount 'rsize=4096' of the profile: "
			       "mount_change=never in [client home]; the "
			       "profile was not applied");
	want.mount = "";
	ck_assert(!nfs_over_is_refused(client, &want));
	expect_plan(0);
	ck_assert_uint_eq(findings.count, 0);
	end();
}
END_TEST

START_TEST(what_a_new_mount_would_hide_or_lose_keeps_it_away)
{
	static const struct {
		const char *mountinfo, *why;
	} cases[] = {
		{ "80 21 0:60 / /mnt/aa rw - nfs 192.0.2.40:/a rw\n",
		  "mountinfo does not show it" },
		{ INFO "90 80 0:70 / /mnt/a/b rw - tmpfs t rw\n",
		  "'/mnt/a/b' is mounted below it and would be hidden" },
		{ "21 1 0:50 / /mnt/a rw - autofs auto.a rw\n" INFO,
		  "autofs has mounted it, and takes away what it finds there" },
		{ "80 21 0:60 /x /mnt/a rw - nfs 192.0.2.40:/a rw\n",
		  "it shows a part of another mount" },
		{ "21 1 8:1 / / rw - xfs /dev/sda rw\n" INFO
		  "90 21 0:70 / /mnt/ab rw - autofs x rw\n",
		  NULL },
	};
	char text[300];
	size_t i;

	begin(OLD);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tempdir_put("mountinfo", cases[i].mountinfo);
		look_again();
		expect_plan(cases[i].why ? 0 : 1);
		if (!cases[i].why)
			continue;
		snprintf(text, sizeof(text),
			 "'/mnt/a' did not get the profile's new mount: %s",
			 cases[i].why);
		expect_finding("NF38", text);
	}
	ck_assert_uint_eq(findings.count, 0);
	end();
}
END_TEST

START_TEST(where_jobio_keeps_its_own_files_no_new_mount_comes)
{
	static const struct {
		const char *run_dir, *state_dir;
		bool is_planned;
	} cases[] = {
		{ "/mnt/a/run", "/spool", false },
		{ "/run", "/mnt/a", false },
		{ "/mnt/ab", "/mnt", true },
		{ NULL, NULL, true },
	};
	size_t i;

	begin(OLD);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		client_close(client);
		client = client_open(&section, cases[i].run_dir,
				     cases[i].state_dir, NULL);
		look_again();
		expect_plan(cases[i].is_planned);
		if (!cases[i].is_planned)
			expect_finding("NF38", "'/mnt/a' did not get the "
					       "profile's new mount: jobio's "
					       "own files are there");
	}
	end();
}
END_TEST

START_TEST(tables_of_another_process_say_nothing_of_our_mounts)
{
	static const struct {
		const char *table, *mountinfo;
		bool is_planned;
	} cases[] = {
		{ "/proc/1/mounts", "/proc/self/mountinfo", false },
		{ "/proc/mounts", "/proc/90/mountinfo", false },
		{ "/proc/self/mounts", "/proc/self/mountinfo", true },
		{ "/proc/:/mounts", "/proc//mountinfo", true },
	};
	size_t i;

	begin(OLD);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		section.mount_table = (char *)cases[i].table;
		section.mountinfo = (char *)cases[i].mountinfo;
		expect_plan(cases[i].is_planned);
		if (!cases[i].is_planned)
			expect_finding("NF38",
				       "'/mnt/a' did not get the profile's new "
				       "mount: mount_table= or mountinfo= is "
				       "another process's, and may not show "
				       "it");
	}
	end();
}
END_TEST

START_TEST(a_new_mount_lies_on_the_old_one_until_the_job_ends)
{
	begin(OLD);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("0:60"), 0755, NULL), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("0:61"), 0755, NULL), 0);
	tempdir_put("0:60/read_ahead_kb", "15360\n");
	tempdir_put("0:61/read_ahead_kb", "128\n");
	ck_assert_int_eq(make(), CHANGE_MADE);
	tempdir_expect("calls", CALL);
	tempdir_expect("0:61/read_ahead_kb", "15360\n");
	ck_assert(holds());
	ck_assert_int_eq(make(), CHANGE_MADE); /* it is there */
	tempdir_expect("calls", CALL);
	change.was_done = true;
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	tempdir_expect("calls", CALL "umount -i /mnt/a\n");
	tempdir_expect("mountinfo", INFO);
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	tempdir_expect("calls", CALL "umount -i /mnt/a\n");
	ck_assert_uint_eq(findings.count, 0);
	end();
}
END_TEST

START_TEST(what_lies_there_counts_and_not_what_a_command_says)
{
	begin(OLD);
	tempdir_put("late", "");
	ck_assert_int_eq(make(), CHANGE_MADE);
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_uint_eq(findings.count, 0);
	tempdir_expect("calls", CALL "umount -i /mnt/a\n");
	end();
	begin(OLD);
	tempdir_put("lies", "");
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	expect_finding("NF35", "'/mnt/a' could not be mounted anew with "
			       "rsize=4096: mount says that it has worked, and "
			       "the mount table does not show it");
	tempdir_expect("calls", CALL);
	end();
}
END_TEST

START_TEST(a_new_mount_that_is_refused_is_told)
{
	begin(OLD);
	tempdir_put("refused", "access denied\nby server");
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	expect_finding("NF35", "'/mnt/a' could not be mounted anew with "
			       "rsize=4096: mount: exit status 32: access "
			       "denied");
	tempdir_expect("calls", CALL);
	end();
}
END_TEST

/* What is said of a server that has a mount with another transport already. */
static void expect_transport(const char *options, const char *wanted,
			     bool is_kept)
{
	char text[400];

	begin(options);
	tempdir_put("refused", "already mounted");
	change.new_value = (char *)wanted;
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_int_eq(!strncmp(findings.list[0].cure, "have this", 9),
			 is_kept);
	snprintf(text, sizeof(text),
		 "'/mnt/a' could not be mounted anew with %s: mount: exit "
		 "status 32: already mounted%s",
		 wanted,
		 is_kept ? "; by NFS 4 a server's mounts have the transport of "
			   "its first one"
			 : "");
	expect_finding("NF36", text);
	end();
}

START_TEST(by_nfs_4_a_server_keeps_the_transport_of_its_first_mount)
{
	expect_transport("rw,vers=4.2,proto=tcp", "proto=rdma", true);
	expect_transport("rw,vers=4.2,proto=tcp", "proto=tcp,nocto", false);
	expect_transport("rw,vers=3,proto=tcp", "proto=rdma", false);
	expect_transport("rw,vers=4.2,proto=tcp", "nocto", false);
	expect_transport("rw,vers=4.2", "proto=rdma", false);
}
END_TEST

START_TEST(a_new_mount_without_its_options_is_taken_back)
{
	static const char text[] = "'/mnt/a' was mounted anew with rsize=4096, "
				   "and taken back: the kernel did not give it "
				   "rsize=4096";

	begin(OLD);
	tempdir_put("shows", OLD);
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	expect_finding("NF36", text);
	tempdir_expect("calls", CALL "umount -i /mnt/a\n");
	end();
	begin(OLD);
	tempdir_put("shows", OLD);
	tempdir_put("stays", "not permitted\n");
	ck_assert_int_eq(make(), CHANGE_STUCK);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.list[0].text, text);
	ck_assert_str_eq(findings.list[1].code, "NF42");
	end();
}
END_TEST

static void expect_not_tried(const char *why)
{
	char text[300];

	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	snprintf(text, sizeof(text),
		 "'/mnt/a' could not be mounted anew with rsize=4096: %s", why);
	expect_finding("NF35", text);
	tempdir_expect("calls", "");
}

START_TEST(a_mount_that_is_not_the_one_of_the_plan_gets_none)
{
	begin(OLD);
	nfs_remember(client, "192.0.2.40", true);
	look_again();
	nfs_mount_at(client, "/mnt/a")->is_hung = true;
	expect_not_tried("its server does not answer");
	end();
	begin(OLD);
	client->deadline_ms = 1;
	expect_not_tried("prolog_budget_ms is used up");
	tempdir_put("mountinfo", INFO "85 80 0:65 / /mnt/a rw - nfs x:/y rw\n");
	ck_assert_int_eq(nfs_read(client, &err), 0);
	expect_not_tried("something else was mounted there");
	tempdir_put("mountinfo", "");
	ck_assert_int_eq(nfs_read(client, &err), 0);
	expect_not_tried("it is not mounted any more");
	tempdir_put("mountinfo", INFO);
	tempdir_put("mounts", "");
	ck_assert_int_eq(nfs_read(client, &err), 0);
	expect_not_tried("it is not mounted any more");
	end();
}
END_TEST

/* A mount(8) that does not end: has its server been given up? */
static bool is_given_up(unsigned int timeout_ms, unsigned int left_ms)
{
	bool is_hung;

	begin(OLD);
	tempdir_put("hangs", "");
	section.timeout_ms = timeout_ms;
	client->deadline_ms = left_ms ? child_now_ms() + left_ms : 0;
	ck_assert_int_eq(make(), CHANGE_STUCK); /* it may come yet */
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, "NF35");
	is_hung = nfs_mount_at(client, "/mnt/a")->is_hung;
	end();
	return is_hung;
}

START_TEST(a_server_that_took_all_its_time_is_not_waited_for_again)
{
	ck_assert(is_given_up(2000, 0));
	ck_assert(!is_given_up(60000, 2000));
}
END_TEST

START_TEST(a_new_mount_that_is_busy_goes_out_of_sight)
{
#define TRIED "umount -i /mnt/a\n"
	begin_made();
	tempdir_put("busy", "");
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	expect_finding("NF37", "the new mount of '/mnt/a' was in use after the "
			       "job: it is out of sight, and goes when its "
			       "last file is closed");
	tempdir_expect("calls",
		       TRIED TRIED TRIED TRIED TRIED "umount -il /mnt/a\n");
	end();
}
END_TEST

static void expect_stays(const char *why)
{
	char text[300];

	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	snprintf(text, sizeof(text),
		 "the new mount of '/mnt/a' could not be taken away: %s", why);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].cure,
			 "umount it, or let the next job try again");
	expect_finding("NF42", text);
}

START_TEST(a_new_mount_that_does_not_go_is_told)
{
	begin_made();
	tempdir_put("stays", "not permitted\n");
	expect_stays("umount: exit status 1: not permitted");
	tempdir_expect("calls", TRIED);
	tempdir_put("stays", "");
	expect_stays("umount says that it has worked");
	tempdir_put("busy", ""); /* and does not go out of sight */
	expect_stays("umount says that it has worked");
	tempdir_expect("calls", TRIED TRIED TRIED TRIED TRIED TRIED TRIED
		       "umount -il /mnt/a\n");
	nfs_remember(client, "192.0.2.40", true);
	expect_stays("its server does not answer");
	ck_assert_int_eq(remove(tempdir_path("mountinfo")), 0);
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	ck_assert_ptr_nonnull(strstr(findings.list[0].text, "mountinfo"));
	end();
}
END_TEST

START_TEST(a_new_mount_that_may_be_there_still_is_not_taken_for_gone)
{
	begin_made();
	tempdir_put("blind", "");
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	tempdir_expect("calls", TRIED);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, "NF42");
	ck_assert_ptr_nonnull(strstr(findings.list[0].text, "mountinfo"));
	end();
}
END_TEST

START_TEST(a_mount_of_others_is_not_taken_away)
{
	static const char text[] = "'/mnt/a' is not as jobio mounted it "
				   "(rsize=4096): left as it is";

	begin_made();
	tempdir_put("mountinfo", INFO NEW_INFO
		    "82 81 0:62 / /mnt/a rw - nfs 192.0.2.40:/a rw\n");
	ck_assert_int_eq(undo(), CHANGE_NOT_OURS);
	expect_finding("NF43", text);
	tempdir_put("mountinfo", INFO "82 80 0:62 / /mnt/a rw - nfs s:/b rw\n");
	ck_assert_int_eq(undo(), CHANGE_UNDONE); /* ours is gone */
	tempdir_put("mountinfo", INFO NEW_INFO);
	tempdir_put("mounts", "192.0.2.40:/a /mnt/a nfs rw,rsize=1 0 0\n");
	change.was_done = true;
	ck_assert_int_eq(undo(), CHANGE_NOT_OURS);
	expect_finding("NF43", text);
	change.old_value = (char *)"rsize=65536";
	ck_assert_int_eq(undo(), CHANGE_UNDONE); /* of no mount */
	change.old_value = (char *)"id=0";
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	tempdir_expect("calls", "");
	change.old_value = (char *)"id=80,rsize=65536";
	change.was_done = false; /* half made, with other options */
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	tempdir_expect("calls", TRIED);
	ck_assert_uint_eq(findings.count, 0);
	end();
}
END_TEST

UNIT_MAIN("nfs_over",
	  a_new_mount_has_every_option_of_the_old_one_that_it_does_not_replace,
	  an_option_takes_the_place_of_what_it_sets,
	  a_mount_that_keeps_all_access_times_goes_on_to_keep_them,
	  the_last_mount_on_a_place_is_seen,
	  below_a_place_is_what_its_name_begins,
	  defaults_that_the_table_does_not_show_are_found_in_mountstats,
	  a_new_mount_that_lost_something_of_the_old_one_is_not_as_wanted,
	  what_stood_before_is_noted_with_the_mount_that_had_it,
	  a_reboot_undoes_a_new_mount,
	  a_new_mount_is_planned_where_it_would_change_something,
	  each_mount_of_the_client_gets_a_new_one,
	  a_mount_that_hangs_does_not_hide_what_others_have,
	  a_site_and_other_jobs_keep_a_new_mount_away,
	  what_a_new_mount_would_hide_or_lose_keeps_it_away,
	  where_jobio_keeps_its_own_files_no_new_mount_comes,
	  tables_of_another_process_say_nothing_of_our_mounts,
	  a_new_mount_lies_on_the_old_one_until_the_job_ends,
	  what_lies_there_counts_and_not_what_a_command_says,
	  a_new_mount_that_is_refused_is_told,
	  by_nfs_4_a_server_keeps_the_transport_of_its_first_mount,
	  a_new_mount_without_its_options_is_taken_back,
	  a_mount_that_is_not_the_one_of_the_plan_gets_none,
	  a_server_that_took_all_its_time_is_not_waited_for_again,
	  a_new_mount_that_is_busy_goes_out_of_sight,
	  a_new_mount_that_does_not_go_is_told,
	  a_new_mount_that_may_be_there_still_is_not_taken_for_gone,
	  a_mount_of_others_is_not_taken_away)
