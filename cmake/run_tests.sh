#!/bin/sh
# run_tests.sh <preset> <jobs>: runs the tests of a preset and counts tests instead of programs. Appends
# "passed failed skipped" to the file named by TERN_COUNTS.
set -eu
preset=$1 jobs=$2
here=$(dirname "$0")
logs=build/$preset/Testing

# An impossible request for memory must fail as it does without sanitizers, not end the program. Short stacks of
# allocations are a sixth of the time; ASAN_OPTIONS=malloc_context_size=30 shows the whole ones. From GCC 13 on each thread
# gets a second stack, for want of which a test with little memory ends.
export ASAN_OPTIONS="allocator_may_return_null=1:malloc_context_size=5:detect_stack_use_after_return=0:${ASAN_OPTIONS:-}"

# A child of a program with threads may start threads, too: tests of several writers do.
export TSAN_OPTIONS="suppressions=$(cd "$here/.." && pwd)/tests/thread_sanitizer.txt:die_after_fork=0:${TSAN_OPTIONS:-}"

# The preset's limit ends a program that hangs; the full tests need longer.
limit=${TERN_TEST_TIMEOUT:-${TERN_TEST_FULL:+3600}}

mkdir -p "$logs"
rm -f "$logs/Temporary/LastTest.log" "$logs/times.tsv"
{
  result=0
  ctest --preset "$preset" --parallel "$jobs" ${limit:+--timeout "$limit"} 2>&1 || result=$?
  echo "$result" > "$logs/result"
} | tee "$logs/ctest.log"

result=$(cat "$logs/result")
"$here/count_tests.sh" "$preset" "$logs/ctest.log" "$logs/Temporary/LastTest.log" "$logs/times.tsv" || result=1
exit "$result"
