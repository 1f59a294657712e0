/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checks.h - checks of judge.c's table in other files
 *
 * Owner, errors  rule.h.
 * Runs    for judge.c only.
 */
#ifndef JOBIO_CLIENT_WEKA_CHECKS_H
#define JOBIO_CLIENT_WEKA_CHECKS_H

#include "client/rule.h"

/* Cures that a rule and the code that changes the client both print; NAME: rule_cure_for(). */
#define WEKA_LOG_CURE "correct what the agent's log names: journalctl -u weka-agent"
#define WEKA_BACK_CURE "weka local resources restore -C NAME; weka local restart NAME"

rule_each weka_each_container, weka_each_running, weka_each_link, weka_each_service;

rule_check weka_check_copies, weka_check_isolate, weka_check_stale, weka_check_force_v2,
	weka_check_odd_key, weka_check_twice, weka_check_two_files, weka_check_no_service,
	weka_check_unprotected, weka_check_agent_down, weka_check_pidfile, weka_check_two_agents,
	weka_check_read, weka_check_hung, weka_check_no_time, weka_check_missing, weka_check_failed,
	weka_check_automatic, weka_check_core_zero, weka_check_no_frontend, weka_check_staged,
	weka_check_memory, weka_check_nic, weka_check_driver_hung, weka_check_driver_state,
	weka_check_driver_missing, weka_check_connected, weka_check_link_count, weka_check_affinity,
	weka_check_cpuset, weka_check_exclusive;

#endif
