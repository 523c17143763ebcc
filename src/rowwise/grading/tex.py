"""The TeX that chapters use, as MathML: browsers draw it by themselves, so a page needs no script from elsewhere."""

import html
import re

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|\d+(?:\.\d+)?|\s+|.", re.S)
GREEK = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho - sigma tau upsilon phi chi
    psi omega
"""
LETTERS = {name: chr(code) for code, name in enumerate(GREEK.split(), 0x3B1)}
LETTERS |= {"ell": "ℓ", "infty": "∞", "Delta": "Δ", "Sigma": "Σ"}
SIGNS = {
    "cdot": "·", "times": "×", "top": "⊤", "dots": "…", "ldots": "…", "cdots": "⋯", "neq": "≠", "ne": "≠", "leq": "≤", "le": "≤",
    "geq": "≥", "ge": "≥", "approx": "≈", "sum": "∑", "prod": "∏", "to": "→", "rightarrow": "→", "in": "∈", "pm": "±", "mid": "|",
    "lVert": "‖", "rVert": "‖", "Vert": "‖", "lvert": "|", "rvert": "|", "langle": "⟨", "rangle": "⟩", "odot": "⊙",
    "partial": "∂", "mapsto": "↦", "quad": "\u2003", "qquad": "\u2003\u2003", ",": "\u2009", ";": "\u2005", " ": " ",
    "!": "", "{": "{", "}": "}", "|": "‖", "_": "_", "%": "%", "$": "$", "&": "&",
}  # fmt: skip
NAMES = {"exp", "log", "max", "min", "sin", "cos", "softmax"}
FONTS = {"mathrm", "text", "operatorname", "textrm", "mathbf", "mathbb", "mathcal"}
MATH = re.compile(r"(?<![\\$])(\${1,2})(?!\s)([^$]+?)(?<![\s\\])\1(?!\d)")
CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)\s*$|`+[^`]*`+)", re.S | re.M)


class Unknown(ValueError):
    """A command that is not among those above."""


def in_markdown(text: str) -> str:
    """Markdown with its formulas as MathML; code, and formulas with unknown commands, stay as they are."""
    if "$" not in text:
        return text
    parts = CODE.split(text)
    return "".join(part if number % 2 else MATH.sub(_replace, part) for number, part in enumerate(parts))


def _replace(found: re.Match) -> str:
    try:
        return mathml(found[2], block=found[1] == "$$")
    except (Unknown, IndexError, ValueError):
        return f"<code>{html.escape(found[2])}</code>"


def mathml(tex: str, block: bool = False) -> str:
    """One formula as a <math> element on one line. Raises Unknown."""
    tokens = [token for token in TOKEN.findall(tex)]
    body, shown = _row(tokens), ' display="block"' if block else ""
    return f"<math{shown}>{body}</math>"


def _row(tokens: list[str], end: str = "") -> str:
    """Everything up to ``end``, which is taken too; tokens are used up from the front."""
    items: list[str] = []
    while tokens:
        token = tokens.pop(0)
        if token == end:
            return "".join(items)
        if token in "^_":
            script = _item(tokens)
            base = items.pop() if items else "<mrow></mrow>"
            items.append(_script(base, token, script))
        elif token.isspace():
            continue
        else:
            items.append(_one(token, tokens))
    if end:
        raise Unknown(f"no {end}")
    return "".join(items)


def _script(base: str, sign: str, script: str) -> str:
    """A base with one more index: above, below, or both."""
    for tag, other in (("msub", "^"), ("msup", "_")):
        if sign == other and base.startswith(f"<{tag}>"):
            inner = base[len(tag) + 2 : -len(tag) - 3]
            if other == "^":
                return f"<msubsup>{inner}{script}</msubsup>"
    return f"<{'msup' if sign == '^' else 'msub'}>{base}{script}</{'msup' if sign == '^' else 'msub'}>"


def _item(tokens: list[str]) -> str:
    """One argument: a group or a single sign."""
    while tokens[0].isspace():
        tokens.pop(0)
    token = tokens.pop(0)
    return f"<mrow>{_row(tokens, '}')}</mrow>" if token == "{" else _one(token, tokens)


def _one(token: str, tokens: list[str]) -> str:
    if token == "{":
        return f"<mrow>{_row(tokens, '}')}</mrow>"
    if not token.startswith("\\"):
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        kind = "mi" if token.isalpha() else "mo"
        return f"<{kind}>{html.escape(token.replace('-', '−'))}</{kind}>"
    name = token[1:]
    if name in LETTERS:
        return f"<mi>{LETTERS[name]}</mi>"
    if name in NAMES:
        return f"<mi>{name}</mi>"
    if name in SIGNS:
        return f"<mo>{html.escape(SIGNS[name])}</mo>"
    if name in ("left", "right", "bigl", "bigr"):
        return "" if tokens[0] == "." and tokens.pop(0) else _one(tokens.pop(0), tokens)
    if name == "sqrt":
        return f"<msqrt>{_item(tokens)}</msqrt>"
    if name in ("frac", "dfrac", "tfrac"):
        return f"<mfrac>{_item(tokens)}{_item(tokens)}</mfrac>"
    if name in FONTS:
        return _words(name, tokens)
    if name == "begin":
        return _table(tokens)
    raise Unknown(token)


def _table(tokens: list[str]) -> str:
    """Everything from behind \\begin to its \\end, as rows and columns; `cases` gets its brace."""
    kind = _braced(tokens)
    inside: list[str] = []
    while tokens[0] != "\\end":
        inside.append(tokens.pop(0))
    tokens.pop(0)
    if _braced(tokens) != kind:
        raise Unknown(f"\\begin{{{kind}}} within another")
    rows, row, cell, depth = [], [], [], 0
    for token in [*inside, "\\\\"]:
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token in ("&", "\\\\") and not depth:
            row.append(_row(cell))
            cell = []
            if token != "&":
                rows.append(row)
                row = []
        else:
            cell.append(token)
    lines = ["".join(f'<mtd style="text-align:left">{part}</mtd>' for part in each) for each in rows if any(each)]
    table = f"<mtable>{''.join(f'<mtr>{line}</mtr>' for line in lines)}</mtable>"
    return f"<mrow><mo>{{</mo>{table}</mrow>" if kind == "cases" else table


def _braced(tokens: list[str]) -> str:
    """The word in the braces that come next."""
    if tokens.pop(0) != "{":
        raise Unknown("begin")
    end = tokens.index("}")
    word = "".join(tokens[:end])
    del tokens[: end + 1]
    return word


def _words(name: str, tokens: list[str]) -> str:
    """The text of \\text{...} and its like, letter by letter as it stands."""
    if tokens.pop(0) != "{":
        raise Unknown(name)
    end = tokens.index("}")
    words = "".join(tokens[:end])
    del tokens[: end + 1]
    tag = "mtext" if name.startswith("text") else "mi"
    return f"<{tag}>{html.escape(words)}</{tag}>"
