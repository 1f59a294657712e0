/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A running job, from what its nodes have answered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/job_report.h"
#include "report/live_view.h"
#include "tests/unit/runner.h"

#define ASK 3

static struct look_node nodes[4], *list[4];
static struct looks looks;
static struct job_look look;

static struct look_node *add(const char *name, enum look_kind kind, const char *text)
{
	struct look_node *node = &nodes[looks.count];

	memset(node, 0, sizeof(*node));
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->kind = kind;
	node->ask = ASK;
	node->text = (char *)text;
	list[looks.count++] = node;
	looks.node = list;
	looks.nodes = (unsigned int)looks.count;
	return node;
}

#define RECORD(node, job, more)                                                                    \
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":" job ",\"node\":\"" node                          \
	"\",\"uid\":1000,\"start\":1795224862,\"array_job_id\":5,"                                 \
	"\"array_task_id\":2" more "}"
#define APP(source, bytes)                                                                         \
	",\"app\":[{\"scope\":\"job\",\"source\":\"" source "\",\"fs\":null,"                      \
	"\"read_bytes\":" bytes ",\"read_calls\":2,\"write_bytes\":" bytes ",\"write_calls\":3}]"
#define ASKED(profile, applied, cores, met)                                                        \
	",\"request\":{\"io_cores\":" cores ",\"profile\":\"" profile "\",\"applied\":" applied    \
	",\"cores_met\":" met "}"
#define CORES(count, cpus)                                                                         \
	",\"io_cores\":{\"count\":" count ",\"abstract\":\"1\",\"os_cpus\":\"" cpus "\"}"

static struct job_report *view(void)
{
	struct job_report *r = live_view_new("7", 7, NULL, &looks, ASK, &look);

	ck_assert_ptr_nonnull(r);
	looks.count = 0;
	return r;
}

START_TEST(nodes_that_count_are_added_up)
{
	struct job_report *r;

	add("c1", LOOK_RECORD, RECORD("c1", "7", APP("bpf", "1000")));
	add("c2", LOOK_RECORD, RECORD("c2", "7", APP("bpf", "500")));
	r = view();
	ck_assert_str_eq(r->source, "live");
	ck_assert_str_eq(r->id, "7");
	ck_assert_uint_eq(r->record_count, 2);
	ck_assert_int_eq(r->summary.rd_bytes, 1500);
	ck_assert_int_eq(r->summary.wr_bytes, 1500);
	ck_assert_int_eq(r->summary.rd_calls, 4);
	ck_assert_int_eq(r->summary.wr_calls, 6);
	ck_assert_int_eq(r->summary.nodes_seen, 2);
	ck_assert_int_eq(r->summary.nodes_expected, 2);
	ck_assert_int_eq(r->summary.scope, SUMMARY_SCOPE_JOB);
	ck_assert_str_eq(r->summary.src, "bpf");
	ck_assert_str_eq(r->cluster, "c");
	ck_assert_uint_eq(look.nodes, 2);
	ck_assert_uint_eq(look.mute, 0);
	ck_assert_uint_eq(look.blind, 0);
	ck_assert_str_eq(look.who, "");
	ck_assert_ptr_nonnull(strstr(r->json, "\"nodes_mute\":0,\"mute\":null"));
	job_report_free(r);
}
END_TEST

START_TEST(nodes_that_do_not_answer_are_named_with_the_reason)
{
	struct job_report *r;

	add("c1", LOOK_RECORD, NULL);
	add("c2", LOOK_ERROR, "it is older\033[2J");
	add("c3", LOOK_RECORD, RECORD("c3", "8", APP("bpf", "1000")));
	r = view();
	ck_assert_uint_eq(r->record_count, 0);
	ck_assert_uint_eq(look.mute, 3);
	ck_assert_str_eq(
		look.who,
		"c1: it did not answer, c2: it is older?[2J, c3: its answer has no meaning");
	ck_assert_int_eq(r->summary.scope, SUMMARY_SCOPE_NONE);
	ck_assert_ptr_nonnull(strstr(r->json, "\"totals\":null"));
	job_report_free(r);
	add("c1", LOOK_RECORD, "{");
	add("c2", LOOK_RECORD, RECORD("c2", "7", APP("bpf", "5")));
	looks.nodes = 5; /* three of which nothing came */
	r = view();
	ck_assert_uint_eq(look.mute, 4);
	ck_assert_uint_eq(look.nodes, 5);
	ck_assert_uint_eq(r->record_count, 1);
	ck_assert_int_eq(r->summary.nodes_expected, 5);
	job_report_free(r);
}
END_TEST

START_TEST(a_node_that_is_late_is_shown_as_it_was)
{
	struct job_report *r;

	add("c1", LOOK_RECORD, RECORD("c1", "7", APP("bpf", "5")))->ask = ASK - 1;
	add("c2", LOOK_RECORD, RECORD("c2", "7", APP("bpf", "6")))->ask = ASK + 1;
	r = view();
	ck_assert_uint_eq(r->record_count, 2);
	ck_assert_uint_eq(look.mute, 1);
	ck_assert_str_eq(look.who, "c1: it did not answer this time");
	job_report_free(r);
}
END_TEST

START_TEST(a_node_that_counts_when_the_job_has_ended_is_blind)
{
	struct job_report *r;

	add("c1", LOOK_RECORD, RECORD("c1", "7", APP("stepd", "5")));
	add("c2", LOOK_RECORD, RECORD("c2", "7", APP("exit", "5")));
	add("c3", LOOK_RECORD, RECORD("c3", "7", ""));
	add("c4", LOOK_RECORD, RECORD("c4", "7", APP("bpf", "5")));
	r = view();
	ck_assert_uint_eq(look.blind, 3);
	ck_assert_uint_eq(look.mute, 0);
	ck_assert_uint_eq(r->record_count, 1);
	ck_assert_int_eq(r->summary.nodes_seen, 4);
	job_report_free(r);
}
END_TEST

START_TEST(what_nodes_say_of_their_setup_is_one_word_or_mixed)
{
	struct job_report *r;

	add("c1", LOOK_RECORD,
	    RECORD("c1", "7",
		   APP("bpf", "5") ASKED("stream", "true", "2", "true") CORES("2", "6-7")));
	r = view();
	ck_assert_str_eq(r->summary.cores, "2");
	ck_assert_str_eq(r->summary.cpus, "6-7");
	ck_assert_str_eq(r->summary.prof, "stream");
	ck_assert_uint_eq(r->summary.lacks, 0);
	job_report_free(r);
	add("c1", LOOK_RECORD,
	    RECORD("c1", "7",
		   APP("bpf", "5") ASKED("stream", "false", "2", "true") CORES("2", "6-7")));
	add("c2", LOOK_RECORD,
	    RECORD("c2", "7",
		   APP("bpf", "5") ASKED("stream", "true", "2", "false")
			   CORES("1", "7") ",\"quality\":[\"aio_missing\"]"));
	add("c3", LOOK_RECORD,
	    RECORD("c3", "7",
		   APP("bpf", "5") ASKED("stream", "true", "2", "true")
			   CORES("2", "6-7") ",\"quality\":[\"mmap_missing\"]"));
	/* the last one does not stand for all */
	add("c4", LOOK_RECORD,
	    RECORD("c4", "7",
		   APP("bpf", "5") ASKED("stream", "false", "2", "true") CORES("2", "6-7")));
	r = view();
	ck_assert_str_eq(r->summary.cores, "mixed");
	ck_assert_str_eq(r->summary.cpus, "mixed");
	ck_assert_str_eq(r->summary.prof, "stream");
	ck_assert_uint_eq(r->summary.lacks, SUMMARY_LACK(PROFILE) | SUMMARY_LACK(CORES));
	ck_assert_uint_eq(r->summary.flags, RECORD_FLAG(MMAP_MISSING) | RECORD_FLAG(AIO_MISSING));
	job_report_free(r);
	/* one that has neither */
	add("c1", LOOK_RECORD,
	    RECORD("c1", "7",
		   APP("bpf", "5") ASKED("stream", "false", "2", "false") CORES("2", "6-7")));
	r = view();
	ck_assert_uint_eq(r->summary.lacks, SUMMARY_LACK(PROFILE) | SUMMARY_LACK(CORES));
	job_report_free(r);
}
END_TEST

#define MOUNT(path) "{\"mount\":\"" path "\",\"fstype\":\"nfs4\",\"source\":\"s:/\"}"
#define CLIENT(mounts)                                                                             \
	",\"client\":{\"name\":\"home\",\"type\":\"nfs\",\"version\":null,"                        \
	"\"cpus\":null,\"mounts\":[" mounts "]}"

START_TEST(the_first_filesystem_is_named_and_others_are_not)
{
	struct job_report *r;

	add("c1", LOOK_RECORD, RECORD("c1", "7", APP("bpf", "5") CLIENT(MOUNT("/a"))));
	r = view();
	ck_assert_str_eq(r->summary.fs, "/a:nfs4");
	ck_assert_str_eq(r->cluster, "c");
	ck_assert_ptr_eq(r->look, &look);
	job_report_free(r);
	add("c1", LOOK_RECORD,
	    RECORD("c1", "7", APP("bpf", "5") CLIENT(MOUNT("/a") "," MOUNT("/b"))));
	r = view();
	ck_assert_str_eq(r->summary.fs, "/a:nfs4,..");
	job_report_free(r);
}
END_TEST

START_TEST(no_io_cores_are_none)
{
	struct job_report *r;

	add("c1", LOOK_RECORD,
	    RECORD("c1", "7",
		   APP("bpf",
		       "5") ",\"io_cores\":{\"count\":0,\"abstract\":null,\"os_cpus\":null}"));
	r = view();
	ck_assert_str_eq(r->summary.cores, "");
	ck_assert_str_eq(r->summary.cpus, "");
	job_report_free(r);
	add("c1", LOOK_RECORD, RECORD("c1", "7", APP("bpf", "5") CORES("1", "7")));
	r = view();
	ck_assert_str_eq(r->summary.cores, "1");
	ck_assert_str_eq(r->summary.cpus, "7");
	job_report_free(r);
}
END_TEST

/* Behind what is counted at the end, and with reasons that are too long. */
START_TEST(what_is_counted_may_come_last_and_reasons_are_cut)
{
	char why[200];
	struct job_report *r;
	int i;

	add("c1", LOOK_RECORD,
	    RECORD("c1", "7",
		   ",\"app\":[{\"scope\":\"job\",\"source\":\"exit\",\"read_bytes\":9},{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":5}]"));
	memset(why, 'x', sizeof(why) - 1);
	why[sizeof(why) - 1] = '\0';
	for (i = 0; i < 3; i++)
		add("a_node", LOOK_ERROR, why);
	r = view();
	ck_assert_uint_eq(look.blind, 0);
	ck_assert_uint_eq(r->record_count, 1);
	ck_assert_uint_eq(look.mute, 3);
	ck_assert_uint_eq(strlen(look.who), sizeof(look.who) - 1);
	ck_assert(look.since_s == 0 && !look.rd_bytes && !look.wr_bytes);
	job_report_free(r);
}
END_TEST

UNIT_MAIN("live_view", nodes_that_count_are_added_up,
	  nodes_that_do_not_answer_are_named_with_the_reason,
	  a_node_that_is_late_is_shown_as_it_was,
	  a_node_that_counts_when_the_job_has_ended_is_blind,
	  what_nodes_say_of_their_setup_is_one_word_or_mixed,
	  the_first_filesystem_is_named_and_others_are_not, no_io_cores_are_none,
	  what_is_counted_may_come_last_and_reasons_are_cut)
