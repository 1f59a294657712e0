/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a page looks, section by section; as a whole, and in a browser: page.bats. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/jobs_page.h"
#include "report/page.h"
#include "report/page_out.h"
#include "tests/unit/records.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"
#include "tests/unit/tempdir.h"

#define START 1795224862

#define PLAIN                                                                                      \
	"jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=1/1 cores=- cpus=- prof=- fs=- "                        \
	"scope=job src=bpf q=-"

static void summarize(const char *text)
{
	struct err err = { "" };

	report.summary_text = (char *)text;
	ck_assert_msg(summary_parse(text, &report.summary, &err) == 0, "%s", err.text);
}

static void begin(const char *summary)
{
	memset(&report, 0, sizeof(report));
	report.id = (char *)"7";
	report.source = "ledger";
	report.limits = &limits;
	report.advice = ADVICE_WANT_NONE;
	slurm = (struct sacct_row){ .id = "7",
				    .user = "alice",
				    .account = "lab",
				    .partition = "gpu",
				    .name = "train",
				    .state = "COMPLETED",
				    .signal = RECORD_UNKNOWN,
				    .start = START,
				    .end = START + 3600,
				    .elapsed_s = 3600,
				    .nodes = RECORD_UNKNOWN };
	setenv("TZ", "UTC", 1);
	tzset();
	summarize(summary);
}

/* One of node cN that says these more. */
__attribute__((format(printf, 1, 2))) static void add(const char *more, ...)
{
	char *text = NULL, *all = NULL;
	va_list args;

	va_start(args, more);
	ck_assert_int_ge(vasprintf(&text, more, args), 0);
	va_end(args);
	ck_assert_int_ge(
		asprintf(
			&all,
			"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c%zu\",\"uid\":1000,\"start\":%d,\"end\":%d%s%s}",
			report.record_count + 1, START, START + 100, *text ? "," : "", text),
		0);
	records_take(all);
	free(text);
	free(all);
}

/* From the words 'from', the first ones, up to the next of 'to'; caller frees. */
static char *part(const char *from, const char *to)
{
	char *text = page_text(&report), *first, *last;

	first = strstr(text, from);
	last = first ? strstr(first, to) : NULL;
	if (last) {
		last[0] = '\0';
		memmove(text, first, strlen(first) + 1);
	} else {
		*text = '\0';
	}
	return text;
}

static char *section(const char *title)
{
	char from[64];

	snprintf(from, sizeof(from), "<section>\n<h2>%s</h2>", title);
	return part(from, "</section>");
}

/* What stands in front of all sections. */
static char *head(void)
{
	return part("<main>", "<section>");
}

/* As somebody looked at it last. Takes the text. */
static void expect_kept(const char *name, char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "report/%s.golden", name);
	sample_kept(path, text);
	free(text);
}

static size_t times(const char *text, const char *word)
{
	size_t count = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		count++;
	}
	return count;
}

/* Takes the text. */
static void expect_times(char *text, size_t count, const char *word)
{
	size_t found = times(text, word);

	ck_assert_msg(found == count, "%zu times '%s' in\n%s", found, word, text);
	free(text);
}

#define APP(more) "\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\"" more "}]"

/* ---- the head ----------------------------------------------------------------- */

START_TEST(the_head_says_who_what_and_what_was_not_given)
{
	char *text;

	begin("jobio/1 not=profile rd=1KiB/3 wr=2KiB/4 of=all_files nodes=2/3 cores=1 cpus=7 prof=stream fs=/a:nfs scope=node src=exit q=all_files,aio_missing meta=12 miss=c3");
	report.source = "sacct";
	strcpy(report.why_not_ledger, "no <ledger>");
	report.cluster = (char *)"c";
	report.slurm = &slurm;
	slurm.exit_code = 3;
	slurm.signal = 9;
	slurm.state = "FAILED";
	expect_kept("head.html", head());
	expect_kept("about.html", section("About these numbers"));
	slurm.signal = 1;
	expect_times(head(), 1, "<dd>3, signal 1</dd>");
	slurm.signal = 0;
	slurm.state = "PENDING";
	expect_times(head(), 1, "<dd>3</dd>");
	expect_times(head(), 1, "<dd class=\"dim\">PENDING</dd>");
	slurm.exit_code = 0;
	slurm.state = "COMPLETED";
	expect_times(head(), 1, "<dd>0</dd>");
	expect_times(head(), 1, "<dd class=\"good\">COMPLETED</dd>");
	slurm.exit_code = RECORD_UNKNOWN;
	expect_times(head(), 0, "Exit code");
	/* what is not known is not there */
	begin("jobio/1 rd=-/- wr=-/- nodes=-/- cores=- cpus=- prof=- fs=- scope=- src=- q=- meta=0");
	text = head();
	ck_assert_str_eq(text, "<main>\n<h1>Job 7</h1>\n<dl>\n</dl>\n<dl class=\"big\">\n"
			       "<div><dt>Read</dt><dd>unknown</dd></div>\n"
			       "<div><dt>Written</dt><dd>unknown</dd></div>\n"
			       "<div><dt>Metadata operations</dt><dd>0</dd></div>\n"
			       "</dl>\n");
	free(text);
	report.left_out = 12;
	expect_times(section("About these numbers"), 1,
		     "<li>12 records are not shown: they do not fit into the answer</li>");
	/* without a name there is no colon, and of all nodes one number */
	begin(PLAIN);
	report.slurm = &slurm;
	slurm.name = "";
	expect_times(head(), 1, "<h1>Job 7</h1>");
	expect_times(head(), 1, "<dt>Nodes</dt><dd>1</dd>");
	expect_times(head(), 0, "Metadata");
	expect_times(head(), 0, "NODE-WIDE");
	expect_times(head(), 0, "pipes");
}
END_TEST

START_TEST(a_time_of_1970_is_one)
{
	begin(PLAIN);
	report.source = "sacct";
	report.slurm = &slurm;
	slurm.start = 0;
	slurm.end = 100;
	expect_times(head(), 1, "<dd>1970-01-01 00:00:00</dd>");
	slurm.start = slurm.end = slurm.elapsed_s = RECORD_UNKNOWN;
	expect_times(head(), 0, "<dt>From</dt>");
	expect_times(head(), 0, "<dt>Elapsed</dt>");
}
END_TEST

START_TEST(advice_is_a_list_or_a_sentence)
{
	begin(PLAIN);
	report.advice = ADVICE_WANT_FIRST;
	expect_times(section("Advice"), 0, "<h2>"); /* of no records, none */
	add(APP(",\"read_bytes\":1,\"read_calls\":1"));
	expect_times(section("Advice"), 1, "<p>Too little to judge.</p>");
	expect_times(section("Advice"), 0, "<ol");
	report.advice = ADVICE_WANT_NONE;
	expect_times(section("Advice"), 0, "<h2>");
	records_end();
}
END_TEST

/* One of the vm's, whose numbers are old. */
static void add_sample(const char *name)
{
	char *text = sample_read(name);

	records_take(text);
	free(text);
}

START_TEST(advice_is_told_with_its_reason_and_cure)
{
	begin(PLAIN);
	config_advice_init(&limits);
	report.advice = ADVICE_WANT_FIRST;
	add_sample("advice/A01-small-reads.json");
	expect_kept("advice.html", section("Advice"));
	records_end();
	add_sample("advice/none-stream.json");
	expect_times(section("Advice"), 1, "<p>Nothing to change.</p>");
	expect_times(section("Advice"), 0, "<ol");
	expect_times(section("Advice"), 0, "</ol");
	records_end();
	/* of a job of which nodes are missing that asks for all of them */
	summarize("jobio/1 rd=-/- wr=-/- nodes=1/2 cores=- cpus=- prof=- fs=- scope=- src=- q=-");
	add_sample("advice/A01-small-reads.json");
	expect_times(section("Advice"), 1, "<li><p><strong>");
	records_end();
}
END_TEST

/* ---- when, where ---------------------------------------------------------------- */

START_TEST(what_was_moved_is_drawn_over_the_time_of_the_job)
{
	begin(PLAIN);
	add(APP(",\"read_bytes\":501,\"write_bytes\":200,\"read_calls\":3,\"write_calls\":2,\"timeline\":{\"start\":1795224848,\"width_s\":16,\"read_bytes\":[100,0,400,1],\"write_bytes\":[0,0,200],\"calls\":[1,0,3,1]}"));
	expect_kept("when.html", section("When"));
	records_end();
	/* what was written counts as well; a line without bytes has no picture */
	begin(PLAIN);
	add(APP(",\"read_bytes\":0,\"write_bytes\":1024,\"write_calls\":1,\"timeline\":{\"start\":1795224832,\"width_s\":64,\"read_bytes\":[0],\"write_bytes\":[1024],\"calls\":[1]}"));
	expect_times(section("When"), 1, "; at most 1KiB in one.");
	records_end();
	begin(PLAIN);
	add(APP(",\"read_bytes\":0,\"read_calls\":1,\"timeline\":{\"start\":1795224832,\"width_s\":64,\"read_bytes\":[0],\"write_bytes\":[0],\"calls\":[1]}"));
	expect_times(section("When"), 0, "<svg");
	records_end();
	begin(PLAIN);
	add(APP(",\"read_bytes\":5"));
	expect_times(section("When"), 0, "<h2>");
	records_end();
	/* of a node's lines some have no time, and another node has more */
	begin(PLAIN);
	add("\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/b\",\"read_bytes\":5}],\"wire\":[{\"scope\":\"node\",\"source\":\"nfs\",\"fs\":\"/b\",\"read_bytes\":5}]");
	add(APP(",\"read_bytes\":500,\"read_calls\":4,\"timeline\":{\"start\":1795224848,\"width_s\":16,\"read_bytes\":[100,0,400],\"write_bytes\":[0],\"calls\":[1,0,3]},\"write_sizes\":[0,0,7]"));
	expect_times(section("When"), 1, "<svg");
	expect_times(section("Filesystems"), 2, "<div class=\"two\">");
	expect_times(section("Filesystems"), 1, "<h3>Sizes of writes: /a");
	expect_times(section("Filesystems"), 1, "<h3>");
	records_end();
}
END_TEST

START_TEST(each_filesystem_has_its_numbers_sizes_and_times)
{
	begin(PLAIN);
	add("\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":2048,\"read_calls\":2,\"write_bytes\":1,\"write_calls\":1,\"read_us\":0,\"write_us\":1500,\"meta\":{\"open\":3,\"create\":0,\"stat\":1},\"read_sizes\":[0,0,1,0,1000],\"write_sizes\":[1],\"read_ns\":[0,4],\"write_ns\":[1,1,1,1,1,1,1,1,1,1]},{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/b\",\"read_bytes\":0,\"read_calls\":1,\"write_bytes\":5,\"write_calls\":0,\"meta\":{\"open\":0}},{\"scope\":\"job\",\"source\":\"stepd\",\"read_bytes\":1}],\"wire\":[{\"scope\":\"node\",\"source\":\"nfs\",\"fs\":\"/a\",\"read_bytes\":4096,\"read_us\":9223372036854775}]");
	expect_kept("filesystems.html", section("Filesystems"));
	records_end();
	begin(PLAIN);
	expect_times(section("Filesystems"), 0, "<h2>");
	report.left_out = 1; /* of some records alone there are no sums */
	add(APP(",\"read_bytes\":5"));
	expect_times(section("Filesystems"), 0, "<h2>");
	records_end();
}
END_TEST

START_TEST(the_last_number_of_a_histogram_stands_at_its_end)
{
	begin(PLAIN);
	add(APP(",\"read_bytes\":5,\"read_calls\":4,\"read_sizes\":[0,1,1,1,1]"));
	expect_times(section("Filesystems"), 1, "<text x=\"160\" y=\"86\" text-anchor=\"end\">");
	records_end();
	begin(PLAIN);
	add(APP(",\"read_bytes\":5,\"read_calls\":3,\"read_sizes\":[0,1,1,1]"));
	expect_times(section("Filesystems"), 1, "<text x=\"140\" y=\"86\" text-anchor=\"end\">");
	records_end();
	/* numbers go no further */
	begin(PLAIN);
	add(APP(",\"read_bytes\":5,\"read_calls\":1,\"read_sizes\":[" ZEROS_60 "0,0,0,1]"));
	expect_times(section("Filesystems"), 1, "from 4EiB to 4EiB, each");
	records_end();
	/* twelve share the width */
	begin(PLAIN);
	add(APP(",\"read_bytes\":5,\"read_calls\":12,\"read_sizes\":[0,0,1,1,1,1,1,1,1,1,1,1,1,1]"));
	expect_times(section("Filesystems"), 1, "<text x=\"350\" y=\"86\" text-anchor=\"end\">");
	records_end();
}
END_TEST

/* A node with so many filesystems. */
static void add_filesystems(int count)
{
	char list[6000] = "", one[100];
	int i;

	for (i = 0; i < count; i++) {
		snprintf(one, sizeof(one),
			 "%s{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/%d\",\"read_bytes\":1}",
			 i ? "," : "", i);
		strcat(list, one);
	}
	add("\"app\":[%s],\"wire\":[{\"scope\":\"node\",\"source\":\"nfs\"}]", list);
}

START_TEST(of_many_filesystems_some_are_drawn_and_the_rest_is_counted)
{
	begin(PLAIN);
	add_filesystems(12);
	expect_times(section("Filesystems"), 12, "<div class=\"two\">");
	records_end();
	begin(PLAIN);
	add_filesystems(13);
	expect_times(section("Filesystems"), 12, "<div class=\"two\">");
	expect_times(section("Filesystems"), 13, "<tr><th scope=\"row\">/");
	expect_times(section("Filesystems"), 0, " more of its nodes");
	records_end();
	begin(PLAIN);
	add_filesystems(64);
	expect_times(section("Filesystems"), 1, "<p>and 1 more of its nodes</p>");
	records_end();
}
END_TEST

/* ---- nodes ---------------------------------------------------------------------- */

START_TEST(nodes_are_squares_in_rows_the_darker_the_more_they_moved)
{
	int i;

	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=52/52 cores=- cpus=- prof=- fs=- scope=job src=bpf q=- imb=1.52@c2 slow=4.1s@c1");
	for (i = 0; i < 8; i++)
		add("\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":%d,\"write_bytes\":%d},{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/b\",\"write_bytes\":%d}]",
		    512 * i, 512 * i, 7 - i);
	while (report.record_count < 52)
		add("\"app\":[]");
	expect_kept("nodes.html", section("Nodes"));
	summarize(PLAIN);
	expect_times(section("Nodes"), 0, "<p>The ");
	while (report.record_count > 50)
		record_free(records[--report.record_count]);
	expect_times(section("Nodes"), 2, "viewBox=\"0 0 720 14\"");
	records_end();
}
END_TEST

START_TEST(nodes_that_moved_nothing_are_no_picture)
{
	begin(PLAIN);
	add(APP(",\"read_bytes\":0,\"read_calls\":1"));
	add(APP(",\"read_bytes\":0,\"read_calls\":1"));
	expect_times(section("Nodes"), 0, "<svg");
	records_end();
	begin(PLAIN);
	add(APP(",\"read_bytes\":0,\"read_calls\":1"));
	add(APP(",\"read_bytes\":1,\"read_calls\":1"));
	expect_times(section("Nodes"), 1, "<svg");
	records_end();
}
END_TEST

START_TEST(one_node_is_no_picture_and_of_many_filesystems_three_are)
{
	begin(PLAIN);
	add_filesystems(4);
	expect_times(section("Nodes"), 0, "<h2>");
	add_filesystems(4);
	expect_times(section("Nodes"), 3, "<h3>/");
	expect_times(section("Nodes"), 1,
		     "<th scope=\"col\">Read 3</th><th scope=\"col\">Written 3</th></tr>");
	records_end();
	begin(PLAIN);
	add(APP(",\"read_bytes\":5"));
	add(APP(",\"read_bytes\":0"));
	expect_times(
		section("Nodes"), 1,
		"<th scope=\"col\">Node</th><th scope=\"col\">Read</th><th scope=\"col\">Written</th></tr>");
	records_end();
	/* a name, a source and a scope make it the same */
	begin(PLAIN);
	add("\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":1}]");
	add("\"app\":[{\"scope\":\"job\",\"source\":\"exit\",\"fs\":\"/a\",\"read_bytes\":2}]");
	add("\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"read_bytes\":4}]");
	expect_times(
		section("Nodes"), 1,
		"<tr><td>c1</td><td>1B</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td></tr>\n"
		"<tr><td>c2</td><td>-</td><td>-</td><td>2B</td><td>-</td><td>-</td><td>-</td></tr>\n"
		"<tr><td>c3</td><td>-</td><td>-</td><td>-</td><td>-</td><td>4B</td><td>-</td></tr>");
	records_end();
}
END_TEST

/* ---- cores ------------------------------------------------------------------------ */

#define CORES(cpus) "\"io_cores\":{\"count\":1,\"abstract\":\"1\",\"os_cpus\":\"" cpus "\"}"
#define CLIENT(name, cpus, cards, nodes)                                                           \
	"{\"name\":\"" name "\",\"type\":\"weka\",\"version\":\"4.4\","                            \
	"\"cpus\":" cpus ",\"card\":{\"names\":\"" cards "\",\"numa_nodes\":\"" nodes              \
	"\"},\"mounts\":[]}"
#define LONG_40 "a123456789b123456789c123456789d123456789"
#define LONG_60 LONG_40 "e123456789f123456789"

START_TEST(nodes_that_look_the_same_are_drawn_once)
{
	begin(PLAIN);
	/* neither reserved nor a client's: not drawn */
	add("\"machine\":{\"job_cpus\":\"0-3\",\"parts\":[]}");
	/* without parts: up to the last CPU that is known */
	add(CORES("3"));
	add(CORES("3"));
	/* a socket of two NUMA nodes, and one of one; two clients' cards */
	add(CORES("1,33") ",\"machine\":{\"job_cpus\":\"0,2-31,34-35\",\"parts\":[{\"socket\":0,\"numa_node\":0,\"cpus\":\"0-33\"},{\"socket\":0,\"numa_node\":1,\"cpus\":\"34-35\"},{\"socket\":1,\"numa_node\":2,\"cpus\":\"36\"}]},\"client\":" CLIENT(
		"a", "\"1,36\"", "ib0", "0") ",\"more_clients\":[" CLIENT("", "null", LONG_60,
									  "0-1") "]");
	/* parts of which neither is known */
	add(CORES("1") ",\"machine\":{\"job_cpus\":\"1\",\"parts\":[{\"socket\":null,\"numa_node\":null,\"cpus\":\"0-1\"},{\"socket\":null,\"numa_node\":1,\"cpus\":\"2\"}]},\"client\":" CLIENT(
		"a", "null", LONG_60 "x", "1"));
	/* a client's, and nothing is reserved */
	add("\"client\":" CLIENT("a", "\"0\"", "ib0", "0"));
	expect_kept("cores.html", section("Cores"));
	add(CORES("4"));
	add(CORES("5"));
	expect_times(section("Cores"), 4, "<svg");
	expect_times(section("Cores"), 1, "<p>and 2 nodes that look otherwise</p>");
	records_end();
}
END_TEST

#define PARTS(socket, numa, cpus)                                                                  \
	",\"machine\":{\"job_cpus\":null,\"parts\":[{\"socket\":" socket ",\"numa_node\":" numa    \
	",\"cpus\":\"" cpus "\"}]}"

START_TEST(nodes_that_differ_in_anything_drawn_are_other_kinds)
{
	static const char *const others[] = {
		CORES("2") PARTS("0", "0", "0-3"),
		CORES("1") PARTS("1", "0", "0-3"),
		CORES("1") PARTS("0", "1", "0-3"),
		CORES("1") PARTS("0", "0", "0-2"),
		CORES("1"),
		CORES("1") PARTS("0", "0", "0-3") ",\"client\":" CLIENT("a", "null", "ib0", "0"),
		CORES("1") PARTS("0", "0", "0-3"), /* the same */
	};
	size_t i, last = sizeof(others) / sizeof(others[0]) - 1;

	for (i = 0; i <= last; i++) {
		begin(PLAIN);
		add("%s", others[last]);
		add("%s", others[i]);
		expect_times(section("Cores"), i == last ? 1 : 2, "<svg");
		records_end();
	}
	begin(PLAIN);
	add(CORES("1") ",\"client\":" CLIENT("a", "null", "ib0", "0"));
	add(CORES("1") ",\"client\":" CLIENT("a", "null", "ib1", "0"));
	add(CORES("1") ",\"client\":" CLIENT("a", "null", "ib0", "1"));
	add(CORES("1") ",\"client\":" CLIENT("b", "null", "ib0", "0"));
	expect_times(section("Cores"), 3, "<svg");
	records_end();
}
END_TEST

START_TEST(the_key_has_what_any_of_the_nodes_has)
{
	begin(PLAIN);
	add(CORES("1") ",\"machine\":{\"job_cpus\":\"0\",\"parts\":[{\"socket\":0,\"numa_node\":0,\"cpus\":\"0-3\"}]},\"client\":" CLIENT(
		"a", "null", "ib0", "0"));
	add(CORES("2"));
	expect_times(section("Cores"), 1, "<span class=\"kj\">");
	expect_times(section("Cores"), 1, "<span class=\"kn\">");
	records_end();
	begin(PLAIN);
	add(CORES("2"));
	expect_times(section("Cores"), 0, "<span class=\"kj\">");
	expect_times(section("Cores"), 0, "<span class=\"kn\">");
	records_end();
}
END_TEST

START_TEST(a_socket_of_one_numa_node_is_named_alone)
{
	begin(PLAIN);
	add(CORES(
		"5") ",\"machine\":{\"job_cpus\":null,\"parts\":[{\"socket\":0,\"numa_node\":0,\"cpus\":\"0-3\"},{\"socket\":1,\"numa_node\":1,\"cpus\":\"4-7\"}]}");
	expect_times(section("Cores"), 0, "NUMA node");
	records_end();
	begin(PLAIN);
	add(CORES(
		"5") ",\"machine\":{\"job_cpus\":null,\"parts\":[{\"socket\":0,\"numa_node\":0,\"cpus\":\"0-3\"},{\"socket\":0,\"numa_node\":1,\"cpus\":\"4-7\"}]}");
	expect_times(section("Cores"), 3, "Socket 0, NUMA node 1");
	records_end();
}
END_TEST

START_TEST(a_label_has_seventy_letters_of_a_card)
{
	begin(PLAIN);
	add(CORES("1")
		    PARTS("0", "0", "0-3") ",\"client\":" CLIENT("abcdef", "null", LONG_60, "0"));
	expect_times(section("Cores"), 1, ">card " LONG_60 " of abcdef</text>");
	records_end();
	begin(PLAIN);
	add(CORES("1")
		    PARTS("0", "0", "0-3") ",\"client\":" CLIENT("abcdefg", "null", LONG_60, "0"));
	expect_times(section("Cores"), 1, ">card " LONG_60 " of abcdef..</text>");
	records_end();
}
END_TEST

START_TEST(the_last_cpu_that_is_drawn_is_the_512th)
{
	begin(PLAIN);
	add(CORES(
		"510-513") ",\"machine\":{\"job_cpus\":\"500-600\",\"parts\":[{\"socket\":0,\"numa_node\":0,\"cpus\":\"0-600\"}]}");
	expect_times(section("Cores"), 1, "viewBox=\"0 0 720 384\"");
	expect_times(section("Cores"), 1,
		     "<path class=\"c1\" d=\"M664 348h20v20h-20zM686 348h20v20h-20z\"/>");
	expect_times(section("Cores"), 1, "middle\">511</text>");
	expect_times(section("Cores"), 0, "middle\">512</text>");
	expect_times(section("Cores"), 1, "<path class=\"cj\" d=\"M446 363h258v3h-258z\"/>");
	records_end();
	/* without parts a CPU that is not drawn is none */
	begin(PLAIN);
	add(CORES("511-512"));
	expect_times(section("Cores"), 1, "<td>CPUs 0 to 511</td>");
	records_end();
}
END_TEST

/* ---- its file ------------------------------------------------------------------- */

static int saved(const char *file, const char *text, struct err *err)
{
	struct page page = { 0 };

	page_open(&page);
	page_put(&page, text);
	return page_save(file, &page, err);
}

START_TEST(a_page_is_written_with_the_rights_that_the_umask_leaves)
{
	struct err err = { "" };
	const char *file;
	struct stat st;

	tempdir_make();
	umask(027);
	file = tempdir_path("page");
	ck_assert_int_eq(saved(file, "one", &err), 0);
	tempdir_expect("page", "one");
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0640);
	ck_assert_uint_eq(umask(022), 027);
	/* whoever reads it has one or the other */
	ck_assert_int_eq(link(file, tempdir_path("old")), 0);
	ck_assert_int_eq(saved(file, "two", &err), 0);
	tempdir_expect("page", "two");
	tempdir_expect("old", "one");
	ck_assert_int_eq(saved(tempdir_path("no/page"), "", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "No such file or directory"));
	tempdir_remove();
}
END_TEST

/* /dev/stdout is one. */
START_TEST(a_link_and_a_device_stay_what_they_are)
{
	struct err err = { "" };
	char said[600];
	const char *to;
	struct stat st;

	tempdir_make();
	to = tempdir_path("link");
	ck_assert_int_eq(symlink(tempdir_path("page"), to), 0);
	ck_assert_int_eq(saved(to, "one", &err), 0);
	ck_assert_str_eq(err.text, "");
	tempdir_expect("page", "one");
	ck_assert(lstat(to, &st) == 0 && S_ISLNK(st.st_mode));
	ck_assert_int_eq(saved("/dev/full", "one", &err), -1);
	ck_assert_str_eq(err.text, "cannot write '/dev/full': No space left on device");
	ck_assert_int_eq(unlink(to), 0);
	ck_assert_int_eq(symlink(tempdir_path("no/page"), to), 0);
	ck_assert_int_eq(saved(to, "one", &err), -1);
	snprintf(said, sizeof(said), "cannot write '%s': No such file or directory", to);
	ck_assert_str_eq(err.text, said);
	tempdir_remove();
}
END_TEST

START_TEST(no_character_that_hides_text_gets_into_a_page)
{
	begin(PLAIN);
	report.slurm = &slurm;
	slurm.name = "a\xe2\x80\xae"
		     "b\xff"
		     "c";
	expect_times(head(), 1, "<h1>Job 7: a?b?c</h1>");
}
END_TEST

/* ---- of all nodes ----------------------------------------------------------------- */

#define MOUNTED                                                                                    \
	"\"client\":{\"name\":\"home\",\"type\":\"nfs\",\"version\":\"4.2\","                      \
	"\"cpus\":\"\",\"mounts\":[{\"mount\":\"/a\",\"fstype\":\"nfs4\","                         \
	"\"source\":\"s:/\"}]}"

/* What nodes say that did not report may change it. */
START_TEST(nodes_are_compared_when_all_of_them_have_reported)
{
	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=2/2 cores=- cpus=- prof=- fs=- scope=job src=bpf q=-");
	config_advice_init(&limits);
	limits.min_mib = 1;
	report.advice = ADVICE_WANT_FIRST;
	add(MOUNTED "," APP(
		",\"read_bytes\":45056000,\"read_calls\":11000,\"write_bytes\":0,\"write_calls\":0,\"read_us\":1600000000,\"read_sizes\":[0,0,0,0,0,0,0,0,0,0,0,0,11000]"));
	add(MOUNTED);
	expect_times(section("Advice"), 2, "<li>");
	expect_times(section("Advice"), 1, "A26, ");
	expect_times(section("Advice"), 1, "</ol>");
	report.summary.nodes_seen = 1;
	expect_times(section("Advice"), 0, "A26, ");
	report.summary.nodes_expected = 0;
	expect_times(section("Advice"), 1, "A26, ");
	report.summary.nodes_seen = 2;
	report.left_out = 1;
	expect_times(section("Advice"), 0, "A26, ");
	records_end();
}
END_TEST

START_TEST(one_of_something_is_drawn)
{
	begin(PLAIN);
	add(APP(",\"read_bytes\":1,\"read_calls\":1,\"meta\":{\"open\":1},\"read_sizes\":[1],\"write_sizes\":[0],\"timeline\":{\"start\":1795224848,\"width_s\":16,\"read_bytes\":[1],\"write_bytes\":[],\"calls\":[1]}"));
	expect_times(section("When"), 1, "at most 1B in one.");
	expect_times(section("Filesystems"), 1, "<h3>Sizes of reads");
	expect_times(section("Filesystems"), 0, "<h3>Sizes of writes");
	expect_times(section("Filesystems"), 1, "<td>open</td><td>1</td>");
	records_end();
	begin(PLAIN);
	report.source = "sacct";
	report.slurm = &slurm;
	slurm.elapsed_s = 1;
	expect_times(head(), 1, "<dt>Elapsed</dt><dd>00:00:01</dd>");
	report.summary.nodes_expected = report.summary.nodes_seen = 0;
	expect_times(head(), 1, "<dt>Nodes</dt><dd>0</dd>");
	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=2/2 cores=- cpus=- prof=- fs=- scope=job src=bpf q=- imb=1.00@c2 slow=0ns@c1");
	while (report.record_count < 51)
		add(APP(",\"read_bytes\":5"));
	expect_times(section("Nodes"), 1, "viewBox=\"0 0 720 28\"");
	expect_times(section("Nodes"), 1,
		     "<p>The busiest node, c2, moved 1.00 times as much as the mean one.</p>");
	expect_times(section("Nodes"), 1, "read and write calls: 0ns.</p>");
	records_end();
}
END_TEST

START_TEST(what_is_small_has_a_pixel_at_least)
{
	begin(PLAIN);
	add(APP(",\"read_bytes\":1021,\"read_calls\":3,\"read_sizes\":[1,20,1000],\"timeline\":{\"start\":1795224848,\"width_s\":16,\"read_bytes\":[1,20,1000],\"write_bytes\":[],\"calls\":[1,1,1]}"));
	expect_times(
		section("When"), 1,
		"M70 69h80.25v1h-80.25zM151.2 68.6h80.25v1.4h-80.25zM232.5 0h80.25v70h-80.25z");
	expect_times(section("Filesystems"), 1,
		     "M0 69h39v1h-39zM40 68.6h39v1.4h-39zM80 0h39v70h-39z");
	records_end();
}
END_TEST

/* Each direction of the longest timeline has rows of its own. */
START_TEST(what_was_written_first_is_not_read_last)
{
	char zeros[2 * TIMELINE_ROWS] = "", *text, *path;
	int i;

	for (i = 1; i < TIMELINE_ROWS; i++)
		strcat(zeros, "0,");
	begin(PLAIN);
	add(APP(",\"read_bytes\":5,\"write_bytes\":3,\"timeline\":{\"start\":%d,\"width_s\":2,\"read_bytes\":[%s5],\"write_bytes\":[3],\"calls\":[]}"),
	    START, zeros);
	text = section("When");
	path = strstr(text, "<path class=\"rd\"");
	ck_assert_ptr_nonnull(path);
	*strchr(path, '>') = '\0';
	ck_assert_uint_eq(times(path, "M"), 1);
	free(text);
	records_end();
}
END_TEST

/* ---- which nodes look the same ----------------------------------------------------- */

#define TWO_PARTS(job, second)                                                                     \
	",\"machine\":{\"job_cpus\":\"" job                                                        \
	"\",\"parts\":[{\"socket\":0,\"numa_node\":0,\"cpus\":\"0-3\"},{"                          \
	"\"socket\":1,\"numa_node\":1,\"cpus\":\"" second "\"}]}"
#define BARE(name, cpus)                                                                           \
	"{\"name\":\"" name "\",\"type\":\"weka\",\"version\":null,\"cpus\":" cpus ",\"mounts\":[]}"

static void expect_kinds(const char *one, const char *other, size_t count)
{
	begin(PLAIN);
	add("%s", one);
	add("%s", other);
	expect_times(section("Cores"), count, "<svg");
	records_end();
}

START_TEST(nodes_are_the_same_when_all_parts_clients_and_cpus_are)
{
#define NODE(job, second, cpu, card)                                                               \
	CORES("1")                                                                                 \
	TWO_PARTS(job, second)                                                                     \
	",\"client\":" CLIENT("a", "\"1\"", "ib0",                                                 \
			      "0") ",\"more_clients\":[" CLIENT("b", cpu, card, "1") "]"
	static const char one[] = NODE("0", "4-7", "\"2\"", "ib1");

	expect_kinds(one, one, 1);
	expect_kinds(one, NODE("0", "4-6", "\"2\"", "ib1"), 2);
	expect_kinds(one, NODE("0", "4-7", "\"2\"", "ib2"), 2);
	expect_kinds(one, NODE("0", "4-7", "\"3\"", "ib1"), 2);
	expect_kinds(one, NODE("2", "4-7", "\"2\"", "ib1"), 2);
}
END_TEST

START_TEST(without_parts_cpus_are_drawn_up_to_the_last_that_is_known)
{
	begin(PLAIN);
	add(CORES("0"));
	expect_times(section("Cores"), 1, "<td>CPUs 0 to 0</td>");
	records_end();
	begin(PLAIN);
	add(CORES("1") ",\"client\":" BARE("a", "\"2\"") ",\"more_clients\":[" BARE("b",
										    "\"5\"") "]");
	expect_times(section("Cores"), 1, "<td>CPUs 0 to 5</td>");
	expect_times(section("Cores"), 1, "<td>2,5</td>");
	records_end();
}
END_TEST

START_TEST(the_key_has_cards_of_machines_whose_parts_are_known)
{
	begin(PLAIN);
	add(CORES("1") PARTS("0", "0", "0-3") ",\"client\":" BARE("a", "null"));
	expect_times(section("Cores"), 0, "<span class=\"kn\">");
	records_end();
	begin(PLAIN);
	add(CORES("1") ",\"client\":" CLIENT("a", "null", "ib0", "0"));
	expect_times(section("Cores"), 0, "<span class=\"kn\">");
	records_end();
	begin(PLAIN);
	add(CORES("1") PARTS("0", "0", "0-3") ",\"client\":" BARE(
		"a", "null") ",\"more_clients\":[" CLIENT("b", "null", "ib0", "0") "]");
	expect_times(section("Cores"), 1, "<span class=\"kn\">");
	records_end();
}
END_TEST

START_TEST(a_job_on_the_513th_cpu_has_no_bar_there)
{
	begin(PLAIN);
	add(CORES(
		"1") ",\"machine\":{\"job_cpus\":\"500-512\",\"parts\":[{\"socket\":0,\"numa_node\":0,\"cpus\":\"0-512\"}]}");
	expect_times(section("Cores"), 1, "<path class=\"cj\" d=\"M446 363h258v3h-258z\"/>");
	records_end();
}
END_TEST

/* ---- settings and findings ------------------------------------------------------- */

#define FINDING(code, text, cure)                                                                  \
	"{\"code\":\"" code "\",\"severity\":\"warning\",\"text\":" text ",\"cure\":" cure "}"

START_TEST(changes_and_findings_are_told_once_with_their_nodes)
{
	begin(PLAIN);
	add("\"changes\":[" CHANGE("/a", "true", "true") "," CHANGE(
		"/b", "false", "true") "],\"findings\":[" FINDING("X1", "\"bad\"", "\"mend\"") "]");
	add("\"changes\":[" CHANGE("/a", "true", "true") "," CHANGE(
		"/b", "null", "true") "],\"findings\":[" FINDING("X1", "\"bad\"",
								 "null") "," FINDING("X1",
										     "\"worse\"",
										     "null") "]");
	add("\"changes\":[" CHANGE("/a", "null", "false") "],\"findings\":[" FINDING(
		"X2", "\"bad\"", "null") "],\"refused\":\"no\"");
	add("\"changes\":[" CHANGE("/a", "true", "null") "],\"refused\":\"no\"");
	add("\"refused\":\"never\"");
	expect_kept("changes.html", section("Settings and findings"));
	records_end();
	begin(PLAIN);
	add("\"app\":[]");
	expect_times(section("Settings and findings"), 0, "<h2>");
	records_end();
	begin(PLAIN);
	add("\"refused\":\"no\"");
	expect_times(section("Settings and findings"), 1, "<table>");
	records_end();
}
END_TEST

/* Nodes with so many different findings, and as many changes, together. */
static void add_many(int count)
{
	int i;

	for (i = 0; i < count; i++)
		add("\"findings\":[{\"code\":\"X%d\",\"severity\":\"info\"}],\"changes\":[{\"what\":\"a\",\"target\":\"%d\"}]",
		    i, i);
}

START_TEST(two_hundred_of_them_are_shown_and_the_rest_is_counted)
{
	begin(PLAIN);
	add_many(200);
	expect_times(section("Settings and findings"), 0, " more</p>");
	add_many(200);
	expect_times(section("Settings and findings"), 0, " more</p>");
	records_end();
	begin(PLAIN);
	add_many(202);
	expect_times(section("Settings and findings"), 2, "<p>and 2 more</p>");
	expect_times(section("Settings and findings"), 400, "<td>1: c");
	records_end();
}
END_TEST

/* ---- several jobs ------------------------------------------------------------------- */

static struct job_report some[12], *list[12];

/* Copies of the report, which has no records, under these ids. */
static struct job_group group(const char *id, size_t from, size_t count, bool is_family)
{
	static char ids[12][16];
	struct job_group group = {
		.id = id, .reports = &list[from], .count = count, .is_family = is_family
	};
	size_t i;

	for (i = from; i < from + count; i++) {
		some[i] = report;
		list[i] = &some[i];
		snprintf(ids[i], sizeof(ids[i]), is_family ? "%s_%zu" : "%s", id, i - from + 1);
		some[i].id = ids[i];
	}
	return group;
}

static char *page_of(const struct job_group *groups, size_t count)
{
	struct err err = { "" };
	char *text;

	ck_assert_msg(jobs_page_write(tempdir_path("page"), groups, count, &err) == 0, "%s",
		      err.text);
	text = fileio_read(tempdir_path("page"), 1U << 20, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	memmove(text, strstr(text, "<main>"), strlen(strstr(text, "<main>")) + 1);
	return text;
}

START_TEST(jobs_are_a_table_with_a_sum_of_each_array)
{
	struct job_group groups[3];

	tempdir_make();
	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 of=all_files nodes=2/2 cores=- cpus=- prof=p fs=- scope=node src=exit q=all_files meta=12");
	report.slurm = &slurm;
	report.cluster = (char *)"c";
	groups[0] = group("25", 0, 2, true);
	groups[0].unknown = 3;
	expect_kept("array.html", page_of(groups, 1));
	groups[1] = group("7", 2, 1, false);
	groups[2] = (struct job_group){ .id = "8" };
	err_set(&groups[2].why, "nobody <knows> it");
	strcpy(some[2].summary.miss, "c2");
	some[2].summary.nodes_seen = 1;
	some[2].summary.lacks = SUMMARY_LACK(PROFILE);
	some[1].source = "sacct";
	strcpy(some[1].why_not_ledger, "no ledger");
	some[1].cluster = (char *)"d";
	expect_kept("jobs.html", page_of(groups, 3));
	tempdir_remove();
}
END_TEST

START_TEST(an_array_that_moved_nothing_says_so)
{
	struct job_group groups[1];

	tempdir_make();
	begin("jobio/1 rd=0B/0 wr=0B/- nodes=1/1 cores=- cpus=- prof=- fs=- scope=node src=bpf q=- meta=0");
	groups[0] = group("25", 0, 2, true);
	expect_times(page_of(groups, 1), 1, "<dd>0B* in 0 calls</dd>");
	expect_times(page_of(groups, 1), 1, "<dd>0B*</dd>");
	expect_times(page_of(groups, 1), 1, "<dt>Metadata operations</dt><dd>0</dd>");
	summarize(
		"jobio/1 rd=-/- wr=-/- nodes=1/1 cores=- cpus=- prof=- fs=- scope=node src=bpf q=-");
	groups[0] = group("25", 0, 2, true);
	expect_times(page_of(groups, 1), 2, "<dd>unknown</dd>");
	expect_times(page_of(groups, 1), 0, "Metadata operations");
	tempdir_remove();
}
END_TEST

START_TEST(a_page_has_a_thousand_jobs_and_says_how_many_more_there_are)
{
	static struct job_report *many[1001];
	struct job_group all = { .id = "7", .reports = many, .count = 1000 };
	size_t i;

	tempdir_make();
	begin(PLAIN);
	for (i = 0; i < 1001; i++)
		many[i] = &report;
	expect_times(page_of(&all, 1), 0, "a page has 1000 jobs at most");
	all.count = 1001;
	expect_times(page_of(&all, 1), 1, "<p>1 more: a page has 1000 jobs at most, --csv has ");
	expect_times(page_of(&all, 1), 1000, "<tr><th scope=\"row\"");
	tempdir_remove();
}
END_TEST

START_TEST(names_of_jobs_are_told_as_far_as_they_fit)
{
	struct job_group groups[9];
	size_t i;

	tempdir_make();
	begin(PLAIN);
	report.source = "sacct";
	for (i = 0; i < 9; i++) {
		groups[i] = group("7", i, 1, false);
		strcpy(some[i].why_not_ledger, "down");
	}
	expect_times(page_of(groups, 8), 1, "<h1>Jobs 7, 7, 7, 7, 7, 7, 7, 7</h1>");
	expect_times(page_of(groups, 8), 1, "no advice: 7, 7, 7, 7, 7, 7, 7, 7: down.");
	expect_times(page_of(groups, 9), 1, "<h1>9 jobs</h1>");
	expect_times(page_of(groups, 9), 1, "no advice: 7, 7, 7, 7, 7, 7, 7, 7 and 1 more: down.");
	expect_times(page_of(groups, 1), 0, "<dl class=\"big\">");
	expect_times(page_of(groups, 1), 0, "NODE-WIDE");
	expect_times(page_of(groups, 1), 0, "all files");
	expect_times(page_of(groups, 1), 0, "Remarks");
	/* one task, and components of a heterogeneous job */
	groups[0] = group("25", 0, 1, true);
	expect_times(page_of(groups, 1), 1, "<h1>Job 25: 1 task of an array</h1>");
	some[0].id = (char *)"25+0";
	expect_times(page_of(groups, 1), 1, "<h1>Job 25: 1 component</h1>");
	groups[0].unknown = 0;
	expect_times(page_of(groups, 1), 0, "Nothing is known");
	tempdir_remove();
}
END_TEST

START_TEST(the_time_of_several_jobs_is_from_the_first_start_to_the_last_end)
{
	struct sacct_row other;
	struct job_group groups[3];

	tempdir_make();
	begin(PLAIN);
	report.source = "sacct";
	report.slurm = &slurm;
	groups[0] = group("7", 0, 1, false);
	other = slurm;
	other.start -= 60;
	other.end -= 60;
	report.slurm = &other;
	groups[1] = group("8", 1, 1, false);
	report.slurm = NULL;
	groups[2] = group("9", 2, 1, false);
	expect_times(page_of(groups, 3), 1,
		     "<div><dt>From</dt><dd>2026-11-21T01:33:22</dd></div>\n"
		     "<div><dt>To</dt><dd>2026-11-21T02:34:22</dd></div>");
	groups[0] = groups[2];
	expect_times(page_of(groups, 1), 0, "<dt>From</dt>");
	expect_times(page_of(groups, 1), 0, "<dt>To</dt>");
	tempdir_remove();
}
END_TEST

START_TEST(a_run_before_the_one_that_slurm_speaks_of_is_remarked)
{
	struct job_group groups[1];

	tempdir_make();
	begin("jobio/1 not=profile rd=1KiB/3 wr=2KiB/4 nodes=1/2 cores=- cpus=- prof=- fs=- scope=job src=bpf q=-");
	report.slurm = &slurm;
	slurm.state = "PENDING";
	slurm.start = 0;
	groups[0] = group("7", 0, 1, false);
	expect_times(
		page_of(groups, 1), 1,
		"<td>1 of 2 nodes reported; not given: profile; the run before the one that is PENDING</td>");
	some[0].summary.lacks = 0;
	expect_times(page_of(groups, 1), 1, "<td>1 of 2 nodes reported; the run before");
	some[0].summary.nodes_seen = 2;
	expect_times(page_of(groups, 1), 1, "<td>the run before");
	some[0].summary.lacks = SUMMARY_LACK(PROFILE);
	expect_times(page_of(groups, 1), 1, "<td>not given: profile; the run before");
	some[0].is_old_run = true;
	expect_times(page_of(groups, 1), 1, "<td>not given: profile</td>");
	some[0].summary.lacks = 0;
	expect_times(page_of(groups, 1), 0, "Remarks");
	some[0].summary.nodes_expected = 0;
	some[0].summary.nodes_seen = -1;
	expect_times(page_of(groups, 1), 1, "Remarks");
	some[0].summary.nodes_expected = -1;
	expect_times(page_of(groups, 1), 0, "Remarks");
	tempdir_remove();
}
END_TEST

START_TEST(what_only_some_of_the_jobs_have_is_not_told_of_all)
{
	struct job_group groups[1];

	tempdir_make();
	begin(PLAIN);
	report.cluster = (char *)"c";
	groups[0] = group("7", 0, 3, false);
	expect_times(page_of(groups, 1), 1, "<dt>Cluster</dt><dd>c</dd>");
	some[2].cluster = (char *)"d";
	expect_times(page_of(groups, 1), 0, "<dt>Cluster</dt>");
	some[1].cluster = (char *)"d";
	expect_times(page_of(groups, 1), 0, "<dt>Cluster</dt>");
	tempdir_remove();
}
END_TEST

START_TEST(jobs_of_1970_are_the_first)
{
	struct sacct_row other;
	struct job_group groups[2];

	tempdir_make();
	begin(PLAIN);
	report.source = "sacct";
	report.slurm = &slurm;
	slurm.start = slurm.end = 0;
	groups[0] = group("7", 0, 1, false);
	expect_times(page_of(groups, 1), 1,
		     "<div><dt>From</dt><dd>1970-01-01T00:00:00</dd></div>\n"
		     "<div><dt>To</dt><dd>1970-01-01T00:00:00</dd></div>");
	other = slurm;
	other.start = START;
	other.end = START + 3600;
	report.slurm = &other;
	groups[1] = group("8", 1, 1, false);
	expect_times(page_of(groups, 2), 1,
		     "<div><dt>From</dt><dd>1970-01-01T00:00:00</dd></div>\n"
		     "<div><dt>To</dt><dd>2026-11-21T02:34:22</dd></div>");
	tempdir_remove();
}
END_TEST

START_TEST(behind_a_thousand_jobs_there_is_no_sum_of_more)
{
	static struct job_report *many[1000];
	struct job_group groups[2];
	size_t i;

	tempdir_make();
	begin(PLAIN);
	for (i = 0; i < 1000; i++)
		many[i] = &report;
	groups[0] = (struct job_group){ .id = "7", .reports = many, .count = 1000 };
	groups[1] = group("25", 0, 2, true);
	expect_times(page_of(groups, 2), 0, "2 tasks of 25");
	groups[0].count = 999;
	expect_times(page_of(groups, 2), 1, "2 tasks of 25");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("page", the_head_says_who_what_and_what_was_not_given, a_time_of_1970_is_one,
	  advice_is_a_list_or_a_sentence, advice_is_told_with_its_reason_and_cure,
	  what_was_moved_is_drawn_over_the_time_of_the_job,
	  each_filesystem_has_its_numbers_sizes_and_times,
	  of_many_filesystems_some_are_drawn_and_the_rest_is_counted,
	  nodes_are_squares_in_rows_the_darker_the_more_they_moved,
	  one_node_is_no_picture_and_of_many_filesystems_three_are,
	  nodes_that_look_the_same_are_drawn_once,
	  nodes_that_differ_in_anything_drawn_are_other_kinds,
	  the_key_has_what_any_of_the_nodes_has, the_last_cpu_that_is_drawn_is_the_512th,
	  an_array_that_moved_nothing_says_so,
	  a_page_has_a_thousand_jobs_and_says_how_many_more_there_are,
	  a_socket_of_one_numa_node_is_named_alone,
	  the_last_number_of_a_histogram_stands_at_its_end, nodes_that_moved_nothing_are_no_picture,
	  a_label_has_seventy_letters_of_a_card,
	  changes_and_findings_are_told_once_with_their_nodes,
	  two_hundred_of_them_are_shown_and_the_rest_is_counted,
	  jobs_are_a_table_with_a_sum_of_each_array, names_of_jobs_are_told_as_far_as_they_fit,
	  the_time_of_several_jobs_is_from_the_first_start_to_the_last_end,
	  a_run_before_the_one_that_slurm_speaks_of_is_remarked,
	  a_page_is_written_with_the_rights_that_the_umask_leaves,
	  a_link_and_a_device_stay_what_they_are, no_character_that_hides_text_gets_into_a_page,
	  nodes_are_compared_when_all_of_them_have_reported, one_of_something_is_drawn,
	  what_is_small_has_a_pixel_at_least, what_was_written_first_is_not_read_last,
	  nodes_are_the_same_when_all_parts_clients_and_cpus_are,
	  without_parts_cpus_are_drawn_up_to_the_last_that_is_known,
	  the_key_has_cards_of_machines_whose_parts_are_known,
	  a_job_on_the_513th_cpu_has_no_bar_there,
	  what_only_some_of_the_jobs_have_is_not_told_of_all, jobs_of_1970_are_the_first,
	  behind_a_thousand_jobs_there_is_no_sum_of_more)
