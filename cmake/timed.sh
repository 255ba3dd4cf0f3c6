#!/bin/sh
# timed.sh <log> <name> <command...>: runs the command and appends a line to the log, parts separated by tabs:
# CPU-seconds, seconds, name. The name "compile" stands for a call of a compiler or linker, whose line has two names:
# the source (the argument after -c, "-" if none) and the output (the argument after -o).
log=$1 name=$2
shift 2
begin=$(date +%s.%N)
"$@"
result=$?
end=$(date +%s.%N)
if [ "$name" = compile ]; then
  source=- output=- last=
  for argument in "$@"; do
    case $last in
      -c) source=$argument ;;
      -o) output=$argument ;;
    esac
    last=$argument
  done
  name=$(printf '%s\t%s' "$source" "$output")
fi
# `times` prints the times of the shell and then of its children. A pipe would run it in a subshell without
# children.
children=$(mktemp)
times > "$children"
awk -v name="$name" -v seconds="$begin $end" 'NR == 2 {
  split($1, user, /[ms]/)
  split($2, kernel, /[ms]/)
  split(seconds, wall, " ")
  printf "%.2f\t%.2f\t%s\n", user[1] * 60 + user[2] + kernel[1] * 60 + kernel[2], wall[2] - wall[1], name
}' "$children" >> "$log"
rm -f "$children"
# Ends as the command ended: there are 64 signals.
[ "$result" -le 128 ] || [ "$result" -gt 192 ] || kill -$((result - 128)) $$
exit $result
