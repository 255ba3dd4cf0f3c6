#!/bin/sh
# unused.sh <build folder>: checks that no function of the library is unused. In a build with one section per
# function the linker drops unreferenced functions and lists them in a map. A function that many files define
# (inline, template) does not count. unused.txt lists the exceptions; this list may only shrink.
set -eu
build=$1
list=cmake/check/unused.txt
work=$build/unused
mkdir -p "$work"

find "$build/CMakeFiles" -name '*.o' -exec nm --defined-only {} + | awk '$2 == "T" { print $3 }' |
  sort -u > "$work/functions"
for map in "$build"/*.map; do
  [ -e "$map" ] || { echo "no map of the linker in $build"; exit 1; }
  awk '/^Discarded input sections/ { on = 1 } /^Memory Configuration/ { on = 0 }
       on && $1 ~ /^\.text\./ { sub(/^\.text\.(unlikely\.|startup\.|hot\.)?/, "", $1); print $1 }' "$map"
done | sort -u > "$work/left_out"
comm -12 "$work/functions" "$work/left_out" | c++filt | sort > "$work/unused"
grep -v '^#' $list | sed 's/  *#.*//' | sort > "$work/excepted"

result=0
comm -23 "$work/unused" "$work/excepted" > "$work/new"
comm -13 "$work/unused" "$work/excepted" > "$work/old"
sed 's/^/unused: /' "$work/new"
sed "s|^|used or gone, take it off $list: |" "$work/old"
[ ! -s "$work/new" ] && [ ! -s "$work/old" ]
