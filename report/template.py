# SPDX-License-Identifier: GPL-2.0-or-later
"""The jinja2 templates of pages: the site's, or jobio's own. All values in a page are escaped."""
from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from threading import Thread

from report import chart, files, paths, units, words
from report.command import Failure
from report.types import Any, Json

NODES_NAMED = 3


# ---- filters -----------------------------------------------------------------------------

def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key: n2 before n10."""
    return [(int(part), "") if part.isdecimal() else (-1, part)
            for part in re.split(r"(\d+)", name) if part]


def names(nodes: Sequence[str], whole: int = 0) -> str:
    """Return "n01, n02, n03 and 7 more", or "all 16 nodes".

    whole: number of all nodes
    """
    if len(nodes) == whole and whole > NODES_NAMED:
        return f"all {whole:,} nodes"
    text = ", ".join(sorted(nodes, key=natural)[:NODES_NAMED])
    more = len(nodes) - NODES_NAMED
    return f"{text} and {more:,} more" if more > 0 else text


def us(value: float | None, unknown: str = "-") -> str:
    """Format microseconds, the unit of most times."""
    return unknown if value is None else units.span(value * 1000)


def for_undefined(filter_: Callable[..., Any]) -> Callable[..., Any]:
    """Make a filter that takes undefined values for None."""
    from jinja2 import Undefined

    return lambda value, *more: filter_(None if isinstance(value, Undefined) else value, *more)


# ---- templates ---------------------------------------------------------------------------

def of_site(name: str) -> tuple[str, str, None] | None:
    """Return text and path of the site's template; None: none, or not trusted."""
    path = paths.site(name)
    if not files.is_trusted(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read(), path, None


@cache
def environment() -> Any:
    from jinja2 import (
        ChoiceLoader,
        Environment,
        FileSystemLoader,
        FunctionLoader,
        ModuleLoader,
    )
    from markupsafe import Markup

    def clean(value: object) -> object:
        """Replace characters that move the cursor or change the direction of the text."""
        if isinstance(value, str) and not isinstance(value, Markup):
            return units.clean(value)
        return "" if value is None else value

    loader = ChoiceLoader([FunctionLoader(of_site), ModuleLoader(compiled()),
                           FileSystemLoader(paths.REPORT)])
    env = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True,
                      finalize=clean, optimized=False)
    for filter_ in (units.size, units.count, units.whole, units.span, units.elapsed, units.clock,
                    units.plural, units.percent, us, names, chart.stack):
        env.filters[filter_.__name__] = for_undefined(filter_)
    env.globals["words"] = words.read(words.REPORT)
    return env


def compiled() -> str:
    """Return the folder of our templates as Python modules, from make: jinja2 compiles them longer
    than a page takes. Those of another version of jinja2 are not used."""
    import jinja2

    return os.path.join(paths.COMPILED, getattr(jinja2, "__version__", "unknown"))


def compile_all() -> None:
    """Compile the templates, for make; without jinja2 there are no pages."""
    with suppress(ImportError):
        from jinja2 import FileSystemLoader

        ours = environment().overlay(loader=FileSystemLoader(paths.REPORT))
        ours.compile_templates(compiled(), zip=None, extensions=["j2"], ignore_errors=False)


def prepare(name: str) -> Thread:
    """Load a template in parallel to sacct and the ledger: it takes as long as these."""
    def load() -> None:
        with suppress(Failure):  # render() reports it
            for one in (name, "base.html.j2", "macros.html.j2", "style.css.j2"):
                template(one)

    thread = Thread(target=load)
    thread.start()
    return thread


def template(name: str) -> Any:
    """Return the site's template, or ours.

    Raises: Failure
    """
    paths.add_packages()
    try:
        from jinja2 import TemplateError
    except ImportError:
        raise Failure("--html: Python's jinja2 is not installed: apt install python3-jinja2, or "
                      "dnf install python3-jinja2") from None
    try:
        return environment().get_template(name)
    except (TemplateError, OSError, UnicodeDecodeError) as error:
        raise broken(name, error) from None


def render(name: str, variables: Json) -> str:
    """Return the text of a page.

    Raises: Failure
    """
    made = template(name)
    try:
        text: str = made.render(variables, package=paths.PACKAGE)
    except Exception as error:  # any error of a site's template
        raise broken(name, error) from error
    return text


def broken(name: str, error: Exception) -> Failure:
    """Return a Failure with the line of the template, usually the site's."""
    path, line = getattr(error, "filename", None), getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename.endswith(".j2"):
            path, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    at = f", line {line}" if line else ""
    return Failure(f"--html: template {path or name}{at}: {error}; jobio's own is in "
                   f"{paths.REPORT}")
