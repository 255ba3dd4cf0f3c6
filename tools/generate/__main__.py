"""Writes the files that are made of declarations and records: python3 tools/generate.

`make generate` calls it. The files are committed: who only builds tern needs neither this nor
Python. A test compares them with generated().
"""

import subprocess
from pathlib import Path

import compat
import methods
import options
import pages
import records

ROOT = Path(__file__).resolve().parents[2]
OWNED = (  # all files that these patterns match are written here
    "core/ops/generated/**/*.*",
    "compat/names/generated/*.*",
    "tests/*/generated/*.*",
    "docs/ops/*.md",
    "docs/ops.md",
    "docs/options.md",
)


def generated():
    """The texts of all files by path."""
    paths = subprocess.check_output([ROOT / "cmake/public_headers.sh"], text=True).split()
    public = {path: (ROOT / path).read_text() for path in paths}
    text = {path.stem: path.read_text() for path in (ROOT / "tools/generate/text").iterdir()}
    sources = [*ROOT.glob("core/ops/**/*.cpp"), *ROOT.glob("core/kernels/families/*.def")]
    sources = [path.read_text() for path in sorted(sources)]
    ops = methods.Ops(ROOT)
    made = methods.files(ROOT, ops)
    all_pages = pages.Pages(ROOT, dict(sorted((ops.headers | public).items())))
    return {
        **made,
        **compat.files(public | made),
        **records.files(ROOT, text),
        **all_pages.files(text, ops.aliases, sources),
        "docs/options.md": pages.noted(options.page(text["options"], public)),
    }


def stale(files, root):
    """The paths of files that hold something else, are missing, or are not written any more."""
    found = {path for pattern in OWNED for path in root.glob(pattern)}
    there = {path.relative_to(root).as_posix(): path.read_text() for path in found}
    return sorted(path for path in there | files if there.get(path) != files.get(path))


def write(files, root):
    for path in stale(files, root):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if path in files:
            (root / path).write_text(files[path])
        else:
            (root / path).unlink()


if __name__ == "__main__":
    write(generated(), ROOT)
