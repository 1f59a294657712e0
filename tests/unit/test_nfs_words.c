/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which options a profile may name for NFS. */
#include <string.h>

#include "lib/nfs_words.h"
#include "tests/unit/runner.h"

#define BY_NUMBER "expected a number within bounds: jobio.conf(5)"
#define BY_VALUE "expected another value: jobio.conf(5)"
#define SHARED                                                                 \
	"a new mount shares it in silence with the old one: set it where the " \
	"server is mounted first"
#define KEPT "it stays as the old mount has it"
#define ERRORS                                                                 \
	"whether errors may reach programs is the site's matter: set it in "   \
	"fstab(5)"
#define LIVE "a live mount takes it: write it into mount_options"
#define ALONE "only with another proto= has a new mount connections of its own"

START_TEST(a_live_mount_takes_seven_words)
{
	ck_assert(nfs_words_is_live("sync"));
	ck_assert(nfs_words_is_live("async"));
	ck_assert(nfs_words_is_live("diratime"));
	ck_assert(!nfs_words_is_live("rsize=65536"));
	ck_assert(!nfs_words_is_live("noatim"));
	ck_assert(!nfs_words_is_live(""));
}
END_TEST

START_TEST(a_new_mount_takes_what_gives_it_a_superblock_of_its_own)
{
	static const char *const lists[] = {
		"",
		"rsize=4096,wsize=4194304",
		"actimeo=0",
		"acregmin=3,acregmax=86400,acdirmin=0,acdirmax=60",
		"noac,nocto,nordirplus",
		"lookupcache=all",
		"lookupcache=none",
		"lookupcache=pos",
		"proto=rdma,port=20049",
		"nconnect=16,proto=tcp",
	};
	char word[NFS_WORD_MAX];
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		ck_assert_msg(!nfs_words_refusal(lists[i], word), "%s",
			      lists[i]);
}
END_TEST

START_TEST(what_would_do_nothing_or_harm_is_refused_with_a_reason)
{
	static const struct {
		const char *list, *word, *why;
	} cases[] = {
		{ "rsize=65536,rsize=4095", "rsize=65536",
		  "it is there twice" },
		{ "rsize=4095", "rsize=4095", BY_NUMBER },
		{ "rsize=65537", "rsize=65537", BY_NUMBER },
		{ "wsize=4198400", "wsize=4198400", BY_NUMBER },
		{ "wsize=", "wsize=", BY_NUMBER },
		{ "wsize", "wsize", BY_NUMBER },
		{ "actimeo=86401", "actimeo=86401", BY_NUMBER },
		{ "noac=1", "noac=1", "it takes no value" },
		{ "lookupcache=some", "lookupcache=some", BY_VALUE },
		{ "lookupcache", "lookupcache", BY_VALUE },
		{ "proto=udp", "proto=udp", BY_VALUE },
		{ "actimeo=1,acregmin=1", "acregmin=1",
		  "actimeo is there, too, which sets it" },
		{ "actimeo=1,noac", "actimeo=1", "noac is there, too" },
		{ "acdirmax=1,noac", "acdirmax=1", "noac is there, too" },
		{ "nconnect=8", "nconnect=8", ALONE },
		{ "rsize=65536,port=20049", "port=20049", ALONE },
		{ "proto=rdma,nconnect=1", "nconnect=1", BY_NUMBER },
		{ "proto=rdma,nconnect=17", "nconnect=17", BY_NUMBER },
		{ "timeo=600", "timeo=600", SHARED },
		{ "retrans=3", "retrans=3", SHARED },
		{ "fsc", "fsc", SHARED },
		{ "soft", "soft", ERRORS },
		{ "softerr", "softerr", ERRORS },
		{ "sec=sys", "sec=sys", KEPT },
		{ "suid", "suid", KEPT },
		{ "dev", "dev", KEPT },
		{ "exec", "exec", KEPT },
		{ "rw", "rw", KEPT },
		{ "vers=3", "vers=3", KEPT },
		{ "addr=192.0.2.1", "addr=192.0.2.1", KEPT },
		{ "sync", "sync", LIVE },
		{ "noatime", "noatime", LIVE },
	};
	char word[NFS_WORD_MAX];
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		why = nfs_words_refusal(cases[i].list, word);
		ck_assert_msg(why != NULL, "%s", cases[i].list);
		ck_assert_str_eq(why, cases[i].why);
		ck_assert_str_eq(word, cases[i].word);
	}
	ck_assert_ptr_nonnull(nfs_words_refusal("x", word));
	ck_assert_str_eq(word, "x");
	ck_assert_str_eq(nfs_words_refusal("nosuch=1", word),
			 "a new NFS mount takes rsize, wsize, actimeo, "
			 "acregmin, acregmax, acdirmin, acdirmax, noac, "
			 "lookupcache, nocto, nordirplus, proto, port and "
			 "nconnect only");
}
END_TEST

START_TEST(a_word_that_is_too_long_is_none)
{
	char word[NFS_WORD_MAX], list[200];

	memset(list, 'r', sizeof(list));
	list[sizeof(list) - 1] = '\0';
	ck_assert_ptr_nonnull(nfs_words_refusal(list, word));
	ck_assert_uint_eq(strlen(word), NFS_WORD_MAX - 1);
}
END_TEST

UNIT_MAIN("nfs_words", a_live_mount_takes_seven_words,
	  a_new_mount_takes_what_gives_it_a_superblock_of_its_own,
	  what_would_do_nothing_or_harm_is_refused_with_a_reason,
	  a_word_that_is_too_long_is_none)
