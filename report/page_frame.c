/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is around each page: style, head, end, and its file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/alloc.h"
#include "lib/fileio.h"
#include "report/page_out.h"

/* Colours that are told apart by those who see few, and in grey. */
static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1b1f;--dim:#5c5f66;--line:#d5d7dc;--rd:#1f6fb4;--wr:#b5530b;--lat:#5d4aa3;--warn:#9a4a00;--bad:#b3261e;--good:#1d6b34;--heat:31,111,180}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e6e7ea;--dim:#a6a9b2;--line:#3a3d45;--rd:#6db3f2;--wr:#f0a15c;--lat:#b5a6f2;--warn:#f0a15c;--bad:#ff8a80;--good:#7fd196;--heat:109,179,242}}\n"
	"body{background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem}\n"
	"h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.2rem;border-bottom:1px solid var(--line);margin-top:2rem}h3{font-size:1rem;margin:1rem 0 .3rem;overflow-wrap:anywhere}\n"
	"dl{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem;margin:0}dt{color:var(--dim);font-size:.8rem}dd{margin:0;overflow-wrap:anywhere}dl.big{margin-top:.6rem}dl.big dd{font-size:1.5rem}\n"
	"table{border-collapse:collapse;font-size:.85rem}caption{text-align:left;color:var(--dim)}th,td{border-bottom:1px solid var(--line);padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top;overflow-wrap:break-word}th{font-weight:600}\n"
	".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:0 2rem}.two>div{min-width:0}\n"
	".wide{overflow-x:auto}svg{width:100%;height:auto;display:block;margin:.4rem 0}text{fill:var(--fg);font:11px system-ui,sans-serif}code{font-size:.85rem;overflow-wrap:anywhere}summary{color:var(--dim);cursor:pointer;font-size:.85rem}\n"
	".rd{fill:var(--rd)}.wr{fill:var(--wr)}.lat{fill:var(--lat)}.axis{fill:var(--dim)}.bad{color:var(--bad)}.good{color:var(--good)}.warn{color:var(--warn)}.dim{color:var(--dim)}.sum{font-weight:600}\n"
	".h0{fill:none;stroke:var(--line)}.h1{fill:rgba(var(--heat),.15)}.h2{fill:rgba(var(--heat),.28)}.h3{fill:rgba(var(--heat),.42)}.h4{fill:rgba(var(--heat),.56)}.h5{fill:rgba(var(--heat),.7)}.h6{fill:rgba(var(--heat),.85)}.h7{fill:rgb(var(--heat))}\n"
	".c0{fill:none;stroke:var(--line)}.c1{fill:rgba(var(--heat),.25);stroke:var(--rd)}.c2{fill:none;stroke:var(--bad);stroke-width:2}.c3{fill:rgba(var(--heat),.6);stroke:var(--rd)}.cj{fill:var(--wr)}.cs{fill:none;stroke:var(--dim)}.cn{fill:var(--fg)}\n"
	".key span{display:inline-block;width:1em;height:1em;border:1px solid var(--line);vertical-align:-.15em;margin-left:.8em}.k3{background:rgba(var(--heat),.6)}.k1{background:rgba(var(--heat),.25)}.key .k2{border:2px solid var(--bad)}.key .kj{border-bottom:4px solid var(--wr)}.key .kn{background:var(--fg);width:1.3em;height:.7em;vertical-align:0}\n"
	"ol.advice li{margin:.6rem 0}ol.advice p{margin:.1rem 0}\n"
	"@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#999;--rd:#1f6fb4;--wr:#b5530b;--lat:#5d4aa3;--warn:#9a4a00;--bad:#b3261e;--good:#1d6b34;--heat:31,111,180}section,tr{break-inside:avoid}.wide{overflow:visible}*{print-color-adjust:exact}}\n";

void page_begin(struct page *page, const char *before, const char *title)
{
	page_raw(
		page,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><title>%s",
		before);
	page_put(page, title);
	page_raw(page, "</title><style>\n%s</style></head>\n<body><main>\n", style);
}

void page_end(struct page *page)
{
	page_raw(page, "</main></body></html>\n");
}

void page_open(struct page *page)
{
	page->out = xneed(open_memstream(&page->text, &page->size));
}

static int write_into(const char *file, const char *text, struct err *err)
{
	FILE *out = fopen(file, "we");
	int rc = out && fputs(text, out) >= 0 ? 0 : -1;

	if (out && fclose(out) != 0)
		rc = -1;
	return rc < 0 ? err_set(err, "cannot write '%s': %s", file, strerror(errno)) : 0;
}

/* A device, a pipe and a link stay what they are: /dev/stdout is all three. */
int page_save(const char *file, struct page *page, struct err *err)
{
	mode_t mask = umask(0);
	struct stat st;
	int rc;

	umask(mask);
	fclose(page->out);
	if (lstat(file, &st) == 0 && !S_ISREG(st.st_mode))
		rc = write_into(file, page->text, err);
	else
		rc = fileio_write(file, page->text, page->size, 0666 & ~mask, err);
	free(page->text);
	return rc;
}
