#!/bin/sh
# clang.sh <jobs>: Clang 14 compiles the library and the simulator without a warning.
set -eu
cmake --preset check > /dev/null
cmake --build --preset check --parallel "$1"
