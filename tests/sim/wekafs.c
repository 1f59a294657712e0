/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wekafs - a mounted file system for the stand-in: FUSE over a directory
 *
 * Terms   backing: the directory that holds the files.
 *         control page: a small file shared with the agent: cache mode, stall,
 *           read-only, the minimum duration of each operation, and counters of
 *           operations and bytes.
 * Owner   the agent writes cache, stall, readonly and delay_ms; this program the rest.
 * Errors  exit status 1 and a message before the mount is made; afterwards
 *           errno values, as any file system.
 * Runs    as root, started by the agent: wekafs BACKING TARGET CONTROL SOURCE
 *           [MOUNTFLAGS]. It continues to run when agent and command end.
 *
 * I/O stalls while the container restarts and continues afterwards; it does not
 * fail ("all active I/O operations of that client resume automatically").
 */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

struct control {
	volatile char cache;	/* 'w'ritecache, 'r'eadcache, 'f'orcedirect */
	volatile char stall;	/* '1': wait */
	volatile char readonly; /* '1': EROFS */
	char pad;
	volatile uint32_t delay_ms;
	volatile uint64_t pid;
	uint64_t reads, writes, read_bytes, write_bytes, ops, syncs, flushes;
};

static struct control *ctl;
static int root_fd;

static const char *rel(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int result(long rc)
{
	return rc < 0 ? -errno : 0;
}

/* Called by every operation: count it, and wait while the container restarts. */
static void enter(void)
{
	struct timespec ts = { 0, 5000000 };
	struct timespec delay = { ctl->delay_ms / 1000, ctl->delay_ms % 1000 * 1000000L };

	__atomic_fetch_add(&ctl->ops, 1, __ATOMIC_RELAXED);
	if (ctl->delay_ms)
		nanosleep(&delay, NULL);
	while (ctl->stall == '1')
		nanosleep(&ts, NULL);
}

static int enter_write(void)
{
	enter();
	return ctl->readonly == '1' ? -EROFS : 0;
}

static void count(uint64_t *calls, uint64_t *bytes, ssize_t n)
{
	__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
	if (n > 0)
		__atomic_fetch_add(bytes, (uint64_t)n, __ATOMIC_RELAXED);
}

/* A file made by root gets the caller as owner; a setgid directory keeps its group. */
static int give(const char *path)
{
	struct fuse_context *c = fuse_get_context();
	char *copy = strdup(rel(path));
	struct stat st;
	gid_t gid = c->gid;
	char *slash;
	int rc;

	if (!copy)
		return -ENOMEM;
	slash = strrchr(copy, '/');
	if (slash)
		*slash = 0;
	if (!fstatat(root_fd, slash ? copy : ".", &st, 0) && (st.st_mode & S_ISGID))
		gid = st.st_gid;
	rc = fchownat(root_fd, rel(path), c->uid, gid, AT_SYMLINK_NOFOLLOW);
	free(copy);
	return result(rc);
}

static void *op_init(struct fuse_conn_info *conn, struct fuse_config *cfg)
{
	(void)conn;
	cfg->use_ino = 1;
	cfg->nullpath_ok = 1;
	cfg->hard_remove = 1;
	ctl->pid = (uint64_t)getpid();
	return NULL;
}

static int op_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	enter();
	if (fi)
		return result(fstat((int)fi->fh, st));
	return result(fstatat(root_fd, rel(path), st, AT_SYMLINK_NOFOLLOW));
}

static int op_readlink(const char *path, char *buf, size_t size)
{
	ssize_t n;

	enter();
	n = readlinkat(root_fd, rel(path), buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = 0;
	return 0;
}

static int op_mknod(const char *path, mode_t mode, dev_t dev)
{
	int rc = enter_write();

	if (!rc)
		rc = result(mknodat(root_fd, rel(path), mode, dev));
	return rc ? rc : give(path);
}

static int op_mkdir(const char *path, mode_t mode)
{
	int rc = enter_write();

	if (!rc)
		rc = result(mkdirat(root_fd, rel(path), mode));
	return rc ? rc : give(path);
}

static int op_symlink(const char *target, const char *path)
{
	int rc = enter_write();

	if (!rc)
		rc = result(symlinkat(target, root_fd, rel(path)));
	return rc ? rc : give(path);
}

static int op_unlink(const char *path)
{
	int rc = enter_write();

	return rc ? rc : result(unlinkat(root_fd, rel(path), 0));
}

static int op_rmdir(const char *path)
{
	int rc = enter_write();

	return rc ? rc : result(unlinkat(root_fd, rel(path), AT_REMOVEDIR));
}

static int op_rename(const char *from, const char *to, unsigned int flags)
{
	int rc = enter_write();

	if (rc)
		return rc;
	return result(syscall(SYS_renameat2, root_fd, rel(from), root_fd, rel(to), flags));
}

static int op_link(const char *from, const char *to)
{
	int rc = enter_write();

	return rc ? rc : result(linkat(root_fd, rel(from), root_fd, rel(to), 0));
}

static int op_chmod(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	int rc = enter_write();

	if (rc)
		return rc;
	return result(fi ? fchmod((int)fi->fh, mode) : fchmodat(root_fd, rel(path), mode, 0));
}

static int op_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi)
{
	int rc = enter_write();

	if (rc)
		return rc;
	return result(fi ? fchown((int)fi->fh, uid, gid)
			 : fchownat(root_fd, rel(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int op_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	int fd, rc = enter_write();

	if (rc)
		return rc;
	if (fi)
		return result(ftruncate((int)fi->fh, size));
	fd = openat(root_fd, rel(path), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	rc = result(ftruncate(fd, size));
	close(fd);
	return rc;
}

static int op_utimens(const char *path, const struct timespec tv[2], struct fuse_file_info *fi)
{
	int rc = enter_write();

	if (rc)
		return rc;
	return result(fi ? futimens((int)fi->fh, tv)
			 : utimensat(root_fd, rel(path), tv, AT_SYMLINK_NOFOLLOW));
}

/* The cache mode of the mount applies to files opened from now on. */
static int open_file(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	int fd = openat(root_fd, rel(path), (fi->flags & ~(O_NOFOLLOW | O_DIRECT)) | O_CLOEXEC,
			mode);

	if (fd < 0)
		return -errno;
	fi->fh = (uint64_t)fd;
	fi->direct_io = ctl->cache == 'f';
	return 0;
}

static int op_open(const char *path, struct fuse_file_info *fi)
{
	enter();
	if (ctl->readonly == '1' && (fi->flags & O_ACCMODE) != O_RDONLY)
		return -EROFS;
	return open_file(path, 0, fi);
}

static int op_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	int rc = enter_write();

	if (!rc)
		rc = open_file(path, mode, fi);
	return rc ? rc : give(path);
}

static int op_read(const char *path, char *buf, size_t size, off_t off, struct fuse_file_info *fi)
{
	ssize_t n;

	(void)path;
	enter();
	n = pread((int)fi->fh, buf, size, off);
	count(&ctl->reads, &ctl->read_bytes, n);
	return n < 0 ? -errno : (int)n;
}

static int op_write(const char *path, const char *buf, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	ssize_t n;
	int rc = enter_write();

	(void)path;
	if (rc)
		return rc;
	n = pwrite((int)fi->fh, buf, size, off);
	count(&ctl->writes, &ctl->write_bytes, n);
	return n < 0 ? -errno : (int)n;
}

static int op_statfs(const char *path, struct statvfs *st)
{
	(void)path;
	enter();
	return result(fstatvfs(root_fd, st));
}

static int op_flush(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	enter();
	__atomic_fetch_add(&ctl->flushes, 1, __ATOMIC_RELAXED);
	return result(close(dup((int)fi->fh)));
}

static int op_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	return result(close((int)fi->fh));
}

static int op_lock(const char *path, struct fuse_file_info *fi, int command, struct flock *lock)
{
	int own = command == F_GETLK   ? F_OFD_GETLK
		  : command == F_SETLK ? F_OFD_SETLK
				       : F_OFD_SETLKW;

	(void)path;
	if (command == F_GETLK)
		enter();
	lock->l_pid = 0;
	return result(fcntl((int)fi->fh, own, lock));
}

static int op_fsync(const char *path, int data, struct fuse_file_info *fi)
{
	(void)path;
	enter();
	__atomic_fetch_add(&ctl->syncs, 1, __ATOMIC_RELAXED);
	return result(data ? fdatasync((int)fi->fh) : fsync((int)fi->fh));
}

static int op_opendir(const char *path, struct fuse_file_info *fi)
{
	int fd;
	DIR *dir;

	enter();
	fd = openat(root_fd, rel(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	fi->fh = (uint64_t)(uintptr_t)dir;
	return 0;
}

static int op_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t off,
		      struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	DIR *dir = (DIR *)(uintptr_t)fi->fh;
	struct dirent *e;
	struct stat st;

	(void)path;
	(void)off;
	(void)flags;
	enter();
	rewinddir(dir);
	while ((e = readdir(dir))) {
		memset(&st, 0, sizeof(st));
		st.st_ino = e->d_ino;
		st.st_mode = (mode_t)e->d_type << 12;
		if (fill(buf, e->d_name, &st, 0, 0))
			break;
	}
	return 0;
}

static int op_releasedir(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	return result(closedir((DIR *)(uintptr_t)fi->fh));
}

static int op_fallocate(const char *path, int mode, off_t off, off_t len, struct fuse_file_info *fi)
{
	int rc = enter_write();

	(void)path;
	return rc ? rc : result(fallocate((int)fi->fh, mode, off, len));
}

static off_t op_lseek(const char *path, off_t off, int whence, struct fuse_file_info *fi)
{
	off_t rc;

	(void)path;
	enter();
	rc = lseek((int)fi->fh, off, whence);
	return rc < 0 ? -errno : rc;
}

/* The xattr calls have no *at form: use the path of the root's descriptor in /proc. */
static void fd_path(char *out, size_t size, const char *path)
{
	snprintf(out, size, "/proc/self/fd/%d/%s", root_fd, rel(path));
}

static int op_setxattr(const char *path, const char *name, const char *value, size_t size,
		       int flags)
{
	char full[PATH_MAX + 64];
	int rc = enter_write();

	fd_path(full, sizeof(full), path);
	return rc ? rc : result(lsetxattr(full, name, value, size, flags));
}

/* None with a minimum duration: the kernel would read xattrs before each write. */
static int op_getxattr(const char *path, const char *name, char *value, size_t size)
{
	char full[PATH_MAX + 64];
	ssize_t n;

	if (ctl->delay_ms)
		return -ENOSYS;
	enter();
	fd_path(full, sizeof(full), path);
	n = lgetxattr(full, name, value, size);
	return n < 0 ? -errno : (int)n;
}

static int op_listxattr(const char *path, char *list, size_t size)
{
	char full[PATH_MAX + 64];
	ssize_t n;

	enter();
	fd_path(full, sizeof(full), path);
	n = llistxattr(full, list, size);
	return n < 0 ? -errno : (int)n;
}

static int op_removexattr(const char *path, const char *name)
{
	char full[PATH_MAX + 64];
	int rc = enter_write();

	fd_path(full, sizeof(full), path);
	return rc ? rc : result(lremovexattr(full, name));
}

static const struct fuse_operations ops = {
	.init = op_init,
	.getattr = op_getattr,
	.readlink = op_readlink,
	.mknod = op_mknod,
	.mkdir = op_mkdir,
	.symlink = op_symlink,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.rename = op_rename,
	.link = op_link,
	.chmod = op_chmod,
	.chown = op_chown,
	.truncate = op_truncate,
	.utimens = op_utimens,
	.open = op_open,
	.create = op_create,
	.read = op_read,
	.write = op_write,
	.statfs = op_statfs,
	.flush = op_flush,
	.release = op_release,
	.fsync = op_fsync,
	.lock = op_lock,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.releasedir = op_releasedir,
	.fallocate = op_fallocate,
	.lseek = op_lseek,
	.setxattr = op_setxattr,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
	.removexattr = op_removexattr,
};

static int fail(const char *what, const char *value)
{
	fprintf(stderr, "wekafs: %s: '%s': %s\n", what, value, strerror(errno));
	return 1;
}

static int map_control(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return fail("open", path);
	ctl = mmap(NULL, sizeof(*ctl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return ctl == MAP_FAILED ? fail("mmap", path) : 0;
}

int main(int argc, char **argv)
{
	char options[PATH_MAX];
	char *args[4];

	if (argc != 5 && argc != 6) {
		fputs("usage: wekafs BACKING TARGET CONTROL SOURCE [FLAGS]\n", stderr);
		return 1;
	}
	root_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return fail("open", argv[1]);
	if (map_control(argv[3]))
		return 1;
	umask(0);
	/* The subtype makes mount(8) and umount(8) call mount.fuse.wekafs and
	 * umount.fuse.wekafs, which the stand-in installs, when only the target is named. */
	snprintf(options, sizeof(options),
		 "fsname=%s,subtype=wekafs,allow_other,default_permissions%s%s", argv[4],
		 argc == 6 ? "," : "", argc == 6 ? argv[5] : "");
	args[0] = argv[0];
	args[1] = "-o";
	args[2] = options;
	args[3] = argv[2];
	return fuse_main(4, args, &ops, NULL);
}
