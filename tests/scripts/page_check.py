# SPDX-License-Identifier: GPL-2.0-or-later
"""page_check FILE - check that a page loads nothing from elsewhere, and is accessible

Prints faults, a line each, and exits 1. Then, for tests, "SVGS TABLES";
with --text the text of the page, without tags; with --rows the cells of its tables, a
line for each row.
"""
import re
import sys
import xml.etree.ElementTree as tree

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
wrong = []
page = tree.fromstring(text.replace("<!DOCTYPE html>", "", 1))
for one in page.iter():
    if one.tag in ("script", "img", "link", "iframe", "object", "embed", "form", "base", "use", "image"):
        wrong.append(f"tag {one.tag}")
    for name, value in one.attrib.items():
        if one.tag == "a" and name == "href":
            if not re.fullmatch(r"#[\w+-]+|[\w+]+\.html", value):
                wrong.append(f"link to {value}")
            elif value[0] == "#" and page.find(f".//*[@id='{value[1:]}']") is None:
                wrong.append(f"link to {value}, which is not there")
        elif name.startswith("on") or name in ("src", "href", "style", "action", "background"):
            wrong.append(f"attribute {one.tag} {name}")
style = page.find("head/style").text
if re.search(r"@import|url\(|expression|https?:", style):
    wrong.append("the style loads something")
policy = [m.get("content") for m in page.findall("head/meta")
          if m.get("http-equiv") == "Content-Security-Policy"]
if policy != ["default-src 'none'; style-src 'unsafe-inline'"]:
    wrong.append(f"policy {policy}")
for word in ("prefers-color-scheme:dark", "@media print"):
    if word not in style:
        wrong.append(f"no {word}")

# A picture has a title and a description, and after it a table of its numbers that can be opened.
# Text that is hidden from screen readers is next to the number that it shows.
pictures = 0
inner = {id(svg) for outer in page.iter("svg") for svg in outer.iter("svg") if svg is not outer}
for section in page.iter("section"):
    waiting = 0
    for one in section.iter():
        if one.tag == "svg" and id(one) not in inner and one.get("aria-hidden") != "true":
            pictures += 1
            waiting += 1
            ids = {e.get("id") for e in one if e.tag in ("title", "desc") and e.text}
            if one.get("role") != "img" or set(one.get("aria-labelledby", "").split()) != ids or len(ids) != 2:
                wrong.append("a picture without title or description")
        elif one.tag == "svg" and id(one) not in inner and one.find(".//text") is not None:
            wrong.append("words in a picture without a label for screen readers")
        elif one.tag == "details":
            waiting = 0
            if one.find(".//table/caption") is None:
                wrong.append("a table without caption")
    if waiting:
        wrong.append(f"a picture of '{section.find('h2').text}' has no table behind it")
for table in page.iter("table"):
    wide = len(table.findall("thead/tr/th"))
    for row in table.findall("tbody/tr"):
        cells = sum(int(c.get("colspan", 1)) for c in row)
        if cells != wide:
            wrong.append(f"a row of {cells} cells in a table of {wide}")
ids = [e.get("id") for e in page.iter() if e.get("id")]
if len(ids) != len(set(ids)):
    wrong.append("an id twice")

if "--text" in sys.argv:
    print("\n".join(t.strip() for t in page.find("body").itertext() if t.strip()))
elif "--rows" in sys.argv:
    print("\n".join("|".join("".join(cell.itertext()) for cell in row) for row in page.iter("tr")))
else:
    print(pictures, len(list(page.iter("table"))))
for one in sorted(set(wrong)):
    print(one)
sys.exit(bool(wrong))
