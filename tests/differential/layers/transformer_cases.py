"""Cases of the Transformer and its parts."""

from draws import BATCH, MASKS, PADDING, SEVERAL, batched, masks_of

COMMON = {
    "norm_first": [False, True],
    "activation": ["relu", "gelu", "tanh"],
    "batch_first": [False, True],
    "bias": [True, False],
    "layer_norm_eps": ["default", 0.1],
    "dropout": [0.0, "default", 0.4],
    "training": [True, False],
    "gradients": [True, False],
    "gradient of masks": [False, True],
    "query without keys": [False, True],
    "batch": BATCH,
    "heads": [SEVERAL, 1],
    "head size": [SEVERAL, 1],
    "dim_feedforward": [SEVERAL, 1],
}
STACK = {"num_layers": [2, 1, 3], "norm": [False, True]}
SOURCE = {"src_mask": MASKS, "src_key_padding_mask": PADDING, "source": [SEVERAL, 1]}
TARGET = {
    "tgt_mask": MASKS, "memory_mask": MASKS, "tgt_key_padding_mask": PADDING, "memory_key_padding_mask": PADDING,
    "tgt_is_causal": [False, True], "memory_is_causal": [False, True], "target": [SEVERAL, 1],
}
OF_SOURCE = ("src_mask", "src_key_padding_mask")
OF_TARGET = ("tgt_mask", "tgt_key_padding_mask", "tgt_is_causal")
OF_MEMORY = ("memory_mask", "memory_key_padding_mask", "memory_is_causal")
AXES = {
    "TransformerEncoderLayer": {**COMMON, **SOURCE, "is_causal": [False, True]},
    "TransformerDecoderLayer": {**COMMON, **TARGET, "source": [SEVERAL, 1]},
    "TransformerEncoder": {**COMMON, **SOURCE, "is_causal": [False, True], **STACK},
    "TransformerDecoder": {**COMMON, **TARGET, "source": [SEVERAL, 1], **STACK},
    "Transformer": {**COMMON, **SOURCE, **TARGET, "src_is_causal": [False, True], "num_encoder_layers": [1, 2],
                    "num_decoder_layers": [1, 2]},
}


def draw_transformer(layer, d):
    # A norm of few numbers enlarges what rounding has lost, so there are at least 5.
    heads = d.size("heads", least=5 if d["head size"] == 1 else 2, most=6 if d["head size"] == 1 else 3)
    size = d.size("head size", least=5 if heads == 1 else 3, most=7 if heads == 1 else 4)
    width, batch = heads * size, None if d["batch"] is None else d.size("batch", most=3)
    source, target = d.size("source"), d.size("target") if "target" in d.choices else 0
    options = d.options("norm_first", "activation", "batch_first", "bias", "layer_norm_eps", "dropout")
    options["dim_feedforward"] = d.size("dim_feedforward", most=7)
    case = {"sizes": [width, heads], "options": options, "call": {}}
    of_source = d.numbers(*batched(d, source, batch, width))
    inputs = []
    if "Decoder" not in layer:
        inputs = [("src", of_source, True)]
        hint = "src_is_causal" if layer == "Transformer" else "is_causal"
        masks, call = masks_of(d, (*OF_SOURCE, hint), source, source, batch, heads)
        inputs += masks
        case["call"].update(call)
    if "Encoder" not in layer:
        inputs.append(("tgt", d.numbers(*batched(d, target, batch, width)), True))
        if layer != "Transformer":
            inputs.append(("memory", of_source, True))
        for names, keys in ((OF_TARGET, target), (OF_MEMORY, source)):
            masks, call = masks_of(d, names, target, keys, batch, heads)
            inputs += masks
            case["call"].update(call)
    if layer == "Transformer":
        case["sizes"] += [d["num_encoder_layers"], d["num_decoder_layers"]]
    elif not layer.endswith("Layer"):
        case.update(num_layers=d["num_layers"], norm=d["norm"])
    return {**case, "inputs": inputs}
