"""A small table of texts as plain text, Markdown, HTML and LaTeX."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of texts under a header; the first column is left-aligned, the others right.

    Attributes
    ----------
    header : sequence of str
    rows : sequence of sequences of str

    Examples
    --------
    >>> from linework.inference.formats import Grid
    >>> print(Grid(["", "Estimate"], [["bmi", "6.5"]]).markdown(["A note."]))
    |  | Estimate |
    | --- | ---: |
    | bmi | 6.5 |
    <BLANKLINE>
    A note.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> list[str]:
        """Lines of plain text, as R prints a matrix."""
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        first, *others = widths
        return [
            " ".join([line[0].ljust(first), *map(str.rjust, line[1:], others)]).rstrip()
            for line in lines
        ]

    def markdown(self, notes: Iterable[str] = ()) -> str:
        """A pipe table, with notes below."""

        def line(cells: Iterable[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        rule = line(["---", *["---:"] * (len(self.header) - 1)])
        table = [line(self.header), rule, *map(line, self.rows)]
        return "\n".join([*table, *(f"\n{note}" for note in notes)])

    def html(self, notes: Iterable[str] = ()) -> str:
        """A table element, with notes below."""

        def line(cells: Sequence[str], tag: str) -> str:
            first, *others = map(html.escape, cells)
            right = (f'<{tag} style="text-align: right">{cell}</{tag}>' for cell in others)
            return f'<tr><th style="text-align: left">{first}</th>{"".join(right)}</tr>'

        return "\n".join(
            [
                "<table>",
                f"<thead>{line(self.header, 'th')}</thead>",
                "<tbody>",
                *(line(row, "td") for row in self.rows),
                "</tbody>",
                "</table>",
                *(f"<p>{html.escape(note)}</p>" for note in notes),
            ]
        )

    def latex(self, notes: Iterable[str] = ()) -> str:
        """A ``tabular`` that needs no package, with notes in its last rows."""

        def escape(cell: str) -> str:
            return "".join(LATEX.get(mark, mark) for mark in cell)

        def line(cells: Iterable[str]) -> str:
            return " & ".join(map(escape, cells)) + r" \\"

        width = len(self.header)
        return "\n".join(
            [
                rf"\begin{{tabular}}{{l{'r' * (width - 1)}}}",
                r"\hline",
                line(self.header),
                r"\hline",
                *map(line, self.rows),
                r"\hline",
                *(rf"\multicolumn{{{width}}}{{l}}{{{escape(note)}}} \\" for note in notes),
                r"\end{tabular}",
            ]
        )
