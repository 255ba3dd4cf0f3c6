#!/bin/sh
# torch_python.sh: prints a Python that has PyTorch: the one that TERN_TORCH_PYTHON names, else that
# of a virtual environment in build/, which it makes.
set -eu
version=2.15.0

python=${TERN_TORCH_PYTHON:-build/torch-$version/bin/python}
if ! "$python" -c "import torch; assert torch.__version__.startswith('$version')" 2>/dev/null; then
  [ -z "${TERN_TORCH_PYTHON:-}" ] || { echo "$python has no torch $version" >&2; exit 1; }
  python3 -m venv "build/torch-$version" >&2
  "$python" -m pip install --quiet "torch==$version" numpy >&2
fi
echo "$python"
