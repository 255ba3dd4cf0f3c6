#!/usr/bin/env python3
"""Checks that programs can call every overload that libtorch declares of the functions and methods that tern has.

    overloads.py check PART COMMAND...   compiles the overloads of PART (functions or methods); COMMAND is the compiler with its flags
    overloads.py write TORCH COMMAND...  reads the headers of an installed libtorch (TORCH/include), writes overloads.txt and
                                         overloads_missing.txt anew, and lists the names that tern does not have; reasons stay

overloads.txt lists the overloads, so that the check needs no libtorch. A call must compile with all arguments and with each number of
defaults left out, and have libtorch's type of result; the defaults must be libtorch's. overloads_missing.txt lists those for which this
does not hold, each under a reason; it may only shrink. Not listed: forms with SymInt, Dimname, quantizers and complex types, names with
"_" in front, and forms that write into given tensors ("_out").
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools/generate"))

from cpp import split_list

LISTED, MISSING = HERE / "overloads.txt", HERE / "overloads_missing.txt"
SPACES = {"functions": ("torch", "at"), "methods": ("Tensor",)}

# Families of functions that tern leaves out: what their names look like, and why.
FAMILIES = (
    (r"fft_|stft|istft|.*complex|.*_real$|.*_imag$|real$|imag$|polar$|conj|.*_conj|resolve_|angle|isreal|(linalg_)?eig(vals)?$|linalg_ldl",
     "complex numbers"),
    (r".*sparse|.*coalesce|.*_csr|.*ccol|.*crow|(col|row|)_?indices(_copy)?$|values(_copy)?$|to_dense|dense_dim|hspmm|sspaddmm|smm|"
     r"to_padded|nested|.*nested|.*jagged", "sparse and nested tensors"),
    (r".*quant|q_|int_repr|fake_|.*fbgemm|choose_qparams|.*qparams|.*q_per|dequantize", "quantised tensors"),
    (r"cudnn_|miopen_|mkldnn_|.*mkldnn|mps_|.*_overrideable|.*_xnnpack|.*vulkan|.*hip|to_mkldnn|native_|thnn_|slow_conv|"
     r".*flash|.*efficient_attention|conv_depthwise3d", "one backend's own"),
    (r".*_backward|.*_backward_.*|.*_jvp|.*_double_backward|infinitely_|glu_", "gradients, which autograd calls"),
    (r".*_copy$|.*_functional$", "copies of views for the dispatcher"),
    (r"align_|rename|refine_names|names|.*dimname", "named dimensions"),
    (r"sym_|is_vulkan|is_mps|is_xla|is_hpu|is_ipu|is_xpu|is_mtia|is_lazy|is_ve|is_maia|is_metal|is_privateuseone|is_mkldnn|is_fake",
     "devices that tern does not have, and tracing"),
    (r"special_(airy|bessel|chebyshev|hermite|laguerre|legendre|modified|scaled|shifted|spherical)", "rare special functions"),
)


def spelled(kind):
    """A type as overloads.txt spells it."""
    kind = re.sub(r"\b(at|c10|torch)::|::std::|\bstd::", "", kind)
    kind = kind.replace("Tensor const&", "const Tensor&").replace("TensorBase", "Tensor").replace("ITensorListRef", "TensorList")
    return re.sub(r"\s*([&,<>*])\s*", r"\1", kind).strip()


def overload(space, result, name, parameters):
    """A line of overloads.txt, or nothing for a form that is left out."""
    if re.search(r"SymInt|Dimname|complex|DeprecatedType|TensorBase&&|QScheme|Quantizer|Dispatch|\bauto\b|TensorBase &&|/\*|unsafe|MaybeOwned|_symint", result + name + parameters):
        return None
    written = []
    for part in split_list(parameters):
        part, _, default = part.partition("=")
        found = re.fullmatch(r"(.*?[ &*>])(\w+)", part.strip())
        if not found:  # not the declaration of a function
            return None
        kind, parameter = found.groups()
        default = re.sub(r"(::)?\b(std|at|c10)::", "", default).strip()
        written.append(f"{spelled(kind)} {parameter}" + (f" = {default}" if default else ""))
    result = spelled(result.replace("TensorBase", "Tensor"))
    return f"{space}::{name}({', '.join(written)}) -> {result}"


def read_libtorch(include):
    """All overloads that libtorch's headers declare."""
    found = {}

    def add(line):
        if line:
            found.setdefault(re.sub(r" = [^,()]*(\([^)]*\))?(?=[,)])", "", line.split(" -> ")[0]), line)

    factories = (include / "torch/csrc/autograd/generated/variable_factories.h").read_text()
    pattern = re.compile(r"^inline ([\w:<>, &]+?) ?\b(\w+)\(([^\n]*)\) \{$", re.M)
    for result, name, parameters in pattern.findall(factories):
        if not name.endswith("_symint"):
            add(overload("torch", result, name, parameters))
    for path in sorted(include.glob("ATen/ops/*.h")):
        if not re.search(r"_(native|ops|dispatch)\.h$", path.name):
            for result, name, parameters in pattern.findall(path.read_text()):
                if not re.match(r"_|.*(_out|_outf|_symint)$", name):
                    add(overload("at", result, name, parameters))
    for header in "ATen/core/TensorBody.h", "ATen/core/TensorBase.h":
        text = (include / header).read_text()
        text = text[re.search(r"^class TORCH_API Tensor", text, re.M).start():]
        text = text[: re.search(r"^};", text, re.M).start()]
        method = re.compile(r"^  (?=\S)(?!return|if|static|inline|explicit|template|using|friend|operator)([\w:<>, &*]+?[ &*])(\w+)\(([^\n]*)\)( const)?&?(?: noexcept)? ?[;{]", re.M)
        for before, result, name, parameters, const in [(text[max(0, m.start() - 300):m.start()], *m.groups()) for m in method.finditer(text)]:
            if re.match(r"__|sym_|_(?!version|base)", name) or before.rstrip().endswith(">") or "DEPRECATED" in before[-160:].rsplit(";", 1)[-1].rsplit("}", 1)[-1]:
                continue
            line = overload("Tensor", result, name, parameters)
            add(line if const else line and line.replace("Tensor::", "Tensor&::"))
    return list(found.values()) + BY_HAND.split("\n")[1:-1]


# Of headers in which people wrote templates.
BY_HAND = """
torch::from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {}) -> Tensor
torch::from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {}) -> Tensor
torch::from_blob(void* data, IntArrayRef sizes, const function<void(void*)>& deleter, const TensorOptions& options = {}) -> Tensor
torch::from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const function<void(void*)>& deleter, const TensorOptions& options = {}) -> Tensor
torch::tensor(double value, TensorOptions options = {}) -> Tensor
torch::tensor(int64_t value, TensorOptions options = {}) -> Tensor
torch::tensor(bool value, TensorOptions options = {}) -> Tensor
torch::tensor(ArrayRef<float> values, TensorOptions options = {}) -> Tensor
torch::tensor(ArrayRef<int64_t> values, TensorOptions options = {}) -> Tensor
torch::tensor(const vector<double>& values, TensorOptions options = {}) -> Tensor
torch::tensor(const vector<int>& values, TensorOptions options = {}) -> Tensor
torch::tensor(initializer_list<float> values, TensorOptions options = {}) -> Tensor
"""


class Overload:
    """A line of overloads.txt in its parts."""

    def __init__(self, line):
        self.line = line
        head, self.result = line.rsplit(" -> ", 1)
        self.owner, head = head.split("::", 1)
        self.name, parameters = head.split("(", 1)
        parts = [part.split(" = ") for part in split_list(parameters.rsplit(")", 1)[0])]
        self.kinds = [part[0].rsplit(" ", 1)[0] for part in parts]
        self.needed = sum(len(part) == 1 for part in parts)

    def calls(self):
        """The calls that must compile, with fewer and fewer arguments."""
        for count in range(len(self.kinds), self.needed - 1, -1):
            arguments = ", ".join(f"v<{kind}>()" for kind in self.kinds[:count])
            if self.owner.startswith("Tensor"):
                handle = "Tensor&" if "&" in self.owner else "const Tensor&"
                yield f"v<{handle}>().{self.name}({arguments})"
            else:
                yield f"torch::{self.name}({arguments})"
            if self.owner == "at":
                yield f"at::{self.name}({arguments})"


PROLOGUE = """#include <torch/torch.h>
using namespace std;
template <class T> T v();
template <class To, class From>
concept fits = is_same_v<To, From> || (is_same_v<remove_cvref_t<To>, remove_cvref_t<From>> && is_convertible_v<From, To> && !is_same_v<To, remove_cvref_t<To>>);
"""
# The namespaces of the types that overloads.txt names without.
TYPES = {
    "at": "ArrayRef Device DeviceIndex Generator IntArrayRef Layout MemoryFormat OptionalIntArrayRef Scalar ScalarType Storage "
          "Tensor TensorImpl TensorList TensorOptions",
    "c10": "List intrusive_ptr Stream",
    "caffe2": "TypeMeta",
}
HOMES = {name: space for space, names in TYPES.items() for name in names.split()}


def qualified(code):
    """A line of C++ with the namespaces of its types."""
    code = re.sub(r"(?<![:\w])(indexing|autograd|detail)(?=::)", r"torch::\1", code)
    return re.sub(r"(?<![:.\w])\w+(?!::|\w)", lambda word: f"{HOMES[word[0]]}::{word[0]}" if word[0] in HOMES else word[0], code)


def compiled(overloads, command):
    """The compiler's first message for each overload that does not hold, by its line; "" as the key of other messages."""
    lines, owners = PROLOGUE.splitlines(), {}
    for one in overloads:
        for call in one.calls():
            lines.append(qualified(f"static_assert(fits<{one.result}, decltype({call})>);"))
            owners[len(lines)] = one.line
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "overloads.cpp"
        source.write_text("\n".join(lines) + "\n")
        flags = ["-fsyntax-only", "-w", "-ferror-limit=0" if "clang" in command[0] else "-fmax-errors=0"]
        text = subprocess.run([*command, *flags, source], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stderr
    found = {}
    for path, number, message in re.findall(r"^([^\s:]+):(\d+):\d+: (?:fatal )?error: (.*)", text, re.M):
        is_call = path.endswith("overloads.cpp")
        owner = owners.get(int(number), "") if is_call else ""
        if owner or not is_call or int(number) < 6:
            found.setdefault(owner, message if is_call else f"{path}:{number}: {message}")
    return found


def declared(root=HERE.parent.parent):
    """The parameters of tern's functions and methods, as lists of (parameter, default), by name."""
    sys.path.insert(0, str(root / "tools/generate"))
    from cpp import declarations  # noqa: E402: a module of tern's own

    found = {}
    paths = [path for pattern in ("core/ops/*/*.[hi]*", "core/ops/generated/**/*.[hi]*") for path in root.glob(pattern)]
    for path in [*paths, root / "core/tensor/tensor.h", *root.glob("compat/names/ops/*.h")]:
        owner = "Tensor" if path.suffix == ".inc" or path.name == "tensor.h" else "at"
        for d in declarations(path.read_text()):
            if d.kind == "function" and d.type:
                parameters = [[*parameter.split(" = "), ""][1] for parameter in d.parameters]
                found.setdefault((owner, d.name), []).append(parameters)
    return found


def meaning(default):
    """A default in one spelling."""
    default = re.sub(r"\b(std|tern|at|c10)::|\(\)$|StrictInt|IntArrayRef\{?|Tensor\(\)", "", default).replace(" ", "").strip("()")
    if default in ("{}", "nullopt", ""):
        return "{}"
    try:
        return float(eval(default, {}))  # numbers and quotients
    except Exception:
        return default


def other_defaults(overloads):
    """The overloads with a default that no overload of tern has."""
    ours, found = declared(), {}
    for one in overloads:
        owner = "Tensor" if one.owner.startswith("Tensor") else "at"
        theirs = [part.partition(" = ")[2] for part in split_list(one.line.split("(", 1)[1].rsplit(" -> ", 1)[0].rsplit(")", 1)[0])]
        if not any(theirs):
            continue
        closest = None
        for parameters in ours.get((owner, one.name), []):
            if len(parameters) < len(theirs) - 1:
                continue
            differ = [(a, b) for a, b in zip(theirs, parameters) if a and b and meaning(a) != meaning(b)]
            if closest is None or len(differ) < len(closest):
                closest = differ
        if closest:
            found[one.line] = "another default: " + ", ".join(f"{b} for {a}" for a, b in closest)
    return found


def read(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")] if path.exists() else []


def read_missing():
    """The overloads that are missing, each with its reason."""
    reasons, reason = {}, ""
    for line in MISSING.read_text().splitlines() if MISSING.exists() else []:
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            reasons[line] = reason
    return reasons


def check(part, command):
    overloads = [one for one in map(Overload, read(LISTED)) if one.owner.rstrip("&") in SPACES[part]]
    missing = read_missing()
    found = other_defaults(overloads) | compiled(overloads, command)
    if "" in found:
        sys.exit(f"the file does not compile: {found['']}")
    lost = [line for line in found if line not in missing]
    won = [one.line for one in overloads if one.line in missing and one.line not in found]
    for line in lost:
        print(f"does not hold: {line}\n  {found[line]}")
    for line in won:
        print(f"holds by now; remove it from overloads_missing.txt: {line}")
    print(f"{part}: {len(overloads) - len(found)} of {len(overloads)} overloads hold")
    return bool(lost or won)


def write(torch, command):
    everything = list(map(Overload, read_libtorch(pathlib.Path(torch) / "include")))
    found = other_defaults(everything) | compiled(everything, command)
    if "" in found:
        sys.exit(f"the file does not compile: {found['']}")
    absent = {}
    for one in everything:
        if re.search(rf"[‘'](\w+::)?{one.name}[’'] is not a member of|has no member named [‘']{one.name}[’']|[‘']{one.name}[’'] was not declared", found.get(one.line, "")):
            absent.setdefault(one.name if one.owner in ("at", "torch") else f"Tensor::{one.name}", []).append(one.line)
    gone = {line for lines in absent.values() for line in lines}
    kept = [one for one in everything if one.line not in gone]
    LISTED.write_text("# The overloads that libtorch 2.15 declares of tern's functions and methods; overloads.py writes this.\n"
                      + "\n".join(sorted(one.line for one in kept)) + "\n")
    reasons, groups = read_missing(), {}
    for one in kept:
        if one.line in found:
            groups.setdefault(reasons.get(one.line, "to do"), []).append(one.line)
    for reason, lines in groups.items():
        print(f"{len(lines):5} {reason}")
    MISSING.write_text("\n".join(f"# {reason}\n" + "\n".join(lines) + "\n" for reason, lines in sorted(groups.items())))
    families = {}
    for name in absent:
        bare = name.removeprefix("Tensor::")
        family = next((reason for pattern, reason in FAMILIES if re.match(pattern, bare)), "other")
        families.setdefault(family, []).append(name)
    for family, names in families.items():
        print(f"names that tern does not have, {family}: {' '.join(names)}")
    print(f"{len(kept)} overloads, {len(kept) - sum(map(len, groups.values()))} hold")
    for one in kept:
        if one.line in found:
            print(f"  {one.line}\n      {found[one.line]}")


if __name__ == "__main__":
    mode, where, *command = sys.argv[1:]
    sys.exit(check(where, command) if mode == "check" else write(where, command))
