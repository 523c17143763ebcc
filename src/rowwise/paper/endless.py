"""Practice without end, as a widget: rows from seeds, marked in Python as they are typed."""

from pathlib import Path

import anywidget
import traitlets

from rowwise.paper.page import framed, question, style
from rowwise.paper.session import Session

_HERE = Path(__file__).parent


class Practice(anywidget.AnyWidget):
    """A fresh row to fill in, step by step; ``session`` holds the row and what was typed.

    The page sends what stands in its boxes with everything it asks for; one message a change comes back.
    """

    _esm = _HERE / "endless.js"
    _css = style("endless.css")
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session):
        super().__init__(view=session.view())
        self.session = session
        self.on_msg(self._hear)

    def _hear(self, _, message, buffers) -> None:
        session, step = self.session, str(message.get("step", ""))
        session.type(message.get("entries") or {})
        match message.get("do"):
            case "check":
                said = session.check(step)
            case "hint":
                said = session.hint(step)
            case "explain":
                said = session.explain()
            case "new":
                session.new(seed_of(message.get("seed"), session.seed + 1))
                said = f"Row {session.seed}."
            case _:
                return
        self.view = session.view()
        self.send({"said": said, "do": message["do"], "step": step})

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        row = self.session.task
        still = {"text/html": framed(question(row)), "text/plain": f"Practice row {self.session.seed}"}
        return data | still, metadata


def seed_of(value, otherwise: int) -> int:
    """The seed that a number or its text names; ``otherwise`` where it names none."""
    try:
        seed = int(str(value).strip())
    except ValueError:
        return otherwise
    return seed if 0 <= seed < 10**9 else otherwise
