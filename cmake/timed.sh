#!/bin/sh
# timed.sh <log> <command...>: runs a compiler or linker and appends a line to the log: CPU-seconds, the
# source (the argument after -c, "-" if none) and the output (the argument after -o).
log=$1
shift
"$@"
result=$?
source=- output=- last=
for argument in "$@"; do
  case $last in
    -c) source=$argument ;;
    -o) output=$argument ;;
  esac
  last=$argument
done
# `times` prints the times of the shell and then of its children. A pipe would run it in a subshell without
# children.
times > "$log.$$"
awk -v source="$source" -v output="$output" 'NR == 2 {
  split($1, user, /[ms]/)
  split($2, kernel, /[ms]/)
  printf "%.2f\t%s\t%s\n", user[1] * 60 + user[2] + kernel[1] * 60 + kernel[2], source, output
}' "$log.$$" >> "$log"
rm -f "$log.$$"
exit $result
