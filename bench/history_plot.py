"""Curves of cost as an SVG, both axes logarithmic: what is proportional rises evenly, what is constant lies flat."""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10

WIDTH, HEIGHT, EDGE = 720, 420, 60
COLOURS = ("#1f5fa8", "#b3541e", "#3a7d44", "#7a3b8f", "#8a6d1d", "#555555")


def curves(lines: Mapping[str, Sequence[tuple[float, float]]], x: str = "nights", y: str = "s of processor") -> str:
    """Return the picture of ``lines``, each a name and its points, of which no coordinate is 0."""
    points = [point for line in lines.values() for point in line]
    left, right = (log10(of(it[0] for it in points)) for of in (min, max))
    low, high = (log10(of(it[1] for it in points)) for of in (min, max))

    def place(point: tuple[float, float]) -> str:
        across = (log10(point[0]) - left) / (right - left or 1)
        up = (log10(point[1]) - low) / (high - low or 1)
        return f"{EDGE + across * (WIDTH - 2 * EDGE):.1f},{HEIGHT - EDGE - up * (HEIGHT - 2 * EDGE):.1f}"

    drawn = [
        f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(map(place, sorted(line)))}"/>'
        f'<text x="{EDGE + 8}" y="{18 + number * 16}" fill="{colour}">{escape(name)}</text>'
        for number, ((name, line), colour) in enumerate(zip(lines.items(), COLOURS * len(lines), strict=False))
    ]
    ends = (
        (EDGE, HEIGHT - EDGE + 18, f"{10**left:.3g}"),
        (WIDTH - EDGE, HEIGHT - EDGE + 18, f"{10**right:.3g} {x}"),
        (4, HEIGHT - EDGE, f"{10**low:.2g}"),
        (4, EDGE, f"{10**high:.2g} {y}"),
    )
    labels = "".join(f'<text x="{across}" y="{down}">{escape(text)}</text>' for across, down, text in ends)
    box = f'<path d="M{EDGE} {EDGE}V{HEIGHT - EDGE}H{WIDTH - EDGE}" fill="none" stroke="#999"/>'
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return f'{head}<rect width="100%" height="100%" fill="white"/>{box}{"".join(drawn)}{labels}</svg>\n'
