# Reads the logs of test programs and of slots_against_cpu, each with a last line "exit CODE". Prints what failed tests said,
# the line of each slot and, with compute-sanitizer, what it found. The last line counts: "N passed, N failed (names),
# N skipped, ..". It names the first failure of each log: after a fault of the device all later tests of a process fail.

function begin_log() { running = block = last = ""; code = "none"; bad = reports = lines = 0 }

function end_log() {
  if (log_name == "") return
  if (running != "") {
    say(running, "the program ended in this test")
  } else if (code != 0 && bad == 0 && errors[log_name] == 0) {
    say(log_name, code == "none" ? "stopped" : "ended with code " code " and without a failed test: " last)
  }
}

function fail(name) {
  ++failed
  if (!bad++) names = names (names == "" ? "" : ", ") name
}

function say(name, why) {
  print "---- " log_name ": " why "\n" substr(block, 1, 8000)
  fail(name)
}

FNR == 1 { end_log(); log_name = FILENAME; sub(/.*\//, "", log_name); begin_log() }
running == "" && lines++ < 30 { block = block $0 "\n" }  # for a program that fails before its first test
/^exit [0-9]+$/ { code = $2; next }
/^\[ RUN      \] / { running = $4; block = "" }
running != "" { block = block $0 "\n" }
/\[       OK \] .*ms\)$/ && running != "" { ++passed; running = "" }
/\[  SKIPPED \] .*ms\)$/ && running != "" { ++skipped; running = "" }
/\[  FAILED  \] .*ms\)$/ && running != "" { say(running, "failed"); running = "" }
/ calls +[0-9]+ elements / {
  print
  if ($NF == "FAIL") fail($1); else ++passed
}
/^    / && running == "" { print }
/^=========/ && !/COMPUTE-SANITIZER|ERROR SUMMARY: 0 errors/ && reports++ < 400 { print log_name ": " $0 }
/^========= ERROR SUMMARY: / { errors[log_name] = $4; found += $4; sanitized = 1 }
/[^ ]/ { last = $0 }

END {
  end_log()
  text = passed + 0 " passed, " failed + 0 " failed" (names == "" ? "" : " (" names ")")
  print text ", " skipped + 0 " skipped" (sanitized ? ", " found + 0 " errors of compute-sanitizer" : "")
}
