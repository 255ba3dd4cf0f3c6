"""Programs that showed a mistake in tern, now mended: (what went wrong, [(form, arguments, results), ..])."""


def made(number, values, sizes=None, requires_grad=False, dtype="float32", layout="contiguous"):
    return ("make(a, b, c, d, e)", [dtype, [len(values)] if sizes is None else sizes, values, layout, requires_grad],
            [number])


BUGS = [
    ("requires_grad_(false) after recording: backward() through the old graph added to .grad", [
        made(0, [1, 2], requires_grad=True),
        ("a.square()", [0], [1]),
        ("a.requires_grad_(b)", [0, False], []),
        ("a.sum()", [1], [2]),
        ("backward(a, b, c, d)", [2, None, None, False], []),
    ]),
    ("the same after detach_()", [
        made(0, [1, 2], requires_grad=True),
        ("a.sum()", [0], [1]),
        ("a.detach_()", [0], []),
        ("backward(a, b, c, d)", [1, None, None, False], []),
    ]),
    ("a reshape that copies returned a view", [
        made(0, [1, 2, 3, 4], [2, 2], layout="transposed", requires_grad=True),
        ("a.reshape(b)", [0, [4]], [1]),
        ("a.detach_()", [1], []),
        made(2, [1, 2, 3], [3, 1], layout="expanded"),
        ("a.flatten(b, c)", [2, 0, 1], [3]),
    ]),
    ("the second derivative of relu alone was an error instead of 0", [
        made(0, [1, -2], requires_grad=True),
        ("a.relu()", [0], [1]),
        made(2, [2, 3]),
        ("grad(a, b, c, d, e, f)", [[1], [0], [2], None, True, False], [3]),
        made(4, [1, 1]),
        ("grad(a, b, c, d, e, f)", [[3], [0], [4], None, False, False], [5]),
    ]),
    ("addmm with alpha 0 multiplied infinities by 0", [
        made(0, [1, 2]),
        made(1, ["inf", 1, 2, 3], [2, 2], requires_grad=True),
        made(2, [1, 2, "nan", 4], [2, 2]),
        ("torch.addmm(a, b, c, beta=d, alpha=e)", [0, 1, 2, 2, 0], [3]),
        ("torch.addmm(a, b, c, beta=d, alpha=e)", [0, 1, 2, 0, 0], [4]),
    ]),
    ("linspace of integers counted from ends that were none", [
        ("torch.linspace(a, b, c, dtype=d)", [1, 2.75, 5, "int64"], [0]),
        ("torch.linspace(a, b, c, dtype=d)", [-1.9, 3.7, 4, "int64"], [1]),
        ("torch.linspace(a, b, c, dtype=d)", [0, 1, 3, "bool"], []),
        ("torch.linspace(a, b, c, dtype=d)", [0, 1, 0, "bool"], [2]),
        ("torch.linspace(a, b, c, dtype=d)", [-0.75, 1, 1, "bool"], [3]),
    ]),
    ("nothing divided by 0 was an error: by a number, and on a device by a tensor", [
        made(0, [], dtype="int64"),
        made(1, [0], [], dtype="int64"),
        ("a.remainder(b)", [0, 1], [2]),
        ("a.remainder(b) #1", [0, 0], [3]),
    ]),
    ("a tensor could be its own gradient", [
        made(0, [1, 2], requires_grad=True),
        ("set_grad(a, b)", [0, 0], []),
    ]),
    ("a rule that had kept nothing could not run a second time", [
        made(0, [1, 2], requires_grad=True),
        made(1, [3, 4]),
        ("a.addcmul(b, c, value=d)", [0, 1, 1, 2], [2]),
        made(3, [1, 1]),
        ("backward(a, b, c, d)", [2, 3, None, False], []),
        ("backward(a, b, c, d)", [2, 3, None, False], []),
    ]),
    ("max() spread a NaN as gradient over the elements that it had not chosen", [
        made(0, [1, -2, 1], requires_grad=True),
        ("a.max()", [0], [1]),
        made(2, ["nan"], []),
        ("backward(a, b, c, d)", [1, 2, None, False], []),
    ]),
]
