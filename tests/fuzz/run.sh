#!/bin/sh
# run.sh <build folder> <seconds>: lets libFuzzer try each target so long, and says how many inputs it
# tried. What it finds interesting stays in <build folder>/corpus for the next time, what it breaks in
# <build folder>/findings.
set -eu
build=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
result=0
for program in "$build"/bin/fuzz_*; do
  name=${program##*/fuzz_}
  log=$build/fuzz_$name.log
  mkdir -p "$build/corpus/$name" "$build/findings/$name"
  "$program" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=512 \
    -print_final_stats=1 -artifact_prefix="$build/findings/$name/" \
    "$build/corpus/$name" "$here/corpus/$name" 2> "$log" || { result=1; tail -40 "$log"; }
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
done
exit $result
