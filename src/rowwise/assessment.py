"""The assessment of chapter 10: a paper whose numbers come from a seed.

A student calls ``begin`` and ``question``. An instructor makes a paper for a class or for each student, with its key,
by ``rowwise assess``.
"""

import html
from collections.abc import Iterable

import numpy as np

from rowwise import exercises, real_heads
from rowwise.exercises import assessment as questions
from rowwise.exercises import seeded
from rowwise.exercises.seeded import Sitting
from rowwise.paper.explain import Explanation
from rowwise.paper.page import framed
from rowwise.paper.page import question as blank
from rowwise.study.shown import Shown, paragraphs, table, together

WRITTEN = ("9", "interpretation, marked by a person", 3, 8)  # question, what, points, minutes

# Two cells of one real head each: (layer, head, sentence, (query, key), (query, key)).
CASES = (
    (2, 1, 0, ("good", "[CLS]"), ("good", "not")),
    (2, 1, 0, ("film", "[CLS]"), ("not", "good")),
    (0, 10, 3, ("[CLS]", "[CLS]"), ("bank", "river")),
)
TITLES = {
    "exam_shapes": "Write the shapes down",
    "exam_row": "Work one row",
    "exam_range": "Say where the output can lie",
    "exam_masked": "Exclude a key",
    "exam_second": "Work the second query",
    "exam_attention": "Write attention",
    "exam_guard": "Guard the output",
    "exam_removal": "Remove one key's content",
}
# How question 9 is marked, as the chapter says it.
RUBRIC = (
    (3, "compares A and B by an intervention rather than by weight, names which intervention, compares with the control, "
        "and states at least one limit (one head or layer, picked case, distance is not meaning, the whole model counts)."),
    (2, "compares by intervention and states a limit, but mixes up zero and mask or leaves the control out."),
    (1, "reads the map correctly (layer, head, row, column) but concludes from weights alone, or states a limit only."),
    (0, "neither. For example: \"The model attends to the most important word.\""),
)  # fmt: skip


def begin(student: str = "") -> Shown:
    """Choose this notebook's paper: that of the folder's paper.json, with the student's own numbers if it says so."""
    sitting = seeded.of_folder(student=student)
    bound = seeded.of_folder(student="somebody").student == "somebody"
    seeded.sit(sitting)
    whose = f", numbers for {sitting.student}" if sitting.student else ""
    said = [f"Paper “{sitting.seed}”{whose}."]
    if bound and not student.strip():
        said.append(
            "This paper has numbers of its own for each student. Write your id between the quotes above, as your "
            "instructor knows it, and run this cell again before you go on."
        )
    return together(paragraphs(said), plan())


def plan() -> Shown:
    """Points and minutes, question by question."""
    rows = [
        (number, TITLES[exercise.name], f"{exercise.points:g}", str(minutes))
        for number, exercise, minutes in questions.PLAN
    ]
    number, what, points, minutes = WRITTEN
    rows.append((number, f"Conclude ({what})", f"{points}", str(minutes)))
    total = sum(float(row[2]) for row in rows), sum(int(row[3]) for row in rows)
    rows.append(("", "together", f"{total[0]:g}", str(total[1])))
    return table("The questions", ("question", "what", "points", "minutes"), rows)


def question(name: str) -> Shown:
    """The numbers of one question of the current paper."""
    return _question(name, seeded.current())


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Q (2, 4), K (3, 4), V (3, 2) and the mask (2, 3) of the current paper: both queries may not use the same key."""
    found = questions.numbers(seeded.current())
    return found.queries, found.K, found.V, np.stack([found.mask, found.mask])


def heatmap() -> Shown:
    """The real head of question 9: its weights, and two cells with what was measured."""
    return _map_of(seeded.current())


def _map_of(sitting: Sitting) -> Shown:
    layer, number, sentence, *cells = _case(sitting)
    head = real_heads.load(layer, number, sentence)
    caption = (
        f"Layer {layer}, head {number}, both counted from 0: “{head.sentence}” Rows are queries, columns are keys."
    )
    return together(_map(caption, head), _measured(head, cells))


def _case(sitting: Sitting):
    return CASES[int(sitting.rng("case").integers(len(CASES)))]


def _question(name: str, sitting: Sitting) -> Shown:
    exercise = exercises.ALL[name]
    if exercise.kind == "row":
        task = exercise.bind(sitting).row
        return Shown(framed(blank(task)), _as_text(task))
    if name == "exam_removal":
        key = questions.numbers(sitting).excluded + 1
        return paragraphs([f"Query 1, key {key}. First its value becomes zero. Then, instead, key {key} is masked."])
    return paragraphs([TITLES[name]])


def _as_text(task) -> str:
    lines = [f"q = {task.q.tolist()}"]
    lines += [
        f"k{i} = {k.tolist()}   v{i} = {v.tolist()}" for i, (k, v) in enumerate(zip(task.K, task.V, strict=True), 1)
    ]
    if task.mask is not None:
        lines.append(f"may attend: {task.mask.tolist()}")
    return "\n".join([*lines, f"asked: {', '.join(task.asks)}"])


def _map(caption: str, head) -> Shown:
    W = head.weights
    names = [f"{i} {token}" for i, token in enumerate(head.tokens)]
    cell = "text-align:right;padding:3px 6px;font-variant-numeric:tabular-nums"
    heads = "".join(f"<th scope='col' style='{cell}'>{html.escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr><th scope='row' style='text-align:right;padding:3px 8px'>{html.escape(names[i])}</th>"
        + "".join(f"<td style='{cell};{_shade(w)}'>{w:.2f}</td>" for w in row)
        + "</tr>"
        for i, row in enumerate(W)
    )
    text = "\n".join(
        [caption, *(f"{n:>10} " + " ".join(f"{w:.2f}" for w in row) for n, row in zip(names, W, strict=True))]
    )
    return Shown(
        "<table style='border-collapse:collapse;margin:0'>"
        f"<caption style='text-align:left'>{html.escape(caption)}</caption>"
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody></table>",
        text + "\n",
    )


def _shade(weight: float) -> str:
    """White to slate on a fixed 0 to 1; the text turns white where black would be harder to read."""
    light = 255 - np.array([255 - 0x4A, 255 - 0x55, 255 - 0x65]) * float(weight)
    ink = "#000" if weight < 0.8 else "#fff"  # a contrast of 4.5 or more, whatever the weight
    return f"background:rgb({','.join(str(int(x)) for x in light)});color:{ink}"


def _measured(head, cells) -> Shown:
    rows = []
    for letter, (query, key) in zip("AB", cells, strict=True):
        q, k = head.index(query), head.index(key)
        control = np.median([head.measured(query, other, "zero", "layer") for other in head.controls(query, key)])
        rows.append(
            (
                f"{letter}: {query} → {key}",
                f"{head.weights[q, k]:.2f}",
                *(f"{head.measured(query, key, how, 'layer'):.4f}" for how in ("zero", "mask")),
                f"{control:.4f}",
            )
        )
    return table(
        "Two cells, measured with the whole model: how far the query's row moves, as a share of its length",
        ("cell", "weight", "content becomes zero", "key masked", "control: zero, median of other keys"),
        rows,
    )


def pages(sitting: Sitting) -> tuple[str, str]:
    """The paper of a sitting to print, and its key with the marking scheme: two HTML pages."""
    rows, answers = [], []
    for number, exercise, minutes in questions.PLAN:
        bound = exercise.bind(sitting) if hasattr(exercise, "bind") else exercise
        title = f"<h2>{number}. {TITLES[exercise.name]} ({exercise.points:g} points, {minutes} minutes)</h2>"
        rows.append(f"{title}{_printed(exercise.name, bound, sitting)}")
        answers.append(f"{title}{_key(bound)}")
    number, _, points, minutes = WRITTEN
    title = f"<h2>{number}. Conclude ({points} points, {minutes} minutes)</h2>"
    rows.append(f"{title}{_map_of(sitting).html}<p>{CONCLUDE}</p>{_lines(6)}")
    scheme = "".join(f"<li><b>{earned}</b>: {html.escape(what)}</li>" for earned, what in RUBRIC)
    answers.append(f"{title}{_map_of(sitting).html}<ul>{scheme}</ul>")
    who = f" · {sitting.student}" if sitting.student else ""
    name = html.escape(f"Assessment {sitting.seed}{who}")
    return _page(name, [HOW, *rows]), _page(f"Key · {name}", answers)


HOW = (
    "<p>Name: ________________________________</p><p>Rows to four decimals; what follows from your own rounded lines "
    "counts as right. Write −∞ for an excluded score.</p>"
)
CONCLUDE = (
    "A cell is named query → key. What do the numbers of cells A and B allow you to say about which matters more, and what "
    "do they not allow? Name the layer, the head and the intervention. Three to five sentences."
)
BLANK = "________"


def _lines(count: int) -> str:
    """Room to write."""
    return "<p style='height:1.8em;margin:0;border-bottom:1px solid'></p>" * count


def _printed(name: str, bound, sitting: Sitting) -> str:
    if name == "exam_shapes":
        asked = "   ".join(f"{what} ({BLANK}, {BLANK})" for what in ("Q", "K", "V", "scores", "output"))
        return f"<p>2 queries and 3 keys, 4 numbers wide; values 2 wide. Write the shapes.</p><p>{asked}</p>"
    if name == "exam_range":
        return (
            "<p>For each number of the output: the smallest and the largest that it can be, whatever the weights.</p>"
            f"<p>first: {BLANK} to {BLANK}   second: {BLANK} to {BLANK}</p>"
        )
    if bound.kind == "function":
        return "<p>In the notebook.</p>"
    asked = _question(name, sitting).html
    if name == "exam_row":
        return f"<p>For the exponentials, take the row's largest scaled score away first.</p>{asked}"
    if name == "exam_removal":
        how = "How far does output 1 move, as a share of its own length? Length: the root of the sum of the squares."
        return f"<p>{how}</p>{asked}<p>zero: {BLANK}   masked: {BLANK}</p>"
    return asked


def _key(bound) -> str:
    if bound.kind == "row":
        marks = ", ".join(f"{step} {points:g}" for step, points in bound.row.marks.items())
        return f"<p>Marks: {marks}.</p>{Explanation(bound.row).html()}"
    if bound.kind == "function":
        return f"<p>Marked by <code>check.{bound.name}</code>.</p>"
    right = bound.solution() if hasattr(bound, "solution") else bound.right
    return f"<p>{html.escape(', '.join(map(str, right)))}</p>"


def _page(title: str, parts: Iterable[str]) -> str:
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{title}</title>"
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}"
        "h2{font-size:1.1rem;margin-top:2rem;break-after:avoid}"
        "p{white-space:pre-wrap}td{print-color-adjust:exact}table{break-inside:avoid}</style>"
        f"<main><h1>{title}</h1>{framed(''.join(parts))}</main></html>\n"
    )
