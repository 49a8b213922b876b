# SPDX-License-Identifier: LGPL-2.1-or-later
"""One HTML page that needs nothing else: the pictures as SVG, the figures as tables."""
import html
import io
import re

from . import draw

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2730; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.4em; margin-bottom: 0; } h2 { font-size: 1.1em; margin-top: 2em; }
p.note { color: #5a6875; margin-top: .2em; }
svg { width: 100%; height: auto; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92em; }
th, td { padding: .25em .8em; text-align: right; white-space: nowrap; border-bottom: 1px solid #e3e7eb; }
th:first-child, td:first-child { text-align: left; }
"""


def svg_of(figure):
    """Without the XML head, which has no place inside HTML."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    draw.pyplot.close(figure)
    return re.sub(r"^.*?(?=<svg)", "", text.getvalue(), flags=re.S)


def table_of(heading, columns, rows):
    cells = lambda tag, row: "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (f"<h2>{html.escape(heading)}</h2>\n<div class=\"wide\"><table>\n"
            f"<tr>{cells('th', columns)}</tr>\n{body}\n</table></div>")


def build(recording):
    parts = [table_of(*table) for table in recording.tables]
    title = html.escape(recording.title)
    return (f"<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n"
            f"<style>{STYLE}</style>\n<h1>{title}</h1>\n<p class=\"note\">{html.escape(recording.note)}</p>\n"
            f"{svg_of(draw.timeline(recording))}\n<h2>Distributions</h2>\n"
            f"{svg_of(draw.distribution_figure(recording))}\n" + "\n".join(parts) + "\n</html>\n")
