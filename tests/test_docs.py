"""Every relative link of a page, and the heading it points to, is there; the example runs."""

import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "guide"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]

FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and the usual site builders make them."""
    found: set[str] = set()
    seen: Counter[str] = Counter()
    for heading in HEADING.findall(FENCED.sub("", text)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def links(text: str) -> list[str]:
    """The targets of a page's relative links; what stands in code is no link."""
    for code in (FENCED, CODE):
        text = code.sub("", text)
    return [target for target in LINK.findall(text) if not re.match(r"\w+:", target)]


def broken(page: Path) -> list[str]:
    """What is wrong with the links of one page, a sentence each."""
    found = []
    for target in links(page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            found.append(f"{page.name} links to {target}, and there is no {path}.")
        elif anchor and (
            file.suffix != ".md" or anchor not in anchors(file.read_text(encoding="utf-8"))
        ):
            found.append(f"{page.name} links to {target}, and there is no heading for #{anchor}.")
    return found


def test_pages_are_found() -> None:
    assert len(PAGES) > 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_every_page_of_the_guide_is_in_its_contents() -> None:
    listed = set(links((GUIDE / "index.md").read_text(encoding="utf-8")))
    assert {page.name for page in GUIDE.glob("*.md")} - {"index.md"} <= listed


OTHER = "# Two words: `x_y`, (z)\n\n## Same\n\n## Same\n\n```\n# no heading\n```\n"


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("[a](other.md) [b](other.md#two-words-x_y-z) [c](other.md#same-1) [d](#here)\n# Here", 0),
        ("[a](https://example.org/x#y) `[b](code.md)`\n```\n[c](code.md)\n```\n", 0),
        ("[a](missing.md)", 1),
        ("[over two\nlines](missing.md)", 1),
        ("[a](other.md#same-2)", 1),
        ("[a](other.md#no-heading)", 1),
        ("[a](#nowhere)", 1),
    ],
)
def test_broken_links_are_seen(tmp_path: Path, text: str, complaints: int) -> None:
    (tmp_path / "other.md").write_text(OTHER, encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    assert len(broken(page)) == complaints


@pytest.mark.slow
def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    assert "coefficients" in capsys.readouterr().out.lower()
