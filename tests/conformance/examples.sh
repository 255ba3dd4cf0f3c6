#!/bin/sh
# examples.sh PREFIX WORK: builds the programs of programs/examples with their own CMakeLists.txt, which
# ask for the package Torch: tern's or libtorch's below PREFIX.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for example in "$here"/programs/examples/*/; do
  name=$(basename "$example")
  cmake -S "$example" -B "$2/$name" -DCMAKE_PREFIX_PATH="$1" -DCMAKE_BUILD_TYPE=Release
  cmake --build "$2/$name"
done
