/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/told.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/rundir.h"

struct told {
	uint32_t is_said;
};

struct told *told_open(const char *run_dir, uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];
	void *page = MAP_FAILED;
	int fd;

	if (rundir_job_file(path, run_dir, job_id, RUNDIR_TOLD, NULL) < 0)
		return NULL;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	/* without room for it the first word would end the task (SIGBUS) */
	if (posix_fallocate(fd, 0, sizeof(struct told)) == 0)
		page = mmap(NULL, sizeof(struct told), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

bool told_claim(struct told *told)
{
	return !told ||
	       !__atomic_exchange_n(&told->is_said, 1, __ATOMIC_SEQ_CST);
}
