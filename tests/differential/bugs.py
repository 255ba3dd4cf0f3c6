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
    ("results of median, mode, unique and var_mean were views", [
        made(0, [3, 1, 2, 5], [2, 2]),
        ("a.median()", [0], [1]),
        ("a.kthvalue(b, c, d)", [0, 1, 1, False], [2, 3]),
        ("a.mode(b, c)", [0, 1, False], [4, 5]),
        ("a.unique(return_inverse=True, return_counts=True)", [0], [6, 7, 8]),
        ("torch.unique(a, dim=b, return_inverse=True, return_counts=True)", [0, 1], [9, 10, 11]),
        ("torch.var_mean(a, b, correction=c, keepdim=d)", [0, [0], 1, False], [12, 13]),
    ]),
    ("unique of the slices of the last of three dimensions compared their elements in another order", [
        made(0, [5, 5, 0, 1, 1, 0, 5, 5], [2, 2, 2], dtype="int64"),
        ("torch.unique(a, dim=b, return_inverse=True, return_counts=True)", [0, 2], [1, 2, 3]),
    ]),
    ("all and any with an empty list of dimensions reduced all", [
        made(0, [0, 1, 2, 0], [2, 2]),
        ("a.all(b, c)", [0, [], False], [1]),
        ("a.any(b, c)", [0, [], True], [2]),
    ]),
    ("take_along_dim accepted a tensor without dimensions, and refused indices that wrap around", [
        made(0, [5], []),
        made(1, [0], [], dtype="int64"),
        ("a.take_along_dim(b, c)", [0, 1, 0], []),
        made(2, [5, 6, 7]),
        made(3, [-1, 3, 7], dtype="int64"),
        ("a.take_along_dim(b, c)", [2, 3, 0], [4]),
    ]),
    ("isin accepted bools", [
        made(0, [True, False], dtype="bool"),
        made(1, [1, 2], dtype="int64"),
        ("isin(a, b)", [1, 0], []),
        ("isin(a, b)", [0, 1], []),
    ]),
    ("addr accepted bools as factors of numbers", [
        made(0, [1, 2]),
        ("torch.addr(a, b, c, beta=d, alpha=e)", [0, 0, 0, True, 1], []),
        ("torch.addr(a, b, c, beta=d, alpha=e)", [0, 0, 0, 1, True], []),
    ]),
    ("select_scatter into integers accepted a tensor that requires grad", [
        made(0, [1, 2], [1, 2], dtype="int64"),
        made(1, [1, 2], requires_grad=True),
        ("a.select_scatter(b, c, d)", [0, 1, 0, 0], []),
    ]),
    ("index_copy_ copied a tensor onto itself", [
        made(0, [1, 2]),
        made(1, [1, 0], dtype="int64"),
        ("a.index_copy_(b, c, d)", [0, 0, 1, 0], []),
    ]),
    ("index_fill and put lost the order of dimensions, argwhere had rows", [
        made(0, [1, 2, 3, 4, 5, 6], [2, 3], layout="transposed"),
        made(1, [0], dtype="int64"),
        ("a.index_fill(b, c, d)", [0, 0, 1, 7], [2]),
        ("a.argwhere()", [0], [3]),
    ]),
    ("the mean of large integers of index_reduce was rounded as a float64", [
        made(0, [1, 2, -2**63], [3, 1], dtype="int64"),
        made(1, [2, 2, 2], dtype="int64"),
        made(2, [-1, -1, -1], [3, 1], dtype="int64"),
        ("a.index_reduce(b, c, d, e, include_self=f)", [0, 0, 1, 2, "mean", True], [3]),
    ]),
    ("lerp refused a weight of another dtype without dimensions, kthvalue a bool without dimensions", [
        made(0, [1, 2]),
        made(1, [3, 5]),
        made(2, [2], [], dtype="int64"),
        ("a.lerp(b, c) #1", [0, 1, 2], [3]),
        made(4, [True], [], dtype="bool"),
        ("a.kthvalue(b, c, d)", [4, 1, 0, False], [5, 6]),
    ]),
    ("var of no elements with a correction of -1 was 0", [
        made(0, []),
        ("torch.var_mean(a, b, correction=c, keepdim=d)", [0, [0], -1, False], [1, 2]),
    ]),
    ("masked_fill and index_fill of integers accepted a value that requires grad", [
        made(0, [1, 2], dtype="int64"),
        made(1, [True, False], dtype="bool"),
        made(2, [3], [], requires_grad=True),
        made(3, [0], dtype="int64"),
        ("a.masked_fill(b, c) #1", [0, 1, 2], []),
        ("a.index_fill(b, c, value=d)", [0, 0, 3, 2], []),
    ]),
    ("the gradient of cdist of bfloat16 without elements was an error", [
        made(0, [], [1, 0, 1], dtype="bfloat16"),
        made(1, [2], [1, 1], requires_grad=True, dtype="bfloat16"),
        ("torch.cdist(a, b, c)", [0, 1, 1.0], [2]),
        made(3, [], [1, 0, 1], dtype="bfloat16"),
        ("backward(a, b, c, d)", [2, 3, None, False], []),
    ]),
    ("the gradient of prod of a 0-d tensor depended on the tensor", [
        made(0, [2], [], requires_grad=True),
        ("a.prod()", [0], [1]),
        made(2, [2], []),
        ("grad(a, b, c, d, e, f)", [[1], [0], [2], None, True, False], [3]),
    ]),
    ("isin found nothing among numbers with NaN", [
        made(0, [1, 2, "nan", 1, 1]),
        ("isin(a, b)", [0, 0], [1]),
        made(2, ["nan", "nan"]),
        made(3, ["inf", "nan", 0]),
        ("isin(a, b)", [3, 2], [4]),
    ]),
    ("softplus of float16 overflowed below its threshold", [
        made(0, [19.125, 12, -3], dtype="float16"),
        ("softplus(a)", [0], [1]),
    ]),
    ("kron of a transposed matrix and a number had its elements in the wrong order", [
        made(0, [1, 2, 3, 4], [2, 2], layout="transposed"),
        made(1, [1], [], dtype="float64"),
        ("a.kron(b)", [0, 1], [2]),
    ]),
    ("lcm that wraps around was negative", [
        made(0, [2, 2**63 - 1], dtype="int64"),
        made(1, [2], [], dtype="int64"),
        ("a.lcm(b)", [0, 1], [2]),
    ]),
    ("mvlgamma accepted bools", [
        made(0, [True], dtype="bool"),
        ("a.mvlgamma(b)", [0, 1], []),
    ]),
    ("the norm 1 of a matrix without columns was an error", [
        made(0, [], [2, 0]),
        ("torch.linalg.matrix_norm(a, 1)", [0], [1]),
    ]),
    ("the result of matrix_sqrth could not be changed before backward", [
        made(0, [2, 1, 1, 3], [2, 2], requires_grad=True),
        ("torch.linalg.matrix_sqrth(a)", [0], [1]),
        ("a.triu(b)", [1, 0], [2]),
        ("a.sqrt_()", [1], []),
        made(3, [1, 1, 1, 1], [2, 2]),
        ("backward(a, b, c, d)", [2, 3, None, False], []),
    ]),
    ("resampling lost the sign of a copied -0 on a device", [
        made(0, [-0.0, 1, -0.0], [1, 1, 3]),
        ("torch._C._nn.upsample_nearest1d(a, b, None)", [0, [5]], [1]),
    ]),
    ("backward of a packed recurrent layer wrote to a device from the host", [
        made(0, [1, -0.5, 0.25], [3, 1], requires_grad=True),
        made(1, [0.5, 1], [1, 2, 1], requires_grad=True),
        made(2, [0.75], [1, 1], requires_grad=True),
        ("rnn_tanh(a, torch.tensor(b, dtype=torch.int64), c, d, e, f, 0.0, g, h)",
         [0, [2, 1], 1, [2, 2], False, 1, True, False], [3, 4]),
        made(5, [1, 2, 3], [3, 1]),
        ("backward(a, b, c, d)", [3, 5, None, False], []),
    ]),
    ("the output of a recurrent layer was a view", [
        made(0, [1, -0.5], [2, 1, 1], requires_grad=True),
        made(1, [0.75], [1, 1, 1]),
        made(2, [0.75, 0.5, -0.25], [3, 1]),
        ("gru(a, b, c, d, e, 0.0, f, g, h)", [0, 1, [2, 2], False, 1, True, False, False], [3, 4]),
    ]),
    ("the info of solve_ex was a view for several right sides", [
        made(0, [1], [1, 1], dtype="float64"),
        made(1, [2], [1, 1, 1], dtype="float64"),
        ("torch.linalg.solve_ex(a, b, left=c)", [0, 1, False], [2, 3]),
    ]),
    ("cosine_similarity promoted a tensor without dimensions as a number", [
        made(0, [1], []),
        made(1, [1, 2, 3], dtype="float16"),
        ("torch.cosine_similarity(a, b, c)", [0, 1, 0], [2]),
    ]),
]
