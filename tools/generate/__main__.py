"""Writes the files that are made of declarations and records: python3 tools/generate. `make generate` calls it.

The files are committed: who only builds tern needs neither this nor Python. A test compares them with generated().
"""

import subprocess
from pathlib import Path

import compat
import methods
import ops
import options
import pages
import records

ROOT = Path(__file__).resolve().parents[2]
OWNED = ("core/ops/generated/**/*.*", "compat/names/generated/*.*", "tests/*/generated/*.*", "docs/ops/*.md")  # no other files are there


def generated():
    """The texts of all files by path."""
    described = ops.read(ROOT)
    public = subprocess.run([ROOT / "cmake/public_headers.sh"], check=True, capture_output=True, text=True).stdout.split()
    public = {path: (ROOT / path).read_text() for path in public}
    text = {path.stem: path.read_text() for path in (ROOT / "tools/generate/text").iterdir()}
    sources = [path.read_text() for path in sorted([*ROOT.glob("core/ops/**/*.cpp"), *ROOT.glob("core/kernels/families/*.def")])]
    all_pages = pages.Pages(ROOT, dict(sorted((described.headers | public).items())))
    made = methods.files(ROOT, described)
    return {
        **made,
        **compat.files(ROOT, public | made),
        **records.files(ROOT),
        **all_pages.files(text, described.aliases, sources),
        "docs/options.md": pages.noted(options.page(text["options"], public)),
    }


def stale(files, root):
    """The paths of files that hold something else, are missing, or are not written any more."""
    paths = {path.relative_to(root).as_posix() for pattern in OWNED for path in root.glob(pattern)} | set(files)
    return sorted(path for path in paths if not (root / path).exists() or (root / path).read_text() != files.get(path))


def write(files, root):
    for path in stale(files, root):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if path in files:
            (root / path).write_text(files[path])
        else:
            (root / path).unlink()


if __name__ == "__main__":
    write(generated(), ROOT)
