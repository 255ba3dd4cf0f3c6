#!/bin/sh
# count_tests.sh <name> <ctest's output> <LastTest.log> [<times of timed.sh>]: counts the tests of every program that
# CTest ran. Names the tests that failed, crashed, timed out or were skipped, the instruction sets that the machine
# lacks, and the ten slowest tests. Appends "passed failed skipped" to the file named by TERN_COUNTS, a line for each
# program that took over 10 seconds to the one named by TERN_PHASES, and what failed, with up to 20 lines of what the test
# printed, to the one named by TERN_FAILURES. Fails if a test failed. A program without GoogleTest counts as one test.
set -eu
name=$1 times=${4:-/dev/null}
here=$(dirname "$0")
[ -r "$3" ] || { echo "$name: CTest ran nothing"; echo 0 1 0 >> "${TERN_COUNTS:-/dev/null}"; exit 1; }

awk -v name="$name" -v counts="${TERN_COUNTS:-/dev/null}" -v phases="${TERN_PHASES:-/dev/null}" \
  -v failures="${TERN_FAILURES:-/dev/null}" '
  function say(text) { print name ": " text }

  # Names what failed; `printed` is what it printed.
  function say_failed(text, printed) {
    say(text)
    print name ": " text "\n" printed >> failures
  }

  function begin_program(title) {
    program = title; running = last_line = set = reason = ""
    announced = ended = ok = bad = left_out = lines = 0
    printed = ""
  }

  # Keeps the ten slowest tests, the slowest first.
  function took(seconds, test, reason,    i) {
    for (i = 10; i > 0 && seconds > slow_seconds[i]; --i) {
      slow_seconds[i + 1] = slow_seconds[i]; slow_tests[i + 1] = slow_tests[i]
    }
    if (reason == "" && seconds > 20) reason = ", over 20 s: cmake/slow_tests.txt must say why"
    slow_seconds[i + 1] = seconds; slow_tests[i + 1] = test reason
  }

  # The verdicts of CTest: Passed, Failed, Skipped, Timeout, Exception: SegFault, Not Run, ...
  function end_program(    verdict, where, rest) {
    verdict = verdicts[program]
    where = running == "" ? "" : ", in " running
    if (verdict ~ /Not Run \(Disabled\)/) { say("disabled: " program); left_out = 1 }
    else if (verdict ~ /Skipped/) {
      ok = bad = 0
      left_out = announced > 1 ? announced : 1
      if (set != "") say("the machine lacks " set ": not run: " left_out " of " program)
      else say("skipped: " program ": " last_line)
    } else if (verdict == "Passed") {
      if (announced == 0) ok = 1
    } else {
      rest = announced - ok - bad - left_out - (running != "")
      if (verdict ~ /Timeout/) { ++bad; say_failed("timed out: " program where, printed) }
      else if (verdict ~ /Exception|abort|kill/) { ++bad; say_failed("crashed: " program where ": " verdict, printed) }
      else if (running != "") { ++bad; say_failed("ended too early: " program where, printed) }
      else if (bad == 0) {
        ++bad
        say_failed("failed: " program ": " verdict (last_line == "" ? "" : ": " last_line), "")
      }
      if (rest > 0) { left_out += rest; say("not run: " rest " more of " program) }
    }
    passed += ok; failed += bad; skipped += left_out
    if (walls[program] > 10) {
      printf "%.2f\t%.2f\t%s: %s\t%d\n", cpu[program], walls[program], name, program, ok + bad >> phases
    }
    program = ""
  }

  # 1: a test and the reason for its time on each line.
  file == 1 { if ($0 !~ /^#/) { test = $1; $1 = ""; reasons[test] = $0 }; next }

  # 2: CPU-seconds, seconds and name of each program.
  file == 2 { cpu[$3] = $1; next }

  # 3: one line for each program, "1/9 Test #1: name ....***Failed  0.01 sec".
  file == 3 {
    if ($0 ~ /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: [^ ]+ \.\.+.*[0-9] sec/) {
      title = $0; sub(/^[^:]*: /, "", title); sub(/ .*/, "", title)
      text = $0; sub(/^[^:]*: [^ ]+ \.+ */, "", text); sub(/ +[0-9.]+ sec.*/, "", text)
      gsub(/\*\*\*/, " ", text); sub(/^ +/, "", text); sub(/ +$/, "", text)
      verdicts[title] = text
      walls[title] = $(NF - 1)
    }
    next
  }

  # 4: the output of each program.
  program == "" && /^[0-9]+\/[0-9]+ Testing: / { begin_program($3); next }
  program == "" { next }
  /^<end of output>$/ { end_program(); next }
  /is not an instruction set that this machine/ {
    set = $0; sub(/.*TERN_CPU_CAPABILITY: ./, "", set); sub(/. is not an.*/, "", set)
  }
  /^\[==========\] Running [0-9]+ test/ { announced += $3; ended = 0 }
  /^\[==========\] [0-9]+ tests? from .* ran\./ { running = ""; ended = 1 }
  !ended && /^\[ RUN      \] / { running = $4; reason = printed = ""; lines = 0; next }
  # The line may begin with output of the test itself.
  !ended && running != "" && /\[       OK \] .*ms\)$/ {
    milliseconds = $(NF - 1); sub(/^\(/, "", milliseconds)
    took(milliseconds / 1000, program ": " running, reasons[running])
    ++ok; running = ""
  }
  !ended && running != "" && /\[  FAILED  \] .*ms\)$/ {
    ++bad; say_failed("failed: " program ": " running, printed); running = ""
  }
  !ended && running != "" && /\[  SKIPPED \] .*ms\)$/ {
    ++left_out
    if (set == "") say("skipped: " program ": " running ": " reason)
    running = ""
  }
  running != "" && ++lines <= 20 { printed = printed $0 "\n" }
  after_skip { reason = $0 }
  { after_skip = /: Skipped$/ }
  /^Output:$/ { last_line = ""; next }
  /[^- ]/ { last_line = $0 }

  END {
    if (program != "") end_program()
    for (i = 1; i <= 10 && slow_seconds[i] >= 1; ++i) say(sprintf("%.1f s: %s", slow_seconds[i], slow_tests[i]))
    printf "%s: %d tests passed, %d failed, %d skipped\n", name, passed, failed, skipped
    print passed + 0, failed + 0, skipped + 0 >> counts
    exit failed > 0
  }
' file=1 "$here/slow_tests.txt" file=2 "$times" file=3 "$2" file=4 "$3"
