/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page_out.h"

#include <stdarg.h>
#include <string.h>

#include "lib/utf8.h"
#include "report/job_io.h"

void page_raw(struct page *page, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(page->out, format, args);
	va_end(args);
}

/* Good between tags and in attributes; no control character gets through. */
void page_put(struct page *page, const char *text)
{
	size_t size = strlen(text), n;
	unsigned int code = 0;

	for (; size; text += n, size -= n) {
		n = utf8_character(text, size, &code);
		if (!n || utf8_is_hidden(code))
			fputc('?', page->out);
		else if (code == '&')
			fputs("&amp;", page->out);
		else if (code == '<')
			fputs("&lt;", page->out);
		else if (code == '>')
			fputs("&gt;", page->out);
		else if (code == '"')
			fputs("&quot;", page->out);
		else if (code == '\'')
			fputs("&#39;", page->out);
		else
			fwrite(text, n, 1, page->out);
		n = n ? n : 1;
	}
}

void page_say(struct page *page, const char *before, const char *text, const char *after)
{
	fputs(before, page->out);
	page_put(page, text);
	fputs(after, page->out);
}

void page_put_in(struct page *page, const char *tag, const char *text)
{
	page_raw(page, "<%s>", tag);
	page_put(page, text);
	page_raw(page, "</%s>", tag);
}

void page_fact(struct page *page, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	page_raw(page, "<div>");
	page_put_in(page, "dt", name);
	page_put_in(page, "dd", text);
	page_raw(page, "</div>\n");
}

void page_section(struct page *page, const char *title)
{
	page_raw(page, "<section>\n");
	page_put_in(page, "h2", title);
	page_raw(page, "\n");
}

void page_section_end(struct page *page)
{
	page_raw(page, "</section>\n");
}

/* ---- tables ---------------------------------------------------------------- */

void page_table(struct page *page, const char *caption, const char *head)
{
	size_t length;

	page_raw(page, "<div class=\"wide\"><table>");
	page_put_in(page, "caption", caption);
	page_raw(page, "<thead><tr>");
	for (; *head; head += length + (head[length] == '|')) {
		length = strcspn(head, "|");
		page_raw(page, "<th scope=\"col\">%.*s</th>", (int)length, head);
	}
	page_raw(page, "</tr></thead><tbody>\n");
}

void page_table_end(struct page *page)
{
	page_raw(page, "</tbody></table></div>\n");
}

void page_details(struct page *page, const char *caption, const char *head)
{
	page_raw(page, "<details><summary>Numbers</summary>\n");
	page_table(page, caption, head);
}

void page_details_end(struct page *page)
{
	page_table_end(page);
	page_raw(page, "</details>\n");
}

void page_cell(struct page *page, const char *text)
{
	page_put_in(page, "td", text);
}

void page_cell_bytes(struct page *page, int64_t bytes)
{
	char text[16];

	page_cell(page, bytes < 0 ? "-" : job_bytes(bytes, text));
}

void page_cell_count(struct page *page, int64_t count)
{
	char text[16];

	page_cell(page, count < 0 ? "-" : job_count(count, text));
}

/* ---- pictures --------------------------------------------------------------- */

void page_picture(struct page *page, const char *title, const char *about, int width, int height)
{
	int id = ++page->pictures;

	page_raw(
		page,
		"<svg role=\"img\" aria-labelledby=\"t%d d%d\" viewBox=\"0 0 %d %d\"><title id=\"t%d\">",
		id, id, width, height, id);
	page_put(page, title);
	page_raw(page, "</title><desc id=\"d%d\">", id);
	page_put(page, about);
	page_raw(page, "</desc>\n");
}

void page_picture_end(struct page *page)
{
	page_raw(page, "</svg>\n");
}

void page_path(struct page *page, const char *class)
{
	page_raw(page, "<path class=\"%s\" d=\"", class);
}

void page_bar(struct page *page, double x, double y, double width, double height)
{
	page_raw(page, "M%.4g %.4gh%.4gv%.4gh%.4gz", x, y, width, height, -width);
}

void page_path_end(struct page *page)
{
	page_raw(page, "\"/>\n");
}

void page_label(struct page *page, double x, double y, const char *anchor, const char *text)
{
	page_raw(page, "<text x=\"%.4g\" y=\"%.4g\" text-anchor=\"%s\">", x, y, anchor);
	page_put(page, text);
	page_raw(page, "</text>\n");
}
