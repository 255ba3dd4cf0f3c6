#!/usr/bin/env python3
"""Prints what the kernels of libtern_cuda.so take of a GPU, read from the file itself, and compares it with budgets.

kernel_figures.py LIBRARY                      the largest figures of each kernel, over its versions for types
kernel_figures.py LIBRARY BUDGETS TOOLKIT      fails if a kernel takes more than its budget, and if a budget could be
                                               smaller. Ends with 77 if another toolkit made the budgets.
kernel_figures.py LIBRARY --write BUDGETS TOOLKIT

Registers are per thread, in the steps of 8 in which a GPU hands them out; local memory is in bytes per thread, shared
memory in bytes per block. Spilled registers are local memory, but nvcc stops at them (cmake/cuda.cmake has the exceptions).
What is left are arrays whose indices are not known before the kernel runs. Of the shared memory, CUDA keeps 1,024 bytes.
"""
import ctypes
import re
import struct
import sys

FATBIN_MAGIC = 0xBA55ED50
CODE_OF_A_GPU = 2  # the other entries are PTX
REGISTERS, FRAME = 0x2F, 0x11  # attributes of .nv.info
ARCHITECTURE = 90  # the one that every build has


def sections(elf):
    """Yields name, offset, size and linked section of each section of an ELF file."""
    start = struct.unpack_from("<Q", elf, 40)[0]
    entry, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQII", elf, start + i * entry) for i in range(count)]
    strings = headers[names][4]
    for header in headers:
        yield string_at(elf, strings + header[0]), header[4], header[5], header[6]


def string_at(data, offset):
    return data[offset : data.index(b"\0", offset)].decode()


def plain(code, size):
    """Returns the machine code of an entry, which nvcc may have compressed."""
    if code.startswith(b"\x7fELF"):
        return code
    if not code.startswith(b"\x28\xb5\x2f\xfd"):
        sys.exit("the code is compressed in an unknown way")
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    memory = ctypes.create_string_buffer(size)
    got = zstd.ZSTD_decompress(memory, ctypes.c_size_t(size), code, ctypes.c_size_t(len(code)))
    if got != size:
        sys.exit("the compressed code is damaged")
    return memory.raw


def programs(library):
    """Yields the programs for ARCHITECTURE in a library."""
    for name, at, size, _ in sections(library):
        end = at + size if name == ".nv_fatbin" else at
        while at + 16 <= end:
            magic, _, header, length = struct.unpack_from("<IHHQ", library, at)
            if magic != FATBIN_MAGIC:
                at += 8  # the padding between two
                continue
            entry, at = at + header, at + header + length
            while entry < at:
                kind, _, header, length = struct.unpack_from("<HHIQ", library, entry)
                compressed, architecture = struct.unpack_from("<I8xI", library, entry + 16)
                if kind == CODE_OF_A_GPU and architecture == ARCHITECTURE:
                    size = struct.unpack_from("<Q", library, entry + 56)[0] if compressed else 0
                    start = entry + header
                    yield plain(library[start : start + (compressed or length)], size)
                entry += header + length


def kernel_name(mangled):
    """map_kernel of _ZN4tern4cuda6device10map_kernelI..."""
    at = len("_ZN")
    while True:
        length = re.match(r"\d+", mangled[at:]).group()
        start = at + len(length)
        at = start + int(length)
        name = mangled[start:at]
        if name not in ("tern", "cuda", "device") and not name.startswith("_GLOBAL__N_"):
            return name


def add_figures(elf, figures):
    named = list(sections(elf))
    shared = {name[len(".nv.shared.") :]: size for name, _, size, _ in named if name.startswith(".nv.shared.")}
    symbols = next(section for section in named if section[0] == ".symtab")
    values = {REGISTERS: {}, FRAME: {}}
    for name, at, size, _ in named:
        end = at + size if name == ".nv.info" else at
        while at < end:
            form, attribute, length = struct.unpack_from("<BBH", elf, at)
            if form == 4 and attribute in values:
                symbol, value = struct.unpack_from("<II", elf, at + 4)
                offset = struct.unpack_from("<I", elf, symbols[1] + 24 * symbol)[0]
                values[attribute][string_at(elf, named[symbols[3]][1] + offset)] = value
            at += 4 + (length if form == 4 else 0)
    for mangled, registers in values[REGISTERS].items():
        now = ((registers + 7) // 8 * 8, values[FRAME].get(mangled, 0), shared.get(mangled, 0))
        name = kernel_name(mangled)
        figures[name] = tuple(map(max, now, figures.get(name, now)))


def figures_of(path):
    with open(path, "rb") as file:
        library = file.read()
    figures = {}
    for program in programs(library):
        add_figures(program, figures)
    if not figures:
        sys.exit(f"{path} has no kernels for sm_{ARCHITECTURE}")
    return figures


HEADING = "# Budgets of the kernels for sm_{}, by CUDA {}. Written by cmake/kernel_figures.py; they may only shrink."
COLUMNS = ("registers", "local memory", "shared memory")


def table(figures):
    rows = ["# kernel\t" + "\t".join(COLUMNS)]
    return rows + ["\t".join([name, *map(str, figures[name])]) for name in sorted(figures)]


def complaints(figures, budgets):
    for name in sorted(figures.keys() | budgets.keys()):
        if name not in budgets:
            yield f"{name} has no budget: it takes {figures[name]}"
        elif name not in figures:
            yield f"{name} has a budget, but there is no such kernel"
        else:
            for column, figure, budget in zip(COLUMNS, figures[name], budgets[name]):
                if figure > budget:
                    yield f"{name} takes {figure} of {column}, and its budget is {budget}"
                elif figure < budget:
                    yield f"{name} takes only {figure} of {column}: lower its budget of {budget} (--write)"


def main(arguments):
    if len(arguments) == 1:
        print("\n".join(table(figures_of(arguments[0]))))
        return 0
    write = arguments[1] == "--write"
    library, path, toolkit = arguments[0], *arguments[-2:]
    heading = HEADING.format(ARCHITECTURE, ".".join(toolkit.split(".")[:2]))
    if write:
        with open(path, "w") as file:
            file.write("\n".join([heading, *table(figures_of(library))]) + "\n")
        return 0
    with open(path) as file:
        lines = file.read().splitlines()
    if lines[0] != heading:
        print(f"skipped: the budgets are not those of CUDA {toolkit}")
        return 77
    budgets = {}
    for line in lines:
        if not line.startswith("#"):
            name, *numbers = line.split("\t")
            budgets[name] = tuple(map(int, numbers))
    found = list(complaints(figures_of(library), budgets))
    print("\n".join(found) if found else f"{len(budgets)} kernels keep their budgets")
    if found:
        print(f"new budgets: cmake/kernel_figures.py {library} --write {path} {toolkit}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
