"""Cases of RNN, LSTM, GRU and their cells."""

from draws import BATCH, SEVERAL, batched

LAYER = {
    "num_layers": [1, 2, 3],
    "bidirectional": [False, True],
    "bias": [True, False],
    "batch_first": [False, True],
    "dropout": ["default", 0.0, 0.4],
    "input": ["padded", "packed, sorted", "packed, unsorted"],
    "first states": ["given", "zeros"],
    "training": [True, False],
    "gradients": [True, False],
    "batch": BATCH,
    "steps": [SEVERAL, 1],
    "input_size": [SEVERAL, 1],
    "hidden_size": [SEVERAL, 1],
}
CELL = {
    "bias": [True, False],
    "first states": ["given", "zeros"],
    "training": [True, False],
    "gradients": [True, False],
    "batch": BATCH,
    "input_size": [SEVERAL, 1],
    "hidden_size": [SEVERAL, 1],
}
TANH_OR_RELU = {"nonlinearity": ["default", "tanh", "relu"]}
AXES = {
    "RNN": {**LAYER, **TANH_OR_RELU},
    # A dropout needs a layer above the first.
    "LSTM": {**LAYER, "proj_size": ["default", 1, 2]},
    "GRU": LAYER,
    "RNNCell": {**CELL, **TANH_OR_RELU},
    "LSTMCell": CELL,
    "GRUCell": CELL,
}


def draw_recurrent(layer, d):
    batch = None if d["batch"] is None else d.size("batch")
    ins, hidden = d.size("input_size"), d.size("hidden_size")
    if layer.endswith("Cell"):
        return draw_cell(layer, d, batch, ins, hidden)
    steps, layers = d.size("steps"), d["num_layers"]
    options = d.options("num_layers", "bidirectional", "bias", "batch_first", "dropout",
                        *(name for name in ("nonlinearity", "proj_size") if name in d.choices))
    if d["dropout"] == 0.4:
        layers = options["num_layers"] = max(layers, 2)
    if "proj_size" in options:
        hidden = max(hidden, options["proj_size"] + 1)
    call = {}
    if d["input"] != "padded":
        batch = batch or 3
        lengths = sorted([steps] + [d.random.randint(1, steps) for _ in range(batch - 1)], reverse=True)
        if d["input"] == "packed, unsorted":
            d.random.shuffle(lengths)
        call = {"lengths": lengths, "enforce_sorted": d["input"] == "packed, sorted"}
    inputs = [("input", d.numbers(*batched(d, steps, batch, ins)), True)]
    if d["first states"] == "given":
        rows = [layers * (2 if d["bidirectional"] else 1)] + ([] if batch is None else [batch])
        inputs.append(("h0", d.numbers(*rows, options.get("proj_size", hidden)), True))
        if layer == "LSTM":
            inputs.append(("c0", d.numbers(*rows, hidden), True))
    return {"sizes": [ins, hidden], "options": options, "inputs": inputs, "call": call}


def draw_cell(layer, d, batch, ins, hidden):
    options = d.options("bias", *(["nonlinearity"] if "nonlinearity" in d.choices else []))
    rows = [] if batch is None else [batch]
    inputs = [("input", d.numbers(*rows, ins), True)]
    if d["first states"] == "given":
        inputs.append(("h0", d.numbers(*rows, hidden), True))
        if layer == "LSTMCell":
            inputs.append(("c0", d.numbers(*rows, hidden), True))
    return {"sizes": [ins, hidden], "options": options, "inputs": inputs, "call": {}}
