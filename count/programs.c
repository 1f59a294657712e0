/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "count/folder.h"
#include "count/programs.h"
#include "lib/digest.h"

#define SLOTS 512 /* jobs on this node times filesystems, at once */
#define LINKS_MAX 128
#define FOLDER_BYTES 512
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

#define GROUP_NAME(id, name) name,
static const char *const group_names[] = { COUNT_GROUPS(GROUP_NAME) };

/* What an attempt holds until it is pinned or given up. */
struct attempt {
	struct bpf_object *object;
	struct bpf_link *links[LINKS_MAX];
	char names[LINKS_MAX][64];
	size_t link_count;
	const struct btf *kernel;
	uint32_t groups;
	struct count_config config;
};

uint64_t programs_hash(void)
{
	return digest_add(DIGEST_BEGIN, programs_object,
			  (size_t)(programs_object_end - programs_object));
}

static int quiet(enum libbpf_print_level level, const char *format,
		 va_list list)
{
	if (getenv("JOBIO_COUNT_DEBUG"))
		return vfprintf(stderr, format, list);
	(void)level;
	return 0;
}

/* Before 5.11 maps are charged to the locked memory of who makes them. */
static void lift_memlock(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	(void)setrlimit(RLIMIT_MEMLOCK, &all);
}

/* "rw_vfs_read" belongs to the group "rw". */
static uint32_t program_group(const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);
	unsigned int i;
	size_t n;

	for (i = 0; i < COUNT_GROUP_COUNT; i++) {
		n = strlen(group_names[i]);
		if (!strncmp(name, group_names[i], n) && name[n] == '_')
			return 1U << i;
	}
	return 0;
}

/* fsync(2) and fdatasync(2) themselves */
static bool is_sync(const struct bpf_program *program)
{
	return !strncmp(bpf_program__name(program), "meta_sys_f", 10);
}

static bool is_optional(const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);
	size_t n = strlen(name), suffix = strlen("_maybe");

	return n > suffix && !strcmp(name + n - suffix, "_maybe");
}

/* Does this kernel's type information know what the program sits on? */
static bool has_target(const struct btf *kernel,
		       const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program);
	const char *target = strchr(section, '/');
	char name[128];

	if (!target)
		return false;
	if (strncmp(section, "tp_btf/", 7) != 0)
		return btf__find_by_name_kind(kernel, target + 1,
					      BTF_KIND_FUNC) > 0;
	snprintf(name, sizeof(name), "btf_trace_%s", target + 1);
	return btf__find_by_name_kind(kernel, name, BTF_KIND_TYPEDEF) > 0;
}

static bool has_member(const struct btf *kernel, const char *type,
		       const char *member)
{
	int id = btf__find_by_name_kind(kernel, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? btf__type_by_id(kernel, id) : NULL;
	unsigned int i;

	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(kernel,
						btf_members(t)[i].name_off),
			    member))
			return true;
	return false;
}

static bool has_helper(const struct btf *kernel, const char *name)
{
	int id = btf__find_by_name_kind(kernel, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(kernel, id) : NULL;
	unsigned int i;

	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(kernel,
						btf_enum(t)[i].name_off),
			    name))
			return true;
	return false;
}

/* How many arguments a function of the kernel has; 0: there is none. */
static unsigned int arguments(const struct btf *kernel, const char *name)
{
	int id = btf__find_by_name_kind(kernel, name, BTF_KIND_FUNC);
	const struct btf_type *t = id > 0 ? btf__type_by_id(kernel, id) : NULL;

	t = t ? btf__type_by_id(kernel, t->type) : NULL;
	return t && btf_is_func_proto(t) ? btf_vlen(t) : 0;
}

/* The groups of which no part is missing in this kernel. The tracepoint names
 * the io_uring request since 5.18, when requests also got their answer as
 * "cqe" (5.19); before, there is no way from the answer to the file. */
static uint32_t possible_groups(const struct btf *kernel,
				struct bpf_object *object, uint32_t wanted)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
	{
		if (!has_target(kernel, program) && !is_optional(program))
			wanted &= ~program_group(program);
	}
	if (!has_member(kernel, "io_kiocb", "cqe"))
		wanted &= ~COUNT_GROUP(URING);
	if (!has_helper(kernel, "BPF_FUNC_task_pt_regs"))
		wanted &= ~COUNT_GROUP(MMAP);
	if (!has_helper(kernel, "BPF_FUNC_task_storage_get"))
		wanted &= ~COUNT_GROUP(LATENCY);
	if (!(wanted & COUNT_GROUP(RW)))
		wanted &= COUNT_GROUP(EXIT);
	return wanted;
}

static struct bpf_map *find_map(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	return libbpf_get_error(map) ? NULL : map;
}

/* ".rodata" and ".data" have names that begin with the object's. */
static struct bpf_map *find_section(struct bpf_object *object,
				    const char *suffix)
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
	struct bpf_map *slots = find_map(a->object, "slots");
	struct bpf_map *jobs = find_map(a->object, "jobs");
	struct bpf_map *names = find_map(a->object, "names");
	struct bpf_map *devs = find_map(a->object, "devs");
	struct bpf_map *calls = find_map(a->object, "calls");
	struct bpf_map *config = find_section(a->object, ".rodata");

	if (!slots || !jobs || !names || !devs || !calls || !config ||
	    bpf_map__set_initial_value(config, &a->config, sizeof(a->config)))
		return -EINVAL;
	bpf_map__set_max_entries(slots, SLOTS << a->config.shard_shift);
	bpf_map__set_max_entries(jobs, SLOTS);
	bpf_map__set_max_entries(names, 2 * SLOTS);
	bpf_map__set_max_entries(devs, SLOTS);
	if (!(a->groups & COUNT_GROUP(LATENCY))) {
		bpf_map__set_type(calls, BPF_MAP_TYPE_HASH);
		bpf_map__set_max_entries(calls, 1);
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
	a->object = bpf_object__open_mem(
		programs_object,
		(size_t)(programs_object_end - programs_object), &opts);
	rc = libbpf_get_error(a->object);
	if (rc)
		a->object = NULL;
	return (int)rc;
}

static bool is_wanted(const struct attempt *a,
		      const struct bpf_program *program)
{
	/* its arguments have been others since 6.16 */
	if (!strcmp(bpf_program__name(program), "rw_mounted_maybe") &&
	    arguments(a->kernel, "attach_recursive_mnt") != 4)
		return false;
	return (program_group(program) & a->groups) &&
	       (!is_optional(program) || has_target(a->kernel, program));
}

static int attach_all(struct attempt *a)
{
	struct bpf_program *program;
	struct bpf_link *link;
	long rc;

	bpf_object__for_each_program(program, a->object)
	{
		if (!is_wanted(a, program))
			continue;
		if (a->link_count == LINKS_MAX)
			return -E2BIG;
		link = bpf_program__attach(program);
		rc = libbpf_get_error(link);
		if (rc)
			return (int)rc;
		snprintf(a->names[a->link_count], sizeof(a->names[0]), "%s",
			 bpf_program__name(program));
		a->links[a->link_count++] = link;
	}
	return 0;
}

static void give_up(struct attempt *a)
{
	size_t i;

	for (i = 0; i < a->link_count; i++)
		bpf_link__destroy(a->links[i]);
	a->link_count = 0;
	bpf_object__close(a->object);
	a->object = NULL;
}

/* Open, load and attach these groups: 0 or a negative errno. */
static int try_groups(struct attempt *a, uint32_t groups)
{
	struct bpf_program *program;
	int rc = open_object(a);

	if (rc)
		return rc;
	a->groups = groups;
	a->config.latency = !!(groups & COUNT_GROUP(LATENCY));
	bpf_object__for_each_program(program, a->object)
	{
		bpf_program__set_autoload(program, is_wanted(a, program));
		if (is_sync(program) && is_wanted(a, program))
			a->config.syncs_apart = 1;
	}
	rc = prepare_maps(a);
	if (!rc)
		rc = bpf_object__load(a->object);
	if (!rc)
		rc = attach_all(a);
	if (rc)
		give_up(a);
	return rc;
}

static void say_missing(struct err *err, uint32_t groups, int rc)
{
	char list[128] = "";
	unsigned int i;

	for (i = 0; i < COUNT_GROUP_COUNT; i++) {
		if (!(groups & 1U << i))
			continue;
		if (*list)
			strcat(list, ",");
		strcat(list, group_names[i]);
	}
	if (!*list)
		return;
	if (rc)
		err_set(err, "BPF programs: '%s': the kernel refuses them: %s",
			list, strerror(-rc));
	else
		err_set(err,
			"BPF programs: '%s': this kernel lacks what they "
			"need",
			list);
}

/* Give up the dearest group first. When tracing of functions is refused as
 * such (EPERM), the rest need not be tried. */
static int try_all(struct attempt *a, uint32_t wanted, uint32_t possible,
		   struct err *err)
{
	static const uint32_t order[] = {
		0,
		COUNT_GROUP(LATENCY),
		COUNT_GROUP(MMAP),
		COUNT_GROUP(URING),
		COUNT_GROUP(AIO),
		COUNT_GROUP(META),
		COUNT_GROUP(RW),
	};
	uint32_t groups = possible;
	int rc = -ENOSYS, first = 0;
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]) && groups; i++) {
		if (i && !(groups & order[i]))
			continue;
		groups &= ~order[i];
		if (!groups)
			break;
		rc = try_groups(a, groups);
		if (!rc) {
			say_missing(err, wanted & ~groups, first);
			return 0;
		}
		if (!first)
			first = rc;
		if (rc == -EPERM || rc == -EACCES)
			groups &= COUNT_GROUP(EXIT) | COUNT_GROUP(RW);
	}
	say_missing(err, wanted, first ? first : rc);
	return -1;
}

static uint32_t shard_shift(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t shift = 0;

	while (shift < 3 && 1L << shift < cpus)
		shift++;
	return shift;
}

/* Ticks of the kernel's clock in a window: its coarse clocks go by ticks
 * (kernel/time/posix-timers.c:posix_get_coarse_res). */
static uint32_t window_ticks(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_sec ||
	    tick.tv_nsec <= 0)
		return 0;
	return (uint32_t)((COUNT_WINDOW_S * 1000000000LL + tick.tv_nsec / 2) /
			  tick.tv_nsec);
}

static int pin_map(struct attempt *a, const char *folder, const char *name)
{
	struct bpf_map *map = *name == '.' ? find_section(a->object, name)
					   : find_map(a->object, name);
	char path[PATH_BYTES];

	if (!map)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%s", folder,
		 *name == '.' ? name + 1 : name);
	return bpf_map__pin(map, path);
}

static int pin_all(struct attempt *a, const char *folder)
{
	static const char *const maps[] = { "slots", "jobs", "names",
					    "devs",  "info", ".data" };
	char path[PATH_BYTES];
	size_t i;
	int rc;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		rc = pin_map(a, folder, maps[i]);
		if (rc)
			return rc;
	}
	for (i = 0; i < a->link_count; i++) {
		snprintf(path, sizeof(path), "%s/link_%s", folder, a->names[i]);
		rc = bpf_link__pin(a->links[i], path);
		if (rc)
			return rc;
	}
	return 0;
}

/* Pin under a name of our own first: a folder is there whole or not at all. */
static int keep(struct attempt *a, const char *folder,
		const struct count_info *info, struct err *err)
{
	struct bpf_map *map = find_map(a->object, "info");
	char path[FOLDER_BYTES];
	uint32_t zero = 0;
	int rc;

	snprintf(path, sizeof(path), "%s-new", folder);
	if (folder_remove(path, FOLDER_NO_END, err) < 0)
		return -1;
	if (mkdir(path, 0700) < 0)
		return err_set(err, "BPF programs: '%s': %s", path,
			       strerror(errno));
	rc = map ? bpf_map_update_elem(bpf_map__fd(map), &zero, info, BPF_ANY)
		 : -1;
	if (rc)
		rc = -errno;
	if (!rc)
		rc = pin_all(a, path);
	if (!rc && rename(path, folder) < 0)
		rc = -errno;
	if (!rc)
		return 0;
	err_set(err, "BPF programs: '%s': %s", path, strerror(-rc));
	folder_remove(path, FOLDER_NO_END, NULL);
	return -1;
}

static struct btf *kernel_btf(struct err *err)
{
	struct btf *btf = libbpf_find_kernel_btf();
	long rc = libbpf_get_error(btf);

	if (!rc && btf)
		return btf;
	err_set(err, "BPF programs: the kernel has no type information "
		     "(/sys/kernel/btf/vmlinux)");
	return NULL;
}

int programs_load(const char *folder, uint32_t wanted, int cgroup,
		  struct count_info *info, struct err *err)
{
	struct attempt a = { .object = NULL };
	struct btf *kernel = NULL;
	uint32_t possible;
	int rc = -1;

	libbpf_set_print(quiet);
	lift_memlock();
	a.config.cgroup_v1 = cgroup == 1;
	a.config.shard_shift = shard_shift();
	a.config.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	a.config.window_ticks = window_ticks();
	a.kernel = kernel = kernel_btf(err);
	if (!kernel)
		goto out;
	/* 6.0 and 5.12 put one in front */
	a.config.setattr_idmap =
		arguments(kernel, "security_inode_setattr") > 2;
	a.config.setxattr_idmap =
		arguments(kernel, "security_inode_setxattr") > 5;
	if (open_object(&a)) {
		err_set(err, "BPF programs: libbpf cannot read them");
		goto out;
	}
	possible = possible_groups(kernel, a.object, wanted);
	give_up(&a);
	if (try_all(&a, wanted, possible, err) < 0)
		goto out;
	memset(info, 0, sizeof(*info));
	info->layout = COUNT_LAYOUT;
	info->groups = a.groups;
	info->slots = SLOTS;
	info->shard_shift = a.config.shard_shift;
	info->cgroup_v1 = a.config.cgroup_v1;
	if (folder && keep(&a, folder, info, err) < 0)
		goto out;
	rc = 0;
out:
	give_up(&a);
	btf__free(kernel);
	return rc;
}
