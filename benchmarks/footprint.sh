#!/usr/bin/env bash
# The cost of tern apart from time per step: compiling, starting, memory, disk; compared with libtorch.
#
#   benchmarks/footprint.sh BUILD_DIR [TORCH_DIR PEERS]
#
# PEERS is the folder of the programs that are compiled against libtorch (see run.py). Prints one line per
# figure: name, unit, tern, libtorch, separated by tabs; a dash if there is no value. The compiled program is
# README's. Figures are the smallest of five runs (compiling: three; against libtorch, which takes long, one).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
torch=${2:-}
peers=${3:-}
cxx=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n '/^```cpp/,/^```/p' "$here/../README.md" | sed '/^```/d' > "$work/program.tern.cpp"
sed 's/tern::/torch::/g; s|tern/tern.h|torch/torch.h|; s/net\.json/net.pt/' \
  "$work/program.tern.cpp" > "$work/program.torch.cpp"
# A small program that makes a tensor, computes, and prints the peak of its resident memory (kB).
for who in tern torch; do
  cat > "$work/small.$who.cpp" << EOF
#include <$who/$who.h>
#include <fstream>
#include <iostream>
int main() {
  const float sum = ($who::ones({2, 2}) + 1).sum().item<float>();
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:" && status >> word) std::cout << word << "\n";
  }
  return sum == 8 ? 0 : 1;
}
EOF
done

# The arguments after the source for compiling and linking a program.
tern_flags=(-I"$build/include" -L"$build/lib" -Wl,-rpath,"$build/lib" -ltern)
torch_flags=(-I"$torch/include" -I"$torch/include/torch/csrc/api/include" -L"$torch/lib"
  -Wl,-rpath,"$torch/lib" -ltorch -ltorch_cpu -lc10)
compile() {  # tern or torch, arguments
  local -n flags=$1_flags
  "$cxx" -std=c++20 -O2 "${@:2}" "${flags[@]}"
}

seconds() {  # the shortest of $1 runs of the command; fails if a run fails
  for _ in $(seq "$1"); do
    local start=$EPOCHREALTIME
    "${@:2}" > /dev/null || exit 1
    echo "$start $EPOCHREALTIME"
  done | awk '{ t = $2 - $1; if (NR == 1 || t < best) best = t } END { printf "%.4f", best }'
}

measure() {  # name of the figure, tern or torch
  local times=3
  [ "$2" = tern ] || times=1
  case $1 in
    compile) seconds $times compile "$2" -c "$work/program.$2.cpp" -o "$work/o" ;;
    compile_plain) seconds $times compile "$2" -O0 -c "$work/program.$2.cpp" -o "$work/o" ;;
    start) seconds 5 "${small[$2]}" ;;
    resident) for _ in 1 2 3; do "${small[$2]}" || exit 1; done | sort -n | head -1 ;;
    library)
      if [ "$2" = tern ]; then strip -o "$work/lib.so" "$build/lib/libtern.so"
      else strip -o "$work/lib.so" "$torch/lib/libtorch_cpu.so"; fi
      stat -c %s "$work/lib.so" ;;
    peak)
      for _ in 1 2 3; do
        if [ "$2" = tern ]; then "$build/bin/peak_memory"; else "$peers/peak_memory"; fi || exit 1
      done | sort -n | head -1 ;;
  esac
}

declare -A small=([tern]=$work/small.tern [torch]=$peers/small)
compile tern "$work/small.tern.cpp" -o "${small[tern]}" || true
if [ -n "$torch" ] && [ ! -x "${small[torch]}" ]; then
  compile torch "$work/small.torch.cpp" -o "${small[torch]}" || true
fi

row() {  # name of the figure, factor to the unit, unit, command
  local tern peer=
  tern=$(measure "$1" tern) || tern=
  [ -z "$torch" ] || peer=$(measure "$1" torch) || peer=
  awk -v tern="$tern" -v peer="$peer" -v factor="$2" -v unit="$3" -v what="$4" '
    function shown(value) { return value > 0 ? sprintf("%.2f", value * factor) : "-" }
    BEGIN { printf "%s\t%s\t%s\t%s\n", what, unit, shown(tern), shown(peer) }'
}
row compile 1 s "compile README's program, -O2"
row compile_plain 1 s "compile README's program, -O0"
row start 1e3 ms "start, compute and end a small program"
row resident 1e-3 MB "its resident memory"
row library 1e-6 MB "the library, stripped (libtorch: libtorch_cpu alone)"
row peak 1e-3 MB "peak memory of the VAE's training above the start"
