/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/seal.h"

#include <munge.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/alloc.h"

/* munge_decode(3) sets its context to the credential's cipher and MAC, which the encoder chose, and
 * to none if it fails: so encode with a context of its own. */
struct seal {
	munge_ctx_t encode, decode;
};

static int fail(munge_ctx_t ctx, munge_err_t rc, struct err *err)
{
	const char *why = munge_ctx_strerror(ctx);

	return err_set(err, "munge: %s", why ? why : munge_strerror(rc));
}

static munge_ctx_t new_ctx(const char *munge_socket, struct err *err)
{
	munge_ctx_t ctx = xneed(munge_ctx_create());

	if (munge_socket && *munge_socket &&
	    munge_ctx_set(ctx, MUNGE_OPT_SOCKET, munge_socket) != EMUNGE_SUCCESS) {
		err_set(err, "munge: socket '%s': %s", munge_socket, munge_ctx_strerror(ctx));
		munge_ctx_destroy(ctx);
		return NULL;
	}
	return ctx;
}

struct seal *seal_new(const char *munge_socket, struct err *err)
{
	struct seal *seal = xcalloc(1, sizeof(*seal));

	seal->encode = new_ctx(munge_socket, err);
	seal->decode = seal->encode ? new_ctx(munge_socket, err) : NULL;
	if (!seal->decode) {
		seal_free(seal);
		return NULL;
	}
	return seal;
}

void seal_free(struct seal *seal)
{
	if (!seal)
		return;
	munge_ctx_destroy(seal->encode);
	munge_ctx_destroy(seal->decode);
	free(seal);
}

int seal_close(struct seal *seal, const void *data, size_t size, uid_t reader, char **credential,
	       struct err *err)
{
	char *text = NULL;
	munge_err_t rc;

	rc = munge_ctx_set(seal->encode, MUNGE_OPT_UID_RESTRICTION, reader);
	if (rc == EMUNGE_SUCCESS)
		rc = munge_encode(&text, seal->encode, data, (int)size);
	if (rc != EMUNGE_SUCCESS) {
		free(text);
		return fail(seal->encode, rc, err);
	}
	*credential = text;
	return 0;
}

int seal_open(struct seal *seal, const char *credential, char **data, size_t *size, uid_t *writer,
	      struct err *err)
{
	void *found = NULL;
	int length = 0;
	munge_err_t rc;
	gid_t gid;
	uid_t uid;

	rc = munge_decode(credential, seal->decode, &found, &length, &uid, &gid);
	if (rc != EMUNGE_SUCCESS && rc != EMUNGE_CRED_REPLAYED) {
		free(found);
		return fail(seal->decode, rc, err);
	}
	*data = found ? found : xcalloc(1, 1); /* it ends with a NUL: munge_decode(3) */
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
