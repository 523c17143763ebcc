"""Implementations by other people agree with rowwise.reference wherever they compute what the course teaches.

The ONNX standard's Attention operator: its own backend cases, and its reference operator on random inputs. PyTorch's
scaled_dot_product_attention where it is installed.
"""

import importlib
import warnings

import numpy as np
import pytest

from rowwise import reference

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper
    from onnx.backend.test.case import node as backend
    from onnx.reference import ReferenceEvaluator

# The backend cases that ask for what the course teaches. Those that other versions of the package lack are skipped.
RUN = {
    "test_attention_4d": "plain",
    "test_attention_4d_fp16": "half precision",
    "test_attention_4d_diff_heads_sizes": "d_v differs from d_k",
    "test_attention_4d_causal": "causal, n_q differs from n_k",
    "test_attention_4d_causal_fp16": "causal, half precision",
    "test_attention_4d_diff_heads_sizes_causal": "causal, d_v differs",
    "test_attention_4d_attn_mask": "additive mask",
    "test_attention_4d_attn_mask_3d": "additive mask for each batch item",
    "test_attention_4d_attn_mask_4d": "additive mask for each head",
    "test_attention_4d_attn_mask_3d_causal": "additive and causal",
    "test_attention_4d_attn_mask_4d_causal": "additive and causal, for each head",
    "test_attention_4d_attn_mask_bool": "boolean mask, True = may attend",
    "test_attention_4d_attn_mask_bool_4d": "boolean mask for each head",
    "test_attention_4d_diff_heads_sizes_attn_mask": "additive mask, d_v differs",
    "test_attention_4d_with_qk_matmul": "the scaled scores too",
    "test_attention_4d_with_qk_matmul_bias": "the masked scores too",
    "test_attention_4d_with_qk_matmul_softmax": "the weights too",
    "test_attention_3d": "heads split and merged",
    "test_attention_3d_diff_heads_sizes": "heads of different width",
    "test_attention_3d_causal": "heads, causal",
    "test_attention_3d_diff_heads_sizes_causal": "heads of different width, causal",
    "test_attention_3d_attn_mask": "heads, additive mask",
    "test_attention_3d_diff_heads_sizes_attn_mask": "heads of different width, additive mask",
    "test_attention_3d_transpose_verification": "reshape is not transpose",
    "test_attention_causal_boolmask_nan_robustness": "boolean and causal",
    "test_attention_23_boolmask_fullymasked_row_nan_robustness": "a row with nothing permitted",
    "test_attention_23_fullymasked_qk_matmul_output_mode3_zero": "its weights are zeros",
    "test_attention_24_fullymasked_qk_matmul_output_mode3_zero": "its weights are zeros",
    "test_attention_24_qk_matmul_output_mode3_softmax_precision": "half precision, a softmax in float32",
    "test_attention_local_window_default": "a window without limits",
}


def reason_not_to_run(case) -> str:
    """Why a case asks for something else than the course teaches; "" where it does not."""
    node, (inputs, _) = case.model.graph.node[0], case.data_sets[0]
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    names = [name for name in node.input if name]
    by_name = dict(zip(names, inputs, strict=True))
    heads = [attributes.get(f"{k}_num_heads", by_name["QK"[k == "kv"]].shape[1]) for k in ("q", "kv")]
    if "past_key" in names or "nonpad_kv_seqlen" in names:
        return "keys and values kept from earlier calls"
    if max(attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)) >= 0:
        return "a sliding window"
    if heads[0] != heads[1]:
        return "several query heads share one key head"
    if "softcap" in attributes:
        return "scores bent by a tanh"
    if "scale" in attributes:
        return "a scale of its own instead of 1/√d_k"
    if inputs[0].dtype.name == "bfloat16":
        return "bfloat16, which NumPy does not compute in"
    return ""


def backend_cases():
    state = np.random.get_state()
    np.random.seed(0)  # the package draws its inputs without a seed
    try:
        # Importing the operator's module makes its cases; collect_testcases would make those of every operator.
        importlib.import_module("onnx.backend.test.case.node.attention")
    finally:
        np.random.set_state(state)
    return [case for case in backend._NodeTestCases if "expanded" not in case.name]


CASES = {case.name: case for case in backend_cases()}


def ours(Q, K, V, mask=None, causal=False):
    """Output, scaled scores, masked scores and weights; ``mask`` boolean or additive."""
    allowed = np.ones((Q.shape[-2], K.shape[-2]), dtype=bool)
    if causal:
        allowed = np.tri(*allowed.shape, dtype=bool)
    S = reference.scaled_scores(Q, K)
    if mask is not None and mask.dtype == bool:
        allowed = allowed & mask
        assert np.array_equal(
            reference.attention(Q, K, V, allowed),
            reference.mix_values(reference.softmax_rows(reference.masked_scores(S, allowed)), V),
        )
        mask = None
    masked = reference.masked_scores(S if mask is None else S + mask, allowed)
    weights = reference.softmax_rows(masked)
    return reference.mix_values(weights, V), S, masked, weights


@pytest.mark.parametrize("name", RUN)
def test_the_standards_own_case_agrees(name):
    if name not in CASES:
        pytest.skip(f"onnx {onnx.__version__} has no case {name}")
    case = CASES[name]
    assert reason_not_to_run(case) == ""
    node, (inputs, outputs) = case.model.graph.node[0], case.data_sets[0]
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    given = dict(zip([n for n in node.input if n], inputs, strict=True))
    Q, K, V = (given[n] for n in "QKV")
    flat = Q.ndim == 3
    if flat:
        Q, K, V = (
            reference.split_heads(A, attributes[f"{who}_num_heads"]) for A, who in ((Q, "q"), (K, "kv"), (V, "kv"))
        )
    if Q.dtype == np.float16:
        Q, K, V = (A.astype(np.float32) for A in (Q, K, V))
    Y, *inside = ours(Q, K, V, given.get("attn_mask"), attributes.get("is_causal", 0))
    close = {"rtol": 1e-5, "atol": 1e-6} if outputs[0].dtype == np.float32 else {"rtol": 2e-3, "atol": 2e-3}
    np.testing.assert_allclose(reference.merge_heads(Y) if flat else Y, outputs[0], **close)
    if len(outputs) > 1:
        mode = {0: 0, 2: 1, 3: 2}[attributes.get("qk_matmul_output_mode", 0)]
        np.testing.assert_allclose(inside[mode], outputs[1], **close)


def test_every_case_of_the_standard_either_runs_or_has_a_reason_not_to():
    unexplained = [name for name, case in CASES.items() if name not in RUN and not reason_not_to_run(case)]
    assert unexplained == []


def onnx_attention(Q, K, V, mask=None, **attributes):
    """The reference operator of the standard, version 23."""
    arrays = {"Q": Q, "K": K, "V": V, **({} if mask is None else {"attn_mask": mask})}
    kinds = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(bool): TensorProto.BOOL}
    graph = helper.make_graph(
        [helper.make_node("Attention", list(arrays), ["Y"], **attributes)],
        "attention",
        [helper.make_tensor_value_info(n, kinds[a.dtype], a.shape) for n, a in arrays.items()],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])
    return ReferenceEvaluator(model).run(None, arrays)[0]


SIZES = [(1, 1, 2, 3, 4, 5), (2, 3, 4, 6, 8, 5), (3, 2, 5, 5, 4, 4), (1, 2, 1, 7, 3, 2), (2, 1, 6, 1, 2, 3)]


def drawn(seed, batch, heads, n_q, n_k, d_k, d_v):
    rng = np.random.default_rng(seed)
    shapes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    arrays = [rng.normal(size=(batch, heads, *shape)).astype(np.float32) for shape in shapes]
    return rng, *arrays


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", ["plain", "boolean", "empty rows", "additive", "causal", "large scores"])
def test_the_standards_operator_agrees_on_random_inputs(sizes, kind):
    rng, Q, K, V = drawn(7, *sizes)
    mask, causal = None, kind == "causal"
    if kind in ("boolean", "empty rows"):
        mask = rng.random((sizes[0], 1, sizes[2], sizes[3])) < 0.5
        mask[..., 0] |= kind == "boolean"
        if kind == "empty rows":
            mask[..., 0, :] = False
    if kind == "additive":
        mask = rng.normal(size=(sizes[2], sizes[3])).astype(np.float32)
    if kind == "large scores":
        Q = Q * 300
    theirs = onnx_attention(Q, K, V, mask, is_causal=int(causal))
    close = {"rtol": 1e-4, "atol": 1e-5} if kind != "large scores" else {"rtol": 2e-3, "atol": 2e-3}
    np.testing.assert_allclose(ours(Q, K, V, mask, causal)[0], theirs, **close)
    if kind == "empty rows":
        assert not theirs[..., 0, :].any()


def test_multi_head_attention_is_the_standards_operator_between_two_products():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2, 5, 6)).astype(np.float32)
    Wq, Wk, Wv, Wo = (rng.normal(size=(6, 6)).astype(np.float32) for _ in range(4))
    mask = np.tri(5, dtype=bool)[None].repeat(2, axis=0)
    theirs = onnx_attention(X @ Wq, X @ Wk, X @ Wv, mask[:, None], q_num_heads=3, kv_num_heads=3) @ Wo
    np.testing.assert_allclose(reference.multi_head_attention(X, Wq, Wk, Wv, Wo, 3, mask), theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", ["plain", "boolean", "additive", "causal"])
def test_pytorch_agrees_where_it_is_installed(sizes, kind):
    torch = pytest.importorskip("torch")
    rng, Q, K, V = drawn(11, *sizes)
    mask = None
    if kind == "boolean":
        mask = rng.random((sizes[2], sizes[3])) < 0.5
        mask[:, 0] = True
    if kind == "additive":
        mask = rng.normal(size=(sizes[2], sizes[3])).astype(np.float32)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (Q, K, V)),
        attn_mask=None if mask is None else torch.from_numpy(mask),
        is_causal=kind == "causal",
    )
    np.testing.assert_allclose(ours(Q, K, V, mask, kind == "causal")[0], theirs.numpy(), rtol=1e-4, atol=1e-5)
