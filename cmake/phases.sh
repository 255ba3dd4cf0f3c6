#!/bin/sh
# phases.sh <phases>: prints the phases of a run as a table. Each line of the file is a line of timed.sh, and may have a
# count of tests behind it.
set -eu
awk -F '\t' '
  BEGIN { printf "%-44s %8s %8s %8s\n", "phase", "minutes", "CPU-s", "tests" }
  { printf "%-44s %8.1f %8.0f %8s\n", $3, $2 / 60, $1, $4 }
' "$1"
