#!/bin/sh
# run.sh <source folder> <work folder>: lets CTest run programs that end in every way, and expects the
# right counts and the output of what failed from cmake/count_tests.sh.
set -eu
source=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# program NAME COMMAND: a program that CTest runs.
program() {
  printf '#!/bin/sh\n%s\n' "$2" > "$1"
  chmod +x "$1"
  echo "add_test($1 \"$work/$1\")" >> CTestTestfile.cmake
}
# stops NAME COUNT SUITE COMMAND: a program of COUNT tests whose second one ends by the command.
stops() {
  program "$1" "cat << END
[==========] Running $2 tests from 1 test suite.
[ RUN      ] $3.a
[       OK ] $3.a (0 ms)
[ RUN      ] $3.b
END
$4"
}
# property NAME PROPERTY VALUE
property() { echo "set_tests_properties($1 PROPERTIES $2 \"$3\")" >> CTestTestfile.cmake; }

program passes 'cat << END
[==========] Running 2 tests from 1 test suite.
[ RUN      ] A.a
[       OK ] A.a (0 ms)
[ RUN      ] A.b
printed without a new line[       OK ] A.b (0 ms)
[==========] 2 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 2 tests.
END'
program fails 'cat << END
[==========] Running 3 tests from 1 test suite.
[ RUN      ] B.a
[       OK ] B.a (0 ms)
[ RUN      ] B.b
x.cpp:5: Failure
Value of: false
[  FAILED  ] B.b (0 ms)
[ RUN      ] B.c/1
x.cpp:7: Skipped
no GPU
[  SKIPPED ] B.c/1 (0 ms)
[==========] 3 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] B.c/1
[  FAILED  ] 1 test, listed below:
[  FAILED  ] B.b
END
exit 1'
program leaks 'cat << END
[==========] Running 1 test from 1 test suite.
[ RUN      ] C.a
[       OK ] C.a (0 ms)
[==========] 1 test from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
END
echo "SUMMARY: 8 bytes leaked"
exit 23'
stops crashes 4 D 'kill -SEGV $$'
program aborts 'kill -ABRT $$'
program exits 'cat << END
[==========] Running 3 tests from 1 test suite.
[ RUN      ] E.a
END'
property exits PASS_REGULAR_EXPRESSION never
stops hangs 3 F 'exec sleep 60'
property hangs TIMEOUT 1
program lacks_set 'cat << END
[==========] Running 14 tests from 1 test suite.
x.cpp:7: Failure
TERN_CPU_CAPABILITY: '"'sse9'"' is not an instruction set that this machine and this build have; choose
[ RUN      ] G.a
x.cpp:9: Skipped

[  SKIPPED ] G.a (0 ms)
[==========] 14 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 0 tests.
END
exit 1'
property lacks_set SKIP_REGULAR_EXPRESSION "'sse9' is not an instruction set"
program script_passes true
program script_fails 'echo "no such file"; exit 1'
program disabled true
property disabled DISABLED TRUE
echo "add_test(missing $work/missing)" >> CTestTestfile.cmake

ctest > ctest.log 2>&1 && { echo "ctest passed"; exit 1; }
TERN_COUNTS=$work/counts TERN_FAILURES=$work/failures "$source/cmake/count_tests.sh" x ctest.log Testing/Temporary/LastTest.log > told &&
  { echo "the failures were not seen"; exit 1; }

cat > expected << 'END'
x: failed: fails: B.b
x: skipped: fails: B.c/1: no GPU
x: failed: leaks: Failed: SUMMARY: 8 bytes leaked
x: crashed: crashes, in D.b: Exception: SegFault
x: not run: 2 more of crashes
x: crashed: aborts: Subprocess aborted Exception:
x: ended too early: exits, in E.a
x: not run: 2 more of exits
x: timed out: hangs, in F.b
x: not run: 1 more of hangs
x: the machine lacks sse9: not run: 14 of lacks_set
x: failed: script_fails: Failed: no such file
x: disabled: disabled
x: failed: missing: Not Run
x: 7 tests passed, 8 failed, 21 skipped
END
diff expected told
echo "7 8 21" | diff - counts

# What a failed test printed; the others print nothing before they end.
sed -n 1,3p failures > failed
diff - failed << 'END'
x: failed: fails: B.b
x.cpp:5: Failure
Value of: false
END
[ "$(grep -c '^x: ' failures)" = 8 ]
