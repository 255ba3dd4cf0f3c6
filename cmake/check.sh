#!/bin/sh
# check.sh quick|full [jobs]: checks the laws of docs/testing.md that need no test program. The full form
# checks every source and builds the library with Clang; the quick form checks what changed. Appends "passed
# failed skipped" to the file named by TERN_COUNTS. Fails if a law is broken.
set -u
form=$1 jobs=${2:-1}
cd "$(dirname "$0")/.." || exit 1
here=cmake/check
passed=0 failed=0

# law NAME COMMAND...: runs the command and prints its output above the verdict.
law() {
  name=$1
  shift
  if sh cmake/timed.sh "${TERN_PHASES:-/dev/null}" "check $name" "$@"; then
    passed=$((passed + 1)) verdict=passed
  else
    failed=$((failed + 1)) verdict=FAILED
  fi
  echo "check: $name: $verdict"
}

law versions "$here/versions.sh"
if [ "$failed" -eq 0 ]; then
  law format "$here/format.sh"
  law generated python3 -B tests/tools/generate_test.py FilesTest.test_none_is_stale
  law docs make docs
  if [ "$form" = full ]; then
    law clang "$here/clang.sh" "$jobs"
    law unused "$here/unused.sh" build/check
    law tidy "$here/tidy.py" full "$jobs"
  else
    law tidy "$here/tidy.py" quick "$jobs"
  fi
fi

echo "check: $passed laws kept, $failed broken"
echo "$passed $failed 0" >> "${TERN_COUNTS:-/dev/null}"
if [ "$form" = full ] && [ "$failed" -eq 0 ] && [ -z "$(git status --porcelain)" ]; then
  git rev-parse HEAD > $here/tidy_commit
  echo "check: wrote this commit to $here/tidy_commit, from which the quick form goes on: commit it"
fi
[ "$failed" -eq 0 ]
