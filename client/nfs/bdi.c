/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The read-ahead of a superblock, below bdi_dir of jobio.conf */
#include <stdio.h>

#include "client/nfs/nfs.h"

void nfs_bdi_path(const struct client *client, const char *device,
		  char path[NFS_BDI_PATH_MAX])
{
	snprintf(path, NFS_BDI_PATH_MAX, "%s/%s/read_ahead_kb",
		 client->section->bdi_dir, device);
}

int nfs_bdi_write(const char *path, const char *kb)
{
	FILE *file = fopen(path, "we");
	int rc = 0;

	if (!file || fprintf(file, "%s\n", kb) < 0)
		rc = -1;
	if (file && fclose(file) != 0)
		rc = -1;
	return rc;
}
