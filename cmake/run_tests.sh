#!/bin/sh
# run_tests.sh <preset> <jobs>: runs its tests, then counts what each program said and why each test was skipped.
set -eu
preset=$1 jobs=$2

# A request that no machine can meet shall fail as it does without sanitizers, not end the program.
export ASAN_OPTIONS="allocator_may_return_null=1:${ASAN_OPTIONS:-}"

result=0
ctest --preset "$preset" --parallel "$jobs" || result=$?

awk -v preset="$preset" '
  reason != "" && /^\[  SKIPPED \] .*ms\)$/ { print "skipped: " $4 ": " reason; reason = "" }
  after_skip { reason = $0 }
  { after_skip = /: Skipped$/ }
  /^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
  /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
  /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
  END { printf "%s: %d tests passed, %d failed, %d skipped\n", preset, passed, failed, skipped }
' "build/$preset/Testing/Temporary/LastTest.log"
exit $result
