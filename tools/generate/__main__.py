"""Writes the files that are made of declarations and records: python3 tools/generate. `make generate` calls it.

The files are committed: who only builds tern needs neither this nor Python. A test compares them with generated().
"""

from pathlib import Path

import methods
import ops

ROOT = Path(__file__).resolve().parents[2]
OWNED = ("core/ops/generated/**/*.*", "tests/*/generated/*.*")  # no other files are there


def generated():
    """The texts of all files by path."""
    return methods.files(ROOT, ops.read(ROOT))


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
