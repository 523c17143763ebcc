"""Anything that a student could put in a cell, for tests that nothing raises."""

import numpy as np
from hypothesis import strategies as st

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text()
    | st.text("0123456789.,+-*/()e^√%∞ \n;[]", max_size=40)
    | st.binary()
    | st.decimals()
    | st.fractions()
    | st.builds(object)
    | st.sampled_from([np.float32("nan"), np.array(3), np.array(["a"]), np.arange(6.0).reshape(2, 3), ...]),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
