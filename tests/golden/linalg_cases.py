"""The cases of linear algebra in ops.json."""
import torch


def positive(a):
    return a @ a.mT + a.shape[-1] * torch.eye(a.shape[-1], dtype=a.dtype)


def add_linalg_cases(case, rand, vec):
    def regular(*shape):
        """Random matrices far from singular ones."""
        return rand(*shape) + 3 * torch.eye(shape[-1], dtype=torch.float64)

    square = [[regular(3, 3)], [regular(1, 1)], [regular(2, 1, 3, 3)], [rand(0, 0)], [rand(0, 3, 3)], [rand(2, 0, 0)]]
    case("linalg_inv", torch.linalg.inv, square)
    case("inverse", torch.inverse, square[:1])
    case("linalg_solve", torch.linalg.solve,
         [[regular(3, 3), rand(3)], [regular(3, 3), rand(3, 2)], [regular(2, 3, 3), rand(2, 3)],
          [regular(2, 3, 3), rand(3)], [regular(2, 3, 3), rand(3, 1)], [regular(3, 3), rand(2, 3, 2)],
          [regular(2, 1, 2, 2), rand(3, 2, 1)], [rand(0, 0), rand(0, 2)], [rand(0, 0), rand(0)],
          [regular(2, 2), rand(2, 0)], [rand(0, 3, 3), rand(0, 3, 2)], [rand(0, 3, 3), rand(3)]])
    case("linalg_solve_right", lambda a, b: torch.linalg.solve(a, b, left=False),
         [[regular(3, 3), rand(2, 3)], [regular(2, 3, 3), rand(1, 3)],
          [regular(2, 2), rand(0, 2)], [rand(0, 0), rand(2, 0)]])
    case("linalg_cholesky", lambda a: torch.linalg.cholesky(positive(a)), square)
    case("linalg_cholesky_upper", lambda a: torch.linalg.cholesky(positive(a), upper=True), square)
    case("linalg_det", torch.linalg.det, square + [[torch.zeros(3, 3).double()]])
    case("det", torch.det, square[:1])
