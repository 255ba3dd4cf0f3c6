"""Makes and calls PyTorch's layers as cases say. layer_case.h describes a case."""

import math
import warnings

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import attention_cases
import recurrent_cases
import transformer_cases
from draws import Draw

warnings.filterwarnings("ignore")
torch.set_num_threads(1)

AXES = {"MultiheadAttention": attention_cases.AXES, **transformer_cases.AXES, **recurrent_cases.AXES}
DRAW = {"MultiheadAttention": attention_cases.draw_attention,
        **dict.fromkeys(transformer_cases.AXES, transformer_cases.draw_transformer),
        **dict.fromkeys(recurrent_cases.AXES, recurrent_cases.draw_recurrent)}


def draw_case(layer, choices, seed, dtype, grid=None):
    d = Draw(choices, seed, dtype, grid)
    case = DRAW[layer](layer, d)
    return {"layer": layer, **case, "dtype": dtype, "seed": seed, "draw": seed + 1, "training": d["training"],
            "record": d["gradients"]}, d


def make(case):
    layer, sizes, options = case["layer"], case["sizes"], {**case["options"], "dtype": case["dtype"]}
    if options.get("activation") == "tanh":
        options["activation"] = torch.tanh
    if layer not in ("TransformerEncoder", "TransformerDecoder"):
        return getattr(nn, layer)(*sizes, **options)
    stacked = getattr(nn, layer + "Layer")(*sizes, **options)
    norm = nn.LayerNorm(sizes[0], case["options"].get("layer_norm_eps", 1e-5), bias=options["bias"],
                        dtype=case["dtype"]) if case["norm"] else None
    # A nested tensor drops padded rows, which then become 0.
    nested = {"enable_nested_tensor": False} if layer == "TransformerEncoder" else {}
    return getattr(nn, layer)(stacked, case["num_layers"], norm, **nested)


def flat(results):
    found = []
    for result in results if isinstance(results, (tuple, list)) else [results]:
        found += flat(result) if isinstance(result, (tuple, list)) else [result]
    return found


def call(case, module, tensors):
    layer, arguments = case["layer"], case["call"]
    if layer in recurrent_cases.AXES:
        states = [tensors[name] for name in ("h0", "c0") if name in tensors]
        states = tuple(states) if "LSTM" in layer and states else states[0] if states else None
        if "lengths" not in arguments:
            return flat(module(tensors["input"], states))
        batch_first = case["options"].get("batch_first", False)
        packed = pack_padded_sequence(tensors["input"], torch.tensor(arguments["lengths"]), batch_first,
                                      arguments["enforce_sorted"])
        output, last = module(packed, states)
        return [output.data, output.batch_sizes, *pad_packed_sequence(output, batch_first), *flat(last)]
    if layer == "TransformerEncoder" and "src_mask" in tensors:
        tensors = {**tensors, "mask": tensors["src_mask"]}
        del tensors["src_mask"]
    return flat(module(**tensors, **arguments))


def answer(case, d):
    """Adds parameters and the weights of results to a case. Returns drawn parameters, and results and gradients by
    name, or an exception in place of both."""
    try:
        torch.manual_seed(case["seed"])
        module = make(case)
        drawn = [(name, parameter.detach().clone()) for name, parameter in module.named_parameters()]
        if "state" not in case:
            case["state"] = {name: p + 0.3 * d.numbers(*p.shape) if not d.grid else d.numbers(*p.shape) / 2
                             for name, p in drawn}
        module.load_state_dict(case["state"])
        module.train(case["training"])
        return drawn, values_of(case, d, module)
    except (RuntimeError, ValueError, AssertionError, IndexError) as error:
        return None, error


def values_of(case, d, module):
    tensors, leaves = {}, {}
    for name, value, needs_grad in case["inputs"]:
        if isinstance(value, str):
            tensors[name] = tensors[value]
        elif value is not None:
            tensors[name] = value.clone().requires_grad_(needs_grad)
            if needs_grad:
                leaves[name] = tensors[name]
    with torch.set_grad_enabled(case["record"]):
        torch.manual_seed(case["draw"])
        results = call(case, module, tensors)
        values = [(f"result {i}", result) for i, result in enumerate(results)]
        if case["record"]:
            floating = [r for r in results if r is not None and r.is_floating_point()]
            case.setdefault("weights", [d.numbers(*r.shape) for r in floating])
            sum((r * weight).sum() for r, weight in zip(floating, case["weights"])).backward()
            values += [(f"gradient of {name}", leaf.grad) for name, leaf in leaves.items()]
            values += [(f"gradient of {name}", parameter.grad) for name, parameter in module.named_parameters()]
    return values


def in_float64(case):
    """The case in float64, with the same numbers."""
    def wide(value):
        return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
    return {**case, "dtype": torch.float64, "inputs": [(n, wide(v), g) for n, v, g in case["inputs"]],
            "state": {n: wide(v) for n, v in case["state"].items()},
            "weights": [wide(v) for v in case.get("weights", [])]}


def shown(tensor):
    if tensor is None:
        return None
    elements = tensor.detach().flatten().tolist()
    if tensor.is_floating_point():
        elements = [x if math.isfinite(x) else str(x) for x in elements]
    return {"d": str(tensor.dtype).split(".")[1], "s": list(tensor.shape), "x": elements}


def as_json(case):
    """The case for the C++ side, without its state."""
    def argument(value, needs_grad):
        return {**shown(value), "g": needs_grad} if isinstance(value, torch.Tensor) else value
    return {**case, "dtype": str(case["dtype"]).split(".")[1], "state": None,
            "inputs": [[name, argument(value, needs_grad)] for name, value, needs_grad in case["inputs"]],
            "weights": [shown(weight) for weight in case.get("weights", [])]}
