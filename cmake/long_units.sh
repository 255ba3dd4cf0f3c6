#!/bin/sh
# long_units.sh <times> <all>: checks that no unit takes a compiler over 12 CPU-seconds, so that a change to one file
# costs seconds. The file has the lines of timed.sh. long_units.txt lists the exceptions; this list may only shrink.
#
# A machine may be slow or busy: what counts is the unit's share of all CPU-seconds of the file, which are <all> on the
# machine where the limit was chosen. Shares differ by some percent from run to run, so a quarter more is not reported.
set -eu
list=cmake/long_units.txt
awk -F '\t' -v list="$list" '
  FILENAME == list { if ($0 !~ /^#/) { split($0, words, " "); excepted[words[1]] = 1 }; next }
  $3 == "-" { next }  # linking
  {
    name = $4
    sub(/.*CMakeFiles\//, "", name)
    all += $1
    if (!(name in longest) || $1 > longest[name]) longest[name] = $1
  }
  END {
    limit = all * 12 / reference * 1.25
    for (name in longest) {
      if (longest[name] > limit && !(name in excepted)) {
        printf "%s takes %.1f of all %.0f CPU-seconds, more than %.1f\n", name, longest[name], all, limit
        broken = 1
      }
    }
    for (name in excepted) {
      if (name in longest && longest[name] < limit / 2) {
        printf "%s is no long unit any more: take it off %s\n", name, list
        broken = 1
      }
    }
    exit broken
  }
' reference="$2" "$list" "$1"
