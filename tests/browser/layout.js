// SPDX-License-Identifier: GPL-2.0-or-later
// Layout faults that a reader would see, printed into the page, for --dump-dom.
window.onload = () => {
	const bad = [];
	const inside = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1 &&
		inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
	const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
	const luminance = (colour) => {
		const [r, g, b] = colour.match(/[\d.]+/g).map((n) => {
			const c = n / 255;
			return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	// of the nearest element behind the words that has a colour
	const background = (element) => {
		const colour = getComputedStyle(element).backgroundColor;
		return element.parentElement && /rgba\(.*, 0\)|transparent/.test(colour) ? background(element.parentElement) : colour;
	};
	const contrast = (element, colour) => {
		const ink = luminance(colour), paper = luminance(background(element));
		return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
	};
	const dark = luminance(getComputedStyle(document.body).backgroundColor) < 0.5;
	document.querySelectorAll("details").forEach((d) => { d.open = true; });
	if (document.documentElement.scrollWidth > innerWidth)
		bad.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
	const pictures = document.querySelectorAll("svg[role=img], body > svg");
	for (const svg of pictures) {
		const frame = (svg.closest("figure") || svg).getBoundingClientRect();
		const texts = [...svg.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
		texts.forEach(([a, box], i) => {
			if (!inside(box, frame))
				bad.push(`'${a}' leaves its picture`);
			for (const [b, other] of texts.slice(i + 1))
				if (overlap(box, other))
					bad.push(`'${a}' lies on '${b}'`);
		});
	}
	const blocks = [...document.querySelectorAll("h1, h2, h3, h4, dt, dd, p, li, caption, figcaption, summary, svg[role=img], svg.bar, table")]
		.map((e) => [e, e.getBoundingClientRect()]);
	blocks.forEach(([a, box], i) => {
		if (!box.width || !box.height)
			bad.push(`'${a.textContent.slice(0, 40)}' has no room`);
		for (const [b, other] of blocks.slice(i + 1))
			if (!a.contains(b) && overlap(box, other) && !a.closest(".wide") && !b.closest(".wide"))
				bad.push(`'${a.textContent.slice(0, 40)}' lies on '${b.textContent.slice(0, 40)}'`);
	});
	for (const e of document.querySelectorAll("h1, h2, dt, dd, td, th, p, li, small, a, code, caption, summary, text")) {
		const style = getComputedStyle(e), ink = e.tagName === "text" ? style.fill : style.color;
		if (e.textContent.trim() && contrast(e, ink) < 4.5)
			bad.push(`${e.tagName} '${e.textContent.slice(0, 40)}': contrast ${contrast(e, ink).toFixed(2)}`);
	}
	const loaded = performance.getEntriesByType("resource").length;
	if (loaded)
		bad.push(`${loaded} things were loaded`);
	const out = document.createElement("pre");
	out.textContent = `LAYOUT ${dark ? "dark" : "light"} ${pictures.length} ${bad.join("; ")} END`;
	document.body.append(out);
};
