"""Tables of PDFs whose cells have lines drawn between them."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from dure.knowledge.parse import table
from dure.knowledge.parse.pdf_pieces import TOUCH, Piece, Rule, Table, between, has_words, is_figure, lines_of, text_of

_DRAWING = 1000
"""Lines of a page, of more of which it is a drawing."""

Place = tuple[int, int]
"""Row and column between the lines."""


def whole(rules: Sequence[Rule]) -> list[Rule]:
    """Lines that are drawn in parts, or twice, as one each; none of a drawing."""
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda r: (r.upright, round(r.at), r.start)):
        if joined and joined[-1].upright == rule.upright and joined[-1].meets(rule):
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, rule.end))
        else:
            joined.append(rule)
    return joined if len(joined) <= _DRAWING else []


def ruled(pieces: Sequence[Piece], rules: Sequence[Rule]) -> Iterator[Table]:
    """The tables between lines, each of at least two rows and columns."""
    for group in _touching(rules):
        xs = _places(rule.at for rule in group if rule.upright)
        ys = _places(rule.at for rule in group if not rule.upright)
        if len(xs) < 2 or len(ys) < 2:
            continue
        # Tables are often open at their sides.
        left, right = min(r.start for r in group if not r.upright), max(r.end for r in group if not r.upright)
        xs = [*([left] if left < xs[0] - TOUCH else []), *xs, *([right] if right > xs[-1] + TOUCH else [])]
        inside = [p for p in pieces if xs[0] <= p.centre <= xs[-1] and ys[0] <= p.middle <= ys[-1]]
        ys = sorted({*ys, *_undrawn(inside, xs, ys)})
        held: dict[Place, list[Piece]] = {}
        for piece in inside:
            held.setdefault((bisect_right(ys, piece.middle) - 1, bisect_right(xs, piece.centre) - 1), []).append(piece)
        # Columns that no lines are drawn between.
        if len(xs) < 3 or sum(map(_beside, held.values())) > 1:
            continue
        rows = [row for row in table.spanned(_cells(held, _owners(xs, ys, group, held.keys()))) if any(row)]
        filled = sum(bool(cell) for row in rows for cell in row)
        if len(rows) >= 2 and filled > len(rows) and has_words(rows):
            yield Table(rows, inside, xs)


def _cells(held: dict[Place, list[Piece]], owners: dict[Place, Place]) -> Iterator[list[table.Cell]]:
    """The cells of each row, with the rows and columns that they reach over."""
    parts: dict[Place, list[Place]] = {}
    for place, owner in owners.items():
        parts.setdefault(owner, []).append(place)
    for row in range(max(owners)[0] + 1):
        line = []
        for owner in sorted(each for each in parts if each[0] == row):
            rows, columns = ({place[n] for place in parts[owner]} for n in (0, 1))
            text = text_of([piece for place in parts[owner] for piece in held.get(place, ())])
            line.append(table.Cell(text, len(rows), len(columns)))
        yield line


def _owners(xs: Sequence[float], ys: Sequence[float], group: Sequence[Rule], held: Set[Place]) -> dict[Place, Place]:
    """For each place the first place of its cell: where no line is drawn two places are one cell, unless both `held`
    something beside each other, or a row ends there all the same."""
    owners: dict[Place, Place] = {}
    drawn = set(_places(rule.at for rule in group if not rule.upright))
    for r, (above, below) in enumerate(pairwise(ys)):
        for c, (left, right) in enumerate(pairwise(xs)):
            x, y = (left + right) / 2, (above + below) / 2
            over = any(not g.upright and abs(g.at - above) <= TOUCH and g.start <= x <= g.end for g in group)
            before = any(g.upright and abs(g.at - left) <= TOUCH and g.start <= y <= g.end for g in group)
            owners[r, c] = (r, c)
            if r and not over and above in drawn:
                owners[r, c] = owners[r - 1, c]
            elif c and not before and not {(r, c), (r, c - 1)} <= held:
                owners[r, c] = owners[r, c - 1]
    return owners


def _beside(cell: Sequence[Piece]) -> bool:
    """Whether two figures of a cell stand beside each other."""
    figures = sorted((p for p in cell if is_figure(p.text)), key=lambda p: p.left)
    return any(abs(a.middle - b.middle) < a.height / 2 for a, b in pairwise(figures))


def _undrawn(pieces: Sequence[Piece], xs: Sequence[float], ys: Sequence[float]) -> Iterator[float]:
    """Where rows end that no line is drawn between: two columns have figures on each of two lines, and no figure is
    broken in two."""
    for start, end in pairwise(ys):
        lines = lines_of([piece for piece in pieces if start < piece.middle < end])
        columns = [{bisect_right(xs, p.centre) for p in line if is_figure(p.text)} for line in lines]
        if len(lines) > 1 and sum(len(a & b) > 1 for a, b in pairwise(columns)) > len(lines) / 2 - 1:
            for above, below in pairwise(lines):
                yield max(p.middle + p.height / 2 for p in above) + between(above, below) / 2


def _touching(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Lines that cross or touch each other, in groups."""
    left = list(rules)
    while left:
        group = [left.pop()]
        for rule in group:
            group += [other for other in left if rule.meets(other)]
            left = [other for other in left if not rule.meets(other)]
        yield group


def _places(values: Iterator[float]) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > 2 * TOUCH:
            places.append(value)
    return places
