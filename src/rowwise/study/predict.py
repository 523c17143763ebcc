"""Predictions: a commitment before the picture, kept, shown beside what happens, never marked."""

from collections.abc import Sequence
from pathlib import Path

from rowwise import progress
from rowwise.study.shown import QUIET, Shown, escape, paragraphs

_HERE = Path(__file__).parent


def predict(name: str, question: str = "", options: Sequence[str] = (), *, answer: str | None = None):
    """Ask ``question`` and keep the option that the student commits to.

    ``options`` are two or more texts, lettered a, b, c, … on the screen. With ``answer`` (a letter or the text
    of an option) the student commits without a widget. The first commitment stays.
    """
    options = list(options) or progress.recall(f"asked:{name}", [])
    if options:
        progress.keep(f"asked:{name}", options)
    if answer is not None:
        return _commit(name, options, answer)
    try:
        return _widget_class()(name=name, question=question, options=options, answer=progress.recall(_key(name)) or "")
    except ImportError:
        return _still(name, question, options)


def outcome(name: str, happened: str) -> Shown:
    """Show the student's prediction beside what ``happened``; before there is one, only say so."""
    said = progress.recall(_key(name))
    if not said and not progress.recall(f"asked:{name}"):  # a figure asks this one
        return paragraphs(["Commit to a prediction first: answer in the figure above, then run this cell again."])
    if not said:
        return paragraphs(
            [
                "Commit to a prediction first: choose an answer above, press Commit, run this cell again. "
                f'(Where no buttons show: `study.predict("{name}", answer="a")` in a new cell.)'
            ]
        )
    sides = "".join(
        f"<p style='margin:0'><span style='{QUIET}'>{heading}</span><br>{text}</p>"
        for heading, text in (
            ("You predicted", escape(said)),
            ("What happens", f"<strong>{escape(happened)}</strong>"),
        )
    )
    grid = "display:grid;grid-template-columns:minmax(8em,1fr) 2fr;gap:4px 32px;margin:4px 0;max-width:56em"
    return Shown(f"<div style='{grid}'>{sides}</div>", f"You predicted: {said}\nWhat happens:  {happened}")


def _key(name: str) -> str:
    return f"prediction:{name}"


def letter(i: int) -> str:
    """The letter of an option: a, b, c, …"""
    return chr(ord("a") + i)


def _commit(name: str, options: list[str], answer: str) -> Shown:
    if said := progress.recall(_key(name)):
        return paragraphs([f"You committed to: {said}. The first commitment stays."])
    wanted = str(answer).strip()
    for i, option in enumerate(options):
        if wanted.casefold() in (letter(i), option.casefold()):
            progress.keep(_key(name), option)
            return paragraphs([f"You committed to: {option}."])
    if not options:
        return paragraphs([f"Run the cell that asks the question {name!r} first, then commit to an answer."])
    letters = ", ".join(f"{letter(i)} = {option}" for i, option in enumerate(options))
    return paragraphs([f"{answer!r} is none of the answers. They are: {letters}."])


def _still(name: str, question: str, options: list[str]) -> Shown:
    """The question where no widget runs: as text, with the way to answer it."""
    how = f'Commit in a new cell: study.predict("{name}", answer="a")'
    if said := progress.recall(_key(name)):
        how = f"You committed to: {said}"
    items = "".join(f"<li>{letter(i)}. {escape(option)}</li>" for i, option in enumerate(options))
    return Shown(
        f"<p>{escape(question)}</p><ul style='list-style:none'>{items}</ul><p>{escape(how)}</p>",
        "\n".join([question, *(f"  {letter(i)}. {option}" for i, option in enumerate(options)), how]),
    )


def _widget_class():
    """The widget's class, made at the first question: importing anywidget takes a while."""
    global _Prediction
    if _Prediction is None:
        import anywidget
        import traitlets

        class Prediction(anywidget.AnyWidget):
            """A question with radio buttons; ``answer`` is the committed option or ''."""

            _esm = _HERE / "predict.js"
            _css = _HERE / "predict.css"
            name = traitlets.Unicode().tag(sync=True)
            question = traitlets.Unicode().tag(sync=True)
            options = traitlets.List(traitlets.Unicode()).tag(sync=True)
            answer = traitlets.Unicode().tag(sync=True)

            @traitlets.observe("answer")
            def _keep(self, change):
                if change.new in self.options and not progress.recall(_key(self.name)):
                    progress.keep(_key(self.name), change.new)

            def _repr_mimebundle_(self, **kwargs):
                bundle = super()._repr_mimebundle_(**kwargs)
                data, *rest = bundle if isinstance(bundle, tuple) else (bundle,)
                still = _still(self.name, self.question, list(self.options))
                data = {**(data or {}), "text/html": still.html, "text/plain": still.text}
                return (data, *rest) if rest else data

        _Prediction = Prediction
    return _Prediction


_Prediction = None
