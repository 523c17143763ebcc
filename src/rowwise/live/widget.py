"""What every live figure shares: its files, and what it shows where no kernel runs.

A figure is an anywidget. Beside the widget it hands out two more pictures of itself: HTML that holds the same module,
so that an exported page moves with no kernel and no network, and plain text, which stands where nothing can run.
"""

import base64
import html
import json
import uuid
from pathlib import Path

import anywidget

HERE = Path(__file__).parent

# A model for a page without a kernel: what anywidget's own offers, as far as the figures use it.
PAGE = """<div id="{id}"><p>{alt}</p></div>
<script type="module">
const state = {state}, heard = {{}};
const model = {{
  frozen: true,
  get: (name) => state[name],
  set(name, value) {{ state[name] = value; (heard["change:" + name] ?? []).forEach((act) => act()); }},
  on(event, act) {{ (heard[event] ??= []).push(act); }},
  off(event, act) {{ heard[event] = (heard[event] ?? []).filter((a) => a !== act); }},
  save_changes() {{}},
}};
const el = document.getElementById("{id}");
const style = document.createElement("style");
style.textContent = {css};
const module = await import("data:text/javascript;base64,{esm}");
el.replaceChildren();
document.head.append(style);
module.default.render({{ model, el }});
</script>"""


def text_of(*names: str) -> str:
    """The named files of this folder, one after the other."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


def safe_json(value) -> str:
    """JSON that can stand inside a script element."""
    return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\!--")


class Widget(anywidget.AnyWidget):
    """A live figure. Subclasses set `_esm` and `_css` (text) and say `alt()`."""

    _esm = "export default { render() {} };"
    _css = ""

    def alt(self) -> str:
        """The picture in words."""
        raise NotImplementedError

    def html(self) -> str:
        """The figure as HTML that moves with no kernel and no network."""
        every_widgets = set(anywidget.AnyWidget.class_trait_names())
        own = [n for n in self.trait_names(sync=True) if n not in every_widgets and not n.startswith("_")]
        module = base64.b64encode(str(self._esm).encode()).decode()
        return PAGE.format(
            id=f"rw-{uuid.uuid4().hex[:10]}",
            alt=html.escape(self.alt()),
            state=safe_json({name: getattr(self, name) for name in own}),
            css=safe_json(str(self._css)),
            esm=module,
        )

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return data | {"text/html": self.html(), "text/plain": self.alt()}, metadata
