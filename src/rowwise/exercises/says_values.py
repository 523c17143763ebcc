"""What a tutor says about the weighted sum, and about where queries, keys and values come from."""


def _row(e) -> str:
    return f"{e.where} {e.shown}"


def _keys_as_values(e) -> str:
    if not e.shaped:
        return (
            f"{e.given} your output is {e.value.shape[-1]} wide, and so are the keys. The weights were right to "
            "come from them, but what is mixed are the values: the output is as wide as they are. Look at the last product."
        )
    return (
        f"{_row(e)}: a mixture of *keys*. The values play no part in it; change one and your output stays as it is. Keys "
        "decide how much of each is taken, values are what is taken. Look at what the weights are multiplied with."
    )


def _transposed_mix(e) -> str:
    return (
        f"{_row(e)}: it was mixed with the weights of *column* {e.row + 1}, the weights that all queries give to one key. "
        "Query and weights stay in the same row. Where there are as many queries as keys nothing raises. Look for a `.T` "
        "beside the weights."
    )


def _mean(e) -> str:
    if e.note == "one row":
        return (
            f"{e.given} your result has shape {e.value.shape}: one row for all queries, in which each value counts alike. "
            "The weights play no part in it. Each query has weights of its own, and gets a row of its own. Look at what "
            "multiplies the values before they are added up."
        )
    how = "the sum of all values" if e.note == "sum" else "the mean of the values"
    return (
        f"{_row(e)}, and every other query gets the same kind of row: {how}, each counted alike. The weights play no part in "
        "it. Each query has weights of its own. Look at what multiplies the values before they are added up."
    )


def _not_summed(e) -> str:
    if e.note == "pairs":
        return (
            f"{e.given} your result has shape {e.value.shape}: weights times values, entry by entry. Each query "
            "weighs *whole rows* of V and adds them up. Try it for one query on paper, then look at your product."
        )
    return (
        f"{e.given} your result has shape {e.value.shape}, an axis too many: each weight times its value, for "
        "every query and key, still apart. An output row is one vector. Over which axis has it to be summed?"
    )


def _keys_from_queries(e) -> str:
    what = {"K": "keys", "V": "values"}.get(e.note, "keys and values")
    return (
        f"{_row(e)}. It comes out so when the {what} are made from X: the memory M plays no part in them. In cross-attention "
        "the queries come from X, and what they look at comes from M. Look at what each projection is applied to."
    )


def _queries_from_memory(e) -> str:
    if not e.shaped:
        return (
            f"{e.given} your output has {len(e.value)} rows, one for each position of the memory. It is X that "
            "asks, so each position of X gets a row. Look at what Wq is applied to."
        )
    return (
        f"{_row(e)}. It comes out so when the queries are made from M: the memory asks, and X is looked at. It is X that asks. "
        "Look at what Wq is applied to."
    )


def _projection_swapped(e) -> str:
    return (
        f"{_row(e)}. It comes out so when {e.note}. Each of the three matrices has one job, and where their shapes agree a "
        "swap raises nothing. Read your three projections aloud: query, key, value."
    )


def _no_projection(e) -> str:
    return (
        f"{_row(e)}. It comes out so when {e.note}. Queries, keys and values are three learned views of the same vectors, so "
        "each of them passes through its own matrix. Look for the product that is missing."
    )


def _weights_only(e) -> str:
    return (
        f"{e.given} your result has shape {e.value.shape}: the weights of every query, and right ones. What is asked for is "
        "what the weights make of the values. One product is missing after the softmax."
    )


SAYS = {
    "weights only": _weights_only,
    "keys-as-values": _keys_as_values,
    "transposed-mix": _transposed_mix,
    "mean-of-values": _mean,
    "weights-not-summed": _not_summed,
    "keys-from-queries": _keys_from_queries,
    "queries-from-memory": _queries_from_memory,
    "projection-swapped": _projection_swapped,
    "no-projection": _no_projection,
}
