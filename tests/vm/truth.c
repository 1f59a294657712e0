/* SPDX-License-Identifier: GPL-2.0-or-later */
/* truth - do known I/O in a cgroup, and print it
 *
 *   truth CGROUP KIND DIR OTHER
 *
 * Joins the cgroup (a folder; "-": stays), does the I/O of KIND in DIR, and in
 * OTHER for calls with two ends, and prints one JSON object: for DIR, OTHER
 * and "exit" (the sum of /proc/PID/io of all its processes) every counter
 * that is known. Its processes communicate by shared memory, which is not
 * I/O; the line of output always has the same length.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define CALLS 64
#define BLOCK 4096
#define TOTAL (CALLS * BLOCK)
#define LINE 4000
#define MANY 40000 /* concurrent requests */
#define PIPED (16L * BLOCK)
#define SECONDS 256
#define CALLS_A_BURST 10
#define EARLY_NS 400000000L
#define CALLS_IN_CROWD 5000
#define LATE_NS 750000000L

enum {
	READ,
	WRITE
};
enum {
	DIR_,
	OTHER,
	EXIT,
	PLACES
};
enum {
	T_READ,
	T_WRITE,
	T_META,
	T_SYNC,
	T_CLOSE,
	T_MAPPED,
	T_ASYNC,
	TIMES
};
enum {
	OPEN,
	CREATE,
	UNLINK,
	RENAME,
	MKDIR,
	RMDIR,
	STAT,
	LOOKUP_MISS,
	READDIR,
	FSYNC,
	LINK,
	SYMLINK,
	MKNOD,
	CHMOD,
	CHOWN,
	UTIMES,
	TRUNCATE,
	XATTR,
	FALLOCATE,
	STATFS,
	OPS
};

static const char *const op_names[OPS] = { "open",     "create", "unlink",    "rename",
					   "mkdir",    "rmdir",	 "stat",      "lookup_miss",
					   "readdir",  "fsync",	 "link",      "symlink",
					   "mknod",    "chmod",	 "chown",     "utimes",
					   "truncate", "xattr",	 "fallocate", "statfs" };

/* Shared by all processes of one run. */
struct truth {
	_Atomic long bytes[PLACES][2], calls[PLACES][2], sizes[PLACES][2][64];
	_Atomic long mmap_bytes[PLACES][2], ops[PLACES][OPS];
	_Atomic int step; /* progress of a child */
	int lookups_known;
	_Atomic long us[TIMES]; /* microseconds in calls, if printed */
	/* of OTHER, if printed by time: calls in each second from 'first' on,
	 * and calls that may have been in it */
	long first, sure[SECONDS][2], unsure[SECONDS][2];
};

static struct truth *truth;
static const char *dirs[2];
static char *buffer; /* page aligned */

static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "truth: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, ": %s\n", strerror(errno));
	va_end(args);
	exit(1);
}

static void count(int place, int rw, long bytes)
{
	int bin = 0;

	while (bytes >> bin > 1)
		bin++;
	truth->bytes[place][rw] += bytes;
	truth->calls[place][rw]++;
	truth->sizes[place][rw][bin]++;
}

/* A call that /proc/PID/io counts, too. */
static void both(int place, int rw, long bytes)
{
	count(place, rw, bytes);
	count(EXIT, rw, bytes);
}

static const char *name_in(int place, const char *name)
{
	static _Thread_local char path[4][512];
	static _Thread_local int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", dirs[place], name);
	return p;
}

static const char *numbered(const char *stem, int i)
{
	static _Thread_local char name[2][64];
	static _Thread_local int turn;
	char *p = name[turn++ % 2];

	snprintf(p, sizeof(name[0]), "%s%d", stem, i);
	return p;
}

static int open_in(int place, const char *name, int flags)
{
	int fd = open(name_in(place, name), flags, 0600);

	if (fd < 0)
		fail("open %s", name);
	truth->ops[place][OPEN]++;
	if (flags & O_CREAT)
		truth->ops[place][CREATE]++;
	return fd;
}

static int open_new(int place, int flags)
{
	char name[64];

	snprintf(name, sizeof(name), "out.%d.%ld", getpid(), (long)syscall(SYS_gettid));
	return open_in(place, name, O_WRONLY | O_CREAT | O_EXCL | flags);
}

static void need(long got, long want, const char *what)
{
	if (got != want)
		fail("%s: %ld instead of %ld", what, got, want);
}

static long mono_us(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) < 0)
		fail("clock_gettime");
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Result and time of a call; the whole program is in memory. */
#define TAKES(class, call)                                                                         \
	({                                                                                         \
		long begin_us_ = mono_us(), rc_ = (long)(call);                                    \
		truth->us[class] += mono_us() - begin_us_;                                         \
		rc_;                                                                               \
	})

static void pause_ms(long ms)
{
	struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

/* ---- plain calls --------------------------------------------------------- */

static long vector_call(int fd, int rw, int i)
{
	struct iovec v[4];
	off_t at = (off_t)i * BLOCK;
	int j;

	for (j = 0; j < 4; j++) {
		v[j].iov_base = buffer + j * BLOCK / 4;
		v[j].iov_len = BLOCK / 4;
	}
	if (i % 2)
		return rw == READ ? preadv2(fd, v, 4, at, 0) : pwritev2(fd, v, 4, at, 0);
	return rw == READ ? readv(fd, v, 4) : writev(fd, v, 4);
}

static long plain_call(int fd, int rw, int i)
{
	(void)i;
	return rw == READ ? read(fd, buffer, BLOCK) : write(fd, buffer, BLOCK);
}

/* From the end of the file to its start. */
static long placed_call(int fd, int rw, int i)
{
	off_t at = (off_t)(CALLS - 1 - i) * BLOCK;

	return rw == READ ? pread(fd, buffer, BLOCK, at) : pwrite(fd, buffer, BLOCK, at);
}

static int open_for(int rw, int flags)
{
	return rw == READ ? open_in(DIR_, "in", O_RDONLY | flags) : open_new(DIR_, flags);
}

static void calls(int rw, int flags, long (*call)(int fd, int rw, int i))
{
	int fd = open_for(rw, flags), i;

	for (i = 0; i < CALLS; i++) {
		need(call(fd, rw, i), BLOCK, rw == READ ? "read" : "write");
		both(DIR_, rw, BLOCK);
	}
}

static void do_read(void)
{
	calls(READ, 0, plain_call);
}

static void do_write(void)
{
	calls(WRITE, 0, plain_call);
}

static void do_pread(void)
{
	calls(READ, 0, placed_call);
}

static void do_pwrite(void)
{
	calls(WRITE, 0, placed_call);
}

static void do_readv(void)
{
	calls(READ, 0, vector_call);
}

static void do_writev(void)
{
	calls(WRITE, 0, vector_call);
}

static void do_direct(void)
{
	calls(READ, O_DIRECT, plain_call);
	calls(WRITE, O_DIRECT, plain_call);
}

/* Sizes at the limits of the bins, the end of the file, and a refused call. */
static void do_sizes(void)
{
	static const long sizes[] = { 1,    2,	  3,	     4,	    7,	       8,	 1023,
				      1024, 1025, TOTAL - 1, TOTAL, TOTAL + 1, 3 * TOTAL };
	int in = open_in(DIR_, "in", O_RDONLY), out = open_new(DIR_, 0);
	char *volatile nowhere = NULL;
	long got;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		got = pread(in, buffer, (size_t)sizes[i], 0);
		need(got, sizes[i] < TOTAL ? sizes[i] : TOTAL, "pread");
		both(DIR_, READ, got);
		need(pwrite(out, buffer, (size_t)sizes[i], 0), sizes[i], "pwrite");
		both(DIR_, WRITE, sizes[i]);
	}
	need(pread(in, buffer, BLOCK, TOTAL), 0, "pread at the end");
	both(DIR_, READ, 0);
	need(pread(in, nowhere, BLOCK, 0), -1, "pread to nowhere");
	truth->calls[EXIT][READ]++; /* /proc/PID/io counts failed calls, too */
}

/* Read four times the size of the buffer and a quarter of a megabyte, each time in another second
 * and at another position in the second: at least once no second ends between the two
 * writes. */
static void do_bursts(void)
{
	static const struct timespec apart = { 1, 370000000 };
	int in = open_in(DIR_, "in", O_RDONLY), out = open_new(DIR_, 0), i, j;

	for (i = 0; i < 4; i++) {
		for (j = 0; j < 2; j++) {
			need(pwrite(out, buffer, 2L * TOTAL, 0), 2L * TOTAL, "pwrite");
			both(DIR_, WRITE, 2L * TOTAL);
		}
		need(pread(in, buffer, TOTAL, 0), TOTAL, "pread");
		both(DIR_, READ, TOTAL);
		nanosleep(&apart, NULL);
	}
}

/* ---- at known times -------------------------------------------------------- */

struct burst {
	long second; /* counted from the first second */
	int rw, cpu;
};

static struct timespec now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_REALTIME, &t) < 0)
		fail("clock_gettime");
	return t;
}

/* The index-th online CPU: with maxcpus=2 Linux 6.12 brings 0 and 2 online, if
 * an emulator on a busy machine starts the second CPU at all. */
static void run_on(int index)
{
	static cpu_set_t all;
	cpu_set_t cpus;
	int cpu, found = -1;

	if (!CPU_COUNT(&all) && sched_getaffinity(0, sizeof(all), &all) < 0)
		fail("sched_getaffinity");
	for (cpu = 0; cpu < CPU_SETSIZE && index >= 0; cpu++)
		if (CPU_ISSET(cpu, &all)) {
			found = cpu;
			index--;
		}
	CPU_ZERO(&cpus);
	CPU_SET(found, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		fail("sched_setaffinity: CPU %d", found);
}

/* Sleep to the middle of a second, this one or a later one; returns its number. */
static long sleep_until(long second)
{
	struct timespec until = { second, EARLY_NS }, t = now();

	if (t.tv_sec > second || (t.tv_sec == second && t.tv_nsec > LATE_NS))
		until.tv_sec = t.tv_nsec > LATE_NS ? t.tv_sec + 1 : t.tv_sec;
	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL))
		;
	return until.tv_sec;
}

/* A call was in this second, or, if the machine or its clock of ticks stood still meanwhile,
 * in one of several. */
static void note(struct timespec begin, struct timespec end, int rw)
{
	long from = begin.tv_sec - (begin.tv_nsec < EARLY_NS);
	long to = end.tv_sec + (end.tv_nsec > LATE_NS + EARLY_NS / 2);

	if (from - truth->first < 0 || to - truth->first >= SECONDS)
		fail("%ld s after the first one", to - truth->first);
	if (from == to) {
		truth->sure[from - truth->first][rw]++;
		return;
	}
	for (; from <= to; from++)
		truth->unsure[from - truth->first][rw]++;
}

/* Ten calls of 1 MiB. */
static void do_burst(int fd, long second, int rw)
{
	struct timespec begin;
	int i;

	for (i = 0; i < CALLS_A_BURST; i++) {
		second = sleep_until(second);
		begin = now();
		need(rw == READ ? pread(fd, buffer, 4L * TOTAL, 0)
				: pwrite(fd, buffer, 4L * TOTAL, 0),
		     4L * TOTAL, rw == READ ? "pread" : "pwrite");
		note(begin, now(), rw);
		both(OTHER, rw, 4L * TOTAL);
	}
}

static void do_plan(const struct burst *plan, int count)
{
	char name[64];
	long first;
	int fd, i;

	snprintf(name, sizeof(name), "timed.%d", getpid());
	fd = open_in(OTHER, name, O_RDWR | O_CREAT | O_EXCL);
	first = now().tv_sec + 1;
	truth->first = first - 1;
	for (i = 0; i < count; i++) {
		run_on(plan[i].cpu);
		do_burst(fd, first + plan[i].second, plan[i].rw);
	}
}

static void do_timed(void)
{
	static const struct burst plan[] = {
		{ 0, WRITE, 0 }, { 1, WRITE, 0 }, { 2, READ, 1 }, { 5, READ, 0 }, { 7, WRITE, 1 },
	};

	do_plan(plan, sizeof(plan) / sizeof(plan[0]));
}

/* I/O of another node of the job. */
static void do_timed_beside(void)
{
	static const struct burst plan[] = {
		{ 1, WRITE, 1 },
		{ 4, READ, 0 },
		{ 6, WRITE, 0 },
	};

	do_plan(plan, sizeof(plan) / sizeof(plan[0]));
}

/* At the end CPU 0 has rows of two seconds, CPU 1 of one. */
static void do_timed_long(void)
{
	static const struct burst plan[] = {
		{ 0, WRITE, 0 },  { 3, READ, 0 },  { 20, WRITE, 1 }, { 21, WRITE, 1 },
		{ 64, WRITE, 0 }, { 71, READ, 1 }, { 77, WRITE, 0 },
	};

	do_plan(plan, sizeof(plan) / sizeof(plan[0]));
}

/* ---- calls with two ends ------------------------------------------------- */

static void send_to(int in_place, int out_place)
{
	int in = open_in(in_place, "in", O_RDONLY);
	int out = open_new(out_place, 0);

	need(sendfile(out, in, NULL, TOTAL), TOTAL, "sendfile");
	both(in_place, READ, TOTAL);
	both(out_place, WRITE, TOTAL);
}

static void do_sendfile(void)
{
	send_to(DIR_, DIR_);
}

static void do_sendfile_other(void)
{
	send_to(DIR_, OTHER);
}

static void do_sendfile_socket(void)
{
	int in = open_in(DIR_, "in", O_RDONLY), ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		fail("socketpair");
	need(sendfile(ends[0], in, NULL, BLOCK), BLOCK, "sendfile");
	both(DIR_, READ, BLOCK);
	count(EXIT, WRITE, BLOCK);
}

static void do_copy(void)
{
	int in = open_in(DIR_, "in", O_RDONLY);
	int out = open_new(DIR_, 0);

	need(copy_file_range(in, NULL, out, NULL, TOTAL, 0), TOTAL, "copy_file_range");
	both(DIR_, READ, TOTAL);
	both(DIR_, WRITE, TOTAL);
}

static void pipe_open(int ends[2])
{
	if (pipe(ends) < 0)
		fail("pipe");
}

static void do_splice(void)
{
	int in = open_in(DIR_, "in", O_RDONLY), out = open_new(DIR_, 0);
	int ends[2];
	long done;

	pipe_open(ends);
	for (done = 0; done < TOTAL; done += PIPED) {
		need(splice(in, NULL, ends[1], NULL, PIPED, 0), PIPED, "splice from the file");
		count(DIR_, READ, PIPED);
		need(splice(ends[0], NULL, out, NULL, PIPED, 0), PIPED, "splice to the file");
		count(DIR_, WRITE, PIPED);
	}
}

static void do_vmsplice(void)
{
	struct iovec v = { buffer, PIPED };
	int out = open_new(DIR_, 0), ends[2], i;

	pipe_open(ends);
	for (i = 0; i < 4; i++) {
		need(vmsplice(ends[1], &v, 1, 0), PIPED, "vmsplice");
		need(splice(ends[0], NULL, out, NULL, PIPED, 0), PIPED, "splice");
		count(DIR_, WRITE, PIPED);
	}
}

static void do_sendfile_pipe(void)
{
	int in = open_in(DIR_, "in", O_RDONLY), ends[2];

	pipe_open(ends);
	need(sendfile(ends[1], in, NULL, PIPED), PIPED, "sendfile");
	both(DIR_, READ, PIPED);
	count(EXIT, WRITE, PIPED);
}

/* ---- libaio -------------------------------------------------------------- */

/* 'n' requests at a time, of one block each; a single request is at the end of the file. */
static void aio(int fd, int rw, int n, long ask)
{
	struct iocb cb[CALLS], *list[CALLS];
	struct io_event event[CALLS];
	aio_context_t context = 0;
	int i;

	memset(cb, 0, sizeof(cb));
	need(syscall(SYS_io_setup, CALLS, &context), 0, "io_setup");
	for (i = 0; i < n; i++) {
		cb[i].aio_fildes = (unsigned int)fd;
		cb[i].aio_lio_opcode = rw == READ ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
		cb[i].aio_buf = (unsigned long)buffer;
		cb[i].aio_nbytes = (unsigned long)ask;
		cb[i].aio_offset = (n == 1 ? CALLS - 1 : (long)i) * BLOCK;
		list[i] = &cb[i];
	}
	need(TAKES(T_ASYNC, syscall(SYS_io_submit, context, n, list)), n, "io_submit");
	need(TAKES(T_ASYNC, syscall(SYS_io_getevents, context, n, n, event, NULL)), n,
	     "io_getevents");
	for (i = 0; i < n; i++) {
		need((long)event[i].res, BLOCK, "aio result");
		count(DIR_, rw, BLOCK);
	}
	syscall(SYS_io_destroy, context);
}

static void do_aio(void)
{
	aio(open_for(READ, 0), READ, CALLS, BLOCK);
	aio(open_for(WRITE, 0), WRITE, CALLS, BLOCK);
}

static void do_aio_direct(void)
{
	aio(open_for(READ, O_DIRECT), READ, CALLS, BLOCK);
	aio(open_for(WRITE, O_DIRECT), WRITE, CALLS, BLOCK);
}

/* Request two blocks where one is left: the bytes read are counted. */
static void do_aio_short(void)
{
	aio(open_for(READ, 0), READ, 1, 2 * BLOCK);
}

/* Requests that the cgroup's limit delays, so that all are pending at once; a refused
 * request is not counted. */
static void do_aio_many(void)
{
	struct iocb *cb = calloc(MANY + 1, sizeof(*cb));
	struct iocb **list = calloc(MANY + 1, sizeof(*list));
	struct io_event *event = calloc(MANY, sizeof(*event));
	int fd = open_in(DIR_, "in", O_RDONLY | O_DIRECT), i, n;
	aio_context_t context = 0;

	if (!cb || !list || !event)
		fail("calloc");
	need(syscall(SYS_io_setup, MANY, &context), 0, "io_setup");
	for (i = 0; i <= MANY; i++) {
		cb[i].aio_fildes = (unsigned int)fd;
		cb[i].aio_lio_opcode = IOCB_CMD_PREAD;
		cb[i].aio_buf = (unsigned long)buffer;
		cb[i].aio_nbytes = BLOCK;
		cb[i].aio_offset = (long)(i % CALLS) * BLOCK;
		list[i] = &cb[i];
	}
	cb[MANY].aio_lio_opcode = IOCB_CMD_PWRITE;
	need(syscall(SYS_io_submit, context, 1, list + MANY), -1, "io_submit");
	for (i = 0; i < MANY; i += n) {
		n = (int)syscall(SYS_io_submit, context, MANY - i, list + i);
		if (n <= 0)
			fail("io_submit");
	}
	need(syscall(SYS_io_getevents, context, MANY, MANY, event, NULL), MANY, "io_getevents");
	for (i = 0; i < MANY; i++)
		count(DIR_, READ, BLOCK);
}

static void do_aio_fsync(void)
{
	int fd = open_new(DIR_, 0), i;
	struct iocb cb, *list = &cb;
	struct io_event event;
	aio_context_t context = 0;

	need(syscall(SYS_io_setup, 1, &context), 0, "io_setup");
	for (i = 0; i < 20; i++) {
		memset(&cb, 0, sizeof(cb));
		cb.aio_fildes = (unsigned int)fd;
		cb.aio_lio_opcode = i % 2 ? IOCB_CMD_FSYNC : IOCB_CMD_FDSYNC;
		need(syscall(SYS_io_submit, context, 1, &list), 1, "io_submit");
		need(syscall(SYS_io_getevents, context, 1, 1, &event, NULL), 1, "io_getevents");
	}
	truth->ops[DIR_][FSYNC] = 20;
}

/* ---- io_uring ------------------------------------------------------------ */

#define READV_FIXED 60 /* Linux 6.15 */
#define WRITEV_FIXED 61

struct ring {
	int fd;
	struct io_uring_params params;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
};

static void *ring_map(struct ring *r, size_t size, off_t what)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, what);

	if (p == MAP_FAILED)
		fail("mmap of a ring");
	return p;
}

static void ring_make(struct ring *r, unsigned int entries, unsigned int answers,
		      unsigned int setup)
{
	struct io_uring_params *p = &r->params;

	memset(r, 0, sizeof(*r));
	p->flags = setup | (answers ? IORING_SETUP_CQSIZE : 0);
	p->cq_entries = answers;
	r->fd = (int)syscall(SYS_io_uring_setup, entries, p);
	if (r->fd < 0)
		fail("io_uring_setup");
	r->sq = ring_map(r, p->sq_off.array + p->sq_entries * 4, IORING_OFF_SQ_RING);
	r->cq = ring_map(r, p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe),
			 IORING_OFF_CQ_RING);
	r->sqes = ring_map(r, p->sq_entries * sizeof(*r->sqes), IORING_OFF_SQES);
}

static void ring_open(struct ring *r)
{
	ring_make(r, CALLS, 0, 0);
}

static unsigned int *at(char *base, unsigned int offset)
{
	return (unsigned int *)(void *)(base + offset);
}

static void ring_add(struct ring *r, const struct io_uring_sqe *what)
{
	unsigned int *tail = at(r->sq, r->params.sq_off.tail);
	unsigned int i = *tail & (r->params.sq_entries - 1);

	r->sqes[i] = *what;
	at(r->sq, r->params.sq_off.array)[i] = i;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}

/* Submit one request, and do not wait for it. */
static void ring_put(struct ring *r, const struct io_uring_sqe *what)
{
	ring_add(r, what);
	need(syscall(SYS_io_uring_enter, r->fd, 1, 0, 0, NULL, 0), 1, "io_uring_enter");
}

/* Wait for a completion. */
static long ring_get(struct ring *r)
{
	struct io_uring_cqe *cqes = (void *)(r->cq + r->params.cq_off.cqes);
	unsigned int *tail = at(r->cq, r->params.cq_off.tail);
	unsigned int *head = at(r->cq, r->params.cq_off.head);
	long res;

	while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) == *head)
		if (syscall(SYS_io_uring_enter, r->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
			fail("io_uring_enter");
	res = cqes[*head & (r->params.cq_entries - 1)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return res;
}

static struct io_uring_sqe block_read(int fd, int i)
{
	struct io_uring_sqe s;

	memset(&s, 0, sizeof(s));
	s.opcode = IORING_OP_READ;
	s.fd = fd;
	s.off = (unsigned long)i * BLOCK;
	s.addr = (unsigned long)buffer;
	s.len = BLOCK;
	return s;
}

static int is_vector(int op)
{
	return op == IORING_OP_READV || op == IORING_OP_WRITEV || op == READV_FIXED ||
	       op == WRITEV_FIXED;
}

/* 'n' requests at a time, of one block each; a single request is at the end of the file. */
static void uring(int rw, int flags, int op, int n, long ask)
{
	struct iovec v = { buffer, (size_t)ask };
	int fd = open_for(rw, flags), i;
	struct io_uring_sqe s;
	struct ring r;

	ring_open(&r);
	if (op == READV_FIXED || op == WRITEV_FIXED)
		need(syscall(SYS_io_uring_register, r.fd, IORING_REGISTER_BUFFERS, &v, 1), 0,
		     "io_uring_register");
	for (i = 0; i < n; i++) {
		s = block_read(fd, n == 1 ? CALLS - 1 : i);
		s.opcode = (unsigned char)op;
		s.len = is_vector(op) ? 1 : (unsigned int)ask;
		if (is_vector(op))
			s.addr = (unsigned long)&v;
		ring_put(&r, &s);
	}
	for (i = 0; i < n; i++) {
		need(ring_get(&r), BLOCK, "io_uring result");
		count(DIR_, rw, BLOCK);
	}
	close(r.fd);
}

static void do_uring(void)
{
	uring(READ, 0, IORING_OP_READ, CALLS, BLOCK);
	uring(WRITE, 0, IORING_OP_WRITE, CALLS, BLOCK);
}

static void do_uring_v(void)
{
	uring(READ, 0, IORING_OP_READV, CALLS, BLOCK);
	uring(WRITE, 0, IORING_OP_WRITEV, CALLS, BLOCK);
}

static void do_uring_fixed(void)
{
	uring(READ, 0, READV_FIXED, CALLS, BLOCK);
	uring(WRITE, 0, WRITEV_FIXED, CALLS, BLOCK);
}

static void do_uring_direct(void)
{
	uring(READ, O_DIRECT, IORING_OP_READ, CALLS, BLOCK);
	uring(WRITE, O_DIRECT, IORING_OP_WRITE, CALLS, BLOCK);
}

/* Requests that a thread of the kernel does: of the ring, or a worker. */
static void uring_beside(unsigned int setup, unsigned int flags, int fd, int n)
{
	struct io_uring_sqe s;
	struct ring r;
	int i;

	ring_make(&r, CALLS, 0, setup);
	for (i = 0; i < n; i++) {
		s = block_read(fd, i);
		s.flags = (unsigned char)flags;
		ring_add(&r, &s);
	}
	need(TAKES(T_ASYNC, syscall(SYS_io_uring_enter, r.fd, n, n,
				    IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP, NULL, 0)),
	     n, "io_uring_enter");
	for (i = 0; i < n; i++) {
		need(ring_get(&r), BLOCK, "io_uring result");
		count(DIR_, READ, BLOCK);
	}
	close(r.fd);
}

static void do_uring_async(void)
{
	uring_beside(0, IOSQE_ASYNC, open_for(READ, 0), CALLS);
}

static void do_uring_sqpoll(void)
{
	uring_beside(IORING_SETUP_SQPOLL, 0, open_for(READ, 0), CALLS);
}

static void do_uring_short(void)
{
	uring(READ, 0, IORING_OP_READ, 1, 2 * BLOCK);
}

/* Four times as many completions as entries of the queue. */
static void uring_few(int flags)
{
	int fd = open_in(DIR_, "in", O_RDONLY | flags), i;
	struct io_uring_sqe s;
	struct ring r;

	ring_make(&r, 16, 16, 0);
	for (i = 0; i < CALLS; i++) {
		s = block_read(fd, i);
		ring_put(&r, &s);
	}
	for (i = 0; i < CALLS; i++) {
		need(ring_get(&r), BLOCK, "io_uring result");
		count(DIR_, READ, BLOCK);
	}
	close(r.fd);
}

static void do_uring_few_answers(void)
{
	uring_few(0);
}

static void do_uring_few_direct(void)
{
	uring_few(O_DIRECT);
}

/* A chain of requests of which only the last one has a completion. */
static void do_uring_skip(void)
{
	int fd = open_in(DIR_, "in", O_RDONLY), i;
	struct ring r;

	ring_open(&r);
	for (i = 0; i < CALLS; i++) {
		r.sqes[i] = block_read(fd, i);
		if (i < CALLS - 1)
			r.sqes[i].flags = IOSQE_IO_LINK | 1U << 6 /* CQE_SKIP_SUCCESS */;
		at(r.sq, r.params.sq_off.array)[i] = (unsigned int)i;
		count(DIR_, READ, BLOCK);
	}
	__atomic_store_n(at(r.sq, r.params.sq_off.tail), CALLS, __ATOMIC_RELEASE);
	need(syscall(SYS_io_uring_enter, r.fd, CALLS, 1, IORING_ENTER_GETEVENTS, NULL, 0), CALLS,
	     "io_uring_enter");
	need(ring_get(&r), BLOCK, "io_uring result");
	need(*at(r.cq, r.params.cq_off.tail), 1, "answers");
	close(r.fd);
}

static void do_uring_splice(void)
{
	int in = open_in(DIR_, "in", O_RDONLY), out = open_new(DIR_, 0);
	struct io_uring_sqe s;
	struct ring r;
	int ends[2], i;

	pipe_open(ends);
	ring_open(&r);
	for (i = 0; i < 8; i++) {
		memset(&s, 0, sizeof(s));
		s.opcode = IORING_OP_SPLICE;
		s.fd = i % 2 ? out : ends[1];
		s.splice_fd_in = i % 2 ? ends[0] : in;
		s.off = s.splice_off_in = (unsigned long)-1;
		s.len = PIPED;
		ring_put(&r, &s);
		need(ring_get(&r), PIPED, "io_uring splice");
		count(DIR_, i % 2 ? WRITE : READ, PIPED);
	}
	close(r.fd);
}

static void do_uring_fsync(void)
{
	int fd = open_new(DIR_, 0), i;
	struct io_uring_sqe s;
	struct ring r;

	ring_open(&r);
	for (i = 0; i < 20; i++) {
		memset(&s, 0, sizeof(s));
		s.opcode = IORING_OP_FSYNC;
		s.fd = fd;
		s.fsync_flags = i % 2 ? IORING_FSYNC_DATASYNC : 0;
		ring_put(&r, &s);
		need(ring_get(&r), 0, "io_uring fsync");
	}
	truth->ops[DIR_][FSYNC] = 20;
	close(r.fd);
}

/* ---- mapped files -------------------------------------------------------- */

static char *map_file(int fd, int protection, int flags)
{
	char *map = mmap(NULL, TOTAL, protection, MAP_SHARED | flags, fd, 0);

	if (map == MAP_FAILED)
		fail("mmap");
	return map;
}

static char *map_in(int protection)
{
	return map_file(open_in(DIR_, "in", O_RDWR), protection, 0);
}

static void map_touch(volatile char *map)
{
	long i;

	for (i = 0; i < TOTAL; i += BLOCK)
		buffer[0] ^= map[i];
}

static void do_mmap_read(void)
{
	map_touch(map_in(PROT_READ));
	truth->mmap_bytes[DIR_][READ] = TOTAL;
}

/* The pages are in memory already: no byte is requested. */
static void do_mmap_hot(void)
{
	map_touch(map_in(PROT_READ));
}

static void do_mmap_write(void)
{
	volatile char *map = map_in(PROT_READ | PROT_WRITE);
	long i;

	for (i = 0; i < TOTAL; i += BLOCK)
		map[i] = 'x';
	truth->mmap_bytes[DIR_][WRITE] = TOTAL;
}

static char *map_readonly(int flags)
{
	truth->mmap_bytes[DIR_][READ] = TOTAL;
	return map_file(open_in(DIR_, "in", O_RDONLY), PROT_READ, flags);
}

static void do_mmap_populate(void)
{
	map_readonly(MAP_POPULATE);
}

/* The kernel decides how much of it is read at once. */
static void do_mmap_willneed(void)
{
	char *map = map_readonly(0);

	need(madvise(map, TOTAL, MADV_WILLNEED), 0, "madvise");
	map_touch(map);
}

static void do_mmap_populate_read(void)
{
	need(madvise(map_readonly(0), TOTAL, 22 /* MADV_POPULATE_READ */), 0, "madvise");
}

static void do_mmap_write_from(void)
{
	char *map = map_readonly(0);
	int out = open_new(DIR_, 0);
	long i;

	for (i = 0; i < TOTAL; i += BLOCK) {
		need(write(out, map + i, BLOCK), BLOCK, "write from a mapping");
		both(DIR_, WRITE, BLOCK);
	}
}

static void do_mmap_read_into(void)
{
	char *map = map_in(PROT_READ | PROT_WRITE);
	int zero = open("/dev/zero", O_RDONLY);
	long i;

	for (i = 0; i < TOTAL; i += BLOCK) {
		need(read(zero, map + i, BLOCK), BLOCK, "read into a mapping");
		count(EXIT, READ, BLOCK);
	}
	truth->mmap_bytes[DIR_][READ] = TOTAL;
	truth->mmap_bytes[DIR_][WRITE] = TOTAL;
}

static void count_op(int op, long rc)
{
	if (rc < 0)
		fail("%s", op_names[op]);
	truth->ops[DIR_][op]++;
}

/* ---- names and inodes ---------------------------------------------------- */

static void do_open(void)
{
	int i;

	for (i = 0; i < 5; i++)
		close(open_in(DIR_, "in", O_RDONLY));
	i = open(name_in(DIR_, "in"), O_PATH); /* does not open the file */
	close(i);
}

static void do_handle(void)
{
	char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	struct file_handle *handle = (void *)room;
	int mount = open_in(DIR_, ".", O_RDONLY | O_DIRECTORY), id, i;

	handle->handle_bytes = MAX_HANDLE_SZ;
	need(name_to_handle_at(AT_FDCWD, name_in(DIR_, "in"), handle, &id, 0), 0, "handle");
	for (i = 0; i < 5; i++)
		count_op(OPEN, open_by_handle_at(mount, handle, O_RDONLY));
}

static void do_create(void)
{
	int i;

	for (i = 0; i < 5; i++)
		close(open_in(DIR_, numbered("new", i), O_WRONLY | O_CREAT | O_EXCL));
	truth->ops[DIR_][LOOKUP_MISS] = 5;
	truth->lookups_known = 1;
}

static void do_names(void)
{
	char from[512];
	int i;

	for (i = 0; i < 5; i++) {
		close(open_in(DIR_, numbered("name", i), O_WRONLY | O_CREAT | O_EXCL));
		snprintf(from, sizeof(from), "%s", name_in(DIR_, numbered("name", i)));
		count_op(RENAME, rename(from, name_in(DIR_, numbered("moved", i))));
		count_op(UNLINK, unlink(name_in(DIR_, numbered("moved", i))));
	}
}

static void do_folders(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		count_op(MKDIR, mkdir(name_in(DIR_, numbered("dir", i)), 0700));
		count_op(RMDIR, rmdir(name_in(DIR_, numbered("dir", i))));
	}
}

static void do_stat(void)
{
	int fd = open_in(DIR_, "in", O_RDONLY), i;
	struct stat st;

	for (i = 0; i < 5; i++) {
		count_op(STAT, stat(name_in(DIR_, "in"), &st));
		count_op(STAT, lstat(name_in(DIR_, "in"), &st));
		count_op(STAT, fstat(fd, &st));
	}
}

/* Names that do not exist: one request to the filesystem for each. */
static void do_lookup(void)
{
	struct stat st;
	int i;

	for (i = 0; i < 5; i++) {
		need(stat(name_in(DIR_, numbered("no", i)), &st), -1, "stat");
		need(access(name_in(DIR_, numbered("none", i)), F_OK), -1, "access");
		need(open(name_in(DIR_, numbered("nil", i)), O_RDONLY), -1, "open");
		truth->ops[DIR_][LOOKUP_MISS] += 3;
	}
	truth->lookups_known = 1;
}

static void do_readdir(void)
{
	int fd = open_in(DIR_, ".", O_RDONLY | O_DIRECTORY);
	long got;

	do {
		got = syscall(SYS_getdents64, fd, buffer, BLOCK);
		if (got < 0)
			fail("getdents64");
		truth->ops[DIR_][READDIR]++;
	} while (got > 0);
}

static void do_fsync(void)
{
	int fd = open_new(DIR_, 0), i;

	need(write(fd, buffer, BLOCK), BLOCK, "write");
	both(DIR_, WRITE, BLOCK);
	for (i = 0; i < 5; i++)
		count_op(FSYNC, i % 2 ? fsync(fd) : fdatasync(fd));
}

static void do_msync(void)
{
	char *map = map_in(PROT_READ | PROT_WRITE);
	int i;

	for (i = 0; i < 5; i++) {
		map[i] = 'x';
		count_op(FSYNC, msync(map, TOTAL, MS_SYNC));
	}
}

/* O_SYNC writes wait for the disk and are not fsync calls. */
static void do_osync(void)
{
	int fd = open_new(DIR_, O_SYNC), i;

	for (i = 0; i < 10; i++) {
		need(write(fd, buffer, BLOCK), BLOCK, "write");
		both(DIR_, WRITE, BLOCK);
	}
	count_op(FSYNC, fsync(fd));
	count_op(FSYNC, fdatasync(fd));
}

static void do_space(void)
{
	int fd = open_in(DIR_, "in", O_RDONLY), i;
	struct statfs fs;

	for (i = 0; i < 5; i++) {
		count_op(STATFS, statfs(name_in(DIR_, "in"), &fs));
		count_op(STATFS, fstatfs(fd, &fs));
	}
}

static void do_tmpfile(void)
{
	int fd = open(dirs[DIR_], O_TMPFILE | O_RDWR, 0600);

	if (fd < 0)
		fail("O_TMPFILE");
	truth->ops[DIR_][OPEN]++;
	truth->ops[DIR_][CREATE]++;
}

static void do_inodes(void)
{
	const char *in = name_in(DIR_, "in");
	char buf[64];
	struct statfs fs;
	int fd = open_new(DIR_, 0);

	count_op(LINK, link(in, name_in(DIR_, "hard")));
	count_op(SYMLINK, symlink("in", name_in(DIR_, "soft")));
	in = name_in(DIR_, "in");
	count_op(MKNOD, mkfifo(name_in(DIR_, "fifo"), 0600));
	count_op(CHMOD, chmod(in, 0640));
	count_op(CHMOD, fchmod(fd, 0640));
	count_op(CHOWN, chown(in, 0, 0));
	count_op(CHOWN, fchown(fd, 0, 1));
	count_op(UTIMES, utimensat(AT_FDCWD, in, NULL, 0));
	count_op(UTIMES, futimens(fd, NULL));
	count_op(TRUNCATE, ftruncate(fd, 100));
	count_op(TRUNCATE, ftruncate(fd, 0));
	count_op(FALLOCATE, fallocate(fd, 0, 0, BLOCK));
	count_op(STATFS, statfs(in, &fs));
	count_op(STATFS, fstatfs(fd, &fs));
	count_op(XATTR, fsetxattr(fd, "user.a", "b", 1, 0));
	count_op(XATTR, fgetxattr(fd, "user.a", buf, sizeof(buf)));
	count_op(XATTR, flistxattr(fd, buf, sizeof(buf)));
	count_op(XATTR, fremovexattr(fd, "user.a"));
	/* part of open(2) */
	close(open_in(DIR_, "cut", O_WRONLY | O_CREAT | O_EXCL));
	close(open_in(DIR_, "cut", O_WRONLY | O_TRUNC));
}

/* ---- slow operations ----------------------------------------------------- */

static void in_memory(void)
{
	need(mlockall(MCL_CURRENT), 0, "mlockall");
}

static void do_waits(void)
{
	int in = TAKES(T_META, open_in(DIR_, "in", O_RDONLY)), i;
	int out = TAKES(T_META, open_new(DIR_, 0));
	char path[512], moved[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s", name_in(DIR_, "dir"));
	snprintf(moved, sizeof(moved), "%s", name_in(DIR_, "moved"));
	for (i = 0; i < 4; i++) {
		need(TAKES(T_READ, pread(in, buffer, BLOCK, (off_t)i * BLOCK)), BLOCK, "pread");
		need(TAKES(T_WRITE, write(out, buffer, BLOCK)), BLOCK, "write");
	}
	need(TAKES(T_SYNC, fsync(out)), 0, "fsync");
	need(TAKES(T_SYNC, fdatasync(out)), 0, "fdatasync");
	need(TAKES(T_CLOSE, close(out)), 0, "close");
	need(TAKES(T_CLOSE, close(in)), 0, "close");
	need(TAKES(T_META, mkdir(path, 0700)), 0, "mkdir");
	need(TAKES(T_META, stat(path, &st)), 0, "stat");
	/* cached for a second (libfuse), then revalidated */
	pause_ms(1200);
	need(TAKES(T_META, access(path, F_OK)), 0, "access");
	need(TAKES(T_META, rename(path, moved)), 0, "rename");
	need(TAKES(T_META, rmdir(moved)), 0, "rmdir");
}

/* Other forms of the same calls */
static void do_waits_more(void)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	int fd = TAKES(T_META, open_in(DIR_, "in", O_RDWR)), i;
	struct iovec v = { buffer, BLOCK };
	struct statx st;
	struct statfs fs;

	for (i = 0; i < 2; i++) {
		need(TAKES(T_META, statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC,
					 STATX_BASIC_STATS, &st)),
		     0, "statx");
		need(TAKES(T_META, fcntl(fd, F_GETLK, &lock)), 0, "F_GETLK");
		lock.l_type = F_RDLCK;
		need(TAKES(T_META, statfs(name_in(DIR_, "in"), &fs)), 0, "statfs");
		need(TAKES(T_META, fstatfs(fd, &fs)), 0, "fstatfs");
		need(TAKES(T_SYNC, pwritev2(fd, &v, 1, i * BLOCK, RWF_DSYNC)), BLOCK, "pwritev2");
	}
	need(TAKES(T_CLOSE, close(fd)), 0, "close");
}

static void do_waits_uring(void)
{
	int fd = TAKES(T_META, open_in(DIR_, "in", O_RDONLY | O_DIRECT));

	uring_beside(0, 0, fd, 4);
	uring_beside(0, IOSQE_ASYNC, fd, 4);
	uring_beside(IORING_SETUP_SQPOLL, 0, fd, 4);
	need(TAKES(T_CLOSE, close(fd)), 0, "close");
}

/* Files that are closed at the exit of a process and its children. */
static void do_waits_exit(void)
{
	pid_t pid;
	int i;

	open_in(DIR_, "in", O_RDONLY);
	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		need(waitpid(pid, NULL, 0), pid, "waitpid");
	}
}

static void do_waits_mapped(void)
{
	int fd = TAKES(T_META, open_in(DIR_, "in", O_RDONLY)), i;
	volatile char *map = map_file(fd, PROT_READ, 0);

	need(madvise((void *)map, TOTAL, MADV_RANDOM), 0, "madvise");
	need(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0, "posix_fadvise");
	for (i = 0; i < 5; i++)
		buffer[0] ^= TAKES(T_MAPPED, map[i * 8 * BLOCK]);
	for (i = 0; i < 2; i++)
		need(TAKES(T_READ, pread(fd, buffer, BLOCK, (60 + i) * BLOCK)), BLOCK, "pread");
	munmap((void *)map, TOTAL);
	need(TAKES(T_CLOSE, close(fd)), 0, "close");
}

/* 16 requests at a time: the process is blocked as long as by one. */
static void do_waits_aio(void)
{
	int fd = TAKES(T_META, open_in(DIR_, "in", O_RDONLY | O_DIRECT));

	aio(fd, READ, 16, BLOCK);
	need(TAKES(T_CLOSE, close(fd)), 0, "close");
}

/* More than the limit of dirty pages. */
static void write_much(int fd)
{
	int i;

	for (i = 0; i < 4; i++)
		need(TAKES(T_WRITE, write(fd, buffer, TOTAL)), TOTAL, "write");
}

static void do_waits_throttled(void)
{
	write_much(TAKES(T_META, open_new(DIR_, 0)));
}

/* Wait until the script has disconnected the server, or done its part of this step. */
static void go(int step)
{
	char name[64];

	snprintf(name, sizeof(name), "ready.%d.%d", step, getpid());
	close(open(name_in(OTHER, name), O_WRONLY | O_CREAT, 0600));
	while (access(name_in(OTHER, numbered("go.", step)), F_OK))
		pause_ms(10);
}

/* One call of each class, each of which waits for a server that is reconnected later. More pages
 * are written than may be dirty. */
static void do_away(void)
{
	int in = TAKES(T_META, open_in(DIR_, "in", O_RDWR)), i;
	int raw = TAKES(T_META, open_in(DIR_, "in", O_RDWR | O_DIRECT));
	volatile char *map = map_file(in, PROT_READ, 0);

	need(madvise((void *)map, TOTAL, MADV_RANDOM), 0, "madvise");
	need(posix_fadvise(in, 0, 0, POSIX_FADV_RANDOM), 0, "posix_fadvise");
	go(0);
	need(TAKES(T_META, mkdir(name_in(DIR_, "dir"), 0700)), 0, "mkdir");
	go(1);
	need(TAKES(T_READ, pread(in, buffer, BLOCK, 0)), BLOCK, "pread");
	go(2);
	need(TAKES(T_WRITE, pwrite(raw, buffer, BLOCK, 16 * BLOCK)), BLOCK, "pwrite");
	go(3);
	buffer[0] ^= TAKES(T_MAPPED, map[32 * BLOCK]);
	munmap((void *)map, TOTAL);
	go(4);
	aio(raw, READ, 16, BLOCK);
	need(TAKES(T_CLOSE, close(raw)), 0, "close");
	for (i = 5; i < 7; i++) {
		go(i);
		need(TAKES(T_WRITE, pwrite(in, buffer, BLOCK, (off_t)i * BLOCK)), BLOCK, "pwrite");
		need(i == 5 ? TAKES(T_SYNC, fsync(in)) : TAKES(T_CLOSE, close(in)), 0, "sync");
	}
	in = TAKES(T_META, open_in(DIR_, "in", O_WRONLY));
	go(7);
	write_much(in);
	need(TAKES(T_CLOSE, close(in)), 0, "close");
	/* no dirty pages are left: NFSv4 sends CLOSE */
	in = TAKES(T_META, open_in(DIR_, "in", O_RDWR));
	go(8);
	need(TAKES(T_CLOSE, close(in)), 0, "close");
}

/* Names that are not sent to a filesystem: their folder may not be searched. */
static void do_shut_out(void)
{
	int fd = open(dirs[OTHER], O_PATH);
	struct stat st;

	need(mkdir(name_in(OTHER, "shut"), 0700), 0, "mkdir");
	need(chdir(dirs[OTHER]), 0, "chdir");
	need(seteuid(1000), 0, "seteuid");
	need(stat(name_in(OTHER, "shut/a"), &st), -1, "stat");
	need(open(name_in(OTHER, "shut/a"), O_RDONLY), -1, "open");
	need(mkdir(name_in(OTHER, "shut/a"), 0700), -1, "mkdir");
	need(unlink(name_in(OTHER, "shut/a")), -1, "unlink");
	need(rename(name_in(OTHER, "shut/a"), name_in(OTHER, "a")), -1, "rename");
	need(stat("shut/a", &st), -1, "stat in the working directory");
	need(openat(fd, "shut/a", O_RDONLY), -1, "openat");
	need(seteuid(0), 0, "seteuid");
}

/* Errors of a full filesystem, of a read-only one and of a missing name. */
static void do_errors(void)
{
	int fd = open_new(OTHER, 0);
	struct stat st;

	while (write(fd, buffer, TOTAL) > 0)
		;
	if (errno != ENOSPC)
		fail("write");
	need(stat(name_in(DIR_, "missing"), &st), -1, "stat");
	need(open(name_in(DIR_, "absent"), O_RDONLY), -1, "open");
	need(open(name_in(DIR_, "in"), O_WRONLY), -1, "open of a file to be written");
}

/* ---- processes ----------------------------------------------------------- */

static void wait_for(int step)
{
	while (truth->step < step)
		pause_ms(10);
}

static pid_t child(void (*work)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	work();
	truth->step++;
	_exit(0);
}

static void do_fork(void)
{
	int i;

	for (i = 0; i < 4; i++)
		child(i % 2 ? do_read : do_write);
	for (i = 0; i < 4; i++)
		wait(NULL);
}

static void *in_thread(void *arg)
{
	(void)arg;
	do_write();
	return NULL;
}

static void four_threads(void *(*work)(void *arg))
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			fail("pthread_create");
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void do_threads(void)
{
	four_threads(in_thread);
}

/* More threads than CPUs, in small calls: a preemptible kernel often preempts inside of
 * a call. */
static void *in_crowd(void *arg)
{
	int fd = open_new(OTHER, 0), i;

	(void)arg;
	for (i = 0; i < CALLS_IN_CROWD; i++) {
		need(pwrite(fd, buffer, 64, 0), 64, "pwrite");
		both(OTHER, WRITE, 64);
	}
	close(fd);
	return NULL;
}

static void do_crowd(void)
{
	run_on(0);
	four_threads(in_crowd);
}

/* The same in calls of other kinds. */
static void *in_crowd_of_calls(void *arg)
{
	int in = open_in(DIR_, "in", O_RDONLY), out = open_new(DIR_, 0), i;
	struct stat st;

	(void)arg;
	for (i = 0; i < CALLS_IN_CROWD / 10; i++) {
		count_op(STAT, stat(name_in(DIR_, "in"), &st));
		close(open_in(DIR_, "in", O_RDONLY));
		need(lseek(in, 0, SEEK_SET), 0, "lseek");
		need(sendfile(out, in, NULL, BLOCK), BLOCK, "sendfile");
		both(DIR_, READ, BLOCK);
		both(DIR_, WRITE, BLOCK);
		aio(in, READ, 2, BLOCK);
	}
	return NULL;
}

static void do_crowd_of_calls(void)
{
	run_on(0);
	four_threads(in_crowd_of_calls);
}

static pid_t before; /* the parent, which exits first */

static void after_parent(void)
{
	while (getppid() == before)
		pause_ms(10);
	do_write();
}

static void leave(void)
{
	setsid();
	before = getpid();
	child(after_parent);
}

/* A daemon: its parent has exited, and it has a session of its own. */
static void do_daemon(void)
{
	waitpid(child(leave), NULL, 0);
	wait_for(2);
}

/* The same, but all other processes have exited before it starts: its I/O is
 * printed in advance. */
static void write_later(void)
{
	struct truth known = *truth;

	after_parent();
	*truth = known;
}

static void do_orphan(void)
{
	int i;

	before = getpid();
	child(write_later);
	truth->ops[DIR_][OPEN]++;
	truth->ops[DIR_][CREATE]++;
	for (i = 0; i < CALLS; i++)
		both(DIR_, WRITE, BLOCK);
}

static void write_and_stay(void)
{
	do_write();
	truth->step++;
	for (;;)
		pause();
}

static void do_killed(void)
{
	pid_t pid = child(write_and_stay);

	wait_for(1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Bytes written in /proc/self/io, by this process and its ended children. */
static long written(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	char text[128];
	long bytes = -1;

	while (file && fgets(text, sizeof(text), file))
		if (!strncmp(text, "wchar: ", 7))
			bytes = strtol(text + 7, NULL, 10);
	if (!file || bytes < 0)
		fail("/proc/self/io");
	fclose(file);
	return bytes;
}

/* A child that dumps core with a few megabytes; the script sets core_pattern. */
static void do_core(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	long first = written();
	int status;
	pid_t pid = fork();

	if (!pid) {
		memset(buffer, 'x', 4L * TOTAL);
		if (setrlimit(RLIMIT_CORE, &all) < 0)
			fail("setrlimit");
		abort();
	}
	need(waitpid(pid, &status, 0), pid, "waitpid");
	if (!WCOREDUMP(status))
		fail("no core");
	count(DIR_, WRITE, written() - first);
}

static void do_nothing(void)
{
}

/* Different numbers for two jobs at once: 3 and 5 rounds. */
static void rounds(int n, void (*even)(void), void (*odd)(void))
{
	int i;

	for (i = 0; i < n; i++)
		waitpid(child(i % 2 ? odd : even), NULL, 0);
}

static void do_three(void)
{
	rounds(3, do_write, do_write);
}

static void do_five(void)
{
	rounds(5, do_read, do_pwrite);
}

static const struct kind {
	const char *name;
	void (*work)(void);
} kinds[] = {
	{ "nothing", do_nothing },
	{ "read", do_read },
	{ "write", do_write },
	{ "pread", do_pread },
	{ "pwrite", do_pwrite },
	{ "readv", do_readv },
	{ "writev", do_writev },
	{ "direct", do_direct },
	{ "sizes", do_sizes },
	{ "bursts", do_bursts },
	{ "timed", do_timed },
	{ "timed_beside", do_timed_beside },
	{ "timed_long", do_timed_long },
	{ "sendfile", do_sendfile },
	{ "sendfile_other", do_sendfile_other },
	{ "sendfile_socket", do_sendfile_socket },
	{ "copy_file_range", do_copy },
	{ "splice", do_splice },
	{ "vmsplice", do_vmsplice },
	{ "sendfile_pipe", do_sendfile_pipe },
	{ "aio", do_aio },
	{ "aio_direct", do_aio_direct },
	{ "aio_short", do_aio_short },
	{ "aio_many", do_aio_many },
	{ "aio_fsync", do_aio_fsync },
	{ "uring", do_uring },
	{ "uring_v", do_uring_v },
	{ "uring_fixed", do_uring_fixed },
	{ "uring_direct", do_uring_direct },
	{ "uring_short", do_uring_short },
	{ "uring_async", do_uring_async },
	{ "uring_sqpoll", do_uring_sqpoll },
	{ "uring_few_answers", do_uring_few_answers },
	{ "uring_few_direct", do_uring_few_direct },
	{ "uring_skip", do_uring_skip },
	{ "uring_splice", do_uring_splice },
	{ "uring_fsync", do_uring_fsync },
	{ "mmap_read", do_mmap_read },
	{ "mmap_hot", do_mmap_hot },
	{ "mmap_write", do_mmap_write },
	{ "mmap_populate", do_mmap_populate },
	{ "mmap_willneed", do_mmap_willneed },
	{ "mmap_populate_read", do_mmap_populate_read },
	{ "mmap_write_from", do_mmap_write_from },
	{ "mmap_read_into", do_mmap_read_into },
	{ "open", do_open },
	{ "handle", do_handle },
	{ "create", do_create },
	{ "names", do_names },
	{ "folders", do_folders },
	{ "stat", do_stat },
	{ "lookup", do_lookup },
	{ "readdir", do_readdir },
	{ "fsync", do_fsync },
	{ "msync", do_msync },
	{ "osync", do_osync },
	{ "space", do_space },
	{ "tmpfile", do_tmpfile },
	{ "inodes", do_inodes },
	{ "waits", do_waits },
	{ "waits_more", do_waits_more },
	{ "waits_uring", do_waits_uring },
	{ "waits_exit", do_waits_exit },
	{ "waits_mapped", do_waits_mapped },
	{ "waits_aio", do_waits_aio },
	{ "waits_throttled", do_waits_throttled },
	{ "waits_away", do_away },
	{ "errors", do_errors },
	{ "shut_out", do_shut_out },
	{ "fork", do_fork },
	{ "threads", do_threads },
	{ "crowd", do_crowd },
	{ "crowd_of_calls", do_crowd_of_calls },
	{ "daemon", do_daemon },
	{ "orphan", do_orphan },
	{ "killed", do_killed },
	{ "core", do_core },
	{ "three", do_three },
	{ "five", do_five },
};

/* ---- output -------------------------------------------------------------- */

static char line[LINE + 1];
static size_t used;

static void put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(line + used, sizeof(line) - used, format, args);
	va_end(args);
	if (used >= LINE)
		fail("no space for more output");
}

static void say_sizes(int place, int rw, const char *key)
{
	int i, last = 63;

	while (last >= 0 && !truth->sizes[place][rw][last])
		last--;
	put(",\"%s\":[", key);
	for (i = 0; i <= last; i++)
		put("%s%ld", i ? "," : "", truth->sizes[place][rw][i]);
	put("]");
}

static void say_seconds(void)
{
	const long(*sure)[2] = truth->sure, (*unsure)[2] = truth->unsure;
	const char *before = "";
	int i;

	put(",\"seconds\":[");
	for (i = 0; i < SECONDS; i++) {
		if (!sure[i][READ] && !sure[i][WRITE] && !unsure[i][READ] && !unsure[i][WRITE])
			continue;
		put("%s[%ld,%ld,%ld,%ld,%ld]", before, truth->first + i, sure[i][READ],
		    sure[i][WRITE], unsure[i][READ], unsure[i][WRITE]);
		before = ",";
	}
	put("]");
}

static void say_place(int place, const char *key)
{
	int i;

	put("\"%s\":{\"read_bytes\":%ld,\"write_bytes\":%ld,\"read_calls\":%ld,\"write_calls\":%ld",
	    key, truth->bytes[place][READ], truth->bytes[place][WRITE], truth->calls[place][READ],
	    truth->calls[place][WRITE]);
	if (place != EXIT) {
		say_sizes(place, READ, "read_sizes");
		say_sizes(place, WRITE, "write_sizes");
		put(",\"mmap_read_bytes\":%ld,\"mmap_write_bytes\":%ld",
		    truth->mmap_bytes[place][READ], truth->mmap_bytes[place][WRITE]);
		for (i = 0; i < OPS; i++)
			if (i != LOOKUP_MISS || truth->lookups_known)
				put(",\"%s\":%ld", op_names[i], truth->ops[place][i]);
		if (place == OTHER && truth->first)
			say_seconds();
	}
	put("}");
}

static void say_times(void)
{
	static const char *const keys[TIMES] = { "read_us",  "write_us",  "meta_us", "sync_us",
						 "close_us", "mapped_us", "async_us" };
	int i;

	put(",\"times\":{");
	for (i = 0; i < TIMES; i++)
		put("%s\"%s\":%ld", i ? "," : "", keys[i], truth->us[i]);
	put("}");
}

/* One write of a fixed length for all of the output. */
static void say_all(void)
{
	put("{");
	say_place(DIR_, dirs[DIR_]);
	put(",");
	say_place(OTHER, dirs[OTHER]);
	put(",");
	say_place(EXIT, "exit");
	if (truth->us[T_META])
		say_times();
	put("}");
	memset(line + used, ' ', LINE - 1 - used);
	line[LINE - 1] = '\n';
	need(write(1, line, LINE), LINE, "write of the truth");
}

static void join(const char *cgroup)
{
	char path[512];
	int fd;

	if (!strcmp(cgroup, "-"))
		return;
	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0\n", 2) != 2)
		fail("%s", path);
	close(fd);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 5) {
		fprintf(stderr, "usage: truth CGROUP KIND DIR OTHER\n");
		return 64;
	}
	dirs[0] = argv[3];
	dirs[1] = argv[4];
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	buffer = mmap(NULL, 4L * TOTAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (truth == MAP_FAILED || buffer == MAP_FAILED)
		fail("mmap");
	join(argv[1]);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[2]))
			continue;
		if (!strncmp(argv[2], "waits", 5))
			in_memory();
		kinds[i].work();
		say_all();
		return 0;
	}
	errno = EINVAL;
	fail("kind '%s'", argv[2]);
	return 1;
}
