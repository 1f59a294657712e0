// SPDX-License-Identifier: GPL-2.0-or-later
/* jobio.bpf.c - count what the processes of a Slurm job read and write
 *
 * Programs sit on functions of the kernel itself, never of a filesystem's
 * module: a filesystem without type information needs nothing. They count into
 * slots that the loader made for a {job, filesystem}; what has no slot is not
 * counted, and costs one look into 'cache'.
 *
 * Which job: the name of the task's own cgroup, or of one above it, as slurmd
 * makes it: job_ID (cgroup_v1.c, cgroup_v2.c until 25.11 and with
 * CgroupJobIdPaths=yes), since 26.05 the job's SLUID (cgroup_v2.c:
 * cgroup_p_step_create), which the loader knows from the prolog's environment.
 * The answer is kept per {cgroup, filesystem}: the 64-bit id of a cgroup is
 * never used twice, so it cannot grow old; 'generation' changes with every job
 * that the loader adds or removes.
 *
 * The few kernel structs are written out with the members that are used; the
 * loader finds the members in the running kernel's type information.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "count/layout.h"

#define CGROUP_LEVELS 16
#define SLURM 0x6d72756c73ULL /* "slurm", little-endian */
#define S_IFMT 0170000
#define S_IFREG 0100000
#define FMODE_CREATED 0x100000
#define CACHE_ENTRIES 16384
#define INFLIGHT_ENTRIES 16384

#pragma clang attribute push(__attribute__((preserve_access_index)),           \
			     apply_to = record)

struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
	unsigned int f_mode;
};

struct dentry {
	struct super_block *d_sb;
};

struct path {
	struct dentry *dentry;
};

struct kernfs_node {
	const char *name;
	__u64 id;
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

struct task_struct {
	struct files_struct *files;
	struct css_set *cgroups;
	const struct cred *real_cred;
	const struct cred *cred;
	struct task_io_accounting ioac;
};

struct kiocb {
	struct file *ki_filp;
};

struct iocb {
	__u64 aio_nbytes;
};

struct io_cqe {
	__s32 res;
};

struct io_kiocb {
	struct file *file;
	__u8 opcode;
	struct io_cqe cqe;
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

/* The registers with which user space entered the kernel. */
struct pt_regs___x86 {
	unsigned long di, orig_ax;
};

struct pt_regs___arm64 {
	__u64 regs[31];
	__s32 syscallno;
};

#pragma clang attribute pop

enum cgroup_subsys_id {
	freezer_cgrp_id = 6 /* any: the kernel's value is put in at load time */
};

enum pageflags {
	PG_head = 16 /* any */
};

enum bpf_func_id___here {
	BPF_FUNC_get_current_task_btf___here = 158 /* any */
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

/* Not read by the programs: the next helper learns from it what is here. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_info);
} info SEC(".maps");

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

/* libaio requests that wait for their result, by the address of their kiocb */
struct request {
	__u32 slot, job, rw;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, INFLIGHT_ENTRIES);
	__type(key, __u64);
	__type(value, struct request);
} inflight SEC(".maps");

/* threads inside copy_file_range(2), which may use do_splice_direct() */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u8);
} copying SEC(".maps");

/* When the thread's call began, and what was found for its last one, which
 * saves a look into 'cache'. Without the latency group the loader makes a plain
 * hash of this map, because old kernels have no such storage. */
struct call {
	__u64 start_ns, cgroup;
	struct answer answer;
	__u32 dev;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} calls SEC(".maps");

static __always_inline int have_task_btf(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___here,
					  BPF_FUNC_get_current_task_btf___here);
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
	where += __builtin_preserve_field_info(set->subsys,
					       BPF_FIELD_BYTE_OFFSET);
	where += sizeof(css) *
		 bpf_core_enum_value(enum cgroup_subsys_id, freezer_cgrp_id);
	if (bpf_probe_read_kernel(&css, sizeof(css), (void *)where))
		return NULL;
	return BPF_CORE_READ(css, cgroup);
}

static __always_inline __u64 own_cgroup_id(void)
{
	struct cgroup *cgroup;

	if (!config.cgroup_v1)
		return bpf_get_current_cgroup_id();
	cgroup = own_cgroup();
	return BPF_CORE_READ(cgroup, kn, id);
}

/* Walk up the names. The topmost job counts: a user who may make cgroups makes
 * them below the job's. JOB/STEP/slurm (v2) holds slurmstepd, not the job: three
 * variables tell how much the name two levels below differs from "slurm".
 * Few branches, because the verifier walks every way through the loop. */
static __noinline __u32 own_job(void)
{
	struct cgroup *cgroup = own_cgroup();
	__u64 here = 1, below = 1, below2, differs = 1;
	__u32 job = 0, *found;
	int level;

	for (level = 0; level < CGROUP_LEVELS && cgroup; level++) {
		union count_name name = { 0 };

		bpf_probe_read_kernel_str(name.text, sizeof(name.text),
					  BPF_CORE_READ(cgroup, kn, name));
		below2 = below;
		below = here;
		here = (name.words[0] ^ SLURM) | name.words[1];
		found = bpf_map_lookup_elem(&names, &name);
		if (found) {
			job = *found;
			differs = below2;
		}
		cgroup = BPF_CORE_READ(cgroup, self.parent, cgroup);
	}
	return differs ? job : 0;
}

/* Find the slot of the task on a filesystem the long way, and remember it. */
static __noinline __u32 resolve(__u64 cgroup, __u32 dev)
{
	struct where where = { .cgroup = cgroup, .dev = dev };
	struct answer answer = { .generation = generation };
	struct count_key key = { .dev = dev };
	struct count_entry *entry;

	key.job = own_job();
	entry = key.job ? bpf_map_lookup_elem(&jobs, &key) : NULL;
	if (entry)
		answer.slot = entry->slot;
	bpf_map_update_elem(&cache, &where, &answer, BPF_ANY);
	return answer.slot;
}

/* The number of the task's slot, 0 when it has none. */
static __always_inline __u32 find(__u32 dev)
{
	struct where where = { .cgroup = own_cgroup_id(), .dev = dev };
	struct answer *known = bpf_map_lookup_elem(&cache, &where);

	if (known && known->generation == generation)
		return known->slot;
	return resolve(where.cgroup, dev);
}

static __always_inline struct count_slot *slot_get(__u32 slot)
{
	__u32 shard = bpf_get_smp_processor_id() &
		      ((1U << (config.shard_shift & 3)) - 1);
	__u32 i = (slot << (config.shard_shift & 3)) + shard;

	return slot ? bpf_map_lookup_elem(&slots, &i) : NULL;
}

/* -- how much ------------------------------------------------------------ */

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

/* A call took its shard over a multiple of 2^COUNT_PEAK_SHIFT bytes: tell the
 * first shard. The others of the window are not asked: they told it themselves. */
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

static __always_inline void count(struct count_slot *slot, __u32 rw,
				  __u64 bytes)
{
	__u32 bin = log2_floor(bytes & 0xffffffff);
	__u64 after, steps;

	add(&slot->calls[rw], 1);
	add(&slot->bytes[rw], bytes);
	add(&slot->sizes[rw][bin & (COUNT_SIZE_BINS - 1)], 1);
	after = *(volatile __u64 *)&slot->bytes[rw];
	steps = (after >> COUNT_PEAK_SHIFT) -
		((after - bytes) >> COUNT_PEAK_SHIFT);
	if (steps)
		peak(slot, rw, steps);
}

/* The filesystem of a regular file, 0 for anything else. */
static __always_inline __u32 file_dev(struct file *file)
{
	struct inode *inode = file->f_inode;

	if ((inode->i_mode & S_IFMT) != S_IFREG)
		return 0;
	return inode->i_sb->s_dev;
}

static __always_inline struct call *call_get(__u64 flags)
{
	return bpf_task_storage_get(&calls, bpf_get_current_task_btf(), NULL,
				    flags);
}

static __always_inline int begin(struct file *file)
{
	struct call *call;

	if (!file_dev(file))
		return 0;
	call = call_get(BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (call)
		call->start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline __u32 call_find(struct call *call, __u32 dev)
{
	__u64 cgroup = own_cgroup_id();

	if (call->cgroup == cgroup && call->dev == dev &&
	    call->answer.generation == generation)
		return call->answer.slot;
	call->answer.generation = generation;
	call->answer.slot = find(dev);
	call->cgroup = cgroup;
	call->dev = dev;
	return call->answer.slot;
}

static __always_inline void timed(struct file *file, __u32 rw, __s64 bytes,
				  __u32 dev)
{
	struct call *call = call_get(0);
	struct count_slot *slot;
	__u32 bin;
	__u64 ns;

	if (!call) {
		slot = slot_get(find(dev));
		if (slot)
			count(slot, rw, bytes);
		return;
	}
	slot = slot_get(call_find(call, dev));
	if (!slot)
		return;
	count(slot, rw, bytes);
	if (!call->start_ns)
		return;
	ns = bpf_ktime_get_ns() - call->start_ns;
	call->start_ns = 0;
	bin = log2_floor(ns);
	if (bin >= COUNT_NS_BINS)
		bin = COUNT_NS_BINS - 1;
	add(&slot->ns[rw][bin], 1);
	add(&slot->ns_sum[rw], ns);
}

static __always_inline int done(struct file *file, __u32 rw, __s64 bytes)
{
	struct count_slot *slot;
	__u32 dev;

	if (bytes < 0)
		return 0;
	dev = file_dev(file);
	if (!dev)
		return 0;
	if (config.latency) {
		timed(file, rw, bytes, dev);
		return 0;
	}
	slot = slot_get(find(dev));
	if (slot)
		count(slot, rw, bytes);
	return 0;
}

/* fexit programs get the arguments of the function and then its result. Of an
 * argument that is an int, only 32 bits are set (5.10). */
SEC("fexit/vfs_read")
int rw_vfs_read(__u64 *ctx)
{
	return done((void *)ctx[0], COUNT_READ, ctx[4]);
}

SEC("fexit/vfs_write")
int rw_vfs_write(__u64 *ctx)
{
	return done((void *)ctx[0], COUNT_WRITE, ctx[4]);
}

SEC("fexit/vfs_readv")
int rw_vfs_readv(__u64 *ctx)
{
	return done((void *)ctx[0], COUNT_READ, ctx[5]);
}

SEC("fexit/vfs_writev")
int rw_vfs_writev(__u64 *ctx)
{
	return done((void *)ctx[0], COUNT_WRITE, ctx[5]);
}

SEC("fentry/vfs_read")
int latency_vfs_read(__u64 *ctx)
{
	return begin((void *)ctx[0]);
}

SEC("fentry/vfs_write")
int latency_vfs_write(__u64 *ctx)
{
	return begin((void *)ctx[0]);
}

SEC("fentry/vfs_readv")
int latency_vfs_readv(__u64 *ctx)
{
	return begin((void *)ctx[0]);
}

SEC("fentry/vfs_writev")
int latency_vfs_writev(__u64 *ctx)
{
	return begin((void *)ctx[0]);
}

/* Is this the work of a filesystem that stands on another one (overlayfs),
 * with the credentials of the one who mounted it? Then the upper one has
 * counted it. access(2) also works with other credentials: its own are marked
 * (fs/open.c:access_override_creds). */
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
	__u32 dev = file_dev(file);
	struct count_slot *slot = dev ? slot_get(find(dev)) : NULL;

	if (slot && !nested())
		count(slot, rw, bytes);
}

SEC("fentry/vfs_copy_file_range")
int rw_copy_begin(__u64 *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid();
	__u8 one = 1;

	bpf_map_update_elem(&copying, &thread, &one, BPF_ANY);
	return 0;
}

SEC("fexit/vfs_copy_file_range")
int rw_copy_done(__u64 *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid();
	__s64 bytes = ctx[6];

	bpf_map_delete_elem(&copying, &thread);
	if (bytes < 0)
		return 0;
	copied((void *)ctx[0], COUNT_READ, bytes);
	copied((void *)ctx[2], COUNT_WRITE, bytes);
	return 0;
}

/* sendfile(2), and copy_file_range(2) before 6.8 */
SEC("fexit/do_splice_direct")
int rw_splice_done(__u64 *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid();
	__s64 bytes = ctx[6];

	if (bytes < 0 || bpf_map_lookup_elem(&copying, &thread))
		return 0;
	copied((void *)ctx[0], COUNT_READ, bytes);
	copied((void *)ctx[2], COUNT_WRITE, bytes);
	return 0;
}

/* -- libaio: who asked is known at the start, how much at the end ---------- */

static __always_inline int aio_begin(struct kiocb *kiocb, __u32 rw)
{
	struct request request = { .rw = rw };
	__u64 key = (unsigned long)kiocb;
	__u32 dev = file_dev(kiocb->ki_filp);
	struct count_slot *slot;

	if (!dev)
		return 0;
	request.slot = find(dev);
	slot = slot_get(request.slot);
	if (!slot)
		return 0;
	request.job = slot->job;
	bpf_map_update_elem(&inflight, &key, &request, BPF_ANY);
	return 0;
}

SEC("fentry/aio_read")
int aio_read_begin(__u64 *ctx)
{
	return aio_begin((void *)ctx[0], COUNT_READ);
}

SEC("fentry/aio_write")
int aio_write_begin(__u64 *ctx)
{
	return aio_begin((void *)ctx[0], COUNT_WRITE);
}

/* In whatever context the device answers: the slot may have another owner by
 * then, when the job is gone. */
SEC("fentry/aio_complete_rw")
int aio_done(__u64 *ctx)
{
	__u64 key = ctx[0];
	__s64 bytes = ctx[1];
	struct request *request = bpf_map_lookup_elem(&inflight, &key);
	struct count_slot *slot = request ? slot_get(request->slot) : NULL;

	if (slot && slot->job == request->job && bytes >= 0)
		count(slot, request->rw & 1, bytes);
	if (request)
		bpf_map_delete_elem(&inflight, &key);
	return 0;
}

/* -- io_uring: the answer names the request, in a thread of the job -------- */

/* linux/io_uring.h */
#define READV 1
#define WRITEV 2
#define READ_FIXED 4
#define WRITE_FIXED 5
#define READ 22
#define WRITE 23

SEC("tp_btf/io_uring_complete")
int uring_done(__u64 *ctx)
{
	struct io_kiocb *req = (void *)ctx[1]; /* NULL: a second answer */
	__u8 opcode = req ? BPF_CORE_READ(req, opcode) : 0;
	struct count_slot *slot;
	struct inode *inode;
	__s32 bytes;
	__u32 rw;

	if (opcode == READ || opcode == READV || opcode == READ_FIXED)
		rw = COUNT_READ;
	else if (opcode == WRITE || opcode == WRITEV || opcode == WRITE_FIXED)
		rw = COUNT_WRITE;
	else
		return 0;
	bytes = BPF_CORE_READ(req, cqe.res);
	inode = BPF_CORE_READ(req, file, f_inode);
	if (bytes < 0 || (BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFREG)
		return 0;
	slot = slot_get(find(BPF_CORE_READ(inode, i_sb, s_dev)));
	if (slot)
		count(slot, rw, bytes);
	return 0;
}

/* -- names and inodes ------------------------------------------------------ */

/* security_*() are called once the caller may do it, just before the
 * filesystem is asked; their arguments stay the same over kernel versions. */
static __always_inline int meta(__u32 dev, __u32 op)
{
	struct count_slot *slot = slot_get(find(dev));

	if (slot && !nested())
		add(&slot->meta[op], 1);
	return 0;
}

SEC("fentry/security_file_open")
int meta_open(__u64 *ctx)
{
	struct file *file = (void *)ctx[0];
	struct count_slot *slot = slot_get(find(file->f_inode->i_sb->s_dev));

	if (!slot || nested())
		return 0;
	add(&slot->meta[COUNT_OPEN], 1);
	if (file->f_mode & FMODE_CREATED)
		add(&slot->meta[COUNT_CREATE], 1);
	return 0;
}

SEC("fentry/security_inode_getattr")
int meta_stat(__u64 *ctx)
{
	struct path *path = (void *)ctx[0];

	return meta(path->dentry->d_sb->s_dev, COUNT_STAT);
}

SEC("fentry/security_inode_unlink")
int meta_unlink(__u64 *ctx)
{
	struct inode *dir = (void *)ctx[0];

	return meta(dir->i_sb->s_dev, COUNT_UNLINK);
}

SEC("fentry/security_inode_mkdir")
int meta_mkdir(__u64 *ctx)
{
	struct inode *dir = (void *)ctx[0];

	return meta(dir->i_sb->s_dev, COUNT_MKDIR);
}

SEC("fentry/security_inode_rmdir")
int meta_rmdir(__u64 *ctx)
{
	struct inode *dir = (void *)ctx[0];

	return meta(dir->i_sb->s_dev, COUNT_RMDIR);
}

SEC("fentry/security_inode_rename")
int meta_rename(__u64 *ctx)
{
	struct inode *dir = (void *)ctx[0];

	return meta(dir->i_sb->s_dev, COUNT_RENAME);
}

SEC("fentry/iterate_dir")
int meta_readdir(__u64 *ctx)
{
	struct file *file = (void *)ctx[0];

	return meta(file->f_inode->i_sb->s_dev, COUNT_READDIR);
}

/* fdatasync(2) is counted below, where it is known: compilers put this
 * function into that call, which then does not come here (Debian's 6.1). */
SEC("fentry/vfs_fsync_range")
int meta_fsync(__u64 *ctx)
{
	struct file *file = (void *)ctx[0];

	if ((int)ctx[3] && config.fdatasync_apart)
		return 0;
	return meta(file->f_inode->i_sb->s_dev, COUNT_FSYNC);
}

static __always_inline int fdatasync(unsigned int fd)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file;

	if (fd >= BPF_CORE_READ(table, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), files + fd) || !file)
		return 0;
	return meta(BPF_CORE_READ(file, f_inode, i_sb, s_dev), COUNT_FSYNC);
}

SEC("fentry/__x64_sys_fdatasync")
int meta_fdatasync_x86_maybe(__u64 *ctx)
{
	struct pt_regs___x86 *regs = (void *)ctx[0];

	return fdatasync(BPF_CORE_READ(regs, di));
}

SEC("fentry/__arm64_sys_fdatasync")
int meta_fdatasync_arm64_maybe(__u64 *ctx)
{
	struct pt_regs___arm64 *regs = (void *)ctx[0];

	return fdatasync(BPF_CORE_READ(regs, regs[0]));
}

/* A name that the kernel does not know yet: the filesystem is asked. */
SEC("fentry/d_alloc_parallel")
int meta_lookup_miss(__u64 *ctx)
{
	struct dentry *parent = (void *)ctx[0];

	return meta(parent->d_sb->s_dev, COUNT_LOOKUP_MISS);
}

/* -- mapped files: pages that a page fault added or dirtied ---------------- */

/* In a page fault of user space there is no number of a system call
 * (arch/x86/entry/entry_64.S: idtentry_body, arch/arm64/kernel/entry.S:
 * kernel_entry); in read(2) and write(2), which add and dirty pages too, there
 * is one. */
static __always_inline int in_fault(void)
{
	struct pt_regs___arm64 *arm64;
	struct pt_regs___x86 *x86;
	unsigned long orig_ax = 0;
	__s32 syscallno = 0;

	x86 = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	arm64 = (void *)x86;
	if (bpf_core_field_exists(x86->orig_ax)) {
		bpf_core_read(&orig_ax, sizeof(orig_ax), &x86->orig_ax);
		return orig_ax == (unsigned long)-1;
	}
	if (bpf_core_field_exists(arm64->syscallno)) {
		bpf_core_read(&syscallno, sizeof(syscallno), &arm64->syscallno);
		return syscallno == -1;
	}
	return 0;
}

static __always_inline __u64 folio_bytes(struct folio *folio)
{
	struct folio___renamed *renamed = (void *)folio;
	__u32 pages = 1;

	if (!(folio->flags &
	      1UL << bpf_core_enum_value(enum pageflags, PG_head)))
		return config.page_bytes;
	if (bpf_core_field_exists(renamed->_nr_pages))
		bpf_core_read(&pages, sizeof(pages), &renamed->_nr_pages);
	else if (bpf_core_field_exists(folio->_folio_nr_pages))
		bpf_core_read(&pages, sizeof(pages), &folio->_folio_nr_pages);
	return (__u64)pages * config.page_bytes;
}

static __always_inline int mapped(struct folio *folio,
				  struct address_space *mapping, __u32 rw)
{
	struct count_slot *slot;

	if (!in_fault() || !mapping)
		return 0;
	slot = slot_get(find(mapping->host->i_sb->s_dev));
	if (slot)
		add(&slot->mmap_bytes[rw], folio_bytes(folio));
	return 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int mmap_read(__u64 *ctx)
{
	struct folio *folio = (void *)ctx[0];

	return mapped(folio, folio->mapping, COUNT_READ);
}

SEC("tp_btf/writeback_dirty_folio")
int mmap_write(__u64 *ctx)
{
	return mapped((void *)ctx[0], (void *)ctx[1], COUNT_WRITE);
}

/* -- totals of all files, when a thread ends ------------------------------- */

SEC("tp_btf/sched_process_exit")
int exit_totals(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct count_slot *slot = slot_get(find(0));

	if (!slot)
		return 0;
	add(&slot->calls[COUNT_READ], task->ioac.syscr);
	add(&slot->calls[COUNT_WRITE], task->ioac.syscw);
	add(&slot->bytes[COUNT_READ], task->ioac.rchar);
	add(&slot->bytes[COUNT_WRITE], task->ioac.wchar);
	return 0;
}

/* Helpers that trace are for programs under the GPL. */
char gpl[] SEC("license") = "GPL";
char spdx[] SEC(".spdx") = "SPDX-License-Identifier: GPL-2.0-or-later";
