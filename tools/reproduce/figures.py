# SPDX-License-Identifier: LGPL-2.1-or-later
"""One picture per figure of the papers, from its description in bindings.json: panels of curves, each an
expression."""
import numpy as np

from .expression import Unavailable

# The same colour for the same algorithm in all figures.
COLOURS = {
    "TCP-Reno": "#444444", "TCP-SACK": "#444444", "TCP": "#444444", "TCP-CWV": "#777777", "UDP": "#9e9e9e",
    "TFRC": "#1f77b4", "TFRC/plain": "#8ab8e0", "TFRC/RFC5348": "#1f77b4", "TFRC-SP/RFC5348": "#1f77b4",
    "TFRC/RFC5348+FR": "#17becf", "TFRC-SP/RFC5348+FR": "#17becf", "TFRC/RFC5348+CWV": "#2ca02c",
    "TFRC-SP/RFC5348+CWV": "#2ca02c", "TFRC/RFC3448": "#d62728", "TFRC-SP/RFC3448": "#d62728",
    "TFRC/RFC3448+FR": "#ff9f43", "TFRC-SP/RFC3448+FR": "#ff9f43", "ARC": "#c2185b", "CBRAA": "#c2185b",
           "WARC": "#c2185b",
    "SIMD": "#8e44ad", "SimdNR": "#8e44ad", "TCP-Friend": "#e67e22", "LDA": "#795548", "GAIMD": "#e67e22",
           "TEAR": "#2ca02c",
    "SQRT": "#bcbd22", "IIAD": "#ff9896", "AIAD/H": "#98df8a", "TFRCP": "#795548", "CCID-2": "#2ca02c",
}
MARKS = "os^vD*PX<>"
DPI = 80
BEHIND_TEXT = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}


def colour(label, number):
    return COLOURS.get(label, f"C{number % 10}")


def seeds_of(target):
    """Those of the checks, but no more than the figure wants."""
    return target.seeds[:target.binding.get("figure", {}).get("seeds", len(target.seeds))]


def curve_values(target, panel, label, x):
    """(mean, least, greatest over the seeds) of a panel's expression at one x; None: not measurable."""
    try:
        each = [float(target.evaluate(panel["y"], [seed], {"a": label, "x": x})[0]) for seed in seeds_of(target)]
    except Unavailable:
        return None
    middle = float(np.mean(each))  # of equal numbers the mean may be a bit beside them
    return middle, min(middle, *each), max(middle, *each)


def sweep_points(target, panel):
    """The x of a panel; fewer in a quick run."""
    keep = target.binder.quick.get("keep", {}).get(panel.get("keep", "x"))
    return [x for x in panel["x"] if keep is None or x in keep] or panel["x"]


def requests_of(target, spec):
    """What the figure needs to be run: (request, seeds). Curves over time show one seed."""
    wanted = []
    for panel in spec["panels"]:
        points = sweep_points(target, panel) if "x" in panel else [None]
        for label in panel["curves"]:
            for x in points:
                requests = target.requests(panel["y"], {"a": label, "x": x})
                seeds = target.seeds[:1] if panel.get("kind") == "time" else seeds_of(target)
                wanted += [(request, seeds) for request in requests]
    return wanted


def draw_sweep(target, panel, axes):
    points = sweep_points(target, panel)
    for number, label in enumerate(panel["curves"]):
        values = [(x, curve_values(target, panel, label, x)) for x in points]
        values = [(x, v) for x, v in values if v is not None and np.isfinite(v[0])]
        if not values:
            continue
        xs = [x for x, _ in values]
        middle, low, high = (np.array([v[i] for _, v in values]) for i in range(3))
        spread = [middle - low, np.where(np.isfinite(high), high, middle) - middle]
        axes.errorbar(xs, middle, yerr=spread, label=label, color=colour(label, number),
                      marker=MARKS[number % len(MARKS)],
                      markersize=5, linewidth=1.4, elinewidth=0.8, capsize=2)


def draw_bars(target, panel, axes):
    """Groups along x, one bar per algorithm."""
    points = panel["x"]
    width = 0.8 / len(panel["curves"])
    for number, label in enumerate(panel["curves"]):
        for place, x in enumerate(points):
            value = curve_values(target, panel, label, x)
            if value is None:
                continue
            middle, low, high = value
            axes.bar(place + (number + 0.5) * width - 0.4, middle, width * 0.92, color=colour(label, number),
                     label=label if not place else None, yerr=[[middle - low], [high - middle]],
                     error_kw={"elinewidth": 0.8, "capsize": 2})
    axes.set_xticks(range(len(points)), panel.get("names_x", [str(x) for x in points]))


def draw_time(target, panel, axes):
    """Curves over time, of the first seed."""
    for number, label in enumerate(panel["curves"]):
        try:
            time_s, values = target.evaluate(panel["y"], target.seeds[:1],
                                             {"a": label, "x": None})[0]
        except Unavailable:
            continue
        values = np.asarray(values) * panel.get("scale", 1)
        shape = {"linewidth": 1.2 if values.ndim == 1 else 0.5, "alpha": 1 if values.ndim == 1 else 0.7}
        lines = axes.plot(time_s, values, color=colour(label, number), **shape)
        lines[0].set_label(panel.get("labels", {}).get(label, label))


DRAW = {"sweep": draw_sweep, "bars": draw_bars, "time": draw_time}


def draw_marks(panel, axes):
    """The numbers that the paper states."""
    for mark in panel.get("marks", ()):
        if "x" in mark and "y" in mark:
            axes.plot([mark["x"]], [mark["y"]], marker="_", markersize=18, color="black", zorder=5)
            axes.annotate(mark["text"], (mark["x"], mark["y"]), xytext=(8, 4), textcoords="offset points",
                          fontsize=8)
        elif "y" in mark:
            axes.axhline(mark["y"], color="black", linestyle="--", linewidth=0.8)
            axes.annotate(mark["text"], (0.99, mark["y"]), xycoords=("axes fraction", "data"), xytext=(0, 3),
                          textcoords="offset points", ha="right", fontsize=8, bbox=BEHIND_TEXT)
        else:
            axes.axvline(mark["x"], color="black", linestyle="--", linewidth=0.8)
            axes.annotate(mark["text"], (mark["x"], 0.97), xycoords=("data", "axes fraction"), xytext=(3, 0),
                          textcoords="offset points", va="top", fontsize=8)


def finish(panel, axes, drawn):
    axes.set_xlabel(panel.get("xlabel", ""))
    axes.set_ylabel(panel.get("ylabel", ""))
    if panel.get("title"):
        axes.set_title(panel["title"], fontsize=10)
    if panel.get("log"):
        axes.set_yscale("log")
    if panel.get("xlog"):
        axes.set_xscale("log")
        axes.set_xticks(panel["x"], [f"{x:g}" for x in panel["x"]])
        axes.minorticks_off()
    for name, limit in (("xlim", axes.set_xlim), ("ylim", axes.set_ylim)):
        if name in panel:
            limit(*panel[name])
    axes.grid(True, linewidth=0.4, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if drawn:
        axes.legend(fontsize=8, framealpha=0.85)
    else:
        axes.text(0.5, 0.5, "nothing to show", transform=axes.transAxes, ha="center", color="#888888")


def save(figure, path, dpi=DPI, colours=64):
    """Small enough to be kept with the source: few colours."""
    from PIL import Image
    figure.savefig(path, dpi=dpi)
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(colours).save(path, optimize=True)


def load_pyplot():
    """Loading it takes a second, which those who draw nothing do not wait for."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot
    return matplotlib.pyplot


def draw(target, spec, path):
    """Draws the figure; False when there was nothing to draw."""
    plt = load_pyplot()
    panels = spec["panels"]
    columns = min(len(panels), spec.get("columns", 2))
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(9, 3.6 * rows if columns > 1 else 4.4 * rows),
                                squeeze=False)
    any_drawn = False
    try:
        for panel, axes in zip(panels, grid.flat):
            DRAW[panel.get("kind", "sweep")](target, panel, axes)
            drawn = axes.has_data()
            draw_marks(panel, axes)
            finish(panel, axes, drawn)
            any_drawn = any_drawn or drawn
        for axes in grid.flat[len(panels):]:
            axes.set_visible(False)
        figure.suptitle(f"{target.spec['id']}: {target.spec['title']}", fontsize=11)
        figure.tight_layout()
        if any_drawn:
            save(figure, path)
    finally:
        plt.close(figure)
    return any_drawn


