#!/bin/sh
# run.sh <build> <asan build> [option...]: compares sequence layers (layers/compare.py), then random
# programs with PyTorch; options are those of run.py. tests/torch_python.sh says which Python runs PyTorch.
set -eu
build=$1 asan=$2
shift 2
here=$(dirname "$0")
python=$("$here/../torch_python.sh")
layers=0
"$python" "$here/layers/compare.py" "$build/bin/differential" --cuda --asan "$asan" || layers=1
"$python" "$here/run.py" "$build/bin/differential" --cuda --emulated "$build/lib/emulated" --asan "$asan" --names "$@"
exit $layers
