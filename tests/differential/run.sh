#!/bin/sh
# run.sh <build> <asan build> [option...]: compares random programs with PyTorch; options are those
# of run.py. PyTorch comes from the Python that TERN_TORCH_PYTHON names, else from a virtual
# environment in build/.
set -eu
build=$1 asan=$2
shift 2
here=$(dirname "$0")
version=2.15.0

python=${TERN_TORCH_PYTHON:-build/torch-$version/bin/python}
if ! "$python" -c "import torch; assert torch.__version__.startswith('$version')" 2>/dev/null; then
  [ -z "${TERN_TORCH_PYTHON:-}" ] || { echo "$python has no torch $version" >&2; exit 1; }
  python3 -m venv "build/torch-$version"
  "$python" -m pip install --quiet "torch==$version" numpy
fi
exec "$python" "$here/run.py" "$build/bin/differential" --cuda --emulated "$build/lib/emulated" --asan "$asan" --names "$@"
