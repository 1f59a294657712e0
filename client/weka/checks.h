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

void weka_check_copies(const struct judge *judge, const struct rule *rule);
void weka_check_isolate(const struct judge *judge, const struct rule *rule);
void weka_check_stale(const struct judge *judge, const struct rule *rule);
void weka_check_force_v2(const struct judge *judge, const struct rule *rule);
void weka_check_odd_key(const struct judge *judge, const struct rule *rule);
void weka_check_twice(const struct judge *judge, const struct rule *rule);
void weka_check_two_files(const struct judge *judge, const struct rule *rule);
void weka_check_no_service(const struct judge *judge, const struct rule *rule);
void weka_check_unprotected(const struct judge *judge, const struct rule *rule);
void weka_check_agent_down(const struct judge *judge, const struct rule *rule);
void weka_check_pidfile(const struct judge *judge, const struct rule *rule);
void weka_check_two_agents(const struct judge *judge, const struct rule *rule);
void weka_check_read(const struct judge *judge, const struct rule *rule);
void weka_check_hung(const struct judge *judge, const struct rule *rule);
void weka_check_no_time(const struct judge *judge, const struct rule *rule);
void weka_check_missing(const struct judge *judge, const struct rule *rule);
void weka_check_failed(const struct judge *judge, const struct rule *rule);
void weka_check_automatic(const struct judge *judge, const struct rule *rule);
void weka_check_core_zero(const struct judge *judge, const struct rule *rule);
void weka_check_no_frontend(const struct judge *judge, const struct rule *rule);
void weka_check_staged(const struct judge *judge, const struct rule *rule);
void weka_check_memory(const struct judge *judge, const struct rule *rule);
void weka_check_nic(const struct judge *judge, const struct rule *rule);
void weka_check_driver_hung(const struct judge *judge, const struct rule *rule);
void weka_check_driver_state(const struct judge *judge, const struct rule *rule);
void weka_check_driver_missing(const struct judge *judge, const struct rule *rule);
void weka_check_connected(const struct judge *judge, const struct rule *rule);
void weka_check_link_count(const struct judge *judge, const struct rule *rule);
void weka_check_affinity(const struct judge *judge, const struct rule *rule);
void weka_check_cpuset(const struct judge *judge, const struct rule *rule);
void weka_check_exclusive(const struct judge *judge, const struct rule *rule);

#endif
