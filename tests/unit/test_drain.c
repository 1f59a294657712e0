/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which reasons are replaced, and against a slurmctld of our own: its functions
 * of libslurm are here. drain_settle() asks in a child: what is done lies in a
 * page that both have. */
#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ledger/drain.h"
#include "tests/unit/runner.h"

#define SLURM_UID 64030
#define FAILED INT64_C(1000000)
#define OURS "jobio:W08 container client is STEM"

static struct drain_wish judged(const struct drain_node *node)
{
	struct drain_wish wish = {
		.cluster = "c", .node = "n1", .reason = OURS, .time = FAILED
	};

	drain_judge(&wish, node, SLURM_UID);
	return wish;
}

/* Of a drained node. */
static enum drain_verdict of(const char *reason, uint32_t uid, int64_t time)
{
	struct drain_node node = { 1, reason, time, uid };

	return judged(&node).verdict;
}

START_TEST(the_two_reasons_of_a_failed_prolog_are_replaced)
{
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED + 1), DRAIN_SET);
	ck_assert_int_eq(
		of("batch job complete failure", SLURM_UID, FAILED + 1),
		DRAIN_SET);
}
END_TEST

START_TEST(no_other_reason_is_replaced)
{
	static const char *const others[] = {
		"Prolog error ",
		"prolog error",
		"Prolog error : Not responding",
		"Prolog error, see ticket 12",
		"Epilog error",
		"Kill task failed",
		"Job env setup error",
		"Not responding",
		"Node unexpectedly rebooted",
		"NHC: check_fs_mount: /scratch not mounted",
		"maintenance",
		"jobio:W18 nothing is mounted",
		"jobio:W08 container client is STEM, now",
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(of(others[i], SLURM_UID, FAILED) == DRAIN_LEAVE,
			      "%s", others[i]);
}
END_TEST

START_TEST(slurms_words_in_an_administrators_mouth_are_his)
{
	ck_assert_int_eq(of("Prolog error", 0, FAILED), DRAIN_LEAVE);
	ck_assert_int_eq(of("Prolog error", 1000, FAILED), DRAIN_LEAVE);
}
END_TEST

START_TEST(a_prolog_that_failed_at_another_time_is_another_one)
{
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED - 300),
			 DRAIN_SET);
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED - 301),
			 DRAIN_LEAVE);
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED + 300),
			 DRAIN_SET);
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED + 301),
			 DRAIN_LEAVE);
}
END_TEST

START_TEST(a_node_that_is_not_drained_is_left_so)
{
	struct drain_node node = { 0, "Prolog error", FAILED, SLURM_UID };

	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
	node.reason = NULL;
	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
	node.is_drained = 1;
	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
	node.reason = "";
	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
}
END_TEST

START_TEST(a_reason_that_is_there_is_not_set_again)
{
	ck_assert_int_eq(of(OURS, SLURM_UID, FAILED + 5), DRAIN_DONE);
	ck_assert_int_eq(of(OURS, 0, FAILED + 5000), DRAIN_DONE);
}
END_TEST

START_TEST(what_is_left_alone_is_said)
{
	struct drain_node node = { 1, "maintenance", FAILED, 0 };

	ck_assert_str_eq(judged(&node).why.text,
			 "uid 0 gave another reason: 'maintenance'");
	ck_assert_str_eq(judged(NULL).why.text, "slurmctld has no such node");
	ck_assert_int_eq(judged(NULL).verdict, DRAIN_LEAVE);
	node = (struct drain_node){ 1, "Prolog error", FAILED - 4000,
				    SLURM_UID };
	ck_assert_str_eq(judged(&node).why.text,
			 "'Prolog error' is -4000 s from the failure of this "
			 "prolog");
}
END_TEST

/* ---- slurmctld ------------------------------------------------------------ */

static struct ctld {
	bool is_away, nodes_are_away, refuses, dies;
	int looks, updates;
	char node[64], reason[64];
	uint32_t uid;
} * ctld;

static node_info_t infos[3];

int slurm_load_ctl_conf(time_t since, slurm_conf_t **conf)
{
	static slurm_conf_t its = { .cluster_name = (char *)"c",
				    .slurm_user_id = SLURM_UID };

	(void)since;
	if (ctld->dies)
		_exit(1);
	errno = ESLURM_NOT_SUPPORTED;
	*conf = &its;
	return ctld->is_away ? SLURM_ERROR : SLURM_SUCCESS;
}

int slurm_load_node(time_t since, node_info_msg_t **nodes, uint16_t flags)
{
	static node_info_msg_t all = { .node_array = infos, .record_count = 3 };

	(void)since;
	(void)flags;
	errno = ESLURM_NOT_SUPPORTED;
	ctld->looks++;
	*nodes = &all;
	return ctld->nodes_are_away ? SLURM_ERROR : SLURM_SUCCESS;
}

void slurm_free_node_info_msg(node_info_msg_t *nodes)
{
	(void)nodes;
}

void slurm_free_ctl_conf(slurm_conf_t *conf);
void slurm_free_ctl_conf(slurm_conf_t *conf)
{
	(void)conf;
}

void slurm_free_conf(slurm_conf_t *conf);
void slurm_free_conf(slurm_conf_t *conf)
{
	(void)conf;
}

void slurm_init_update_node_msg(update_node_msg_t *update)
{
	memset(update, 0, sizeof(*update));
}

int slurm_update_node(update_node_msg_t *update)
{
	ctld->updates++;
	strcpy(ctld->node, update->node_names);
	strcpy(ctld->reason, update->reason);
	/* since 26.05 slurmctld takes it from the message's credential */
#ifdef HAVE_UPDATE_NODE_MSG_T_REASON_UID
	ctld->uid = update->reason_uid;
#else
	ctld->uid = geteuid();
#endif
	errno = ESLURM_ACCESS_DENIED;
	return ctld->refuses ? SLURM_ERROR : SLURM_SUCCESS;
}

/* n1 is up, n2 drained by a failed prolog, one has no name */
static void start_ctld(void)
{
	ctld = mmap(NULL, sizeof(*ctld), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(ctld, MAP_FAILED);
	infos[1].name = (char *)"n1";
	infos[2].name = (char *)"n2";
	infos[2].node_state = NODE_STATE_DRAIN | NODE_STATE_IDLE;
	infos[2].reason = (char *)"Prolog error";
	infos[2].reason_time = FAILED + 1;
	infos[2].reason_uid = SLURM_UID;
}

static void wish_for(struct drain_wish *wish, const char *cluster,
		     const char *node)
{
	*wish = (struct drain_wish){
		.cluster = cluster, .node = node, .reason = OURS, .time = FAILED
	};
}

START_TEST(each_wish_gets_its_verdict_with_one_look)
{
	struct drain_wish wishes[4];
	struct err err = { "" };

	start_ctld();
	wish_for(&wishes[0], "c", "n1");
	wish_for(&wishes[1], "C", "n2");
	wish_for(&wishes[2], "c", "n3");
	wish_for(&wishes[3], "other", "n2");
	ck_assert_msg(drain_settle(NULL, wishes, 4, &err) == 0, "%s", err.text);
	ck_assert_int_eq(wishes[0].verdict, DRAIN_WAIT);
	ck_assert_int_eq(wishes[1].verdict, DRAIN_SET);
	ck_assert_str_eq(wishes[1].why.text, "");
	ck_assert_int_eq(wishes[2].verdict, DRAIN_LEAVE);
	ck_assert_str_eq(wishes[2].why.text, "slurmctld has no such node");
	ck_assert_int_eq(wishes[3].verdict, DRAIN_LEAVE);
	ck_assert_str_eq(wishes[3].why.text,
			 "slurmctld here is that of cluster 'c'");
	ck_assert_int_eq(ctld->looks, 1);
	ck_assert_int_eq(ctld->updates, 1);
	ck_assert_str_eq(ctld->node, "n2");
	ck_assert_str_eq(ctld->reason, OURS);
	ck_assert_uint_eq(ctld->uid, geteuid());
}
END_TEST

START_TEST(what_slurmctld_refuses_is_said)
{
	struct drain_wish wish;
	struct err err = { "" };

	start_ctld();
	ctld->refuses = true;
	wish_for(&wish, "c", "n2");
	ck_assert_int_eq(drain_settle(NULL, &wish, 1, &err), 0);
	ck_assert_int_eq(wish.verdict, DRAIN_REFUSED);
	ck_assert_int_eq(strncmp(wish.why.text, "slurmctld: ", 11), 0);
	ck_assert_uint_gt(strlen(wish.why.text), 11);
}
END_TEST

START_TEST(a_slurmctld_that_does_not_answer_leaves_all_wishes_for_later)
{
	struct drain_wish wish;
	struct err err = { "" };

	start_ctld();
	ctld->is_away = true;
	wish_for(&wish, "c", "n2");
	ck_assert_int_eq(drain_settle(NULL, &wish, 1, &err), -1);
	ck_assert_int_eq(strncmp(err.text, "slurmctld: ", 11), 0);
	ck_assert_ptr_null(strstr(err.text, "no verdict"));
	ck_assert_ptr_null(strstr(err.text, "libslurm gave up"));
	ctld->is_away = false;
	ctld->nodes_are_away = true;
	ck_assert_int_eq(drain_settle(NULL, &wish, 1, &err), -1);
	ctld->dies = true; /* libslurm ends its process */
	ck_assert_int_eq(drain_settle(NULL, &wish, 1, &err), -1);
	ck_assert_str_eq(err.text, "slurmctld: libslurm gave up");
	ck_assert_int_eq(ctld->updates, 0);
}
END_TEST

START_TEST(a_reason_of_two_lines_is_that_of_one_node)
{
	struct drain_wish wishes[2];
	struct err err = { "" };

	start_ctld();
	infos[2].reason = (char *)"disk\n0 hers";
	infos[2].reason_uid = 5;
	wish_for(&wishes[0], "c", "n2");
	wish_for(&wishes[1], "c", "n1");
	ck_assert_msg(drain_settle(NULL, wishes, 2, &err) == 0, "%s", err.text);
	ck_assert_int_eq(wishes[0].verdict, DRAIN_LEAVE);
	ck_assert_ptr_nonnull(
		strstr(wishes[0].why.text, "uid 5 gave another reason: 'disk"));
	ck_assert_int_eq(wishes[1].verdict, DRAIN_WAIT);
	ck_assert_str_eq(wishes[1].why.text, "");
	ck_assert_int_eq(ctld->updates, 0);
}
END_TEST

UNIT_MAIN("drain", the_two_reasons_of_a_failed_prolog_are_replaced,
	  no_other_reason_is_replaced,
	  slurms_words_in_an_administrators_mouth_are_his,
	  a_prolog_that_failed_at_another_time_is_another_one,
	  a_node_that_is_not_drained_is_left_so,
	  a_reason_that_is_there_is_not_set_again, what_is_left_alone_is_said,
	  each_wish_gets_its_verdict_with_one_look,
	  what_slurmctld_refuses_is_said,
	  a_reason_of_two_lines_is_that_of_one_node,
	  a_slurmctld_that_does_not_answer_leaves_all_wishes_for_later)
