"""Arguments that fit, for recurrent layers and their single steps."""

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def sizes_of(g):
    """The numbers of features and of elements of a state. Mostly few, so that programs stay short."""
    return g.pick([1, 2, 2, 3]), g.pick([1, 2, 2, 3])


def parameters(g, gates, ins, state, layers, directions, biases):
    """The flat list of parameters of all layers and directions."""
    flat = []
    for layer in range(layers):
        columns = ins if layer == 0 else state * directions
        for _ in range(directions):
            flat += [g.tensor([gates * state, columns], g.main), g.tensor([gates * state, state], g.main)]
            if biases:
                flat += [g.tensor([gates * state], g.main) for _ in range(2)]
    return flat


def recurrent(g, form):
    """Layers over whole sequences, and over packed ones, whose number of rows never grows."""
    ins, state = sizes_of(g)
    layers, directions = g.pick([1, 1, 2]), g.pick([1, 1, 2])
    biases, training, batch_first = g.chance(0.5), g.chance(0.5), g.chance(0.5)
    packed = "ints" in form.kinds
    steps = g.pick([1, 2, 2, 3])
    if packed:
        rows = sorted((g.pick([1, 2, 3]) for _ in range(steps)), reverse=True)
        batch, head = rows[0], [g.tensor([sum(rows), ins], g.main), rows]
    else:
        batch = g.pick([1, 2, 2, 3])
        head = [g.tensor(([batch, steps] if batch_first else [steps, batch]) + [ins], g.main)]
    states = [g.tensor([layers * directions, batch, state], g.main) for _ in range(2 if form.op == "lstm" else 1)]
    flat = parameters(g, GATES[form.op], ins, state, layers, directions, biases)
    if g.chance(0.03):
        flat.pop()
    rest = [biases, layers, training, directions == 2] + ([] if packed else [batch_first])
    return head + [states if form.op == "lstm" else states[0], flat] + rest


def recurrent_cell(g, form):
    """A step of one layer. PyTorch takes both biases or none."""
    gates, batch = GATES[form.op.removesuffix("_cell")], g.size()
    ins, state = sizes_of(g)
    states = [g.tensor([batch, state], g.main) for _ in range(2 if form.op == "lstm_cell" else 1)]
    weights = [g.tensor([gates * state, ins], g.main), g.tensor([gates * state, state], g.main)]
    biases = [None, None] if g.chance(0.4) else [g.tensor([gates * state], g.main) for _ in range(2)]
    return [g.tensor([batch, ins], g.main), states if form.op == "lstm_cell" else states[0]] + weights + biases
