# SPDX-License-Identifier: GPL-2.0-or-later
"""The three plots of a calibration, as SVG: four panels with one legend each."""
from __future__ import annotations

import io

from report import samples, units
from report.calibration import METRICS, Calibration, best_line, best_setting, setting_text
from report.types import Any

# title, values of the axis, {name: measured values at each of them}
Panel = tuple[str, list[str], dict[str, list[list[float]]]]

BYTES, CALLS = "bytes/s", "calls/s"
GRID = ("Four panels: bytes a second in blocks of 1 MiB, and calls of 4 KiB a second, read and "
        "written, by the number of ")


def panels(title: str, axis: str, found: list[Panel], is_bars: bool = False) -> tuple[Any, Any]:
    """Return the figure, and its axes."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(9, 7.5))
    figure.suptitle(title)
    four = list(figure.subplots(2, 2).flat)
    figure.subplots_adjust(0.08, 0.13, 0.98, 0.88, 0.2, 0.42)
    for axes, (head, places, series) in zip(four, found):
        wide = 0.8 / max(len(series), 1)
        for at, (name, values) in enumerate(series.items()):
            known = [i for i, v in enumerate(values) if v]
            y = [samples.mean(values[i]) for i in known]
            error = [samples.spread(values[i]) or 0 for i in known]
            if is_bars:
                x = [i - 0.4 + wide * (at + 0.5) for i in known]
                axes.bar(x, y, wide, yerr=error, label=name, capsize=2)
            else:
                axes.errorbar(known, y, error, label=name, marker="os^Dv<"[at % 6], capsize=2)
        axes.set_title(head, fontsize="medium")
        axes.set_xticks(range(len(places)))
        axes.set_xticklabels(places)
        axes.tick_params(axis="x", rotation=20 if len("".join(places)) > 40 else 0)
        axes.set_xlabel(axis)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(EngFormatter())
        axes.grid(alpha=0.3)
    return figure, four


def svg(figure: Any, title: str, about: str) -> str:
    from matplotlib import rc_context

    handles, names = figure.axes[0].get_legend_handles_labels()
    if names:
        figure.legend(handles, names, loc="lower center", ncol=4)
    out = io.StringIO()
    with rc_context({"svg.fonttype": "none"}):  # text stays text
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    head, body = out.getvalue().split("<svg ", 1)
    start, rest = body.split(">", 1)
    return (f'{head}<svg role="img" {start}>\n <title>{title}</title>\n'
            f" <desc>{about}</desc>{rest}")


def name_of(profile: str | None) -> str:
    return profile or "no profile"


def scaling(data: Calibration) -> str:
    cores = sorted({s[0] for s in data.settings})
    title = "What one node does, by io-cores"
    lines = [best_line(data, metric) for metric in METRICS]
    found = []
    for metric, line in zip(METRICS, lines):
        note = f"\n{units.count(line.per_core)} a core, up to {line.grows_to}" if line else ""
        found.append((f"{metric.words}, {BYTES if metric.is_bytes else CALLS}{note}",
                      [str(c) for c in cores],
                      {name_of(p): [metric.of(data, (c, p)) for c in cores]
                       for p in data.profiles}))
    figure, four = panels(title, "io-cores", found)
    for axes, line in zip(four, lines):
        if line:
            grown = [c for c in cores if c <= line.grows_to]
            axes.plot(range(len(grown)), [line.per_core * c for c in grown], "k:",
                      label="in proportion to the io-cores")
    return svg(figure, title, GRID + "io-cores, a line for each profile. calibration.json has the "
               "numbers.")


def engines(data: Calibration) -> str:
    grid = [s for s in data.shapes if not s.is_alone]
    processes = sorted({s.processes for s in grid})
    title = "One request at a time, or many"
    found = []
    for metric in METRICS:
        best = best_setting(data, metric) or data.settings[0]
        series = {name: [data.cell(best, s.name)["Bps" if metric.is_bytes else "iops"]
                         for s in grid if metric.is_of(s) and s.is_async == aio]
                  for name, aio in (("synchronous", False), ("libaio", True))}
        unit = BYTES if metric.is_bytes else CALLS
        found.append((f"{metric.words}, {unit}\n{setting_text(best)}",
                      [str(n) for n in processes], series))
    return svg(panels(title, "processes", found)[0], title,
               GRID + "processes, synchronous and with libaio.")


def direct(data: Calibration) -> str:
    largest = {p: max(s for s in data.settings if s[1] == p) for p in data.profiles}
    title = "Around the page cache, and through it"
    found = [(f"{words}, {BYTES}", [name_of(p) for p in largest],
              {name: [data.cell(s, f"{shape}-{way}")["Bps"] for s in largest.values()]
               for name, way in (("direct", "direct"), ("through the cache", "buffered"))})
             for shape, words in (("64m-read", "64 MiB read"), ("64m-write", "64 MiB written"),
                                  ("4k-read", "4 KiB read, in order"),
                                  ("4k-write", "4 KiB written, in order"))]
    return svg(panels(title, "profile", found, is_bars=True)[0], title,
               "Four panels: bytes a second of one process in blocks of 64 MiB and of 4 KiB, read "
               "and written, with O_DIRECT and without, by profile, with the most io-cores.")


def draw(data: Calibration) -> dict[str, str]:
    """Return {file name: SVG}."""
    return {"scaling.svg": scaling(data), "engines.svg": engines(data),
            "direct.svg": direct(data)}
