#!/bin/sh
# run.sh <compiler> <include folder> <source>: each line of the source that ends in "// error: TEXT"
# must fail to compile with a static_assert that says TEXT, and nothing may fail in a header of the
# standard library.
set -eu
cxx=$1 include=$2 source=$3
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

if output=$(LC_ALL=C "$cxx" -std=c++20 -fsyntax-only -I"$include" "$source" 2>&1); then
  fail "$source compiles"
fi
errors=$(printf '%s\n' "$output" | grep 'error: ' || true)
asserts=$(printf '%s\n' "$errors" | grep 'static assertion failed\|static_assert failed' || true)

expected=$(sed -n 's|.*// error: ||p' "$source")
for text in $(printf '%s\n' "$expected" | sort -u | tr ' ' '~'); do
  text=$(printf '%s\n' "$text" | tr '~' ' ')
  wanted=$(printf '%s\n' "$expected" | grep -cxF "$text")
  found=$(printf '%s\n' "$asserts" | grep -cF "$text" || true)
  [ "$found" -ge "$wanted" ] || fail "$found of $wanted errors say '$text'"
done
lines=$(printf '%s\n' "$expected" | grep -c .)
found=$(printf '%s\n' "$asserts" | grep -c . || true)
[ "$found" -eq "$lines" ] || fail "$found errors of tern's for $lines wrong lines"
if printf '%s\n' "$errors" | grep '^/usr/'; then fail "an error inside a standard header"; fi

[ $failed -eq 0 ] || printf '%s\n' "$output"
exit $failed
