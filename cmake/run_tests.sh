#!/bin/sh
# run_tests.sh <preset> <jobs>: runs the tests of a preset, then counts tests, not programs. Appends
# "passed failed skipped" to the file that TERN_COUNTS names.
set -eu
preset=$1 jobs=$2
here=$(dirname "$0")
logs=build/$preset/Testing

# A request that no machine can meet shall fail as it does without sanitizers, not end the program.
export ASAN_OPTIONS="allocator_may_return_null=1:${ASAN_OPTIONS:-}"

# A hanging program ends after the preset's minutes; full counts need longer.
limit=${TERN_TEST_TIMEOUT:-${TERN_TEST_FULL:+3600}}

mkdir -p "$logs"
rm -f "$logs/Temporary/LastTest.log"
{
  result=0
  ctest --preset "$preset" --parallel "$jobs" ${limit:+--timeout "$limit"} 2>&1 || result=$?
  echo "$result" > "$logs/result"
} | tee "$logs/ctest.log"

result=$(cat "$logs/result")
"$here/count_tests.sh" "$preset" "$logs/ctest.log" "$logs/Temporary/LastTest.log" || result=1
exit "$result"
