#!/bin/sh
# build_times.sh <preset> <jobs> [target...]: builds the targets (all targets if none is named) from scratch
# in build/build-times, without ccache, and prints the CPU-seconds of compiling and linking: in total, per
# folder, and of the slowest units. CPU-seconds hardly depend on the number of jobs.
set -eu
preset=$1 jobs=$2
shift 2
root=$(pwd) build=build/build-times
log=$root/$build/times.tsv
launcher="sh;$root/cmake/timed.sh;$log;compile"

rm -rf "$build"
mkdir -p "$build"
: > "$log"
export CCACHE_DISABLE=1 LC_ALL=C
cmake --preset "$preset" -B "$build" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
  -DCMAKE_CUDA_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_LINKER_LAUNCHER="$launcher" > "$build/configure.log"
: > "$log"  # without the files that configuring compiled
cmake --build "$build" --parallel "$jobs" ${1:+--target "$@"}

awk -F '\t' -v root="$root/" -v build="$root/$build/" '
  # Returns the first two folders of a source of the project, or a row name for other kinds.
  function folder_of(source, parts, count) {
    if (source == "-") return "(linking)"
    if (source ~ /\/unity_.*_cxx\.cxx$/) {  # unity_core-ops-1_cxx.cxx: sources of core/ops
      sub(/.*\/unity_/, "", source)
      sub(/-[0-9]+_cxx\.cxx$/, "/", source)
      gsub(/-/, "/", source)
      source = root source
    }
    if (source ~ /cmake_pch/) return "(precompiled headers)"
    if (index(source, build) == 1) return "(generated)"
    if (index(source, root) != 1) return "(elsewhere)"
    count = split(substr(source, length(root) + 1), parts, "/")
    if (count == 1) return "."
    return count == 2 ? parts[1] : parts[1] "/" parts[2]
  }
  { seconds[folder_of($3)] += $1; units[folder_of($3)]++; all += $1; count++ }
  END {
    printf "%.0f CPU-seconds in %d steps\n\n", all, count
    printf "%10s %6s %7s  %s\n", "CPU-s", "%", "steps", "folder"
    fflush()
    for (f in seconds) {
      printf "%10.1f %6.1f %7d  %s\n", seconds[f], 100 * seconds[f] / all, units[f], f | "sort -rn"
    }
    close("sort -rn")
    printf "\n%10s  %s\n", "CPU-s", "slowest steps"
  }' "$log"
sort -rn "$log" | head -15 | awk -F '\t' '{ printf "%10.1f  %s\n", $1, $4 }'
