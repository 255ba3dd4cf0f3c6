#!/bin/bash
# header_times.sh <preset> [header...]: prints the CPU-seconds of compiling a file that includes each header (all that
# tern/tern.h names if none is given), beyond those of tern/core/tensor/tensor.h, and how many times as long as seven
# standard headers the program of README.md takes, without and with a precompiled header. Each number is the least of three.
set -eu
include=build/$1/include
shift
cxx=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# Prints the CPU-seconds of compiling standard input. Takes options for the compiler.
seconds() {
  local best=
  cat > "$work/file.cpp"
  TIMEFORMAT='%U %S'
  for _ in 1 2 3; do
    { time "$cxx" -std=c++20 -O2 -I "$include" "$@" -c "$work/file.cpp" -o "$work/file.o" 2> "$work/errors"; } 2> "$work/time" ||
      { cat "$work/errors" >&2; exit 1; }
    best=$(awk -v best="$best" '{ s = $1 + $2; print best == "" || s < best ? s : best }' "$work/time")
  done
  echo "$best"
}

# Prints the headers that an umbrella header includes, with those of other umbrella headers in their place.
headers_of() {
  sed -n 's/^#include <\(tern\/.*\)>$/\1/p' "$include/$1" | while read -r header; do
    case $header in
      tern/nn/nn.h | tern/nn/optim/optim.h | tern/nn/data/data.h) echo "$header"; headers_of "$header" ;;
      *) echo "$header" ;;
    esac
  done
}

base=$(echo '#include <tern/core/tensor/tensor.h>' | seconds)
[ $# -gt 0 ] || set -- $(headers_of tern/tern.h)
for header; do
  printf '#include <tern/core/tensor/tensor.h>\n#include <%s>\n' "$header" | seconds |
    awk -v base="$base" -v header="$header" '{ printf "%8.2f  %s\n", $1 - base, header }'
done | sort -rn
standard=$(printf '#include <%s>\n' algorithm functional map memory sstream string vector | seconds)
awk '/^```cpp/ && !seen { seen = inside = 1; next } /^```/ { inside = 0 } inside' README.md > "$work/program"
program=$(seconds < "$work/program")
echo '#include <tern/tern.h>' > "$work/all.h"
"$cxx" -std=c++20 -O2 -I "$include" -x c++-header "$work/all.h" -o "$work/all.h.gch"
precompiled=$(seconds -include "$work/all.h" < "$work/program")
awk -v s="$standard" -v t="$base" -v p="$program" -v h="$precompiled" 'BEGIN {
  printf "\n%8.2f  seven standard headers\n%8.2f  tern/core/tensor/tensor.h\n", s, t
  printf "%8.2f  the program of README.md: %.2f times the standard headers\n", p, p / s
  printf "%8.2f  the same with tern/tern.h precompiled: %.2f times\n", h, h / s }'
