"""Makes a program with a difference small, and prints it as a person would write it."""

import copy
import json
import math
import re
import select
import subprocess

from torch_side import Machine, dtype_of, is_tensor_kind, try_answer


class Interpreter:
    """The C++ side as a child, one program at a time."""

    def __init__(self, command, environment=None):
        self.command, self.environment, self.child = command, environment, None

    def ask(self, program):
        if self.child is None:
            self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          stderr=subprocess.DEVNULL, text=True, env=self.environment)
        try:
            self.child.stdin.write(json.dumps(program) + "\n")
            self.child.stdin.flush()
            if not select.select([self.child.stdout], [], [], 20)[0]:
                return self.died("hang")
            line = self.child.stdout.readline()
        except BrokenPipeError:
            line = ""
        return (json.loads(line) or None) if line else self.died("crash")

    def died(self, what):
        self.child.kill()
        self.child.wait()
        self.child = None
        return {"step": -1, "what": what, "text": what}


def group(program, found):
    """What differs, and where: findings of one group are alike."""
    if found["step"] < 0:
        return found["what"] + " in " + program["steps"][-1]["f"]
    if found["step"] < len(program["steps"]):
        return program["steps"][found["step"]]["f"] + ": " + found["what"]
    return found["what"]


def uses(forms, step):
    """The tensors that a step takes."""
    numbers = set()
    for kind, value in zip(forms[step["f"]].kinds, step["a"]):
        if is_tensor_kind(kind) and value is not None:
            numbers |= set(value) if isinstance(value, list) else {value}
    return numbers


def without(forms, steps, i):
    """The steps without one and what depends on it."""
    gone, left = set(steps[i].get("o", [])), steps[:i]
    for step in steps[i + 1:]:
        if uses(forms, step) & gone:
            gone |= set(step.get("o", []))
        else:
            left.append(step)
    return left


def plain(forms, steps, i):
    """The steps with step i's only result made of numbers instead."""
    machine = Machine(forms)
    for step in steps[:i + 1]:
        machine.run(copy.deepcopy(step))
    x = machine.variables[steps[i]["o"][0]]
    values = [v if abs(v) < 1e300 else str(v) for v in x.detach().flatten().tolist()]
    make = next(f for f in forms.values() if f.op == "make")
    arguments = [dtype_of(x), list(x.shape), values, "contiguous", x.requires_grad]
    return steps[:i] + [{"f": make.python, "a": arguments, "o": steps[i]["o"]}] + steps[i + 1:]


def smaller_makes(steps, i, form):
    """The steps with a simpler made tensor i."""
    dtype, sizes, values, layout, requires_grad = steps[i]["a"]
    simpler = []
    if layout != "contiguous":
        simpler.append([dtype, sizes, values, "contiguous", requires_grad])
    if requires_grad:
        simpler.append([dtype, sizes, values, layout, False])
    if len(values) > 1:
        simpler.append([dtype, sizes, [values[0]] * len(values), layout, requires_grad])
    for plain_value in (1, 2, 0):
        if values and any(v != plain_value for v in values):
            simpler.append([dtype, sizes, [plain_value] * len(values), layout, requires_grad])
    for k, v in enumerate(values):
        if v not in (0, 1, 2):
            for plain_value in (1, 2):
                simpler.append([dtype, sizes, values[:k] + [plain_value] + values[k + 1:], layout, requires_grad])
    for arguments in simpler:
        yield steps[:i] + [{**steps[i], "a": arguments}] + steps[i + 1:]


def resized(forms, steps, old, new):
    """The steps with every size `old` made `new`."""
    steps = copy.deepcopy(steps)
    for step in steps:
        form = forms[step["f"]]
        for k, kind in enumerate(form.kinds):
            if kind == "sizes":
                step["a"][k] = [new if s == old else s for s in step["a"][k]]
        if form.op == "make":
            count = math.prod(step["a"][1])
            step["a"][2] = (step["a"][2] + step["a"][2][-1:] * count)[:count]
    return steps


def without_dimension(forms, steps, i):
    sizes = steps[i]["a"][1]
    for k, size in enumerate(sizes):
        count = math.prod(sizes[:k] + sizes[k + 1:])
        arguments = [steps[i]["a"][0], sizes[:k] + sizes[k + 1:], (steps[i]["a"][2] + [1] * count)[:count],
                     "contiguous", steps[i]["a"][4]]
        yield steps[:i] + [{**steps[i], "a": arguments}] + steps[i + 1:]


def simpler_arguments(forms, steps, i):
    for k, kind in enumerate(forms[steps[i]["f"]].kinds):
        value = steps[i]["a"][k]
        for simple in {"number": [1, 2], "dims": [[], [0]], "bool": [False], "tensor?": [None], "bool?": [None],
                       "double": [0.0, 1.0], "reduction": ["sum"], "dim": [0]}.get(kind, []):
            if value != simple and not (kind == "number" and value in (1, 2)):
                arguments = steps[i]["a"][:k] + [simple] + steps[i]["a"][k + 1:]
                yield steps[:i] + [{**steps[i], "a": arguments}] + steps[i + 1:]


def changes(forms, steps, i):
    """Simpler programs with another step i."""
    form = forms[steps[i]["f"]]
    if form.op == "make":
        yield from without_dimension(forms, steps, i)
        yield from smaller_makes(steps, i, form)
        return
    if len(steps[i].get("o", [])) == 1:
        yield plain(forms, steps, i)
    yield from simpler_arguments(forms, steps, i)


def resizes(forms, steps):
    sizes = {s for step in steps for k, a in zip(forms[step["f"]].kinds, step["a"]) if k == "sizes" for s in a}
    for old in sorted(sizes, reverse=True):
        for new in (1, old - 1):
            if 0 <= new < old:
                yield resized(forms, steps, old, new)


def shrink(forms, interpreter, program, found):
    """The smallest program found that differs alike, and its difference."""
    name, best = group(program, found), [program, found]

    def works(steps):
        tried = try_answer(forms, copy.deepcopy(steps)) if steps else None
        difference = interpreter.ask(tried) if tried else None
        if not difference or group(tried, difference) != name:
            return False
        best[:] = [tried, difference]
        return True

    def first(alternatives):
        try:
            return any(works(steps) for steps in alternatives)
        except Exception:  # a step fails that was made of others
            return False

    if found["step"] < len(program["steps"]) and found["step"] >= 0:
        works(program["steps"][:found["step"] + 1])
    for _ in range(4):
        before = json.dumps(best[0]["steps"])
        for i in reversed(range(len(best[0]["steps"]))):
            if i < len(best[0]["steps"]):
                works(without(forms, best[0]["steps"], i))
        while first(resizes(forms, best[0]["steps"])):
            pass
        for i in reversed(range(len(best[0]["steps"]))):
            for _ in range(20):
                if i >= len(best[0]["steps"]) or not first(changes(forms, best[0]["steps"], i)):
                    break
        if json.dumps(best[0]["steps"]) == before:
            break
    return tuple(best)


# --- Printing ----------------------------------------------------------------------------------


def spelled(forms, steps, language):
    lines = []
    for step in steps:
        form = forms[step["f"]]
        shown = []
        for kind, value in zip(form.kinds, step["a"]):
            if kind in ("tensor", "mask", "indices", "tensor?") and value is not None:
                shown.append(f"v{value}")
            elif kind == "tensors" and value is not None:
                shown.append(("[%s]" if language == "python" else "{%s}") % ", ".join(f"v{v}" for v in value))
            elif language == "python":
                shown.append(f"torch.{value}" if kind.startswith("dtype") else
                             repr(value) if kind in ("reduction", "text") else str(value))
            elif value is None:
                shown.append("{}" if kind in ("tensor?", "tensors") else "std::nullopt")
            elif kind.startswith("dtype"):
                shown.append("kLong" if value == "int64" else
                             "k" + {"float32": "Float", "float64": "Double", "bool": "Bool"}.get(value, value))
            elif kind == "reduction":
                shown.append("k" + value.title())
            else:
                text = str(value).lower() if isinstance(value, bool) else str(value)
                shown.append(text.replace("[", "{").replace("]", "}"))
        text = form.cpp if language == "c++" else re.sub(r" #\d+$", "", form.python)
        if form.op == "make":
            dtype, sizes, values, layout, grad = step["a"]
            if language == "python":
                text = f"torch.tensor({values}, dtype=torch.{dtype}).reshape({sizes})"
                text += "" if layout == "contiguous" else f"  # {layout}"
                text = text.replace("'nan'", "nan").replace("'inf'", "inf").replace("'-inf'", "-inf")
                if grad:
                    text += ".requires_grad_()" if layout == "contiguous" else ", requires grad"
            else:
                text = f"make({shown[0]}, {shown[1]}, {shown[2]}, \"{layout}\", {shown[4]})".replace("'", "")
        else:
            text = re.sub(r"\b([a-h])\b(?!=[^=])", lambda m: shown["abcdefgh".index(m[1])]
                          if "abcdefgh".index(m[1]) < len(shown) else m[1], text)
        names = ", ".join(f"v{n}" for n in step.get("o", []))
        if language == "python":
            lines.append((names + " = " if names else "") + text)
        else:
            single = f"Tensor {names} = " if "," not in names else f"auto [{names}] = "
            lines.append((single if names else "") + text + ";")
    return lines


def report(forms, program, found):
    steps = program["steps"]
    lines = ["  " + line for line in spelled(forms, steps, "python")]
    lines += ["  // C++"] + ["  " + line for line in spelled(forms, steps, "c++")]
    lines.append("  => " + found["text"])
    return "\n".join(lines)
