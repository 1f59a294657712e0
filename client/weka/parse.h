/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse.h - parse output of the WEKA client
 *
 * Terms   container: a WEKA process group on this node, usually "client" ("host" up to
 *           3.14). frontend: one process of it that serves mounts, one a core ("node" up
 *           to 3.14); slot 0 is the management process, which has no core of its own.
 *         server: a process of another role (DRIVES, COMPUTE, ..), which polls on its
 *           core as a frontend does: a node that has some is a server of the cluster.
 *         automatic: no core was configured, the client picks one; core_id 4294967295
 *           in `weka local resources -J`.
 *         stable: the resources that the container runs with; staged: those of its next
 *           start.
 * Owner   plain values.
 * Errors  -1 and what was expected in *err. Unknown keys are ignored; a missing key
 *           leaves its fact unknown: the formats of 4.2, 4.4, 5.x and the 6.x command
 *           line differ, and none is documented completely.
 * Runs    anywhere: pure functions of text. Only these depend on WEKA's formats.
 */
#ifndef JOBIO_CLIENT_WEKA_PARSE_H
#define JOBIO_CLIENT_WEKA_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/err.h"

/* Limits above those of a node; a fact beyond them is unknown, and the error gives the limit. */
#define WEKA_CONTAINERS_MAX 64
#define WEKA_FRONTENDS_MAX 512
#define WEKA_NICS_MAX 64
#define WEKA_LINKS_MAX 1024
#define WEKA_NAME_MAX 64

enum weka_switch {
	WEKA_UNSET,
	WEKA_FALSE,
	WEKA_TRUE,
	WEKA_UNCLEAR, /* neither true nor false in any known spelling */
};

/* service.conf or weka.conf */
struct weka_service {
	bool present;
	int64_t mtime_s;		  /* set by the function that reads the file; 0 unknown */
	enum weka_switch isolate_cpusets; /* from the last line that sets it */
	char isolate_text[WEKA_NAME_MAX]; /* its value as written */
	bool isolate_differs;		  /* two lines with different values */
	char cgroups_mode[WEKA_NAME_MAX]; /* lower case, '_'; "" not set */
	bool cgroups_differs;
	char odd_key[WEKA_NAME_MAX];  /* "isolate_cpuset", "cgroup_mode" */
	enum weka_switch odd_isolate; /* value of isolate_cpuset */
};

/* `weka local ps -J`; WEKA's public tools read all of these keys but monitoring and persistent */
struct weka_container {
	char name[WEKA_NAME_MAX];
	bool running;
	bool disabled;
	bool monitored_known, monitored;
	bool persistent;		    /* stateful; false also if there is no such key */
	char display_status[WEKA_NAME_MAX]; /* "READY"; "" unknown */
	char message[128];
	char version[WEKA_NAME_MAX];
	char last_failure[128];
};

struct weka_containers {
	size_t count;
	struct weka_container item[WEKA_CONTAINERS_MAX];
};

struct weka_frontend {
	unsigned int slot;
	bool automatic;
	unsigned int core_id; /* OS CPU */
	bool shared;	      /* does not poll: net=udp, dedicated_mode=none */
};

struct weka_nic {
	char name[WEKA_NAME_MAX];
	char identifier[WEKA_NAME_MAX]; /* PCI address */
	struct cpuset slots;		/* empty: serves all */
};

/* `weka local resources -J` */
struct weka_resources {
	bool known;
	size_t frontend_count;
	struct weka_frontend frontend[WEKA_FRONTENDS_MAX];
	size_t server_count;
	struct cpuset server_cpus; /* with core_id, of those that poll */
	bool server_is_automatic;  /* one of them polls on an unknown core */
	struct cpuset management;  /* non_datapath_cores (6.x) */
	size_t nic_count;
	struct weka_nic nic[WEKA_NICS_MAX];
	long long memory_bytes; /* hugepages; -1 unknown */
};

/* /proc/wekafs/interface */
struct weka_link {
	char container[WEKA_NAME_MAX];
	unsigned int index; /* 0-based: slot 1 is frontend 0 */
	bool connected;
	long pid; /* 0 unknown */
};

struct weka_interface {
	char driver_state[WEKA_NAME_MAX]; /* "DRIVER_ACCEPTING"; "" unknown */
	long active_mounts;		  /* -1 unknown */
	size_t link_count;
	bool has_more; /* more than WEKA_LINKS_MAX */
	struct weka_link link[WEKA_LINKS_MAX];
};

/* Parse "true", "yes", "0", ..; never WEKA_UNSET. */
enum weka_switch weka_switch_of(const char *value);
void weka_parse_service(const char *text, struct weka_service *service);
int weka_parse_ps(const char *text, struct weka_containers *containers, struct err *err);
/* 'container' selects one if the text has several. */
int weka_parse_resources(const char *text, const char *container, struct weka_resources *resources,
			 struct err *err);
void weka_parse_interface(const char *text, struct weka_interface *interface);

bool weka_resources_equal(const struct weka_resources *a, const struct weka_resources *b);

#endif
