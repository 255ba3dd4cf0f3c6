#!/bin/sh
# libtorch_archives.sh BUILD PYTHON [GOLDEN]: libtorch and tern write archives, and each reads what the other wrote. BUILD is a
# build of tern, PYTHON a Python with PyTorch 2.15, whose libtorch is used. With GOLDEN, libtorch's files are also written there:
# tests/golden/serialization/libtorch.
set -eu
build=$(realpath "$1") python=$2 golden=${3:-}
source=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
torch=$(cd / && "$python" -c 'import torch; print(torch.__path__[0])')
mkdir "$work/by_tern" "$work/by_libtorch"

cat >"$work/main.cpp" <<'END'
#include "libtorch_archives.h"

#include <iostream>

// write|check FOLDER
int main(int, char** arguments) {
  archives::Run run(arguments[2], arguments[1] == std::string("write"));
  run.all();
  for (const std::string& difference : run.differences()) std::cout << difference << "\n";
  return run.differences().empty() ? 0 : 1;
}
END
${CXX:-c++} -std=c++20 -w -I"$source" -I"$torch/include" -I"$torch/include/torch/csrc/api/include" "$work/main.cpp" \
  -o "$work/libtorch" -L"$torch/lib" -Wl,-rpath,"$torch/lib" -Wl,--no-as-needed -ltorch -ltorch_cpu -lc10
${CXX:-c++} -std=c++20 -I"$source" -I"$build/include" -I"$build/moved" -I"$build/include/tern/compat" -I"$build/moved/tern/compat" \
  "$work/main.cpp" -o "$work/tern" -L"$build/lib" -Wl,-rpath,"$build/lib" -ltern

"$work/libtorch" write "$work/by_libtorch"
"$work/tern" write "$work/by_tern"
for reader in libtorch tern; do
  for writer in libtorch tern; do
    "$work/$reader" check "$work/by_$writer"
    echo "$reader reads what $writer wrote"
  done
done
(cd / && "$python" - "$work/by_tern" <<'END'
import glob, sys, torch
for path in sorted(glob.glob(sys.argv[1] + "/*.pt")):
    torch.jit.load(path)
net = torch.jit.load(sys.argv[1] + "/net.pt")
assert [name for name, _ in net.named_parameters()] == ["p", "body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias"]
assert "b" in dict(net.named_buffers())
END
)
echo "torch.jit.load reads what tern wrote"
if [ -n "$golden" ]; then
  mkdir -p "$golden"
  cp "$work"/by_libtorch/* "$golden"
fi
