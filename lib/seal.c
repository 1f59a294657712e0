/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/seal.h"

#include <munge.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seal {
	munge_ctx_t ctx;
};

struct seal *seal_new(const char *munge_socket, struct err *err)
{
	struct seal *seal = calloc(1, sizeof(*seal));

	if (!seal || !(seal->ctx = munge_ctx_create())) {
		err_set(err, "munge: out of memory");
		free(seal);
		return NULL;
	}
	if (munge_socket && *munge_socket &&
	    munge_ctx_set(seal->ctx, MUNGE_OPT_SOCKET, munge_socket) !=
		    EMUNGE_SUCCESS) {
		err_set(err, "munge: socket '%s': %s", munge_socket,
			munge_ctx_strerror(seal->ctx));
		seal_free(seal);
		return NULL;
	}
	return seal;
}

void seal_free(struct seal *seal)
{
	if (!seal)
		return;
	munge_ctx_destroy(seal->ctx);
	free(seal);
}

static int fail(struct seal *seal, munge_err_t rc, struct err *err)
{
	const char *why = munge_ctx_strerror(seal->ctx);

	return err_set(err, "munge: %s", why ? why : munge_strerror(rc));
}

int seal_close(struct seal *seal, const void *data, size_t size, uid_t reader,
	       char **credential, struct err *err)
{
	char *text = NULL;
	munge_err_t rc;

	rc = munge_ctx_set(seal->ctx, MUNGE_OPT_UID_RESTRICTION, reader);
	if (rc == EMUNGE_SUCCESS)
		rc = munge_encode(&text, seal->ctx, data, (int)size);
	if (rc != EMUNGE_SUCCESS) {
		free(text);
		return fail(seal, rc, err);
	}
	*credential = text;
	return 0;
}

int seal_open(struct seal *seal, const char *credential, char **data,
	      size_t *size, uid_t *writer, struct err *err)
{
	void *found = NULL;
	char *copy;
	int length = 0;
	munge_err_t rc;
	gid_t gid;
	uid_t uid;

	rc = munge_decode(credential, seal->ctx, &found, &length, &uid, &gid);
	if (rc != EMUNGE_SUCCESS && rc != EMUNGE_CRED_REPLAYED) {
		free(found);
		return fail(seal, rc, err);
	}
	copy = calloc(1, (size_t)length + 1);
	if (!copy) {
		free(found);
		return err_set(err, "munge: out of memory");
	}
	if (length)
		memcpy(copy, found, (size_t)length);
	free(found);
	*data = copy;
	*size = (size_t)length;
	*writer = uid;
	return 0;
}

int seal_check(const char *munge_socket, struct err *err)
{
	struct seal *seal = seal_new(munge_socket, err);
	char *credential = NULL, *data = NULL;
	size_t size;
	uid_t writer;
	int rc = -1;

	if (seal && seal_close(seal, "x", 1, geteuid(), &credential, err) == 0)
		rc = seal_open(seal, credential, &data, &size, &writer, err);
	free(credential);
	free(data);
	seal_free(seal);
	return rc;
}
