/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_out.h - the parts that a page is made of
 *
 * Terms   put: what begins with page_put_ is encoded; a format of page_raw()
 *           gets numbers and words of our own, nothing else.
 *         picture: an SVG with a title and a description that are read to who
 *           does not see it.
 *         path: the 'd' of one <path>: many bars in few bytes.
 *         part: what a job did on one filesystem, of all nodes.
 * Owner   nothing.
 * Errors  none; those of 'out' stay in it. page_save(): -1, the reason in *err.
 * Runs    page.c and its parts.
 */
#ifndef JOBIO_REPORT_PAGE_OUT_H
#define JOBIO_REPORT_PAGE_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "report/job_report.h"

#define PAGE_WIDE 720 /* of a picture alone in its line */
#define PAGE_HALF 350 /* of one of two */

struct page {
	FILE *out;
	char *text; /* after fclose() of 'out' */
	size_t size;
	const struct job_report *report;
	struct run_lines *lines; /* NULL: records are left out, or none */
	int pictures;
};

/* page_frame.c: from the first byte to where the words begin, with the title; the
 * end. */
void page_begin(struct page *page, const char *before, const char *title);
void page_end(struct page *page);
/* Into memory; and from there in the place of a file. */
void page_open(struct page *page);
int page_save(const char *file, struct page *page, struct err *err);

__attribute__((format(printf, 2, 3))) void page_raw(struct page *page, const char *format, ...);
void page_put(struct page *page, const char *text);
/* Words of our own, a text, words of our own. */
void page_say(struct page *page, const char *before, const char *text, const char *after);
/* "<tag>text</tag>" */
void page_put_in(struct page *page, const char *tag, const char *text);

/* "<dt>name</dt><dd>text</dd>"; nothing for an empty text. */
void page_fact(struct page *page, const char *name, const char *text);

void page_section(struct page *page, const char *title);
void page_section_end(struct page *page);

/* 'head': the names of the columns, separated by '|'. */
void page_table(struct page *page, const char *caption, const char *head);
void page_table_end(struct page *page);
/* A table behind a picture. */
void page_details(struct page *page, const char *caption, const char *head);
void page_details_end(struct page *page);

void page_cell(struct page *page, const char *text);
void page_cell_bytes(struct page *page, int64_t bytes);
void page_cell_count(struct page *page, int64_t count);

/* 'about' is read to those who do not see the picture. */
void page_picture(struct page *page, const char *title, const char *about, int width, int height);
void page_picture_end(struct page *page);
void page_path(struct page *page, const char *class);
void page_bar(struct page *page, double x, double y, double width, double height);
void page_path_end(struct page *page);
/* anchor: "start", "middle", "end" */
void page_label(struct page *page, double x, double y, const char *anchor, const char *text);

#endif
