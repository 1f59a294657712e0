/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/drain.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lib/child.h"

#define LIMIT_MS 30000U

/* SLURM_VERSION_NUM() cannot stand in an #if: slurm_version.h lacks it */
#define SLURM_26_05 0x1a0500
#if SLURM_VERSION_NUMBER >= SLURM_26_05
#define slurm_free_ctl_conf slurm_free_conf
#endif

/* ---- the decision ------------------------------------------------------ */

static bool is_slurms_own(const char *reason)
{
	return !strcmp(reason, "Prolog error") ||
	       !strcmp(reason, "batch job complete failure");
}

void drain_judge(struct drain_wish *wish, const struct drain_node *node,
		 uint32_t slurm_uid)
{
	int64_t apart_s;

	wish->verdict = DRAIN_LEAVE;
	*wish->why.text = '\0';
	if (!node) {
		err_set(&wish->why, "slurmctld has no such node");
		return;
	}
	if (!node->is_drained || !node->reason || !*node->reason) {
		wish->verdict = DRAIN_WAIT;
		return;
	}
	if (!strcmp(node->reason, wish->reason)) {
		wish->verdict = DRAIN_DONE;
		return;
	}
	if (!is_slurms_own(node->reason) || node->reason_uid != slurm_uid) {
		err_set(&wish->why, "uid %u gave another reason: '%.200s'",
			node->reason_uid, node->reason);
		return;
	}
	apart_s = node->reason_time - wish->time;
	if (apart_s > DRAIN_NEAR_S || apart_s < -DRAIN_NEAR_S)
		err_set(&wish->why,
			"'%.60s' is %lld s from the failure of this prolog",
			node->reason, (long long)apart_s);
	else
		wish->verdict = DRAIN_SET;
}

/* ---- slurmctld, in a child ---------------------------------------------- */

struct errand {
	struct drain_wish *wishes;
	size_t count;
};

static const node_info_t *find_node(const node_info_msg_t *nodes,
				    const char *name)
{
	uint32_t i;

	for (i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name &&
		    !strcmp(nodes->node_array[i].name, name))
			return &nodes->node_array[i];
	return NULL;
}

static void set_reason(struct drain_wish *wish)
{
	update_node_msg_t update;

	/* leaves the state alone: node_state stays NO_VAL */
	slurm_init_update_node_msg(&update);
	update.node_names = (char *)wish->node;
	update.reason = (char *)wish->reason;
#ifdef HAVE_UPDATE_NODE_MSG_T_REASON_UID
	update.reason_uid = geteuid();
#endif
	if (slurm_update_node(&update) == SLURM_SUCCESS)
		return;
	wish->verdict = DRAIN_REFUSED;
	err_set(&wish->why, "slurmctld: %s", slurm_strerror(errno));
}

static void settle_one(struct drain_wish *wish, const node_info_msg_t *nodes,
		       const char *cluster, uint32_t slurm_uid)
{
	const node_info_t *info = find_node(nodes, wish->node);
	struct drain_node node;

	if (cluster && strcasecmp(cluster, wish->cluster) != 0) {
		wish->verdict = DRAIN_LEAVE;
		err_set(&wish->why, "slurmctld here is that of cluster '%.60s'",
			cluster);
		return;
	}
	if (info)
		node = (struct drain_node){ .is_drained =
						    (info->node_state &
						     NODE_STATE_DRAIN) != 0,
					    .reason = info->reason,
					    .reason_time = info->reason_time,
					    .reason_uid = info->reason_uid };
	drain_judge(wish, info ? &node : NULL, slurm_uid);
	if (wish->verdict == DRAIN_SET)
		set_reason(wish);
}

/* Prints "VERDICT WHY", one line a wish; or why nothing could be asked. */
static int settle_all(void *arg)
{
	struct errand *errand = arg;
	node_info_msg_t *nodes = NULL;
	slurm_conf_t *conf = NULL;
	struct drain_wish *wish;
	size_t i;

	if (slurm_load_ctl_conf((time_t)0, &conf) != SLURM_SUCCESS ||
	    slurm_load_node((time_t)0, &nodes, SHOW_ALL) != SLURM_SUCCESS) {
		printf("%s\n", slurm_strerror(errno));
		return fflush(stdout) || 1;
	}
	for (i = 0; i < errand->count; i++) {
		wish = &errand->wishes[i];
		settle_one(wish, nodes, conf->cluster_name,
			   conf->slurm_user_id);
		printf("%d %s\n", wish->verdict, wish->why.text);
	}
	slurm_free_node_info_msg(nodes);
	slurm_free_ctl_conf(conf);
	return fflush(stdout) ? 1 : 0;
}

static int read_verdicts(struct errand *errand, char *text, struct err *err)
{
	char *line, *state = NULL;
	size_t i;

	for (i = 0; i < errand->count; i++) {
		line = strtok_r(i ? NULL : text, "\n", &state);
		if (!line || line[0] < '0' + DRAIN_SET ||
		    line[0] > '0' + DRAIN_REFUSED || line[1] != ' ')
			return err_set(err, "slurmctld: no verdict");
		errand->wishes[i].verdict = (enum drain_verdict)(line[0] - '0');
		err_set(&errand->wishes[i].why, "%s", line + 2);
	}
	return 0;
}

int drain_settle(void *arg, struct drain_wish *wishes, size_t count,
		 struct err *err)
{
	struct errand errand = { wishes, count };
	struct child_result result = { 0 };
	int rc;

	(void)arg;
	if (child_call("slurmctld", settle_all, &errand, LIMIT_MS, &result,
		       err) < 0)
		return -1;
	if (result.status == 0) {
		rc = read_verdicts(&errand, result.out, err);
	} else {
		result.out[strcspn(result.out, "\n")] = '\0';
		rc = err_set(err, "slurmctld: %s",
			     *result.out ? result.out : "libslurm gave up");
	}
	child_result_free(&result);
	return rc;
}
