/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/credential.h"

#include <munge.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/alloc.h"

/* munge_decode(3) sets its context to the credential's cipher and MAC, which the encoder chose, and
 * to none if it fails: so encode with a context of its own. */
struct credential_ctx {
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

struct credential_ctx *credential_ctx_new(const char *munge_socket, struct err *err)
{
	struct credential_ctx *munge = xcalloc(1, sizeof(*munge));

	munge->encode = new_ctx(munge_socket, err);
	munge->decode = munge->encode ? new_ctx(munge_socket, err) : NULL;
	if (!munge->decode) {
		credential_ctx_free(munge);
		return NULL;
	}
	return munge;
}

void credential_ctx_free(struct credential_ctx *munge)
{
	if (!munge)
		return;
	munge_ctx_destroy(munge->encode);
	munge_ctx_destroy(munge->decode);
	free(munge);
}

int credential_encode(struct credential_ctx *munge, const void *data, size_t size, uid_t reader,
		      char **credential, struct err *err)
{
	char *text = NULL;
	munge_err_t rc;

	rc = munge_ctx_set(munge->encode, MUNGE_OPT_UID_RESTRICTION, reader);
	if (rc == EMUNGE_SUCCESS)
		rc = munge_encode(&text, munge->encode, data, (int)size);
	if (rc != EMUNGE_SUCCESS) {
		free(text);
		return fail(munge->encode, rc, err);
	}
	*credential = text;
	return 0;
}

int credential_decode(struct credential_ctx *munge, const char *credential, char **data,
		      size_t *size, uid_t *writer, struct err *err)
{
	void *found = NULL;
	int length = 0;
	munge_err_t rc;
	gid_t gid;
	uid_t uid;

	rc = munge_decode(credential, munge->decode, &found, &length, &uid, &gid);
	if (rc != EMUNGE_SUCCESS && rc != EMUNGE_CRED_REPLAYED) {
		free(found);
		return fail(munge->decode, rc, err);
	}
	*data = found ? found : xcalloc(1, 1); /* it ends with a NUL: munge_decode(3) */
	*size = (size_t)length;
	*writer = uid;
	return 0;
}

int credential_check(const char *munge_socket, struct err *err)
{
	struct credential_ctx *munge = credential_ctx_new(munge_socket, err);
	char *credential = NULL, *data = NULL;
	size_t size;
	uid_t writer;
	int rc = -1;

	if (munge && credential_encode(munge, "x", 1, geteuid(), &credential, err) == 0)
		rc = credential_decode(munge, credential, &data, &size, &writer, err);
	free(credential);
	free(data);
	credential_ctx_free(munge);
	return rc;
}
