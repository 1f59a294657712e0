/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/digest.h"

uint64_t digest_add(uint64_t digest, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes, *end = byte + size;

	for (; byte < end; byte++)
		digest = (digest ^ *byte) * UINT64_C(0x100000001b3);
	return digest;
}
