"""The report's pages: HTML that needs no network and no script, with its pictures drawn in it."""

import html
from collections import Counter

from rowwise.grading.classdata import Chapter
from rowwise.grading.isolation import NAMES

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dbe3; --bar: #8796a8; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ecf1; --soft: #a4afbd; --line: #3a4452; --bar: #7d8da1; --page: #14181f; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.6rem; margin-bottom: .2rem } h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem }
p { max-width: 46rem } .soft { color: var(--soft) }
table { border-collapse: collapse; width: 100%; margin: .6rem 0 }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
th { font-weight: 600 } td.n, th.n { text-align: right } svg { display: block } svg rect { fill: var(--bar) }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif } code { font-size: .95em }
.wide { font-size: 1.15rem }
"""


def chapter_page(found: Chapter, names: bool) -> str:
    """The report of a chapter; without ``names`` the page for the projector, on which nobody can be told."""
    parts = [f"<h1>{_e(found.name)}</h1>", _head(found, names), _distribution(found), _exercises(found, names)]
    parts += [_mistakes(found, names), _steps(found)]
    if names:
        parts += [_waiting(found), _problems(found), _students(found)]
    return _page(found.name, "".join(part for part in parts if part), "" if names else "wide")


def course_page(chapters: list[Chapter]) -> str:
    """The report of the course: a line a chapter, and the mistakes that many made."""
    rows = "".join(
        f"<tr><th scope='row'><a href='{_e(c.name)}/report.html'>{_e(c.name)}</a></th><td class='n'>{c.students}</td>"
        f"<td>{_bar(_mean(c))}</td><td class='n'>{len(_waits(c))}</td><td class='n'>{len(c.unreadable)}</td></tr>"
        for c in chapters
    )
    slugs = Counter({(c.name, e.name, slug): len(who) for c in chapters for e in c.exercises.values()
                     for slug, who in e.mistakes.items()})  # fmt: skip
    often = "".join(
        f"<tr><th scope='row'><code>{_e(slug)}</code></th><td>{_e(name)}, {_e(chapter)}</td><td class='n'>{count}</td></tr>"
        for (chapter, name, slug), count in slugs.most_common(15)
    )
    return _page("The course", (
        f"<h1>The course</h1><p>{len(chapters)} chapters graded.</p>"
        + _table(["chapter", "#handed in", "mean mark", "#wait for a person", "#not readable"], rows)
        + ("<h2>Mistakes that most students made</h2>" + _table(["mistake", "where", "#students"], often) if often else "")
    ))  # fmt: skip


def _e(text) -> str:
    return html.escape(str(text))


def _page(title: str, body: str, kind: str = "") -> str:
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{_e(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head>"
        f"<body class='{kind}'><main>{body}</main></body></html>"
    )


def _table(heads: list[str], rows: str) -> str:
    """A table; a head that begins with # is of numbers."""
    cells = "".join(f"<th scope='col'{' class=n' if h[:1] == '#' else ''}>{_e(h.lstrip('#'))}</th>" for h in heads)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table>"


def _waits(found: Chapter) -> set[str]:
    return {student for entry in found.exercises.values() for student in entry.waiting}


def _mean(found: Chapter) -> float:
    marks = [total for who, total in found.so_far.items() if who not in found.unreadable]
    return sum(marks) / len(marks) / found.points if marks and found.points else 0.0


def _head(found: Chapter, names: bool) -> str:
    waits, lines = len(_waits(found)), []
    lines.append(f"{_count(found.students, 'student')} handed in, for {found.points:g} points.")
    if waits and names:
        lines.append(
            f"{_count(waits, 'student')} {'wait' if waits > 1 else 'waits'} for a person to mark a written answer."
        )
    if found.unreadable and names:
        lines.append(f"{_count(len(found.unreadable), 'submission')} could not be graded; the reasons stand below.")
    shared = [e for e in found.exercises.values() if e.remark]
    for entry in shared:
        lines.append(f"{_e(entry.name)}: {entry.remark}.")
    level = "; ".join(f"{_e(NAMES[level])} ({count})" for level, count in found.levels.items())
    tail = f"<p class='soft'>Isolation while grading: {level}.</p>" if names else ""
    return f"<p>{' '.join(lines)}</p>{tail}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _distribution(found: Chapter) -> str:
    """A histogram of the marks so far, in ten steps."""
    marks = [total for who, total in found.so_far.items() if who not in found.unreadable]
    if not marks or not found.points:
        return ""
    counts = Counter(min(9, int(10 * max(0.0, mark) / found.points)) for mark in marks)
    most, width, bars = max(counts.values()), 56, []
    for step in range(10):
        tall = round(110 * counts[step] / most)
        low, high = found.points * step / 10, found.points * (step + 1) / 10
        words = f"{low:g} to {high:g} points: {_count(counts[step], 'student')}"
        bars.append(f"<rect x='{step * width + 2}' y='{130 - tall}' width='{width - 4}' height='{tall}'>"
                    f"<title>{words}</title></rect><text x='{step * width + 2}' y='148'>{low:.3g}</text>")  # fmt: skip
        if counts[step]:
            bars.append(f"<text x='{step * width + 4}' y='{126 - tall}'>{counts[step]}</text>")
    words = "; ".join(f"{found.points * s / 10:.3g} and up: {counts[s]}" for s in range(10) if counts[s])
    return (
        "<h2>Marks</h2><p class='soft'>Students by points. Written answers count once they are marked.</p>"
        f"<svg viewBox='0 0 {10 * width} 152' width='{10 * width}' style='max-width:100%' role='img' "
        f"aria-label='Histogram of marks. {_e(words)}'>{''.join(bars)}</svg>"
    )


def _bar(share: float) -> str:
    """A share of 1 as a bar with its number."""
    return (
        f"<svg width='150' height='18' role='img' aria-label='{share:.0%}'><rect x='0' y='4' width='{round(100 * share)}' "
        f"height='10'></rect><text x='106' y='13'>{share:.0%}</text></svg>"
    )


def _exercises(found: Chapter, names: bool) -> str:
    rows = []
    for entry in found.exercises.values():
        judged = "" if not names else f"<td>{_e(entry.judge)}</td>"
        some = sum(0 < share < 1 for share in entry.shares)
        none = sum(share <= 0 for share in entry.shares)
        rows.append(
            f"<tr><th scope='row'>{_e(entry.name)}</th><td class='n'>{entry.points:g}</td>"
            f"<td>{'not marked yet' if entry.waiting else _bar(entry.mean)}</td>"
            f"<td class='n'>{entry.right}</td><td class='n'>{some}</td><td class='n'>{none}</td>{judged}</tr>"
        )
    heads = ["exercise", "#points", "mean", "#all points", "#some", "#none"] + (["judged"] if names else [])
    return "<h2>Exercises</h2>" + _table(heads, "".join(rows))


def _mistakes(found: Chapter, names: bool) -> str:
    made = sorted(
        ((entry, slug, who) for entry in found.exercises.values() for slug, who in entry.mistakes.items()),
        key=lambda row: -len(row[2]),
    )
    rows = "".join(
        f"<tr><th scope='row'><code>{_e(slug)}</code></th><td>{_e(entry.name)}</td><td class='n'>{len(who)}</td>"
        + (f"<td>{_e(entry.told.get(slug, ''))}{_who(who)}</td></tr>" if names else "</tr>")
        for entry, slug, who in made
    )
    heads = ["mistake", "exercise", "#students"] + (["what one of them was told, and who made it"] if names else [])
    return "<h2>Mistakes</h2>" + _table(heads, rows) if rows else ""


def _who(students) -> str:
    return f"<div class='soft'>{_e(_some(students, 8))}</div>"


def _some(students, most: int = 40) -> str:
    """The first of them by name."""
    return ", ".join(sorted(students)[:most]) + (f" and {len(students) - most} more" if len(students) > most else "")


def _steps(found: Chapter) -> str:
    """Where points of a mark were lost, step by step: a row's lines, a function's parts."""
    rows = "".join(
        f"<tr><th scope='row'>{_e(entry.name)}</th><td>{_e(step)}</td><td class='n'>{sum(x > 0 for x in lost)}</td>"
        f"<td>{_bar(sum(lost) / len(lost))}</td></tr>"
        for entry in found.exercises.values()
        for step, lost in entry.lost.items()
        if any(lost)
    )
    heads = ["exercise", "step", "#students", "share of its points lost"]
    return "<h2>Where points were lost</h2>" + _table(heads, rows) if rows else ""


def _waiting(found: Chapter) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{_e(e.name)}</th><td class='n'>{len(e.waiting)}</td><td>{_e(_some(e.waiting))}</td></tr>"
        for e in found.exercises.values()
        if e.waiting
    )
    return "<h2>Waiting for a person</h2>" + _table(["cell", "#students", "who"], rows) if rows else ""


def _problems(found: Chapter) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{_e(who)}</th><td>no mark</td><td>{_e(why)}</td></tr>"
        for who, why in sorted(found.unreadable.items())
    ) + "".join(
        f"<tr><th scope='row'>{_e(who)}</th><td>{_e(kind)}</td><td>{_e(text)}</td></tr>"
        for who, kind, text in sorted(found.notes)
    )
    return "<h2>What was odd</h2>" + _table(["student", "what", "in words"], rows) if rows else ""


def _students(found: Chapter) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{_e(who)}</th><td class='n'>{found.so_far[who]:g}</td>"
        f"<td>{'' if total is not None else 'a person must still mark'}</td></tr>"
        for who, total in sorted(found.totals.items())
    )
    return "<h2>Students</h2>" + _table(["student", "#points so far", ""], rows) if rows else ""
