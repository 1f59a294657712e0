/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <sys/syscall.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/digest.h"
#include "base/fileio.h"
#include "count/kernel.h"
#include "count/programs.h"

#define SLOTS 512     /* jobs times filesystems */
#define THREADS 16384 /* for kernels without task storage */
#define LINKS_MAX 160
#define FOLDER_BYTES 544
#define PATH_BYTES (FOLDER_BYTES + 80)
#define STRING_(x) #x
#define STRING(x) STRING_(x)

/* The object as built by the maintainer; BPF_OBJECT is its path. */
__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"programs_object:\n"
	".incbin " STRING(BPF_OBJECT) "\n"
				      "programs_object_end:\n"
				      ".byte 0\n"
				      ".popsection\n");
extern const char programs_object[] __attribute__((visibility("hidden")));
extern const char programs_object_end[] __attribute__((visibility("hidden")));

#define REFUSALS_MAX 4	  /* then only totals of processes are tried */
#define ATTACH_MULTI 42	  /* BPF_TRACE_KPROBE_MULTI, since Linux 5.18 */
#define ATTACH_SESSION 56 /* BPF_TRACE_KPROBE_SESSION, since Linux 6.10 */
#define CALL_OF_KERNEL 2  /* BPF_PSEUDO_KFUNC_CALL */

/* Without it no program runs at the start of a read, and a task without storage may be counted. */
#define UNTIMED (UINT64_C(1) << LOSS_LATENCY)

/* One attempt to load a plan */
struct attempt {
	struct bpf_object *object;
	int links[LINKS_MAX]; /* file descriptors */
	char names[LINKS_MAX][64];
	size_t link_count;
	struct kernel kernel;
	struct plan plan;
	struct count_config config;
};

const char *const programs_map_names[MAPS] = { "slots", "jobs", "names", "devs",
					       "paths", "info", "data" };

uint64_t programs_hash(void)
{
	return digest_add(DIGEST_BEGIN, programs_object,
			  (size_t)(programs_object_end - programs_object));
}

/* Program of libbpf's last warning: "prog 'rw_vfs_read': ..", "failed to load program
 * 'rw_vfs_read'" */
static char refused_program[64];

static void find_refused(const char *text)
{
	const char *name = strstr(text, "prog '"), *end;

	if (!name)
		name = strstr(text, "program '");
	if (!name)
		return;
	name = strchr(name, '\'') + 1;
	end = strchr(name, '\'');
	if (end)
		snprintf(refused_program, sizeof(refused_program), "%.*s", (int)(end - name), name);
}

static int on_message(enum libbpf_print_level level, const char *format, va_list list)
{
	char text[256];

	vsnprintf(text, sizeof(text), format, list);
	if (level == LIBBPF_WARN)
		find_refused(text);
	return 0;
}

/* Before 5.11 maps are charged to RLIMIT_MEMLOCK. */
static void raise_memlock(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	(void)setrlimit(RLIMIT_MEMLOCK, &all);
}

static struct bpf_map *find_map(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	return libbpf_get_error(map) ? NULL : map;
}

/* Maps of ".rodata" and ".data" have the object's name before the dot. */
static struct bpf_map *find_section(struct bpf_object *object, const char *suffix)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
	{
		const char *dot = strchr(bpf_map__name(map), '.');

		if (bpf_map__is_internal(map) && dot && !strcmp(dot, suffix))
			return map;
	}
	return NULL;
}

static int prepare_maps(struct attempt *a)
{
	static const uint32_t entries[] = { [MAP_SLOTS] = SLOTS,
					    [MAP_JOBS] = SLOTS,
					    [MAP_NAMES] = 2 * SLOTS,
					    [MAP_DEVS] = SLOTS,
					    [MAP_PATHS] = 2 * SLOTS };
	struct bpf_map *threads = find_map(a->object, "threads");
	struct bpf_map *config = find_section(a->object, ".rodata"), *map;
	size_t i;

	if (!threads || !config ||
	    bpf_map__set_initial_value(config, &a->config, sizeof(a->config)))
		return -EINVAL;
	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		map = find_map(a->object, programs_map_names[i]);
		if (!map)
			return -EINVAL;
		bpf_map__set_max_entries(
			map, entries[i] << (i == MAP_SLOTS ? a->config.shard_shift : 0));
	}
	if (!a->config.storage) {
		bpf_map__set_type(threads, BPF_MAP_TYPE_LRU_HASH);
		bpf_map__set_map_flags(threads, 0);
		bpf_map__set_max_entries(threads, a->config.latency ? THREADS : 1);
	}
	return 0;
}

static int open_object(struct attempt *a)
{
	DECLARE_LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "jobio");
	long rc;

#ifdef HAVE_STRUCT_BPF_OBJECT_OPEN_OPTS_KERNEL_LOG_LEVEL
	opts.kernel_log_level = 4;
#endif
	a->object = bpf_object__open_mem(programs_object,
					 (size_t)(programs_object_end - programs_object), &opts);
	rc = libbpf_get_error(a->object);
	if (rc)
		a->object = NULL;
	return (int)rc;
}

static struct bpf_program *find_program(struct attempt *a, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(a->object, name);

	return libbpf_get_error(program) ? NULL : program;
}

/* Return true if an earlier hook of the plan has the same program. */
static bool is_shared(const struct attempt *a, size_t hook)
{
	size_t i;

	for (i = 0; i < hook; i++)
		if (a->plan.hook[i] && !strcmp(a->plan.as[i].program, a->plan.as[hook].program))
			return true;
	return false;
}

static enum bpf_attach_type attach_type(enum hook_type type)
{
	return (enum bpf_attach_type)(type == HOOK_MULTI ? ATTACH_MULTI : ATTACH_SESSION);
}

#ifdef HAVE_STRUCT_BPF_OBJECT_OPEN_OPTS_KERNEL_LOG_LEVEL
/* Replace placeholders in calls by BTF ids of kernel functions. */
static int prepare_session(struct attempt *a, struct bpf_program *program, enum hook_type type)
{
	static const char *const names[] = { "bpf_session_is_return", "bpf_session_cookie",
					     "bpf_rdonly_cast" };
	struct bpf_insn *insn = (void *)bpf_program__insns(program);
	size_t i, n = bpf_program__insn_cnt(program);
	uint32_t call;

	for (i = 0; i < n; i++) {
		call = (uint32_t)insn[i].imm - COUNT_CALL_IS_RETURN;
		if (insn[i].code != (BPF_JMP | BPF_CALL) || insn[i].src_reg ||
		    call >= sizeof(names) / sizeof(names[0]))
			continue;
		insn[i].src_reg = CALL_OF_KERNEL;
		insn[i].imm = kernel_function(&a->kernel, names[call]);
	}
	return bpf_program__set_expected_attach_type(program, attach_type(type));
}
#else
static int prepare_session(struct attempt *a, struct bpf_program *program, enum hook_type type)
{
	(void)a;
	(void)program;
	(void)attach_type(type);
	return -ENOTSUP;
}
#endif

static int prepare_program(struct attempt *a, size_t hook)
{
	const struct hook *as = &a->plan.as[hook];
	struct bpf_program *program = find_program(a, as->program);
	const char *target;

	if (!program)
		return -ENOENT;
	if (is_shared(a, hook))
		return 0;
	bpf_program__set_autoload(program, true);
	if (as->type >= HOOK_MULTI)
		return prepare_session(a, program, as->type);
	target = strchr(bpf_program__section_name(program), '/');
	if (as->type == HOOK_KPROBE || !target || !strcmp(target + 1, as->target))
		return 0;
	return bpf_program__set_attach_target(program, 0, as->target);
}

static int prepare_all(struct attempt *a)
{
	struct bpf_program *program;
	size_t i;
	int rc = 0;

	bpf_object__for_each_program(program, a->object) bpf_program__set_autoload(program, false);
	for (i = 0; i < hook_count && !rc; i++) {
		if (!a->plan.hook[i])
			continue;
		rc = prepare_program(a, i);
		if (rc)
			snprintf(refused_program, sizeof(refused_program), "%s",
				 a->plan.as[i].program);
	}
	a->config.latency = !!(a->plan.groups & COUNT_GROUP(LATENCY));
	a->config.storage =
		(a->kernel.has_sessions || (a->config.latency && !(a->plan.lost & UNTIMED))) &&
		kernel_has(&a->kernel, "bpf_func_id.BPF_FUNC_task_storage_get") &&
		kernel_has(&a->kernel, "bpf_func_id.BPF_FUNC_get_current_task_btf");
	a->config.syncs_apart = 0;
	for (i = 0; i < hook_count; i++)
		if (hooks[i].loss == LOSS_SYNC_CALLS && a->plan.hook[i])
			a->config.syncs_apart = 1;
	return rc;
}

static bool has_name(const char *const *names, size_t n, const char *name)
{
	while (n--)
		if (!strcmp(names[n], name))
			return true;
	return false;
}

/* Attach a program to all of its functions by one link. Return its file descriptor or a negative
 * errno. */
static int attach_session(struct attempt *a, size_t hook, int program)
{
	struct {
		uint32_t program, target, type, flags;
		uint32_t multi_flags, count;
		uint64_t symbols, addresses, cookies;
	} attr;
	const struct hook *as = &a->plan.as[hook];
	const char *symbols[LINKS_MAX];
	uint64_t cookies[LINKS_MAX];
	size_t i;
	int fd;

	memset(&attr, 0, sizeof(attr));
	for (i = hook; i < hook_count; i++) {
		if (!a->plan.hook[i] || strcmp(a->plan.as[i].program, as->program) != 0 ||
		    has_name(symbols, attr.count, hooks[i].target))
			continue;
		symbols[attr.count] = hooks[i].target;
		cookies[attr.count++] = a->plan.as[i].what;
	}
	attr.cookies = (uint64_t)(uintptr_t)cookies;
	attr.program = (uint32_t)program;
	attr.type = attach_type(as->type);
	attr.symbols = (uint64_t)(uintptr_t)symbols;
	fd = (int)syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

static int attach(struct attempt *a, size_t hook)
{
	const struct hook *as = &a->plan.as[hook];
	struct bpf_program *program = find_program(a, as->program);
	struct bpf_link *link;
	long rc;

	if (a->link_count == LINKS_MAX)
		return -E2BIG;
	if (as->type >= HOOK_MULTI) {
		rc = attach_session(a, hook, bpf_program__fd(program));
	} else {
		link = bpf_program__attach(program);
		rc = libbpf_get_error(link);
		if (!rc)
			rc = bpf_link__fd(link);
	}
	if (rc < 0)
		return (int)rc;
	/* with sessions its skips are no losses: aio_done_too is attached as well */
	snprintf(a->names[a->link_count], sizeof(a->names[0]), "%s%s", as->program,
		 a->kernel.has_sessions && !strcmp(as->program, "aio_done") ? "_one" : "");
	a->links[a->link_count++] = (int)rc;
	return 0;
}

static int attach_all(struct attempt *a)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < hook_count && !rc; i++) {
		if (!a->plan.hook[i] || is_shared(a, i))
			continue;
		rc = attach(a, i);
		if (rc)
			snprintf(refused_program, sizeof(refused_program), "%s",
				 a->plan.as[i].program);
	}
	return rc;
}

static void release(struct attempt *a)
{
	size_t i;

	for (i = 0; i < a->link_count; i++)
		close(a->links[i]);
	a->link_count = 0;
	bpf_object__close(a->object);
	a->object = NULL;
}

/* Open, load and attach the plan. Return 0 or a negative errno. */
static int try_plan(struct attempt *a)
{
	int rc = open_object(a);

	refused_program[0] = '\0';
	if (!rc)
		rc = prepare_all(a);
	if (!rc)
		rc = prepare_maps(a);
	if (!rc)
		rc = bpf_object__load(a->object);
	if (!rc)
		rc = attach_all(a);
	if (rc)
		release(a);
	return rc;
}

/* Mark the hooks of a program as refused, or with 'others' of all other programs. */
static bool refuse(struct attempt *a, const char *program, bool others)
{
	bool any = false;
	size_t i;

	for (i = 0; i < hook_count; i++) {
		if (!a->plan.hook[i] || !strcmp(a->plan.as[i].program, program) == others)
			continue;
		a->plan.refused[i] = true;
		any = true;
	}
	return any;
}

static void set_missing(const struct attempt *a, const char *refused, struct err *err)
{
	char lost[ERR_MAX / 2];

	hooks_text(a->plan.lost, lost, sizeof(lost));
	if (!a->kernel.has_trampolines)
		err_set(err, "%s", kernel_no_trampolines);
	else if (*refused && *lost)
		err_set(err, "BPF programs: not counted: %s: the kernel refuses %s", lost, refused);
	else if (*lost)
		err_set(err, "BPF programs: this kernel does not count: %s", lost);
}

/* Try plans until the kernel accepts one: the next plan has another way for a refused program, or
 * none. If all tracing of functions is refused, totals of processes are left. */
static int try_all(struct attempt *a, uint32_t wanted, struct err *err)
{
	char refused[160] = "";
	bool again = true;
	int rc = 0, tries;

	for (tries = 0; again; tries++) {
		kernel_plan(&a->kernel, wanted, &a->plan);
		if (!a->plan.groups)
			break;
		rc = try_plan(a);
		if (!rc) {
			set_missing(a, refused, err);
			return 0;
		}
		if (!*refused)
			snprintf(refused, sizeof(refused), "%s: %s",
				 *refused_program ? refused_program : "them", strerror(-rc));
		if (a->kernel.has_sessions && !strncmp(refused_program, "any_", 4))
			a->kernel.has_sessions = false;
		else if (rc == -EPERM || !*refused_program || tries > REFUSALS_MAX)
			again = refuse(a, "exit_totals", true);
		else
			again = refuse(a, refused_program, false);
	}
	return err_set(err, "BPF programs: the kernel refuses them: %s",
		       strerror(rc ? -rc : ENOSYS));
}

static uint32_t shard_shift(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t shift = 0;

	while (shift < 3 && 1L << shift < cpus)
		shift++;
	return shift;
}

/* Jiffies in a window: the resolution of coarse clocks is a jiffy
 * (kernel/time/posix-timers.c:posix_get_coarse_res). */
static uint32_t window_ticks(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
		return 0;
	return (uint32_t)((COUNT_WINDOW_S * 1000000000LL + tick.tv_nsec / 2) / tick.tv_nsec);
}

static int pin_all(struct attempt *a, const char *folder)
{
	char path[PATH_BYTES];
	struct bpf_map *map;
	size_t i;
	int rc = 0;

	for (i = 0; i < MAPS && !rc; i++) {
		map = i == MAP_DATA ? find_section(a->object, ".data")
				    : find_map(a->object, programs_map_names[i]);
		snprintf(path, sizeof(path), "%s/%s", folder, programs_map_names[i]);
		rc = map ? bpf_map__pin(map, path) : -ENOENT;
	}
	for (i = 0; i < a->link_count && !rc; i++) {
		snprintf(path, sizeof(path), "%s/" PROGRAMS_LINK "%s", folder, a->names[i]);
		if (bpf_obj_pin(a->links[i], path))
			rc = -errno;
	}
	return rc;
}

/* Fill FOLDER-new and rename it: a folder is complete or does not exist. */
static int pin_folder(struct attempt *a, const char *folder, struct err *err)
{
	const struct count_info info = {
		.layout = COUNT_LAYOUT,
		.groups = a->plan.groups,
		.slots = SLOTS,
		.shard_shift = a->config.shard_shift,
		.cgroup_v1 = a->config.cgroup_v1,
		.lost = a->plan.lost,
	};
	struct bpf_map *map = find_map(a->object, programs_map_names[MAP_INFO]);
	char path[FOLDER_BYTES];
	uint32_t zero = 0;
	int rc;

	snprintf(path, sizeof(path), "%s-new", folder);
	if (fileio_rmtree(path, err) < 0 || fileio_mkdir(path, 0700, err) < 0)
		return -1;
	rc = map ? bpf_map_update_elem(bpf_map__fd(map), &zero, &info, BPF_ANY) : -ENOENT;
	if (!rc)
		rc = pin_all(a, path);
	if (!rc && rename(path, folder) < 0)
		rc = -errno;
	if (!rc)
		return 0;
	err_set(err, "BPF programs: '%s': %s", path, strerror(-rc));
	fileio_rmtree(path, NULL);
	return -1;
}

int programs_load(const char *folder, uint32_t wanted, int cgroup, struct err *err)
{
	struct attempt a = { .object = NULL };
	int rc = -1;

	raise_memlock();
	a.config.cgroup_v1 = cgroup == 1;
	a.config.shard_shift = shard_shift();
	a.config.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	a.config.window_ticks = window_ticks();
	if (kernel_open(&a.kernel, NULL, NULL, err) < 0)
		goto out;
	libbpf_set_print(on_message);
	/* 6.0 and 5.12 added a first argument */
	a.config.setattr_idmap = kernel_arguments(&a.kernel, "security_inode_setattr") > 2;
	a.config.int_pointers = kernel_has(&a.kernel, "bpf_func_id.BPF_FUNC_loop"); /* both 5.17 */
	a.config.setxattr_idmap = kernel_arguments(&a.kernel, "security_inode_setxattr") > 5;
	if (try_all(&a, wanted, err) == 0)
		rc = pin_folder(&a, folder, err);
out:
	release(&a);
	kernel_free(&a.kernel);
	return rc;
}
