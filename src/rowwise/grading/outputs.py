"""What came back from a student's process as outputs, made safe to store and to show in an instructor's browser."""

import base64
import re

TEXT = 200_000  # characters of one output's text
LINES = 1000  # of printed text a cell, as nbgrader has it
IMAGE = 3_000_000  # characters of one base64 image

HARMLESS_TAGS = """
    a abbr b blockquote br caption code col dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i
    img kbd li mark ol p pre s small span strong sub summary sup table tbody td tfoot th thead tr tt u ul
"""
HARMLESS = frozenset(HARMLESS_TAGS.split())
OPENING = re.compile(r"<(?=/?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|$)|[!?])")
PLAIN_TAG = re.compile(
    r"</?[A-Za-z][A-Za-z0-9-]*"
    r"(\s+(href|src|alt|width|height|title|colspan|rowspan|align|scope|open)"
    r"(\s*=\s*(\"[^\"<>]*\"|'[^'<>]*'|[\w./%#-]+))?)*\s*/?>"
)
SCHEME = re.compile(r"(javascript|vbscript|data)\s*:", re.I)


def cleaned(outputs) -> list[dict]:
    """Outputs in nbformat's shape and nothing else, whatever ``outputs`` is."""
    found, lines = [], 0
    for item in outputs if isinstance(outputs, list) else []:
        if not isinstance(item, dict):
            continue
        kind = item.get("output_type")
        if kind == "stream":
            text = _text(item.get("text"))
            room = LINES - lines
            lines += text.count("\n")
            if lines > LINES:
                text = "".join(text.splitlines(keepends=True)[: max(room, 0)]) + "... Output truncated ...\n"
            if room > 0:
                name = "stderr" if item.get("name") == "stderr" else "stdout"
                found.append({"output_type": "stream", "name": name, "text": text})
        elif kind == "error":
            trace = item.get("traceback")
            trace = [_text(line)[:20_000] for line in trace[-100:]] if isinstance(trace, list) else []
            found.append({"output_type": "error", "ename": _text(item.get("ename"))[:200],
                          "evalue": _text(item.get("evalue"))[:5000], "traceback": trace})  # fmt: skip
        elif kind in ("display_data", "execute_result"):
            shown = {"output_type": kind, "data": _bundle(item.get("data")), "metadata": {}}
            if kind == "execute_result":
                count = item.get("execution_count")
                shown["execution_count"] = count if type(count) is int else None
            if shown["data"]:
                found.append(shown)
    return found


def _text(value) -> str:
    text = value if isinstance(value, str) else "" if value is None else str(value)[:TEXT]
    return text[:TEXT].encode("utf-8", "replace").decode()


def _bundle(data) -> dict:
    """The forms of an output that may be shown: text, pictures, and HTML without anything that acts."""
    kept = {}
    for kind, value in data.items() if isinstance(data, dict) else ():
        if kind in ("text/plain", "text/latex"):
            kept[kind] = _text(value)
        elif kind == "text/markdown":
            kept[kind] = harmless(_text(value))
        elif kind == "text/html":
            kept[kind] = _html(_text(value))
        elif kind in ("image/png", "image/jpeg") and isinstance(value, str) and len(value) <= IMAGE and _base64(value):
            kept[kind] = value
    return kept


def _base64(value: str) -> bool:
    try:
        return bool(base64.b64decode(value.replace("\n", ""), validate=True))
    except ValueError:
        return False


def _html(text: str) -> str:
    import bleach  # nbconvert brings it; few submissions need it

    allowed = {"*": ["colspan", "rowspan", "scope", "title", "align"], "a": ["href"], "img": ["alt", "width", "height"]}
    text = re.sub(r"(?is)<(style|script)\b.*?(</\1\s*>|\Z)", "", text)
    return bleach.clean(text, tags=HARMLESS, attributes=allowed, protocols=["http", "https"], strip=True)


def harmless(markdown: str) -> str:
    """Markdown in which HTML that could act is shown as text instead; all else is as it was."""

    def check(found: re.Match) -> str:
        whole = PLAIN_TAG.match(markdown, found.start())
        fine = (found[1] or "").lower() in HARMLESS and whole and not SCHEME.search(whole[0])
        return "<" if fine else "&lt;"

    text = OPENING.sub(check, markdown) if "<" in markdown else markdown
    return re.sub(r"(?i)(\]\(\s*<?\s*|\]:\s*<?\s*)(javascript|vbscript|data)(?=\s*:)", r"\1unsafe-\2", text)
