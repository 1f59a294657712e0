// SPDX-License-Identifier: GPL-2.0-or-later
/* jobio.bpf.c - count what the processes of a Slurm job read and write
 *
 * Programs are attached to functions of vmlinux, not of filesystem modules, so
 * no module needs BTF. They add to slots, which the loader allocates for a
 * {job, filesystem}. I/O without a slot is not counted and costs one lookup in
 * 'cache'.
 *
 * The job is found by the name of the task's cgroup or of one of its parents:
 * job_ID (cgroup_v1.c; cgroup_v2.c until 25.11 and with CgroupJobIdPaths=yes),
 * since 26.05 the job's SLUID (cgroup_v2.c: cgroup_p_step_create), which the
 * loader gets from the prolog's environment. Results are cached per {cgroup,
 * filesystem}. 64-bit cgroup ids are not reused; 'generation' changes when the
 * loader adds or removes a job, which makes all cached results invalid.
 *
 * Kernel structs are declared with the members that are used; libbpf relocates
 * them against the BTF of the running kernel (CO-RE).
 */
#include <linux/bpf.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "count/calls.h"
#include "count/layout.h"
#include "count/series.h"

#define CGROUP_LEVELS 128
#define SLURM 0x6d72756c73ULL /* "slurm", little-endian */
#define SLURMSTE 0x6574736d72756c73ULL
#define PD_SCOPE 0x65706f63732e6470ULL
#define SCOPE_BYTES 17 /* "slurmstepd.scope" */
#define UID_ 0x5f646975U
#define S_IFMT 0170000
#define S_IFREG 0100000
#define FMODE_CREATED 0x100000
#define FMODE_BACKING (1U << 24 | 1U << 25) /* either bit */
#define FMODE_NOACCOUNT (1U << 29)
#define O_TMPFILE_ 020000000
#define PF_IO_WORKER_ 0x10
#define CACHE_ENTRIES 16384
#define INFLIGHT_ENTRIES 131072
#define INSIDE_ENTRIES 16384
#define LOCKS 1024    /* held at the same time */
#define LOCK_LOOKS 16 /* polls of a lock, each LOCK_LOOKS reads */
#define NS_IN_S 1000000000ULL

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
};

struct dentry {
	struct super_block *d_sb;
};

struct path {
	struct dentry *dentry;
};

struct vfsmount {
	struct super_block *mnt_sb;
};

struct mount { /* fs/mount.h */
	struct vfsmount mnt;
};

struct mountpoint {
	struct dentry *m_dentry;
};

struct pinned_mountpoint { /* 6.17 */
	struct mountpoint *mp;
};

struct file_operations {
	void *flush;
	void *release;
};

struct file {
	struct inode *f_inode;
	unsigned int f_mode, f_flags;
	struct path f_path;
	struct file_operations *f_op;
};

struct backing_file { /* fs/file_table.c */
	struct path user_path;
};

struct vm_area_struct {
	struct file *vm_file;
};

struct vm_fault {
	struct vm_area_struct *vma;
};

struct iattr {
	unsigned int ia_valid;
};

struct coredump_params {
	struct file *file;
	long long written;
};

typedef struct {
	__u32 val;
} kuid_t;

struct kernfs_iattrs {
	kuid_t ia_uid;
};

struct kernfs_node {
	const char *name;
	__u64 id;
	struct kernfs_iattrs *iattr;
};

struct cgroup;
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup_subsys_state *subsys[16];
	struct cgroup *dfl_cgrp;
};

struct cred {
	int non_rcu;
};

struct task_io_accounting {
	__u64 rchar, wchar, syscr, syscw;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct fs_struct {
	struct path pwd;
};

struct filename {
	const char *name;
};

struct bpf_local_storage;
struct task_struct {
	unsigned int flags;
	__u64 start_time;
	struct bpf_local_storage *bpf_storage;
	struct fs_struct *fs;
	struct files_struct *files;
	struct css_set *cgroups;
	const struct cred *real_cred;
	const struct cred *cred;
	struct task_io_accounting ioac;
};

struct timespec64 { /* cast for a loff_t: only structs are read without a helper */
	long long tv_sec;
};

struct kiocb {
	struct file *ki_filp;
};

struct fsync_iocb {
	struct file *file;
};

struct io_cqe {
	__s32 res;
};

struct io_uring {
	__u32 head, tail;
};

struct io_rings {
	struct io_uring cq;
};

struct io_ring_ctx {
	unsigned int flags;
	struct io_rings *rings;
};

struct io_task_work {
	void *func;
};

struct io_kiocb {
	struct file *file;
	__u8 opcode;
	unsigned int flags;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
	struct io_task_work io_task_work;
};

struct address_space {
	struct inode *host;
};

struct folio {
	unsigned long flags;
	struct address_space *mapping;
	unsigned int _folio_nr_pages;
};

struct folio___renamed { /* 6.15 */
	unsigned int _nr_pages;
};

struct folio___memdesc { /* 6.18 */
	struct {
		unsigned long f;
	} flags;
};

/* User registers at kernel entry. */
struct pt_regs___x86 {
	unsigned long di, si, dx, cx, r8, ax, sp, orig_ax;
};

struct pt_regs___arm64 {
	__u64 regs[31], sp;
	__s32 syscallno;
};

#pragma clang attribute pop

enum cgroup_subsys_id {
	freezer_cgrp_id = 6 /* placeholder: relocated at load time */
};

enum pageflags {
	PG_head = 16 /* placeholder */
};

enum bpf_func_id___here {
	BPF_FUNC_get_current_task_btf___here = 158 /* placeholder */
};

const volatile struct count_config config = {};
volatile __u32 generation = 1; /* .data: written by the loader */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2); /* set by the loader */
	__type(key, __u32);
	__type(value, struct count_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, struct count_key);
	__type(value, struct count_entry);
} jobs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, union count_name);
	__type(value, __u32);
} names SEC(".maps");

/* Description of the loaded set, for the loader; not read by the programs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_info);
} info SEC(".maps");

/* Locks of shards, held while a window is closed; an update with BPF_NOEXIST is
 * a test-and-set. BPF has no cmpxchg before 5.12. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LOCKS);
	__type(key, __u32);
	__type(value, __u32);
} locks SEC(".maps");

struct where {
	__u64 cgroup;
	__u32 dev, zero;
};

struct answer {
	__u32 slot, generation;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CACHE_ENTRIES);
	__type(key, struct where);
	__type(value, struct answer);
} cache SEC(".maps");

/* Unmounts and mounts on each counted filesystem, by device number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct count_dev);
} devs SEC(".maps");

/* Device numbers of mount points, by longest prefix of a path. */
struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, struct count_path);
	__type(value, __u32);
} paths SEC(".maps");

/* libaio requests in flight, by address of their kiocb. Twice the default of
 * /proc/sys/fs/aio-max-nr; memory is allocated on use. */
struct request {
	__u32 slot, job, rw, zero;
	__u64 start_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, INFLIGHT_ENTRIES);
	__type(key, __u64);
	__type(value, struct request);
} inflight SEC(".maps");

/* Threads that are inside a function, for programs at functions that it calls. */
enum inside {
	INSIDE_COPY = 1, /* copy_file_range(2) or splice(2) */
	INSIDE_FAULT,	 /* a page fault; the value: see fault_begin() */
	INSIDE_MSYNC,
	INSIDE_STATFS /* the value: 1 when it is counted */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, INSIDE_ENTRIES);
	__type(key, __u64);
	__type(value, __u32);
} insides SEC(".maps");

/* Slot of the last request of a ring that kernel threads serve (IORING_SETUP_SQPOLL,
 * IOSQE_ASYNC); the key is the ring's address. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u32);
} rings SEC(".maps");

/* Threads that dump core: bytes written so far and the filesystem. */
struct dump {
	__u64 bytes;
	__u32 dev, zero;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct dump);
} dumps SEC(".maps");

/* A thread that does I/O on counted filesystems. 'frame' is the kernel stack address of its
 * outermost timed call; nested calls have lower addresses. Before 5.11 there is no task
 * storage for tracing programs: the loader changes the map to a hash by thread id. */
#define THREAD_FS 4

struct thread_fs {
	__u32 slot, job;
	__u64 ns;
};

struct thread {
	__u64 frame, start_ns;
	__u32 slot;	   /* of the call's filesystem; 0: not known yet */
	__u32 lookup_slot; /* of the last lookup in the call */
	__u32 waits;	   /* of the last asynchronous request */
	__u64 name;	   /* arguments of the call: path and directory descriptor */
	__s32 folder;
	__u32 class;   /* of a read or write */
	__u32 copy[2]; /* slots of a copy's source and destination */
	__u32 dev;     /* last filesystem and its slot: saves a lookup in 'cache' */
	struct answer answer;
	__u64 wait_ns, ring;   /* start of the wait for a ring */
	__u64 file[2], end[2]; /* last file read or written, and the offset after it */
	__u64 on, at;	       /* of a session: file or request, and start offset */
	struct thread_fs fs[THREAD_FS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

/* Cgroups outside of jobs, a direct-mapped table by cgroup id: saves tasks outside of jobs
 * a lookup in 'cache'. */
#define OUTSIDERS 1024
__u64 outsiders[OUTSIDERS];

/* A program of one expression; ARG() is an argument of the traced function. */
#define PROGRAM(section, name, answer)                                                             \
	SEC(section)                                                                               \
	int name(__u64 *ctx)                                                                       \
	{                                                                                          \
		return answer;                                                                     \
	}
#define ARG(type, n) ((struct type *)ctx[n])

static __always_inline int have_task_btf(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___here,
					  BPF_FUNC_get_current_task_btf___here);
}

/* Arguments and result of a function with a kprobe. Old verifiers accept context loads
 * at constant offsets only: the asm stops the compiler from merging the two loads. */
#define PROBED(x86_member, arm64_member)                                                           \
	({                                                                                         \
		struct pt_regs___arm64 *arm64 = ctx;                                               \
		struct pt_regs___x86 *x86 = ctx;                                                   \
		__u64 word;                                                                        \
		if (bpf_core_field_exists(x86->orig_ax)) {                                         \
			word = x86->x86_member;                                                    \
			__asm__ volatile("" : "+r"(word));                                         \
		} else {                                                                           \
			word = arm64->arm64_member;                                                \
			__asm__ volatile("" : "+r"(word) : "r"(ctx));                              \
		}                                                                                  \
		word;                                                                              \
	})

/* Argument or result 'n' as a number, whatever type the verifier assigns to it. */
static __always_inline __u64 word_of(__u64 *ctx, int n)
{
	__u64 word = 0;

	__asm__ volatile("" : "+r"(ctx)); /* see PROBED */
	bpf_probe_read_kernel(&word, sizeof(word), &ctx[n]);
	return word;
}

/* Argument 'n', a pointer to an integer, which old verifiers do not let programs load. */
static __always_inline __u64 address(__u64 *ctx, int n)
{
	__u64 at;

	if (!config.int_pointers)
		return word_of(ctx, n);
	at = ctx[n];
	__asm__ volatile("" : "+r"(at));
	return at;
}

static __always_inline __u64 probed_argument(void *ctx, int n)
{
	return n == 0	? PROBED(di, regs[0])
	       : n == 1 ? PROBED(si, regs[1])
	       : n == 2 ? PROBED(dx, regs[2])
			: PROBED(cx, regs[3]);
}

static __always_inline __u64 probed_result(void *ctx)
{
	return PROBED(ax, regs[0]);
}

/* Bits 60 to 63 of pid_tgid are unused. */
static __always_inline __u64 inside_key(enum inside what)
{
	return bpf_get_current_pid_tgid() | (__u64)what << 60;
}

static __always_inline int enter(enum inside what, __u32 value)
{
	__u64 key = inside_key(what);

	bpf_map_update_elem(&insides, &key, &value, BPF_ANY);
	return 0;
}

static __always_inline int leave(enum inside what)
{
	__u64 key = inside_key(what);

	bpf_map_delete_elem(&insides, &key);
	return 0;
}

static __always_inline __u32 *inside(enum inside what)
{
	__u64 key = inside_key(what);

	return bpf_map_lookup_elem(&insides, &key);
}

/* -- which job ----------------------------------------------------------- */

static __always_inline struct cgroup *own_cgroup(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css;
	__u64 where = (unsigned long)set;

	if (!config.cgroup_v1)
		return BPF_CORE_READ(set, dfl_cgrp);
	where += __builtin_preserve_field_info(set->subsys, BPF_FIELD_BYTE_OFFSET);
	where += sizeof(css) * bpf_core_enum_value(enum cgroup_subsys_id, freezer_cgrp_id);
	if (bpf_probe_read_kernel(&css, sizeof(css), (void *)where))
		return NULL;
	return BPF_CORE_READ(css, cgroup);
}

/* Not inline: most programs find the id, and few nodes have v1. */
static __noinline __u64 freezer_id(void)
{
	struct cgroup *cgroup = own_cgroup();

	return BPF_CORE_READ(cgroup, kn, id);
}

static __always_inline __u64 own_cgroup_id(void)
{
	return config.cgroup_v1 ? freezer_id() : bpf_get_current_cgroup_id();
}

static __always_inline int is_scope(const char *name)
{
	__u64 tail[2] = { 0 };
	char text[128], before = '_';
	long n = bpf_probe_read_kernel_str(text, sizeof(text), name);

	if (n < SCOPE_BYTES)
		return 0;
	name += n - SCOPE_BYTES;
	bpf_probe_read_kernel(tail, sizeof(tail), name);
	if (n > SCOPE_BYTES)
		bpf_probe_read_kernel(&before, 1, name - 1);
	return tail[0] == SLURMSTE && tail[1] == PD_SCOPE && before == '_';
}

/* "uid_1000" in "slurm" or "slurm_node" */
static __always_inline int is_uid_of_slurm(const char *uid, const char *slurm)
{
	__u64 text = 0;
	__u32 first = 0;

	bpf_probe_read_kernel(&first, sizeof(first), uid);
	bpf_probe_read_kernel_str(&text, 7, slurm);
	return first == UID_ && (text == SLURM || text == (SLURM | (__u64)'_' << 40));
}

/* Return 1 if the cgroup is below slurmstepd's and owned by root: users with
 * delegated cgroups own theirs. v2: SCOPE/job_1, NODE_SCOPE/job_1 with several
 * slurmd; v1: slurm/uid_1000/job_1, slurm_NODE/uid_1000/job_1. */
static __always_inline int made_by_slurm(struct cgroup *cgroup)
{
	struct kernfs_iattrs *owner = BPF_CORE_READ(cgroup, kn, iattr);
	struct cgroup *above;

	if (owner && BPF_CORE_READ(owner, ia_uid.val))
		return 0;
	above = BPF_CORE_READ(cgroup, self.parent, cgroup);
	if (!config.cgroup_v1)
		return is_scope(BPF_CORE_READ(above, kn, name));
	cgroup = BPF_CORE_READ(above, self.parent, cgroup);
	return is_uid_of_slurm(BPF_CORE_READ(above, kn, name), BPF_CORE_READ(cgroup, kn, name));
}

#define IS_SLURM (1ULL << 32)

/* Return the job number of a cgroup, IS_SLURM if its name is "slurm", or 0.
 * A global function is verified once, not per call; its arguments are numbers. */
__noinline __u64 called(__u64 address)
{
	struct cgroup *cgroup = (void *)(unsigned long)address;
	union count_name name = { 0 };
	__u32 *job;

	bpf_probe_read_kernel_str(name.text, sizeof(name.text), BPF_CORE_READ(cgroup, kn, name));
	if (name.words[0] == SLURM && !name.words[1])
		return IS_SLURM;
	job = bpf_map_lookup_elem(&names, &name);
	return job && made_by_slurm(cgroup) ? *job : 0;
}

/* Look for a job in LEVELS levels of parents. The topmost job counts: users can create
 * cgroups below it. JOB/STEP/slurm (v2) holds slurmstepd, not tasks: two bits keep IS_SLURM
 * of the two levels below. The loop has no branches and few levels to limit the states that
 * the verifier walks. */
#define LEVELS 16
__noinline __u64 job_above(__u64 address, __u64 found)
{
	__u64 here = found & IS_SLURM, below = found >> 1 & IS_SLURM, stepd = found >> 2 & IS_SLURM;
	struct cgroup *cgroup = (void *)(unsigned long)address;
	__u64 below2, name, job = found & (IS_SLURM - 1), is_job;
	int level;

	for (level = 0; level < LEVELS && cgroup; level++) {
		name = called((unsigned long)cgroup);
		below2 = below;
		below = here;
		here = name & IS_SLURM;
		name &= IS_SLURM - 1;
		is_job = ((name - 1) >> 63) - 1; /* all ones or 0 */
		__asm__ volatile("" : "+r"(is_job));
		job = (name & is_job) | (job & ~is_job);
		stepd = (below2 & is_job) | (stepd & ~is_job);
		cgroup = BPF_CORE_READ(cgroup, self.parent, cgroup);
	}
	return job | here | below << 1 | stepd << 2;
}

__noinline __u64 levels_above(__u64 address)
{
	struct cgroup *cgroup = (void *)(unsigned long)address;
	int level;

	for (level = 0; level < LEVELS && cgroup; level++)
		cgroup = BPF_CORE_READ(cgroup, self.parent, cgroup);
	return (unsigned long)cgroup;
}

__noinline __u64 own_job(void)
{
	__u64 cgroup = (unsigned long)own_cgroup(), found = 0;
	int level;

	for (level = 0; level < CGROUP_LEVELS && cgroup; level += LEVELS) {
		found = job_above(cgroup, found);
		cgroup = levels_above(cgroup);
	}
	return found >> 2 & IS_SLURM ? 0 : found & (IS_SLURM - 1);
}

static __always_inline __u64 *outsider(__u64 cgroup)
{
	return &outsiders[cgroup & (OUTSIDERS - 1)];
}

static __always_inline __u64 outsider_mark(__u64 cgroup)
{
	return cgroup ^ (__u64)generation << 40;
}

static __always_inline int is_outsider(__u64 cgroup)
{
	return *outsider(cgroup) == outsider_mark(cgroup);
}

/* Find the slot of the task on a filesystem by its cgroups, and cache it. */
static __noinline __u32 resolve(__u64 cgroup, __u32 dev)
{
	struct where where = { .cgroup = cgroup, .dev = dev };
	struct answer answer = { .generation = generation };
	__u64 mark = outsider_mark(cgroup);
	struct count_key key = { .dev = dev };
	struct count_dev *now = bpf_map_lookup_elem(&devs, &dev);
	struct count_entry *entry;

	key.job = own_job();
	entry = key.job ? bpf_map_lookup_elem(&jobs, &key) : NULL;
	if (!key.job)
		*(volatile __u64 *)outsider(cgroup) = mark;
	if (entry && (!now || now->ended == entry->dev.ended))
		answer.slot = entry->slot;
	bpf_map_update_elem(&cache, &where, &answer, BPF_ANY);
	return answer.slot;
}

static __always_inline __u32 find_in(__u64 cgroup, __u32 dev)
{
	struct where where = { .cgroup = cgroup, .dev = dev };
	struct answer *known = bpf_map_lookup_elem(&cache, &where);

	if (known && known->generation == generation)
		return known->slot;
	return resolve(cgroup, dev);
}

/* Return the number of the task's slot on a filesystem, or 0. */
static __always_inline __u32 find(__u32 dev)
{
	__u64 cgroup = own_cgroup_id();

	return is_outsider(cgroup) ? 0 : find_in(cgroup, dev);
}

static __always_inline __u32 own_shard(void)
{
	return bpf_get_smp_processor_id() & ((1U << (config.shard_shift & 3)) - 1);
}

static __always_inline struct count_slot *slot_get(__u32 slot)
{
	__u32 i = (slot << (config.shard_shift & 3)) + own_shard();

	return slot ? bpf_map_lookup_elem(&slots, &i) : NULL;
}

/* -- bytes and calls ----------------------------------------------------- */

static __always_inline void add(__u64 *where, __u64 what)
{
	__sync_fetch_and_add(where, what);
}

/* floor(log2(n)), 0 for 0 */
static __always_inline __u32 log2_floor(__u64 n)
{
	__u32 v, bits = 0;

	if (n >> 32) {
		n >>= 32;
		bits = 32;
	}
	v = n;
	if (v >> 16) {
		v >>= 16;
		bits |= 16;
	}
	if (v >> 8) {
		v >>= 8;
		bits |= 8;
	}
	if (v >> 4) {
		v >>= 4;
		bits |= 4;
	}
	if (v >> 2) {
		v >>= 2;
		bits |= 2;
	}
	return bits | v >> 1;
}

/* Add steps of 2^COUNT_PEAK_SHIFT bytes to the slot's peak, which the first shard
 * keeps for all shards. Called when a shard crosses a multiple of that size. */
static __noinline int peak(struct count_slot *slot, __u32 rw, __u64 steps)
{
	__u32 first = slot->first;
	struct count_slot *all = bpf_map_lookup_elem(&slots, &first);
	struct count_peak *peak;
	__u64 window, moved;

	if (!all || !config.window_ticks)
		return 0;
	peak = &all->peak[rw & 1];
	window = bpf_jiffies64() / config.window_ticks;
	if (peak->window != window) {
		moved = peak->total - peak->mark;
		if (moved > peak->most)
			peak->most = moved;
		peak->mark = peak->total;
		peak->window = window;
	}
	add(&peak->total, steps << COUNT_PEAK_SHIFT);
	return 0;
}

/* Start the first window, at the current second of the real clock. */
static __always_inline void window_first(struct count_slot *slot, __u64 now)
{
	struct count_series *series = &slot->series;
	__u64 ns = bpf_ktime_get_ns() + series->real_ns;
	__u32 ticks = config.window_ticks;
	__u64 left_ns = NS_IN_S - ns % NS_IN_S;

	series->window = series->base = ns / NS_IN_S;
	slot->until = now + 1 + left_ns * ticks / NS_IN_S;
}

static __always_inline __u64 time_of(struct count_slot *slot)
{
	__u64 ns = 0;
	int i;

#pragma unroll
	for (i = 0; i < COUNT_CLASSES; i++)
		ns += slot->time_ns[i];
	return ns;
}

/* Global functions are verified once each. */
__noinline int fold_piece(__u32 shard, __u32 first, __u32 by)
{
	struct count_slot *slot = bpf_map_lookup_elem(&slots, &shard);

	if (slot)
		series_fold_piece(&slot->series, first & (COUNT_ROWS - 1), by & 63);
	return 0;
}

__noinline int spread_piece(__u32 shard, __u32 first, __u64 begin_ns, __u64 end_ns)
{
	struct count_slot *slot = bpf_map_lookup_elem(&slots, &shard);

	if (slot)
		series_spread_piece(&slot->series, first & (COUNT_ROWS - 1), begin_ns, end_ns);
	return 0;
}

/* Fold the rows of a shard until the current window has one: see series_make_room(). */
__noinline int make_room(__u32 shard)
{
	struct count_slot *slot = bpf_map_lookup_elem(&slots, &shard);
	struct count_series *series;
	__u32 i, by;

	if (!slot)
		return 0;
	series = &slot->series;
	by = series_fold_by(series->base, series->window >> (series->shift & 63)) & 63;
	for (i = 0; by && i < COUNT_ROWS; i += SERIES_PIECE)
		fold_piece(shard, i, by);
	series_folded(series, by);
	return 0;
}

static __always_inline void window_next(struct count_slot *slot, __u32 shard, __u64 now)
{
	struct count_row counted = {
		.bytes = { slot->bytes[0], slot->bytes[1] },
		.calls = slot->calls[0] + slot->calls[1],
		.ns = config.latency ? time_of(slot) : 0,
	};
	struct count_series *series = &slot->series;
	__u32 ticks = config.window_ticks;
	__u64 windows = (now - slot->until) / ticks + 1;

	make_room(shard);
	series_add(series, &counted);
	series->window += windows;
	/* CPUs that read this value count into the new window */
	*(volatile __u64 *)&slot->until += windows * ticks;
}

/* Return 1 if the window of the shard is still over after LOCK_LOOKS reads. */
__noinline int is_behind(__u32 shard, __u64 now)
{
	struct count_slot *slot = bpf_map_lookup_elem(&slots, &shard);
	__u32 i;

	for (i = 0; slot && i < LOCK_LOOKS; i++)
		if ((__s64)(now - *(volatile __u64 *)&slot->until) < 0)
			return 0;
	return !!slot;
}

/* Close the window of this CPU's shard: its counters so far belong to it, the
 * caller's next ones do not. The shard's lock allows one caller; others poll
 * until it is done. If that takes too long (an interrupt stopped the holder on
 * this CPU), their call is counted in the old window. Global: see above. */
__noinline int window_over(__u32 first)
{
	__u32 i, one = 1, shard = first + own_shard();
	struct count_slot *slot = bpf_map_lookup_elem(&slots, &shard);
	__u64 now = bpf_jiffies64();

	if (!slot || !config.window_ticks)
		return 0;
	if (bpf_map_update_elem(&locks, &shard, &one, BPF_NOEXIST)) {
		for (i = 0; i < LOCK_LOOKS && is_behind(shard, now); i++)
			;
		return 0;
	}
	*(volatile __u32 *)&slot->series.writes += 1;
	if (!slot->until)
		window_first(slot, now);
	else if ((__s64)(now - slot->until) >= 0)
		window_next(slot, shard, now);
	*(volatile __u32 *)&slot->series.writes += 1;
	bpf_map_delete_elem(&locks, &shard);
	return 0;
}

static __always_inline void window_look(struct count_slot *slot)
{
	if (config.window_ticks && (__s64)(bpf_jiffies64() - slot->until) >= 0)
		window_over(slot->first);
}

static __always_inline void count_in(struct count_slot *slot, __u32 rw, __u64 bytes, __u32 bin)
{
	__u64 after, steps;

	window_look(slot);
	add(&slot->calls[rw], 1);
	add(&slot->bytes[rw], bytes);
	add(&slot->sizes[rw][bin & (COUNT_SIZE_BINS - 1)], 1);
	after = *(volatile __u64 *)&slot->bytes[rw];
	steps = (after >> COUNT_PEAK_SHIFT) - ((after - bytes) >> COUNT_PEAK_SHIFT);
	if (steps)
		peak(slot, rw, steps);
}

static __always_inline void count(struct count_slot *slot, __u32 rw, __u64 bytes)
{
	count_in(slot, rw, bytes, log2_floor(bytes & 0xffffffff));
}

static __always_inline int is_regular(struct file *file)
{
	return (file->f_inode->i_mode & S_IFMT) == S_IFREG;
}

/* Return the device of a regular file, 0 for other files. */
static __always_inline __u32 file_dev(struct file *file)
{
	return is_regular(file) ? file->f_inode->i_sb->s_dev : 0;
}

/* -- time ------------------------------------------------------------------ */

static __always_inline struct task_struct *task_self(void)
{
	return have_task_btf() ? bpf_get_current_task_btf() : (void *)bpf_get_current_task();
}

static __noinline struct thread *thread_new(__u32 id)
{
	struct thread empty = { 0 };

	bpf_map_update_elem(&threads, &id, &empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&threads, &id);
}

static __always_inline int is_outside(void)
{
	return is_outsider(own_cgroup_id());
}

/* A task without BPF storage has not started a call on a counted filesystem: this returns
 * early for most tasks outside of jobs. */
static __always_inline int has_no_thread(void)
{
	struct task_struct *task = NULL;

	if (!config.storage || !bpf_core_field_exists(task->bpf_storage))
		return is_outside();
	task = task_self();
	return !task->bpf_storage;
}

/* True for most tasks outside of jobs. */
static __always_inline int is_unknown(void)
{
	return has_no_thread() && is_outside();
}

static __always_inline struct thread *thread_get(int is_new)
{
	struct thread *thread;
	__u32 id;

	if (config.storage)
		return bpf_task_storage_get(&threads, task_self(), NULL,
					    is_new ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	id = bpf_get_current_pid_tgid();
	thread = bpf_map_lookup_elem(&threads, &id);
	if (!thread && is_new)
		thread = thread_new(id);
	return thread;
}

/* Is this the filesystem of the last lookup? Tasks do not leave the cgroups of their job. */
static __always_inline int is_known(struct thread *thread, __u32 dev)
{
	return thread && thread->dev == dev && thread->answer.generation == generation;
}

static __noinline int missed_both(__u32 number)
{
	struct count_slot *slot = slot_get(number);

	if (slot) {
		add(&slot->missed[COUNT_MISSED_READ], 1);
		add(&slot->missed[COUNT_MISSED_WRITE], 1);
	}
	return 0;
}

/* Return the task's slot, or 0, and set 'found' to its thread. With a slot it is NULL only
 * if the kernel had no memory. */
static __always_inline __u32 thread_find(__u32 dev, struct thread **found)
{
	struct thread *thread;
	__u64 cgroup;
	__u32 slot;

	*found = thread = thread_get(0);
	if (is_known(thread, dev))
		return thread->answer.slot;
	cgroup = own_cgroup_id();
	if (is_outsider(cgroup))
		return 0;
	slot = find_in(cgroup, dev);
	if (!thread && slot)
		*found = thread = thread_get(1);
	if (!thread) {
		missed_both(slot);
		return slot;
	}
	thread->answer.generation = generation;
	thread->answer.slot = slot;
	thread->dev = dev;
	return slot;
}

/* Is the thread inside a timed call? If 'frame' is not below, a trampoline skipped
 * the end of that call. */
static __always_inline int is_within(struct thread *thread, void *frame)
{
	return thread->frame > (unsigned long)frame;
}

#define NO_END 1 /* the end of the call needs no program */

static __always_inline int thread_begin(struct thread *thread, void *frame, __u32 slot)
{
	if (is_within(thread, frame))
		return NO_END;
	thread->frame = (unsigned long)frame;
	thread->slot = slot;
	thread->lookup_slot = 0;
	thread->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* Start the time of a call on filesystem 'dev' and this file, if it is not 0. */
static __noinline int begin_on(void *frame, __u32 dev, __u64 file)
{
	struct thread *thread;
	__u32 slot = thread_find(dev, &thread);

	if (!slot || !thread || thread_begin(thread, frame, slot))
		return NO_END;
	thread->on = file;
	return 0;
}

static __always_inline int begin(void *frame, struct file *file)
{
	__u32 dev = file_dev(file);

	return dev ? begin_on(frame, dev, (unsigned long)file) : NO_END;
}

/* Start the time of a call on a path (or NULL): nested programs find the filesystem.
 * find(0) is the slot of all files, which every job has. */
static __noinline int begin_name(void *frame, __s32 folder, __u64 name)
{
	struct thread *thread = thread_get(0);

	if (!thread && find(0))
		thread = thread_get(1);
	if (!thread || thread_begin(thread, frame, 0))
		return NO_END;
	thread->folder = folder;
	thread->name = name;
	return 0;
}

/* Start time of the thread, or of counting if that is later. */
static __always_inline __u64 thread_start_ns(struct count_slot *slot)
{
	struct task_struct *task = task_self();
	__u64 started = have_task_btf() ? task->start_time : BPF_CORE_READ(task, start_time);

	return started > slot->start_ns ? started : slot->start_ns;
}

static __noinline int thread_ends(struct count_slot *slot, struct thread_fs *mine)
{
	__u64 now = bpf_ktime_get_ns(), started;

	if (!slot || !mine || slot->job != mine->job)
		return 0;
	started = thread_start_ns(slot);
	add(&slot->alive, -1ULL);
	add(&slot->started_ns, 0 - started);
	add(&slot->ended_lifetime_ns, now - started);
	if (mine->ns > slot->slowest_ns) {
		slot->slowest_ns = mine->ns;
		slot->slowest_lifetime_ns = now - started;
	}
	return 0;
}

/* Return the thread's entry for a filesystem. A new one uses a free entry or replaces
 * the last: on that filesystem the thread is then counted as ended. */
static __noinline struct thread_fs *thread_fs_new(struct thread *thread, struct count_slot *slot,
						  __u32 number)
{
	struct thread_fs *mine = NULL;
	int i;

	if (!thread || !slot)
		return NULL;
#pragma unroll
	for (i = 0; i < THREAD_FS; i++)
		if (thread->fs[i].slot == number && thread->fs[i].job == slot->job)
			return &thread->fs[i];
#pragma unroll
	for (i = THREAD_FS - 1; i >= 0; i--)
		if (!thread->fs[i].slot)
			mine = &thread->fs[i];
	if (!mine) {
		mine = &thread->fs[THREAD_FS - 1];
		thread_ends(slot_get(mine->slot), mine);
	}
	mine->slot = number;
	mine->job = slot->job;
	mine->ns = 0;
	add(&slot->threads, 1);
	add(&slot->alive, 1);
	add(&slot->started_ns, thread_start_ns(slot));
	return mine;
}

static __noinline int slowest(struct count_slot *slot, __u64 ns)
{
	if (!slot)
		return 0;
	slot->slowest_ns = ns;
	slot->slowest_lifetime_ns = bpf_ktime_get_ns() - thread_start_ns(slot);
	return 0;
}

/* Spread the time of a long call over the windows that it covers, which are closed. */
__noinline int spread(__u32 first, __u64 start, __u64 end)
{
	__u32 i, one = 1, shard = first + own_shard();
	struct count_slot *slot = bpf_map_lookup_elem(&slots, &shard);

	if (!slot || !config.window_ticks || bpf_map_update_elem(&locks, &shard, &one, BPF_NOEXIST))
		return 0;
	*(volatile __u32 *)&slot->series.writes += 1;
	start += slot->series.real_ns;
	end += slot->series.real_ns;
	series_add_call(&slot->series, start, end);
	make_room(shard);
	for (i = 0; i < COUNT_ROWS; i += SERIES_PIECE)
		spread_piece(shard, i, start, end);
	*(volatile __u32 *)&slot->series.writes += 1;
	bpf_map_delete_elem(&locks, &shard);
	return 0;
}

#define LONG_NS (NS_IN_S / 16)
#define CLASS_MASK 7 /* for the verifier; classes are fewer */

/* Add the time of a call. The slowest thread is updated in steps of 1/64, and exactly
 * when it ends. */
static __always_inline void spent(struct thread *thread, struct count_slot *slot, __u32 number,
				  __u32 class, __u64 start, __u64 end)
{
	struct thread_fs *mine = &thread->fs[0];
	__u64 ns = end - start, most = slot->slowest_ns;

	if (mine->slot != number || mine->job != slot->job)
		mine = thread_fs_new(thread, slot, number);
	if (!mine)
		return;
	__asm__ volatile("" : "+r"(class));
	add(&slot->time_ns[class & CLASS_MASK], ns);
	mine->ns += ns;
	if (mine->ns > most + (most >> 6))
		slowest(slot, mine->ns);
	if (ns >= LONG_NS)
		spread(slot->first, start, end);
}

#define ENOENT_ 2

/* enum io_errno (record/io.h), or -1 */
static __always_inline int errno_place(__s64 rc)
{
	switch (rc) {
	case -122:
		return 0; /* EDQUOT */
	case -28:
		return 1; /* ENOSPC */
	case -5:
		return 2; /* EIO */
	case -116:
	case -521:	  /* EOPENSTALE */
		return 3; /* ESTALE */
	case -110:
		return 4; /* ETIMEDOUT */
	case -30:
		return 5; /* EROFS */
	case -13:
		return 6; /* EACCES */
	case -ENOENT_:
		return 7;
	}
	return -1;
}

static __noinline int failed(struct count_slot *slot, __u32 class, __s64 rc)
{
	int place = errno_place(rc);

	if (slot && place >= 0 && class < COUNT_FAILED_CLASSES)
		add(&slot->errors[place & (COUNT_ERRNOS - 1)][class], 1);
	return 0;
}

/* End the call that started in this frame. Return the number of its slot, or 0. */
static __always_inline __u32 thread_end(struct thread *thread, void *frame)
{
	__u32 slot;

	if (!thread || thread->frame != (unsigned long)frame)
		return 0;
	thread->frame = 0;
	slot = thread->slot ? thread->slot : thread->lookup_slot;
	thread->slot = 0;
	return slot;
}

static __noinline int end_thread(struct thread *thread, void *frame, __u32 class, __s64 rc)
{
	struct count_slot *slot;
	__u32 number;

	if (!thread || !frame || thread->frame != (unsigned long)frame)
		return 0;
	number = thread_end(thread, frame);
	if (class == COUNT_TIME_ASYNC && !number)
		number = thread->waits;
	slot = slot_get(number);
	if (!config.latency || !slot || class >= COUNT_CLASSES)
		return 0;
	window_look(slot);
	spent(thread, slot, number, class, thread->start_ns, bpf_ktime_get_ns());
	if (rc < 0)
		failed(slot, class, rc);
	return 0;
}

/* Return the device of file descriptor 'fd', or 0. */
static __always_inline __u32 fd_dev(__u32 fd)
{
	struct task_struct *task = task_self();
	struct file **files, *file;
	struct fdtable *table;
	__u32 max;

	if (have_task_btf()) {
		table = task->files->fdt;
		files = table->fd;
		max = table->max_fds;
	} else {
		table = BPF_CORE_READ(task, files, fdt);
		files = BPF_CORE_READ(table, fd);
		max = BPF_CORE_READ(table, max_fds);
	}
	if (fd >= max || bpf_probe_read_kernel(&file, sizeof(file), files + fd) || !file)
		return 0;
	return BPF_CORE_READ(file, f_inode, i_sb, s_dev);
}

#define AT_FDCWD_ (-100)

/* Return the device of a path, without following links. 'name' is a struct filename or
 * a user address. Some functions free their struct filename before they return; it is
 * still readable unless the kernel wipes memory on free. */
static __noinline __u32 name_dev(__s32 folder, __u64 name)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct filename *kernels = (void *)name;
	struct count_path path = { 0 };
	__u32 *dev;
	long n;

	if ((__s64)name < 0)
		n = bpf_probe_read_kernel_str(path.text, sizeof(path.text),
					      BPF_CORE_READ(kernels, name));
	else
		n = bpf_probe_read_user_str(path.text, sizeof(path.text), (void *)name);
	if (n <= 0)
		return 0;
	if (path.text[0] != '/')
		return folder == AT_FDCWD_ ? BPF_CORE_READ(task, fs, pwd.dentry, d_sb, s_dev)
					   : fd_dev(folder);
	path.text[(n - 1) & (COUNT_PATH_BYTES - 1)] = '/';
	path.bits = n * 8;
	dev = bpf_map_lookup_elem(&paths, &path);
	return dev ? *dev : 0;
}

#define REMOTE_NS 30000 /* more than a walk of cached names, less than a request to a server */

/* End a call. A call on a path for which no nested program set a filesystem failed during path
 * lookup (server not reachable, read-only mount) or revalidated cached names: use name_dev(). */
static __noinline int end_class(void *frame, __u32 class, __s64 rc)
{
	struct thread *thread = thread_get(0);

	if (thread && thread->frame == (unsigned long)frame && thread->name && !thread->slot &&
	    !thread->lookup_slot &&
	    ((rc < 0 && errno_place(rc) >= 0 && rc != -ENOENT_) ||
	     bpf_ktime_get_ns() - thread->start_ns > REMOTE_NS))
		thread->slot = find(name_dev(thread->folder, thread->name));
	return end_thread(thread, frame, class, rc);
}

/* Set the filesystem of the thread's call. Only the first nested program does, that of the
 * upper filesystem of a stack. */
static __always_inline void set_filesystem(struct thread *thread, __u32 slot)
{
	if (config.latency && thread && thread->frame && !thread->slot)
		thread->slot = slot;
}

static __always_inline void took(struct count_slot *slot, __u32 rw, __u64 ns)
{
	__u32 bin = log2_floor(ns);

	if (bin >= COUNT_NS_BINS)
		bin = COUNT_NS_BINS - 1;
	add(&slot->ns[rw][bin], 1);
}

/* Count a call at another offset than the end of the thread's last one on the file. */
static __always_inline void placed(struct thread *thread, struct count_slot *slot, __u64 file,
				   __u32 rw, __u64 start, __u64 bytes)
{
	__u64 last = thread->end[rw];

	thread->end[rw] = start + bytes;
	if (thread->file[rw] != file) {
		thread->file[rw] = file;
		add(&slot->firsts[rw], 1);
	} else if (start != last) {
		add(&slot->random[rw], 1);
	}
}

#define O_DSYNC_ 010000
#define RWF_SYNCS 6 /* RWF_DSYNC, RWF_SYNC: of one pwritev2(2) */

/* Return the time class: a write that waits for the disk counts as sync. */
static __always_inline __u32 rw_class(struct file *file, __u32 rw, __u32 flags)
{
	return rw == COUNT_WRITE && (file->f_flags & O_DSYNC_ || flags & RWF_SYNCS)
		       ? COUNT_TIME_SYNC
		       : rw;
}

/* Count a finished read or write; its time only if 'thread' is set. 'start' is its offset in
 * 'file', which is 0 if the offset is not known. */
static __always_inline void moved(struct thread *thread, struct count_slot *slot, __u32 number,
				  __u32 rw, __u32 class, __s64 bytes, __u64 file, __u64 start)
{
	__u64 now;

	if (bytes >= 0)
		count(slot, rw, bytes);
	else if (config.latency)
		failed(slot, rw, bytes);
	if (!thread)
		return;
	now = bpf_ktime_get_ns();
	if (bytes < 0)
		window_look(slot);
	else if (file)
		placed(thread, slot, file, rw, start, bytes);
	if (bytes >= 0)
		took(slot, rw, now - thread->start_ns);
	spent(thread, slot, number, class, thread->start_ns, now);
}

/* End a read or write of a trampoline. */
static __always_inline int done(__u64 *ctx, __u32 rw, __s64 bytes, __u32 flags)
{
	struct file *file = (void *)ctx[0];
	struct thread *thread = NULL;
	__u64 end = 0, placed = 0, at;
	struct count_slot *slot;
	__u32 number = 0, dev;

	if ((config.latency && has_no_thread()) || !is_regular(file))
		return 0;
	if (config.latency)
		thread = thread_get(0);
	if (thread && thread->on == (unsigned long)file) /* started by rw_begins() */
		number = thread_end(thread, ctx);
	dev = number ? 0 : file_dev(file);
	if (dev)
		slot = slot_get(is_known(thread, dev) ? thread->answer.slot : find(dev));
	else
		slot = slot_get(number);
	if (!slot)
		return 0;
	at = address(ctx, 3); /* of the offset, which is advanced by now */
	if (number && at && bytes >= 0 && !bpf_probe_read_kernel(&end, sizeof(end), (void *)at))
		placed = (unsigned long)file;
	moved(number ? thread : NULL, slot, number, rw, rw_class(file, rw, flags), bytes, placed,
	      end - bytes);
	return 0;
}

/* The context of fexit programs has the function's arguments, then its result. Only
 * the lower 32 bits of an int are valid (5.10). */
PROGRAM("fexit/vfs_read", rw_vfs_read, done(ctx, COUNT_READ, ctx[4], 0))

PROGRAM("fexit/vfs_write", rw_vfs_write, done(ctx, COUNT_WRITE, ctx[4], 0))

PROGRAM("fexit/vfs_readv", rw_vfs_readv, done(ctx, COUNT_READ, ctx[5], 0))

PROGRAM("fexit/vfs_writev", rw_vfs_writev, done(ctx, COUNT_WRITE, ctx[5], ctx[4]))

/* -- the same four functions on preemptible kernels ------------------------ */

/* A trampoline skips a program while a preempted task is inside it on the same
 * CPU. fprobe sessions run with preemption disabled. The loader patches the ids
 * of these kernel functions: libbpf before 0.5 cannot open an object that
 * references them by name, and their arguments changed in 7.0. */
static __u64 (*const session_is_return)(void *ctx) = (void *)COUNT_CALL_IS_RETURN;
static __u64 *(*const session_cookie)(void *ctx) = (void *)COUNT_CALL_COOKIE;
static void *(*const typed)(__u64 address, __u32 type) = (void *)COUNT_CALL_TYPED;

#define TYPED(type, n)                                                                             \
	((struct type *)typed(probed_argument(ctx, n), bpf_core_type_id_kernel(struct type)))

#define SESSION_TIMED (1ULL << 63) /* in a cookie: bits 32 to 62 are the slot, 0 to 31 the job */

/* Start a read or write. NO_END if it is not counted: the kernel skips the return probe. */
static __always_inline int session_begin(struct file *file, __u64 *cookie, void *frame, __u32 rw,
					 struct timespec64 *at, __u32 flags)
{
	struct thread *thread = NULL;
	__u32 dev = file_dev(file), number = 0;
	struct count_slot *slot;

	if (dev)
		number = config.latency ? thread_find(dev, &thread) : find(dev);
	slot = slot_get(number);
	if (!slot)
		return NO_END;
	*cookie = (__u64)number << 32 | slot->job;
	if (!config.latency || !thread || is_within(thread, frame))
		return 0;
	*cookie |= SESSION_TIMED;
	thread_begin(thread, frame, number);
	thread->class = rw_class(file, rw, flags);
	thread->on = (unsigned long)file;
	thread->at = at ? at->tv_sec : 0;
	if (!at)
		thread->on = 0;
	return 0;
}

static __always_inline int session_end(__u64 cookie, __u32 rw, __s64 bytes)
{
	__u32 number = (cookie & ~SESSION_TIMED) >> 32;
	struct count_slot *slot = slot_get(number);
	struct thread *thread;

	if (!slot || slot->job != (__u32)cookie)
		return 0;
	thread = cookie & SESSION_TIMED ? thread_get(0) : NULL;
	if (thread)
		thread->frame = thread->slot = 0;
	moved(thread, slot, number, rw, thread ? thread->class : 0, bytes, thread ? thread->on : 0,
	      thread ? thread->at : 0);
	return 0;
}

static __always_inline int session(void *ctx, __u32 rw, int has_flags)
{
	int ends = session_is_return(ctx) & 1;

	if (!ends && is_unknown())
		return NO_END;
	if (ends)
		return session_end(*session_cookie(ctx), rw, probed_result(ctx));
	return session_begin(TYPED(file, 0), session_cookie(ctx), (void *)PROBED(sp, sp), rw,
			     TYPED(timespec64, 3), has_flags ? PROBED(r8, regs[4]) : 0);
}

PROGRAM("kprobe/session", rw_session_read, session(ctx, COUNT_READ, 0))

PROGRAM("kprobe/session", rw_session_write, session(ctx, COUNT_WRITE, 0))

PROGRAM("kprobe/session", rw_session_writev, session(ctx, COUNT_WRITE, 1))

static __always_inline int rw_begins(__u64 *ctx)
{
	if (!is_unknown())
		begin(ctx, (void *)ctx[0]);
	return 0;
}

PROGRAM("fentry/vfs_read", latency_vfs_read, rw_begins(ctx))

PROGRAM("fentry/vfs_write", latency_vfs_write, rw_begins(ctx))

PROGRAM("fentry/vfs_readv", latency_vfs_readv, rw_begins(ctx))

PROGRAM("fentry/vfs_writev", latency_vfs_writev, rw_begins(ctx))

/* Does a stacked filesystem (overlayfs) run this call, with the credentials of
 * its mounter? Then the upper filesystem has counted it. access(2) overrides
 * credentials too, but sets non_rcu (fs/open.c:access_override_creds). */
static __always_inline int nested(void)
{
	const struct cred *cred, *real;
	struct task_struct *task;
	int non_rcu = 0;

	if (have_task_btf()) {
		task = bpf_get_current_task_btf();
		cred = task->cred;
		real = task->real_cred;
	} else {
		task = (void *)bpf_get_current_task();
		cred = BPF_CORE_READ(task, cred);
		real = BPF_CORE_READ(task, real_cred);
	}
	if (cred == real)
		return 0;
	if (bpf_core_field_exists(cred->non_rcu))
		bpf_core_read(&non_rcu, sizeof(non_rcu), &cred->non_rcu);
	return !non_rcu;
}

static __always_inline void copied(struct file *file, __u32 rw, __s64 bytes)
{
	__u32 dev = file ? file_dev(file) : 0;
	struct count_slot *slot = dev ? slot_get(find(dev)) : NULL;

	if (slot && !nested())
		count(slot, rw, bytes);
}

/* End a copy at a trampoline, which has the arguments at the end as well. Its time counts for
 * the written file if that is a regular file, else for the one read. */
static __always_inline int copy_done(void *frame, __u32 shape, struct file *in, struct file *out,
				     __s64 bytes)
{
	if (shape == COUNT_COPY)
		leave(INSIDE_COPY);
	if (bytes >= 0 && (shape == COUNT_COPY || !inside(INSIDE_COPY))) {
		copied(in, COUNT_READ, bytes);
		copied(out, COUNT_WRITE, bytes);
	}
	if (!config.latency)
		return 0;
	return end_class(frame, out && file_dev(out) ? COUNT_TIME_WRITE : COUNT_TIME_READ, bytes);
}

/* Start a copy in a session, which has no arguments at the end. Nested copies count once. */
static __always_inline int copy_begin(void *frame, struct file *in, struct file *out)
{
	__u32 from = file_dev(in), to = out ? file_dev(out) : 0;
	struct thread *thread = NULL;
	__u32 slot;

	if (!(from | to) || nested())
		return NO_END;
	from = from ? thread_find(from, &thread) : 0;
	slot = to ? thread_find(to, &thread) : 0;
	if (!thread || !(from | slot) || is_within(thread, frame))
		return NO_END;
	thread_begin(thread, frame, to ? slot : from);
	thread->name = 0;
	thread->copy[COUNT_READ] = from;
	thread->copy[COUNT_WRITE] = slot;
	return 0;
}

static __always_inline int copy_end(void *frame, __s64 bytes)
{
	struct thread *thread = thread_get(0);
	struct count_slot *slot;

	if (!thread || thread->frame != (unsigned long)frame)
		return 0;
	slot = bytes < 0 ? NULL : slot_get(thread->copy[COUNT_READ]);
	if (slot)
		count(slot, COUNT_READ, bytes);
	slot = bytes < 0 ? NULL : slot_get(thread->copy[COUNT_WRITE]);
	if (slot)
		count(slot, COUNT_WRITE, bytes);
	return end_class(frame, thread->copy[COUNT_WRITE] ? COUNT_TIME_WRITE : COUNT_TIME_READ,
			 bytes);
}

/* A core dump counts as one write. These functions run for each piece of memory;
 * params->written is the total. nested() does not apply: dumps use credentials
 * of their own. */
static __always_inline int dumped(struct coredump_params *params)
{
	__u64 thread = bpf_get_current_pid_tgid();
	struct dump dump = { .bytes = params->written, .dev = file_dev(params->file) };

	if (dump.dev)
		bpf_map_update_elem(&dumps, &thread, &dump, BPF_ANY);
	return 0;
}

PROGRAM("fexit/dump_emit", rw_dump_emit, dumped((void *)ctx[0]))

PROGRAM("fexit/dump_user_range", rw_dump_range, dumped((void *)ctx[0]))

SEC("fexit/do_coredump")
int rw_dump_done(__u64 *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid();
	struct dump *dump = bpf_map_lookup_elem(&dumps, &thread);
	struct count_slot *slot = dump ? slot_get(find(dump->dev)) : NULL;

	__u32 bin = dump ? log2_floor(dump->bytes) : 0;

	if (bin >= COUNT_SIZE_BINS)
		bin = COUNT_SIZE_BINS - 1;
	if (slot)
		count_in(slot, COUNT_WRITE, dump->bytes, bin);
	if (dump)
		bpf_map_delete_elem(&dumps, &thread);
	return 0;
}

/* -- mounts and unmounts --------------------------------------------------- */

/* A superblock is destroyed: its device number can be reused, so entries with it
 * are invalid from now on. */
SEC("fentry/generic_shutdown_super")
int rw_super_ended(__u64 *ctx)
{
	struct super_block *sb = (void *)ctx[0];
	__u32 dev = sb->s_dev;
	struct count_dev *known = bpf_map_lookup_elem(&devs, &dev);

	if (known) {
		__sync_fetch_and_add(&known->ended, 1);
		__sync_fetch_and_add(&generation, 1);
	}
	return 0;
}

/* Count a mount, in the job of the task or, if root does it outside of jobs, for the
 * device. Mounts of other users are in namespaces of their own. */
static __always_inline int changed(__u32 dev, __u32 missed)
{
	struct count_dev *known = bpf_map_lookup_elem(&devs, &dev);
	struct count_slot *slot = known ? slot_get(find(dev)) : NULL;

	if (slot)
		add(&slot->missed[missed], 1);
	else if (known && !(__u32)bpf_get_current_uid_gid())
		__sync_fetch_and_add(
			missed == COUNT_MISSED_IMAGE ? &known->images : &known->mounted, 1);
	return 0;
}

/* Filesystem 'what' was mounted on 'where'. Bind mounts of the same filesystem
 * and namespaces without files do not count: job_container/tmpfs keeps each
 * job's below its BasePath (job_container_tmpfs.c:_create_ns). */
static __always_inline int mounted(struct super_block *what, struct super_block *where)
{
	if (what == where || what->s_magic == NSFS_MAGIC)
		return 0;
	return changed(where->s_dev, COUNT_MISSED_MOUNT);
}

static __always_inline int mounted_at(struct mount *mount, struct mountpoint *where, __s32 rc)
{
	return rc ? 0 : mounted(mount->mnt.mnt_sb, where->m_dentry->d_sb);
}

/* One program for each number of arguments. */
PROGRAM("fexit/attach_recursive_mnt", rw_mounted_4,
	mounted_at((void *)ctx[0], (void *)ctx[2], ctx[4]))

PROGRAM("fexit/attach_recursive_mnt", rw_mounted_3,
	mounted_at((void *)ctx[0], (void *)ctx[2], ctx[3]))

PROGRAM("fexit/attach_recursive_mnt", rw_mounted_2,
	mounted_at((void *)ctx[0], ARG(pinned_mountpoint, 1)->mp, ctx[2]))

/* For kernels where the function above does not run on moves; runs before the move. */
SEC("fentry/security_move_mount")
int rw_mount_moved(__u64 *ctx)
{
	struct path *what = (void *)ctx[0], *where = (void *)ctx[1];

	return mounted(what->dentry->d_sb, where->dentry->d_sb);
}

/* overlayfs clones the mounts of its layers (ovl_get_upper(), ovl_get_layers()). */
SEC("fentry/clone_private_mount")
int rw_layer(__u64 *ctx)
{
	struct path *layer = (void *)ctx[0];

	return changed(layer->dentry->d_sb->s_dev, COUNT_MISSED_IMAGE);
}

/* A file is attached to a loop device: a kernel thread reads and writes it. */
SEC("fentry/blkdev_ioctl")
int rw_loop(__u64 *ctx)
{
	__u32 command = ctx[1], fd = ctx[2];

	if (command == LOOP_CONFIGURE)
		bpf_probe_read_user(&fd, sizeof(fd), (void *)ctx[2]); /* loop_config.fd */
	else if (command != LOOP_SET_FD && command != LOOP_CHANGE_FD)
		return 0;
	return changed(fd_dev(fd), COUNT_MISSED_IMAGE);
}

/* -- libaio: the thread is known at submission, the bytes at completion ---- */

static __always_inline int aio_begin(void *frame, struct kiocb *kiocb, __u32 rw)
{
	struct request request = { .rw = rw };
	__u64 key = (unsigned long)kiocb;
	__u32 dev = file_dev(kiocb->ki_filp);
	struct thread *thread = NULL;
	struct count_slot *slot;

	if (!dev)
		return 0;
	request.slot = config.latency ? thread_find(dev, &thread) : find(dev);
	slot = slot_get(request.slot);
	if (!slot)
		return 0;
	request.job = slot->job;
	if (thread) {
		thread_begin(thread, frame, request.slot);
		thread->waits = request.slot;
		request.start_ns = thread->start_ns;
	}
	/* an existing entry: its completion was missed */
	if (bpf_map_update_elem(&inflight, &key, &request, BPF_NOEXIST)) {
		add(&slot->missed[rw], 1);
		bpf_map_update_elem(&inflight, &key, &request, BPF_EXIST);
	}
	return 0;
}

/* Count a completed request, in any context; the slot may belong to another job by
 * then. Two programs are attached and one of them counts: a trampoline is skipped if
 * another task is in it, a fprobe if it interrupts another fprobe. */
static __always_inline int aio_answered(__u64 key, __s64 bytes)
{
	struct request *found = bpf_map_lookup_elem(&inflight, &key), request;
	struct count_slot *slot;

	if (!found)
		return 0;
	request = *found;
	slot = slot_get(request.slot);
	if (bpf_map_delete_elem(&inflight, &key) || !slot || slot->job != request.job)
		return 0;
	if (bytes < 0)
		return config.latency ? failed(slot, request.rw & 1, bytes) : 0;
	count(slot, request.rw & 1, bytes);
	if (config.latency)
		took(slot, request.rw & 1, bpf_ktime_get_ns() - request.start_ns);
	return 0;
}

PROGRAM("fentry/aio_complete_rw", aio_done, aio_answered(ctx[0], ctx[1]))

PROGRAM("kprobe/multi", aio_done_too,
	aio_answered(probed_argument(ctx, 0), probed_argument(ctx, 1)))

/* -- io_uring: counted where the result is known, in a thread of the job, also without
 * a completion queue entry -- */

/* linux/io_uring.h */
#define READV 1
#define WRITEV 2
#define READ_FIXED 4
#define WRITE_FIXED 5
#define READ 22
#define WRITE 23
#define READV_FIXED 60 /* 6.15 */
#define WRITEV_FIXED 61
#define IORING_SETUP_IOPOLL 1
#define IOSQE_CQE_SKIP_SUCCESS (1U << 6) /* in io_kiocb.flags */

/* enum count_rw, or -1 */
static __always_inline int uring_rw(__u8 opcode)
{
	if (opcode == READ || opcode == READV || opcode == READ_FIXED || opcode == READV_FIXED)
		return COUNT_READ;
	if (opcode == WRITE || opcode == WRITEV || opcode == WRITE_FIXED || opcode == WRITEV_FIXED)
		return COUNT_WRITE;
	return -1;
}

/* Return the task's slot; the thread may wait for this request later. */
static __always_inline struct count_slot *uring_slot(__u32 dev)
{
	struct thread *thread = NULL;
	__u32 number;

	if (!dev)
		return NULL;
	number = config.latency ? thread_find(dev, &thread) : find(dev);
	if (thread && number)
		thread->waits = number;
	return slot_get(number);
}

static __noinline int uring_count(__u8 opcode, __s32 bytes, __u32 dev)
{
	int rw = uring_rw(opcode);
	struct count_slot *slot = rw < 0 ? NULL : uring_slot(dev);

	if (slot && bytes >= 0)
		count(slot, rw & 1, bytes);
	else if (slot && config.latency)
		failed(slot, rw & 1, bytes);
	return 0;
}

/* Count a request by a pointer without BTF type. */
static __always_inline int uring_count_any(struct io_kiocb *req)
{
	struct inode *inode = BPF_CORE_READ(req, file, f_inode);
	__u32 dev = 0;

	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFREG)
		dev = BPF_CORE_READ(inode, i_sb, s_dev);
	return uring_count(BPF_CORE_READ(req, opcode), BPF_CORE_READ(req, cqe.res), dev);
}

/* Keep the slot of a request that a kernel thread served: another thread may wait for it. */
static __always_inline void ring_worked(struct io_kiocb *req)
{
	struct thread *thread = config.latency ? thread_get(0) : NULL;
	__u64 ring = (unsigned long)req->ctx;
	__u32 number;

	if (!thread || !thread->waits || !(task_self()->flags & PF_IO_WORKER_))
		return;
	number = thread->waits;
	bpf_map_update_elem(&rings, &ring, &number, BPF_ANY);
}

/* Count a request that was issued. Polled requests without a completion entry are missed. */
static __always_inline int uring_issued(struct io_kiocb *req, __s32 rc)
{
	__u32 dev = file_dev(req->file);
	struct count_slot *slot;
	int rw;

	if (!rc) /* IOU_OK: done at once */
		return uring_count(req->opcode, req->cqe.res, dev);
	slot = uring_slot(dev);
	if (!(BPF_CORE_READ(req, ctx, flags) & IORING_SETUP_IOPOLL) ||
	    !(BPF_CORE_READ(req, flags) & IOSQE_CQE_SKIP_SUCCESS))
		return 0;
	rw = uring_rw(req->opcode);
	if (slot && rw >= 0)
		add(&slot->missed[rw & 1], 1);
	return 0;
}

/* Count a completion by a device. If this function is the request's task work, the
 * request was done by a worker and is counted already. */
static __always_inline int uring_answered(void *ctx, struct io_kiocb *req)
{
	if ((__u64)BPF_CORE_READ(req, io_task_work.func) == bpf_get_func_ip(ctx))
		return 0;
	return uring_count_any(req);
}

PROGRAM("fentry/io_req_task_complete", uring_done, uring_answered(ctx, (void *)ctx[0]))

/* 6.15 to 6.18: an argument is an empty struct, which trampolines do not support. */
PROGRAM("kprobe/io_req_task_complete", uring_done_probe,
	uring_answered(ctx, (void *)probed_argument(ctx, 0)))

SEC("tp_btf/io_uring_complete")
int uring_polled(__u64 *ctx)
{
	struct io_ring_ctx *ring = (void *)ctx[0];
	struct io_kiocb *req = (void *)ctx[1]; /* NULL: a further completion */

	if (!req || !(BPF_CORE_READ(ring, flags) & IORING_SETUP_IOPOLL))
		return 0;
	return uring_count_any(req);
}

/* Completion queue overflow of a polled request. */
SEC("tp_btf/io_uring_cqe_overflow")
int uring_overflow(__u64 *ctx)
{
	struct io_ring_ctx *ring = (void *)ctx[0];

	return BPF_CORE_READ(ring, flags) & IORING_SETUP_IOPOLL ? missed_both(find(0)) : 0;
}

/* -- names and inodes ------------------------------------------------------ */

/* security_*() run after the permission checks, just before the filesystem's own
 * function; their arguments hardly change between kernel versions. */
static __always_inline __u32 meta_find(__u32 dev, struct thread **thread)
{
	__u32 number;

	*thread = NULL;
	number = config.latency ? thread_find(dev, thread) : find(dev);
	return number && !nested() ? number : 0;
}

static __noinline int meta(__u32 dev, __u32 op)
{
	struct thread *thread;
	__u32 number = meta_find(dev, &thread);
	struct count_slot *slot = slot_get(number);

	if (!slot || op >= COUNT_META_OPS)
		return 0;
	add(&slot->meta[op], 1);
	set_filesystem(thread, number);
	return 0;
}

static __always_inline void opened(struct count_slot *slot, struct file *file)
{
	add(&slot->meta[COUNT_OPEN], 1);
	if (file->f_mode & FMODE_CREATED || file->f_flags & O_TMPFILE_)
		add(&slot->meta[COUNT_CREATE], 1);
}

/* Set the filesystem of open(2). A reused file pointer is a new file: forget its offsets. */
static __always_inline void open_counted(struct thread *thread, __u32 number, __u64 file)
{
	if (thread->frame)
		thread->slot = number;
	if (thread->file[0] == file)
		thread->file[0] = 0;
	if (thread->file[1] == file)
		thread->file[1] = 0;
}

#define ERRNO_MAX 4095
#define FMODE_PATH_ (1 << 14)

/* All forms of open(2), and files that the kernel opens for a process: exec, core dumps. */
static __always_inline int open_end(void *frame, struct file *file, __u64 result)
{
	struct thread *thread = NULL;
	struct count_slot *slot;
	__u32 number;

	if (result >= (__u64)-ERRNO_MAX)
		return config.latency ? end_class(frame, COUNT_TIME_META, result) : 0;
	number = meta_find(file->f_inode->i_sb->s_dev, &thread);
	slot = slot_get(number);
	if (slot && !(file->f_mode & FMODE_PATH_))
		opened(slot, file);
	if (!config.latency || !thread)
		return 0;
	open_counted(thread, number, result);
	return end_thread(thread, frame, COUNT_TIME_META, 0);
}

/* Start the time of a wait for completions. The tracepoint runs only if the thread
 * sleeps; the rest of io_uring_enter(2) takes no time worth counting. */
static __always_inline int ring_waits(__u64 ring)
{
	struct thread *thread = thread_get(0);

	if (!thread && find(0))
		thread = thread_get(1);
	if (!thread)
		return 0;
	thread->ring = ring;
	thread->wait_ns = bpf_ktime_get_ns();
	return 1;
}

/* Does the ring have completions for a wait that asks for so many? */
static __always_inline int ring_is_ready(struct io_ring_ctx *ring, __u32 completions)
{
	struct io_rings *rings = ring->rings;

	return rings->cq.tail - rings->cq.head >= completions;
}

PROGRAM("tp_btf/io_uring_cqring_wait", time_ring, ring_waits(ctx[0]) & 0)

/* Return the slot of the ring's requests; 0 if the address is now a ring of another job. */
static __always_inline __u32 ring_slot(__u64 ring)
{
	__u32 *known = bpf_map_lookup_elem(&rings, &ring);
	struct count_slot *slot = known ? slot_get(*known) : NULL, *all;

	all = slot ? slot_get(find(0)) : NULL;
	return all && all->job == slot->job ? *known : 0;
}

static __always_inline int ring_done(void)
{
	struct thread *thread = thread_get(0);
	struct count_slot *slot;
	__u32 number;

	if (!thread || !thread->wait_ns)
		return 0;
	number = ring_slot(thread->ring);
	if (!number)
		number = thread->waits;
	slot = slot_get(number);
	if (slot) {
		window_look(slot);
		spent(thread, slot, number, COUNT_TIME_ASYNC, thread->wait_ns, bpf_ktime_get_ns());
	}
	thread->wait_ns = 0;
	return 0;
}

/* Return the device of the mapped file if its pages belong to a lower filesystem
 * (overlayfs, FUSE passthrough), or 0 if they are its own. */
static __always_inline __u32 mapped_above(struct file *file)
{
	struct backing_file *backing = (void *)file;
	struct super_block *sb = file->f_path.dentry->d_sb;

	if (bpf_core_field_exists(backing->user_path) && /* 6.8 */
	    file->f_mode & FMODE_NOACCOUNT && file->f_mode & FMODE_BACKING)
		sb = BPF_CORE_READ(backing, user_path.dentry, d_sb);
	if (sb == file->f_inode->i_sb)
		return 0;
	return BPF_CORE_READ(sb, s_dev);
}

/* Count requested syncs, not those of a write with O_SYNC: the system calls have
 * programs of their own, and msync(2) sets INSIDE_MSYNC. Some compilers inline
 * this function into fsync(2) and fdatasync(2). */
static __always_inline int fsync_range(struct file *file)
{
	__u32 above;

	if (config.syncs_apart && !inside(INSIDE_MSYNC))
		return 0;
	above = mapped_above(file);
	return meta(above ? above : file->f_inode->i_sb->s_dev, COUNT_FSYNC);
}

/* Count statfs(2) once: an overlay calls the function again for the filesystem below. */
static __always_inline int statfs_of(__u32 dev)
{
	__u32 *counted = inside(INSIDE_STATFS);

	if (counted && *counted)
		return 0;
	if (counted)
		*counted = 1;
	return meta(dev, COUNT_STATFS);
}

/* Return the device of the descriptor that is the first argument of a system call. */
static __always_inline __u32 sys_fd_dev(void *regs)
{
	struct pt_regs___arm64 *arm64 = regs;
	struct pt_regs___x86 *x86 = regs;

	return fd_dev(bpf_core_field_exists(x86->orig_ax) ? BPF_CORE_READ(x86, di)
							  : BPF_CORE_READ(arm64, regs[0]));
}

/* -11 is EAGAIN: the request is repeated in a worker. */
static __always_inline int uring_fsynced(struct io_kiocb *req, __s32 rc)
{
	if (!config.syncs_apart || rc == -11)
		return 0;
	return meta(BPF_CORE_READ(req, file, f_inode, i_sb, s_dev), COUNT_FSYNC);
}

/* linux/fs.h */
#define ATTR_MODE (1 << 0)
#define ATTR_UID (1 << 1)
#define ATTR_GID (1 << 2)
#define ATTR_SIZE (1 << 3)
#define ATTR_ATIME (1 << 4)
#define ATTR_MTIME (1 << 5)
#define ATTR_FORCE (1 << 9) /* a write clears the set-user-ID bit */
#define ATTR_OPEN (1 << 15) /* part of open(2) with O_TRUNC */

static __always_inline int setattr(struct dentry *dentry, struct iattr *attr)
{
	__u32 valid = attr->ia_valid, op;

	if (valid & ATTR_OPEN)
		return 0;
	if (valid & ATTR_SIZE)
		op = COUNT_TRUNCATE;
	else if (valid & ATTR_FORCE)
		return 0;
	else if (valid & (ATTR_UID | ATTR_GID))
		op = COUNT_CHOWN;
	else if (valid & ATTR_MODE)
		op = COUNT_CHMOD;
	else if (valid & (ATTR_ATIME | ATTR_MTIME))
		op = COUNT_UTIMES;
	else
		return 0;
	return meta(dentry->d_sb->s_dev, op);
}

/* Count a lookup that the dentry cache could not answer. */
static __always_inline int lookup_miss(__u32 dev)
{
	struct thread *thread;
	__u32 number = meta_find(dev, &thread);
	struct count_slot *slot = slot_get(number);

	if (slot)
		add(&slot->meta[COUNT_LOOKUP_MISS], 1);
	if (slot && config.latency && thread)
		thread->lookup_slot = number;
	return 0;
}

/* -- mapped files: pages that a page fault added or dirtied ---------------- */

/* Return the number of the thread's system call, or -1 in a page fault of user
 * space (arch/x86/entry/entry_64.S: idtentry_body,
 * arch/arm64/kernel/entry.S: kernel_entry). */
static __always_inline long syscall_number(void)
{
	struct pt_regs___arm64 *arm64;
	struct pt_regs___x86 *x86;
	unsigned long orig_ax = 0;
	__s32 syscallno = 0;

	x86 = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	arm64 = (void *)x86;
	if (bpf_core_field_exists(x86->orig_ax)) {
		bpf_core_read(&orig_ax, sizeof(orig_ax), &x86->orig_ax);
		return orig_ax;
	}
	if (bpf_core_field_exists(arm64->syscallno))
		bpf_core_read(&syscallno, sizeof(syscallno), &arm64->syscallno);
	return syscallno;
}

static __always_inline int in_madvise(void)
{
	struct pt_regs___x86 *x86 = NULL;
	long number = syscall_number();

	if (number == 440) /* process_madvise */
		return 1;
	return number == (bpf_core_field_exists(x86->orig_ax) ? 28 : 233);
}

static __always_inline __u64 folio_bytes(struct folio *folio)
{
	struct folio___renamed *renamed = (void *)folio;
	struct folio___memdesc *memdesc = (void *)folio;
	unsigned long flags;
	__u32 pages = 1;

	if (bpf_core_field_exists(memdesc->flags.f))
		flags = memdesc->flags.f;
	else
		flags = folio->flags;
	if (!(flags & 1UL << bpf_core_enum_value(enum pageflags, PG_head)))
		return config.page_bytes;
	if (bpf_core_field_exists(renamed->_nr_pages))
		bpf_core_read(&pages, sizeof(pages), &renamed->_nr_pages);
	else if (bpf_core_field_exists(folio->_folio_nr_pages))
		bpf_core_read(&pages, sizeof(pages), &folio->_folio_nr_pages);
	return (__u64)pages * config.page_bytes;
}

#define PF_DUMPCORE 0x200 /* a core dump writes its file outside of a system call */

static __always_inline int mapped(struct folio *folio, struct address_space *mapping, __u32 rw)
{
	__u32 *above = inside(INSIDE_FAULT);
	struct count_slot *slot;
	struct inode *inode;

	if (!mapping || (!above && syscall_number() != -1) ||
	    bpf_get_current_task_btf()->flags & PF_DUMPCORE)
		return 0;
	/* not the metadata that a filesystem reads from its block device in a fault */
	inode = mapping->host;
	if ((inode->i_mode & S_IFMT) != S_IFREG)
		return 0;
	slot = slot_get(find(above && *above ? *above : inode->i_sb->s_dev));
	if (slot)
		add(&slot->mmap_bytes[rw], folio_bytes(folio));
	return 0;
}

PROGRAM("tp_btf/mm_filemap_add_to_page_cache", mmap_read,
	mapped(ARG(folio, 0), ARG(folio, 0)->mapping, COUNT_READ))

PROGRAM("tp_btf/writeback_dirty_folio", mmap_write,
	mapped((void *)ctx[0], (void *)ctx[1], COUNT_WRITE))

/* -- totals of all files, when a thread ends ------------------------------- */

SEC("tp_btf/sched_process_exit")
int exit_totals(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct count_slot *slot = slot_get(find(0));

	if (!slot)
		return 0;
	/* left set if a trampoline skipped the end of a function */
	leave(INSIDE_COPY);
	leave(INSIDE_FAULT);
	leave(INSIDE_MSYNC);
	leave(INSIDE_STATFS);
	add(&slot->calls[COUNT_READ], task->ioac.syscr);
	add(&slot->calls[COUNT_WRITE], task->ioac.syscw);
	add(&slot->bytes[COUNT_READ], task->ioac.rchar);
	add(&slot->bytes[COUNT_WRITE], task->ioac.wchar);
	return 0;
}

/* A thread exits, after its files are closed. */
static __always_inline int thread_gone(void)
{
	struct thread *thread = thread_get(0);
	__u32 id = bpf_get_current_pid_tgid();
	int i;

	if (!thread)
		return 0;
#pragma unroll
	for (i = 0; i < THREAD_FS; i++) {
		if (thread->fs[i].slot)
			thread_ends(slot_get(thread->fs[i].slot), &thread->fs[i]);
		thread->fs[i].slot = 0;
	}
	if (!config.storage)
		bpf_map_delete_elem(&threads, &id);
	return 0;
}

/* -- programs for the table in calls.h: 'what' selects the action ----------- */

/* Programs are attached by trampolines or, on preemptible kernels, by fprobes ('multi'),
 * with registers instead of arguments in the context. */
#define GIVEN(type, n)                                                                             \
	((struct type *)(multi ? typed(probed_argument(ctx, n),                                    \
				       bpf_core_type_id_kernel(struct type))                       \
			       : (void *)((__u64 *)ctx)[n]))
#define GIVEN_WORD(n) (multi ? probed_argument(ctx, n) : address(ctx, n))

/* Return the device of the object in the arguments, or 0. */
static __always_inline __u32 shape_dev(void *ctx, int multi, __u32 shape)
{
	switch (shape) {
	case COUNT_OF_PATH:
		return GIVEN(path, 0)->dentry->d_sb->s_dev;
	case COUNT_OF_INODE:
		return GIVEN(inode, 0)->i_sb->s_dev;
	case COUNT_OF_INODE_1:
		return GIVEN(inode, 1)->i_sb->s_dev;
	case COUNT_OF_XATTR:
		if (!multi && !config.setxattr_idmap)
			return GIVEN(dentry, 0)->d_sb->s_dev;
		return GIVEN(dentry, 1)->d_sb->s_dev;
	case COUNT_OF_DENTRY_1:
		return GIVEN(dentry, 1)->d_sb->s_dev;
	case COUNT_OF_DENTRY:
	case COUNT_OF_LOOKUP:
		return GIVEN(dentry, 0)->d_sb->s_dev;
	case COUNT_FILE:
		return GIVEN(file, 0)->f_inode->i_sb->s_dev;
	case COUNT_DESCRIPTOR:
		return sys_fd_dev((void *)GIVEN_WORD(0));
	}
	return 0;
}

/* Count an operation at the start of its function. */
static __always_inline int call_counts(void *ctx, int multi, __u32 what)
{
	__u32 shape = COUNT_WHAT_SHAPE(what), op = COUNT_WHAT_OP(what), dev;

	switch (shape) {
	case COUNT_OF_CHANGE:
		return multi || config.setattr_idmap ? setattr(GIVEN(dentry, 1), GIVEN(iattr, 2))
						     : setattr(GIVEN(dentry, 0), GIVEN(iattr, 1));
	case COUNT_OF_SYNC:
		return fsync_range(GIVEN(file, 0));
	case COUNT_OF_DIRTY:
		return mapped(GIVEN(folio, 0), GIVEN(address_space, 1), COUNT_WRITE);
	case COUNT_OF_SPACE:
		return statfs_of(GIVEN(dentry, 0)->d_sb->s_dev);
	case COUNT_OF_THREAD:
		return thread_gone();
	case COUNT_OF_ANSWER:
		return uring_answered(ctx, (void *)GIVEN_WORD(0));
	}
	dev = shape_dev(ctx, multi, shape);
	if (shape == COUNT_OF_LOOKUP)
		return lookup_miss(dev);
	return dev ? meta(dev, op) : 0;
}

/* Set the thread's current request of libaio or io_uring, if its call is timed. */
static __always_inline int request_begin(void *frame, __u64 request)
{
	struct thread *thread = thread_get(0);

	if (thread && thread->frame == (unsigned long)frame)
		thread->on = request;
	return 0;
}

static __always_inline int request_end(__u64 request)
{
	struct thread *thread = thread_get(0);

	if (!thread || thread->on != request)
		return 0;
	thread->on = 0;
	return end_class((void *)thread->frame, COUNT_TIME_ASYNC, 0);
}

#define VM_FAULT_SIGBUS 2

#define MARKED 1 /* bit in the cookie of a page fault; the other bits are the frame */

/* Start a page fault. One inside a system call (write(2) from a mapped file, read(2) into one,
 * mmap(2) with MAP_POPULATE) sets INSIDE_FAULT for the programs at pages, to the device of the
 * upper filesystem. */
static __always_inline int fault_begin(void *frame, struct file *file, __u64 *cookie)
{
	__u32 above = mapped_above(file);
	int no_end = NO_END;

	if (config.latency)
		no_end = above ? begin_on(frame, above, 0) : begin(frame, file);
	if (!above && syscall_number() == -1)
		return no_end;
	enter(INSIDE_FAULT, above);
	*cookie = no_end ? MARKED : (unsigned long)frame | MARKED;
	return 0;
}

/* Start a call. The end of a session reads 'cookie'; NO_END skips it. */
static __always_inline int call_begins(void *ctx, int multi, __u32 what, __u64 *cookie)
{
	__u32 shape = COUNT_WHAT_SHAPE(what), op = COUNT_WHAT_OP(what), dev;
	void *frame = multi ? (void *)PROBED(sp, sp) : ctx;
	struct file *file;

	*cookie = (unsigned long)frame;
	switch (shape) {
	case COUNT_OPENED:
		if (config.latency)
			begin_name(frame, GIVEN_WORD(0), GIVEN_WORD(1));
		return 0;
	case COUNT_NAME:
		return begin_name(frame, GIVEN_WORD(0), GIVEN_WORD(1));
	case COUNT_CALL:
		return begin_name(frame, 0, 0);
	case COUNT_MSYNC:
	case COUNT_SPACE:
		enter(shape == COUNT_MSYNC ? INSIDE_MSYNC : INSIDE_STATFS, 0);
		/* fall through */
	case COUNT_OPENED_ROOT:
		if (config.latency)
			begin_name(frame, 0, 0);
		return 0;
	case COUNT_LOCK:
		return begin(frame, GIVEN(file, 1));
	case COUNT_FLUSH:
	case COUNT_RELEASE:
		file = GIVEN(file, 0);
		if (shape == COUNT_FLUSH ? file->f_op->flush : file->f_op->release)
			return begin(frame, file);
		return NO_END;
	case COUNT_COPY:
	case COUNT_DIRECT:
	case COUNT_TO_PIPE:
		file = shape == COUNT_TO_PIPE ? NULL : GIVEN(file, 2);
		if (multi)
			return copy_begin(frame, GIVEN(file, 0), file);
		if (shape == COUNT_COPY)
			enter(INSIDE_COPY, 0);
		if (config.latency)
			begin(frame, file && file_dev(file) ? file : GIVEN(file, 0));
		return 0;
	case COUNT_AIO_READ:
	case COUNT_AIO_WRITE:
		aio_begin(frame, GIVEN(kiocb, 0),
			  shape == COUNT_AIO_READ ? COUNT_READ : COUNT_WRITE);
		*cookie = GIVEN_WORD(0);
		return request_begin(frame, GIVEN_WORD(0));
	case COUNT_URING: /* time of io_uring workers is not counted */
		if (config.latency && !(task_self()->flags & PF_IO_WORKER_))
			begin(frame, GIVEN(io_kiocb, 0)->file);
		*cookie = GIVEN_WORD(0);
		return request_begin(frame, GIVEN_WORD(0));
	case COUNT_URING_FSYNC:
	case COUNT_AIO_FSYNC:
		*cookie = GIVEN_WORD(0);
		return 0;
	case COUNT_FAULT:
		return fault_begin(frame, GIVEN(vm_fault, 0)->vma->vm_file, cookie);
	case COUNT_WILLNEED:
		return in_madvise() ? enter(INSIDE_FAULT, mapped_above(GIVEN(file, 0))) : NO_END;
	case COUNT_PAGE:
		*cookie = GIVEN_WORD(1);
		return inside(INSIDE_FAULT) || syscall_number() == -1 ? 0 : NO_END;
	case COUNT_RING:
		if (ring_is_ready(GIVEN(io_ring_ctx, 0), GIVEN_WORD(1)))
			return NO_END;
		return ring_waits(GIVEN_WORD(0)) ? 0 : NO_END;
	case COUNT_RING_CALL:
		return 0;
	}
	dev = shape_dev(ctx, multi, shape);
	if (!dev)
		return NO_END;
	if (op < COUNT_META_OPS)
		meta(dev, op);
	return config.latency ? begin_on(frame, dev, 0) : NO_END;
}

/* The function's first argument, at its end */
#define KEPT(type)                                                                                 \
	((struct type *)(multi ? typed(cookie, bpf_core_type_id_kernel(struct type))               \
			       : (void *)((__u64 *)ctx)[0]))

/* End a call. Only trampolines have the arguments. */
static __always_inline int call_ends(void *ctx, int multi, __u32 what, __u64 cookie, __u64 result)
{
	void *frame = multi ? (void *)cookie : ctx;
	__u32 shape = COUNT_WHAT_SHAPE(what);
	struct file *file;
	__s32 rc = result;

	switch (shape) {
	case COUNT_MSYNC:
	case COUNT_SPACE:
		leave(shape == COUNT_MSYNC ? INSIDE_MSYNC : INSIDE_STATFS);
		break;
	case COUNT_RELEASE:
		rc = 0;
		break;
	case COUNT_COPY:
	case COUNT_DIRECT:
	case COUNT_TO_PIPE:
		if (multi)
			return copy_end(frame, result);
		file = shape == COUNT_TO_PIPE ? NULL : GIVEN(file, 2);
		return copy_done(frame, shape, GIVEN(file, 0), file, result);
	case COUNT_AIO_READ:
	case COUNT_AIO_WRITE:
		if (!multi)
			cookie = word_of(ctx, 0);
		if (rc) /* a rejected request has no completion */
			bpf_map_delete_elem(&inflight, &cookie);
		return request_end(cookie);
	case COUNT_AIO_FSYNC:
		return rc ? 0 : meta(KEPT(fsync_iocb)->file->f_inode->i_sb->s_dev, COUNT_FSYNC);
	case COUNT_URING:
		uring_issued(KEPT(io_kiocb), rc);
		ring_worked(KEPT(io_kiocb));
		return request_end(multi ? cookie : word_of(ctx, 0));
	case COUNT_URING_FSYNC:
		return uring_fsynced(KEPT(io_kiocb), rc);
	case COUNT_FAULT:
		if (!multi || cookie & MARKED)
			leave(INSIDE_FAULT);
		if (multi)
			frame = (void *)(cookie & ~(__u64)MARKED);
		rc = rc & VM_FAULT_SIGBUS ? -5 : 0;
		break;
	case COUNT_WILLNEED:
		return multi || in_madvise() ? leave(INSIDE_FAULT) : 0;
	case COUNT_PAGE:
		return rc ? 0 : mapped(KEPT(folio), KEPT(folio)->mapping, COUNT_READ);
	case COUNT_RING:
	case COUNT_RING_CALL:
		return ring_done();
	}
	return end_class(frame, COUNT_WHAT_CLASS(what), rc);
}

/* Not "a || b", which clang for BPF does not compute at compile time. */
static __always_inline int is_open(__u32 what)
{
	switch (COUNT_WHAT_SHAPE(what)) {
	case COUNT_OPENED:
	case COUNT_OPENED_ROOT:
		return 1;
	}
	return 0;
}

SEC("kprobe/multi")
int any_begins(void *ctx)
{
	return is_unknown() ? 0 : call_counts(ctx, 1, bpf_get_attach_cookie(ctx));
}

SEC("kprobe/session")
int any_session(void *ctx)
{
	__u64 *cookie, what, result;
	int ends = session_is_return(ctx) & 1;

	if (!ends && is_unknown())
		return NO_END;
	cookie = session_cookie(ctx);
	what = bpf_get_attach_cookie(ctx);
	if (!ends)
		return call_begins(ctx, 1, what, cookie);
	result = probed_result(ctx);
	if (is_open(what))
		return open_end((void *)*cookie,
				(void *)typed(result, bpf_core_type_id_kernel(struct file)),
				result);
	return call_ends(ctx, 1, what, *cookie, result);
}

static __always_inline int trampoline_begins(void *ctx, __u32 what)
{
	__u64 unused;

	if (is_unknown())
		return 0;
	if (COUNT_WHAT_SHAPE(what) < COUNT_NAME)
		return call_counts(ctx, 0, what);
	call_begins(ctx, 0, what, &unused);
	return 0;
}

/* 'args' is the number of arguments; ANY_ARGS if the result is void or not used. */
static __always_inline int trampoline_ends(__u64 *ctx, __u32 what, int args)
{
	__u32 shape = COUNT_WHAT_SHAPE(what);

	if (is_open(what) ? is_unknown() : shape < COUNT_OPENED && has_no_thread())
		return 0;
	if (is_open(what))
		return open_end(ctx, (void *)ctx[args], word_of(ctx, args));
	return call_ends(ctx, 0, what, 0, args < 0 ? 0 : ctx[args]);
}

#define ANY_ARGS (-1)
#define BEGIN(loss, way, name, function, args, what)                                               \
	PROGRAM("fentry/" function, at_##name, trampoline_begins(ctx, what))
#define END(loss, way, name, function, args, what)                                                 \
	PROGRAM("fexit/" function, at_##name##_done, trampoline_ends(ctx, what, args))
#define BOTH(...) BEGIN(__VA_ARGS__) END(__VA_ARGS__)
#define NONE(...)

COUNT_CALLS(BEGIN, BOTH, END, END, NONE, NONE, NONE)

/* Tracing helpers require a GPL license. */
char gpl[] SEC("license") = "GPL";
char spdx[] SEC(".spdx") = "SPDX-License-Identifier: GPL-2.0-or-later";
