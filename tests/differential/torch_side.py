"""Runs programs with PyTorch and writes down what it answers."""

import math
import re
import warnings

import torch
import torch.nn.functional as F

from traits import sampler_name, traits_of
from unspecified import Skip, check_specified, storage_of

warnings.filterwarnings("ignore")
torch.set_num_threads(1)

DTYPES = {str(d).split(".")[1]: d for d in (
    torch.float32, torch.float64, torch.int64, torch.bool, torch.float16, torch.bfloat16,
    torch.int32, torch.int16, torch.int8, torch.uint8)}
# What one op may lose, relative to the largest number that took part.
EPSILON = {torch.float32: 3e-5, torch.float64: 1e-11, torch.float16: 2e-2, torch.bfloat16: 1e-1}
# Squares of larger numbers overflow, and then the order of a sum decides between infinity and NaN.
LARGE = {torch.float32: 1e15, torch.float64: 1e100, torch.float16: 100, torch.bfloat16: 1e15}
WILD = math.inf  # the epsilon of values that say nothing


def make(dtype, sizes, values, layout, requires_grad):
    with torch.no_grad():
        made = torch.tensor(values, dtype=torch.float64 if dtype.is_floating_point else torch.int64)
        made = made.to(dtype).reshape(sizes)
        if layout == "transposed":
            made = made.transpose(0, -1).contiguous().transpose(0, -1)
        elif layout == "gaps":
            wide = list(sizes)
            wide[-1] *= 2
            whole = torch.zeros(wide, dtype=dtype)[..., ::2]
            made = whole.copy_(made)
        elif layout == "expanded":
            made = made[:1].clone().expand(sizes)
        return made.data.requires_grad_(requires_grad)


# PyTorch may take a gradient over from the caller, and may return one tensor as several gradients. What is
# compared are the numbers, so each gets memory of its own.
def copies(tensors):
    return [None if t is None else t.contiguous().clone() for t in tensors]


def weights(gradients, create):
    return [None if g is None else g.clone() if create else g.detach().clone() for g in gradients]


def backward(a, gradient, retain, create):
    a.backward(weights([gradient], create)[0], retain_graph=retain, create_graph=create)


def backward_inputs(tensors, gradients, inputs):
    torch.autograd.backward(tensors, weights(gradients, False), inputs=inputs)


def grad(tensors, inputs, gradients, retain, create, unused):
    return copies(torch.autograd.grad(tensors, inputs, weights(gradients, create), retain_graph=retain,
                                      create_graph=create, allow_unused=unused))


def set_grad(a, b):
    a.grad = b


# Names of torch and of torch.nn.functional need no prefix, as in the cases of records.
NAMESPACE = {**vars(torch), **vars(F), "torch": torch, "F": F, "make": make, "backward": backward,
             "backward_inputs": backward_inputs, "grad": grad, "set_grad": set_grad}


class Form:
    """A line of the table of the C++ side (form.h)."""

    def __init__(self, row):
        self.python, self.cpp, self.op = row["python"], row["cpp"], row["op"]
        self.kinds, self.in_place = row["kinds"], row["in_place"]
        self.traits, self.sampler = traits_of(self.cpp, self.op), sampler_name(self.cpp, self.op)
        text = re.sub(r" #\d+$", "", self.python)
        parameters = ",".join("abcdefgh"[:len(self.kinds)])
        # The name of the file is what a crash of PyTorch shows.
        self.call = eval(compile(f"lambda {parameters}: {text}", row["python"], "eval"), NAMESPACE)
        self.autograd = self.op in ("backward", "grad")


def number(value):
    return float(value) if isinstance(value, str) else value


def argument_of(variables, kind, value):
    """What a call of PyTorch takes for a value of a step; tensors are named in `variables`."""
    if value is None:
        return None
    if kind in ("tensor", "mask", "indices", "tensor?"):
        return variables[value]
    if kind == "tensors":
        return [variables[v] for v in value]
    if kind in ("dtype", "dtype?"):
        return DTYPES[value]
    if kind == "values":
        return [number(v) for v in value]
    return number(value) if kind in ("number", "number?", "double", "double?") else value


def is_tensor_kind(kind):
    return kind in ("tensor", "mask", "indices", "tensor?", "tensors")


def dtype_of(tensor):
    return str(tensor.dtype).split(".")[1]


def is_dense(tensor):
    expected = 1
    for stride, size in sorted((st, s) for st, s in zip(tensor.stride(), tensor.shape) if s != 1):
        if stride != expected:
            return False
        expected *= size
    return True


def is_phantom(tensor):
    """A view made without recording, or before its base required a gradient, says that it requires one, and
    nothing flows."""
    return tensor._is_view() and tensor.requires_grad and tensor.grad_fn is None


COMPARISONS = frozenset("eq_ ne_ lt_ le_ gt_ ge_ logical_and_ logical_or_ logical_xor_ logical_not_".split())


class Machine:
    """Runs steps, and knows how exact every storage is."""

    def __init__(self, forms):
        torch.set_grad_enabled(True)
        self.forms = forms
        self.variables = {}
        self.next_number = 0
        self.promised = set()
        self.unseen = set()  # storages of views of something that nobody sees
        self.hidden = []  # results of .data, whose changes autograd does not see
        self.taints = {}  # storage: (epsilon, largest number)
        self.scale = 1.0
        self.rounding = 0.0     # the largest epsilon so far; 0 when nothing has rounded
        self.wild_grad = False  # gradients say nothing
        self.over = False

    def taint(self, tensor):
        return self.taints.get(storage_of(tensor), (0.0, 1.0))

    def run(self, step):
        """Runs one step. Returns the tensors that it shows, or the exception."""
        form = self.forms[step["f"]]
        arguments = [argument_of(self.variables, k, v) for k, v in zip(form.kinds, step["a"])]
        tensors = []
        for argument in arguments:
            if isinstance(argument, torch.Tensor):
                tensors.append(argument)
            elif isinstance(argument, list) and argument and isinstance(argument[0], torch.Tensor):
                tensors += argument
        if any(is_phantom(t) for t in tensors):
            raise Skip()
        if form.in_place and any(tensors[0] is t for t in self.hidden):
            self.wild_grad = True  # what rules have kept may have changed, too
        check_specified(form, tensors, arguments, self.taint, self.promised)
        before = tensors[0].detach().clone() if form.in_place else None
        near_zero = "pole" in form.traits and any(
            t.is_floating_point() and t.numel() and self.taint(t)[0] > 0 for t in tensors)
        # Of large angles nothing but rounding is left.
        near_zero |= form.op.rstrip("_") in ("sin", "cos", "tan") and math.prod(self.taint(tensors[0])) > 0.1
        try:
            results = form.call(*arguments)
        except Exception as error:  # whatever PyTorch raises
            if form.autograd and form.python != "a.grad":
                self.over = True
            if form.in_place and not torch.equal(before.nan_to_num(1e4), tensors[0].detach().nan_to_num(1e4)):
                raise Skip()  # PyTorch has changed the tensor before it raised the error
            if form.in_place and re.search("ZeroDivisionError|out of (bounds|range)", str(error)):
                raise Skip()  # a device notices it after the other elements have changed
            return error
        if form.in_place:
            results = [tensors[0]]
        elif form.python == "torch.set_grad_enabled(a)" or form.op == "backward":
            results = []
        elif not isinstance(results, (tuple, list)):
            results = [results]
        results = [torch.tensor(r, dtype=torch.float64 if isinstance(r, float) else None)
                   if isinstance(r, (bool, int, float)) else r for r in results]
        for result in results:
            if result is not None and result.numel() > 300:
                raise Skip()
            if result is not None and is_phantom(result):
                raise Skip()
        self.weigh(form, tensors, results, near_zero, arguments)
        self.inputs = tensors
        if form.python == "a.data":
            self.hidden += results
        self.promise(form, tensors, results)
        if not form.in_place:
            given = step.setdefault("o", [])
            while len(given) < len(results):
                given.append(max([self.next_number] + [g + 1 for g in given]))
            for n, result in zip(given, results):
                self.next_number = max(self.next_number, n + 1)
                if result is not None:
                    self.variables[n] = result
        return results

    def promise(self, form, tensors, results):
        """Notes whose strides PyTorch's documentation promises: those of views, and of ops on tensors alike."""
        shaped = [t for t in tensors if t.dim() > 1]
        fixed = "exact" in form.traits and all(storage_of(t) in self.promised for t in shaped)
        for result in results:
            if result is None or form.in_place:
                continue
            views = any(storage_of(result) == storage_of(t) for t in tensors)
            alike = form.op not in ("masked_fill", "pow", "cat", "stack", "where", "index", "take") and is_dense(result) and all(
                t.shape == result.shape and t.stride() == result.stride() for t in shaped)
            plain = result.is_contiguous() and all(
                t.is_contiguous() and storage_of(t) in self.promised for t in shaped)
            if plain and not views or fixed and (views or not shaped or alike):
                self.promised.add(storage_of(result))
            elif not views:
                self.promised.discard(storage_of(result))

    def weigh(self, form, tensors, results, near_zero, arguments):
        """Notes how exact the results are."""
        epsilon = max([0.0] + [self.taint(t)[0] for t in tensors])
        scale = max([1.0] + [self.taint(t)[1] for t in tensors])
        for argument in arguments:
            if isinstance(argument, float) and math.isfinite(argument):
                scale = max(scale, abs(argument))
        if "square" in form.traits and scale > 1e3:
            scale = min(scale * scale, 1e300)
        if "kink" in form.traits and epsilon > 0 or near_zero:
            self.wild_grad = True
        for result in results + (tensors if form.op == "batch_norm" else []):
            if result is None:
                continue
            x = result.detach()
            storage_scale, finite = scale, None
            if x.is_floating_point() and x.numel():
                finite = x[torch.isfinite(x)]
                if finite.numel():
                    storage_scale = max(scale, finite.abs().max().item())
            own = epsilon
            if form.autograd:
                storage_scale = max(storage_scale, self.scale)
                if self.wild_grad:
                    own = WILD
                elif storage_scale > LARGE[x.dtype]:
                    own = WILD
                elif self.rounding or not self.on_grid(finite):
                    own = max([own, self.rounding] + [EPSILON.get(t.dtype, 0) for t in tensors + [x]])
            elif not x.is_floating_point():
                own = WILD if epsilon > 0 else 0.0
            elif ("step" in form.traits or form.op in COMPARISONS) and epsilon > 0 or near_zero:
                own = WILD
            elif form.traits & {"sum", "square"} and storage_scale > LARGE[x.dtype]:
                own = WILD
            elif "exact" in form.traits and "alpha" not in form.python:
                pass
            elif form.traits & {"exact", "sum"} and self.on_grid(finite) and all(
                    self.on_grid(t[torch.isfinite(t)]) for t in map(torch.Tensor.detach, tensors)):
                pass
            else:
                own = max([own, EPSILON[x.dtype]] + [EPSILON.get(t.dtype, 0) for t in tensors
                                                     if form.op == "cosine_similarity"])
                if form.op == "binary_cross_entropy":
                    own = max(own, 1e-7)  # an epsilon of 1e-12 as a float, in PyTorch
            key = storage_of(result)
            before = self.taints.get(key, (0.0, 1.0))
            self.taints[key] = (max(own, before[0]), max(storage_scale, before[1]))
            if own < WILD:
                self.rounding = max(self.rounding, own)
            self.scale = max(self.scale, storage_scale)

    @staticmethod
    def on_grid(finite):
        """Numbers whose sums and products do not round."""
        if finite is None or not finite.numel():
            return True
        if not finite.is_floating_point():
            return True
        if finite.dtype in (torch.float16, torch.bfloat16):
            return False  # these round nearly everything
        return bool(((finite * 1024).frac() == 0).all()) and finite.abs().max().item() < 4096

    def show(self, tensor, form=None):
        """What the other side has to show, too."""
        if tensor is None:
            return None
        x = tensor.detach()
        shown = {"d": dtype_of(x), "s": list(x.shape)}
        if form is not None:
            flags = ("r" if tensor.requires_grad else "") + ("l" if tensor.is_leaf else "")
            if form.autograd:
                shown["q"] = tensor.requires_grad
            else:
                own = storage_of(tensor)
                shares = any(own == storage_of(t) for t in self.inputs)
                if own in self.promised:
                    shown["t"] = list(x.stride())
                # Some results are views of something that nobody sees.
                if tensor._is_view() and not shares:
                    self.unseen.add(own)
                flags += ("h" if own in self.unseen else "v") if tensor._is_view() else ""
                shown["f"] = flags
            shown["g"] = type(tensor.grad_fn).__name__ if tensor.grad_fn is not None else ""
        epsilon, scale = self.taint(tensor)
        if epsilon == WILD:
            return shown
        values = x.flatten().tolist()
        if x.is_floating_point() and x.numel() and not bool(torch.isfinite(x).all()):
            values = [v if math.isfinite(v) else str(v) for v in values]
        shown["x"] = values
        if epsilon > 0:
            shown["tol"] = epsilon * scale
        return shown

    def answer(self, step):
        """Runs a step and writes into it what PyTorch did."""
        form = self.forms[step["f"]]
        outcome = self.run(step)
        for key in ("r", "e", "text"):
            step.pop(key, None)
        if isinstance(outcome, Exception):
            step["e"] = "index" if isinstance(outcome, IndexError) else "error"
            step["text"] = str(outcome).split("\n")[0][:200]
            step["o"] = []
        else:
            step["r"] = [self.show(t, form) for t in outcome]

    def end(self):
        if self.over:
            return {}
        shown = {}
        for n, tensor in self.variables.items():
            grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
            if grad is not None:
                key, finite = storage_of(grad), grad[torch.isfinite(grad)]
                largest = finite.abs().max().item() if finite.numel() else 1.0
                if self.wild_grad:
                    self.taints[key] = (WILD, 1.0)
                elif self.scale > LARGE[grad.dtype]:
                    self.taints[key] = (WILD, 1.0)
                elif self.rounding or not self.on_grid(finite):
                    e, s = self.taints.get(key, (0.0, 1.0))
                    self.taints[key] = (max(e, self.rounding, EPSILON[grad.dtype]), max(s, self.scale, largest))
            shown[str(n)] = {"v": self.show(tensor), "g": self.show(grad)}
        return shown


def answer(forms, steps):
    """A whole program with PyTorch's answers. Raises Skip for one that is none."""
    machine = Machine(forms)
    done = []
    for step in steps:
        step = {"f": step["f"], "a": step["a"], "o": list(step.get("o", []))}
        machine.answer(step)
        done.append(step)
        if machine.over:
            break
    program = {"steps": done, "end": machine.end()}
    torch.set_grad_enabled(True)
    return program


def try_answer(forms, steps):
    """The same; None where PyTorch does not even show a tensor (a piece of a changed split)."""
    try:
        return answer(forms, steps)
    except (RuntimeError, KeyError, Skip):
        return None
