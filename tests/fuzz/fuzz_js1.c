/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody left in AdminComment. An input that begins with '{' is the JSON
 * of a JS1, any other the comment as it stands. */
#include <string.h>
#include <zlib.h>

#include "lib/js1.h"
#include "lib/summary.h"
#include "tests/fuzz/fuzz.h"

static const char one[] = "jobio/1 nodes=1/1 rd=1KiB/3";
static const char two[] = "jobio/1 nodes=2/2";

static char *js1_of(const uint8_t *json, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				     "opqrstuvwxyz0123456789+/";
	z_stream z = { .next_in = (Bytef *)json, .avail_in = (uInt)size };
	size_t room = size + size / 8 + 256, used = 4, i;
	unsigned char *zip = calloc(1, room + 3);
	char *out = malloc(2 * room);
	int shift;

	MUST(zip && out);
	z.next_out = zip;
	z.avail_out = (uInt)room;
	MUST(deflateInit2(&z, 1, Z_DEFLATED, 31, 9, 0) == Z_OK);
	MUST(deflate(&z, Z_FINISH) == Z_STREAM_END);
	memcpy(out, "JS1:", 4);
	for (i = 0; i < z.total_out; i += 3)
		for (shift = 18; shift >= 0; shift -= 6)
			out[used++] = digits[((unsigned int)zip[i] << 16 |
					      (unsigned int)zip[i + 1] << 8 |
					      zip[i + 2]) >>
						     shift &
					     63];
	out[used] = 0;
	deflateEnd(&z);
	free(zip);
	return out;
}

FUZZ(js1)
{
	char *comment = size && *data == '{' ? js1_of(data, size)
					     : fuzz_text(data, size);
	char *first = NULL, *second = NULL, *direct = NULL;
	char found[SUMMARY_MAX];
	struct err why;

	js1_find(comment, found, sizeof(found));
	if (js1_merge(comment, one, &first, &why) == 1) {
		MUST(js1_find(first, found, sizeof(found)) == 1);
		MUST(!strcmp(found, one));
		MUST(js1_merge(first, one, &second, &why) == 0);
		MUST(js1_merge(first, two, &second, &why) == 1);
		MUST(js1_find(second, found, sizeof(found)) == 1);
		MUST(!strcmp(found, two));
		/* nothing of the first is left, nothing of the others lost */
		if (js1_merge(comment, two, &direct, &why) == 1)
			MUST(!strcmp(direct, second));
	}
	free(direct);
	free(second);
	free(first);
	free(comment);
	return 0;
}
