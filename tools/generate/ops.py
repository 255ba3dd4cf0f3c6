"""The functions that the headers of core/ops declare, and those that the lists beside them name."""

import re
import textwrap
from dataclasses import dataclass, field, replace

from cpp import items, split_list


@dataclass(frozen=True)
class Function:
    result: str  # with the space or "&" before the name
    name: str
    parameters: tuple
    header: str = ""
    doc: tuple = ()
    calls: tuple = ()  # of a made function: (name, arguments), each an argument of the one before
    outputs: int = 0  # to how many given tensors it writes
    owner: str = ""
    tail: str = ""

    @property
    def plain(self):
        """The parameters without their defaults."""
        return [re.sub(" = .*", "", parameter) for parameter in self.parameters]

    @property
    def arguments(self):
        """What a call passes on."""
        return ["std::move(self)" if text == "Tensor self" else re.sub(".*[ &]", "", text) for text in self.plain]


@dataclass
class Ops:
    headers: dict = field(default_factory=dict)  # the texts of headers and lists of methods by path
    declared: list = field(default_factory=list)
    named: dict = field(default_factory=dict)  # the overloads of each name, also of those that write to given tensors
    aliases: list = field(default_factory=list)
    forms: list = field(default_factory=list)  # the functions of aliases.txt and out_forms.txt


def functions_in(path, text):
    doc = ()
    for item in items(text):
        doc = tuple(item.doc) or (() if item.kind == "blank" else doc)
        found = re.fullmatch(r"TERN_API ([^(]*[ &])(\w+)\((.*)\);", item.code)
        if found and not any(scope[1].endswith("detail") for scope in item.scopes):
            yield Function(found[1], found[2], tuple(split_list(found[3])), path, doc)


def read_words(path):
    return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]


def read(root):
    ops = Ops()
    for path in sorted(path.relative_to(root).as_posix() for path in (root / "core/ops").rglob("*.[hi]*")):
        if not re.search("/(detail|generated)/", path):
            ops.headers[path] = (root / path).read_text()
            ops.declared += functions_in(path, ops.headers[path])
    for function in ops.declared:
        ops.named.setdefault(function.name, []).append(function)
    ops.aliases = read_words(root / "core/ops/aliases.txt")
    for alias, of in ops.aliases:
        ops.forms += again(ops, alias, of) + (again(ops, alias + "_", of + "_") if of + "_" in ops.named else [])
    for of in sum(read_words(root / "core/ops/out_forms.txt"), []):
        ops.named[of + "_out"] = [out_form(function) for function in ops.named[of] if "vector" not in function.result]
        ops.forms += ops.named[of + "_out"]
        for alias in (alias for alias, other in ops.aliases if other == of):
            ops.forms += again(ops, alias + "_out", of + "_out")
    return ops


def again(ops, name, of, doc="Alias of {}()."):
    """The overloads of a function under another name."""
    return [
        replace(f, name=name, doc=(doc.format(of),), calls=((of, f.arguments),), outputs=0) for f in ops.named[of]
    ]


def names(ops, space):
    """linalg::inv of linalg_inv, and so on."""
    for name in ops.named:
        if name.startswith(space + "_"):
            yield from again(ops, name.removeprefix(space + "_"), name, "The function {}().")


def out_form(function):
    """The form that writes to given tensors, which say dtype and device where the function is a factory."""
    of, count = function.name, function.result.count("Tensor")
    is_options = [text.startswith("const TensorOptions& ") for text in function.parameters]
    arguments = ["out.options()" if made else text for made, text in zip(is_options, function.arguments)]
    parameters = [f"Tensor& out{i if count > 1 else ''}" for i in range(count)]
    parameters += [text for made, text in zip(is_options, function.parameters) if not made]
    doc = f"Writes the result of {of}() to `out`, which gets its sizes. Not differentiable."
    calls = ((("detail::write_out", [f'"{of}"', "out"]),) if count == 1 else ()) + ((of, arguments),)
    result, doc = function.result.replace("Tensor", "Tensor&"), tuple(textwrap.wrap(doc, 96))
    return replace(function, name=of + "_out", result=result, parameters=tuple(parameters), doc=doc, calls=calls, outputs=count)


def method(function):
    """The method of Tensor that calls the function with it as `self`; None without such a parameter."""
    found = [i for i, text in enumerate(function.parameters) if re.fullmatch("(const Tensor& |Tensor |Tensor& )self", text)]
    if not found:
        return None
    at, arguments, doc = found[0], list(function.arguments), function.doc
    in_place = function.parameters[at] == "Tensor& self"
    arguments[at] = "handle()" if in_place else "*this"
    if in_place:
        doc = (f"In-place form of {function.name[:-1]}(): writes the result into this tensor and returns it.", "", *doc)
    parameters, calls = function.parameters[:at] + function.parameters[at + 1 :], (("tern::" + function.name, arguments),)
    return replace(function, parameters=parameters, doc=doc, calls=calls, owner="Tensor::", tail=" const")
