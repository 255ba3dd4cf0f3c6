"""Cases of MultiheadAttention."""

from draws import BATCH, MASKS, PADDING, SEVERAL, batched, masks_of

AXES = {
    "bias": [True, False],
    "kdim": ["embed_dim", "other"],
    "vdim": ["embed_dim", "other"],
    "add_bias_kv": [False, True],
    "add_zero_attn": [False, True],
    "batch_first": [False, True],
    "need_weights": [True, False],
    "average_attn_weights": [True, False],
    "key_padding_mask": PADDING,
    "attn_mask": MASKS,
    "is_causal": [False, True],
    "dropout": ["default", 0.0, 0.4],
    "training": [True, False],
    "gradients": [True, False],
    "gradient of masks": [False, True],
    "query without keys": [False, True],
    "inputs": ["separate", "key is value", "query is key is value"],
    "batch": BATCH,
    "queries": [SEVERAL, 1],
    "keys": [SEVERAL, 1],
    "heads": [SEVERAL, 1],
    "head size": [SEVERAL, 1],
}


def draw_attention(layer, d):
    heads, batch = d.size("heads", most=4), None if d["batch"] is None else d.size("batch", most=4)
    width = heads * d.size("head size", most=4)
    queries = d.size("queries")
    keys = d.size("keys")
    of_keys = width if d["kdim"] == "embed_dim" else d.other(width)
    of_values = width if d["vdim"] == "embed_dim" else d.other(width)
    key, value = [None, None], [None, None]
    if d["inputs"] == "query is key is value":
        keys, of_keys, of_values, key, value = queries, width, width, "query", "query"
    elif d["inputs"] == "key is value":
        of_values, value = of_keys, "key"
    query = d.numbers(*batched(d, queries, batch, width))
    key = key if key == "query" else d.numbers(*batched(d, keys, batch, of_keys))
    value = value if isinstance(value, str) else d.numbers(*batched(d, keys, batch, of_values))
    masks, call = masks_of(d, ("attn_mask", "key_padding_mask", "is_causal"), queries, keys, batch, heads)
    for name in ("need_weights", "average_attn_weights"):
        if not d[name]:
            call[name] = False
    options = d.options("bias", "add_bias_kv", "add_zero_attn", "batch_first", "dropout")
    if of_keys != width:
        options["kdim"] = of_keys
    if of_values != width:
        options["vdim"] = of_values
    inputs = [("query", query, True), ("key", key, True), ("value", value, True)] + masks
    return {"sizes": [width, heads], "options": options, "inputs": inputs, "call": call}
