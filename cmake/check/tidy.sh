#!/bin/sh
# tidy.sh quick|full <jobs>: clang-tidy 14 over the library. The full form takes every source. The quick
# one takes what changed since the commit in tidy_commit, at which the full form passed last.
set -eu
form=$1 jobs=$2
limit=${TERN_TIDY_LIMIT:-40}  # files of the quick form: about a minute and a half on one core

cmake --preset check > /dev/null
work=build/check/tidy
mkdir -p "$work"
# What the compiler sees of the library, without sources that the build writes itself.
sed -n 's|^ *"file": "\(.*\)",*$|\1|p' build/check/compile_commands.json |
  sed "s|^$PWD/||" | grep -v '^build/' | sort -u > "$work/all"

# The newest first: `git log` names them in this order.
changed() {
  git ls-files --others --exclude-standard
  git diff --name-only HEAD
  base=$(cat cmake/check/tidy_commit)
  if git merge-base --is-ancestor "$base" HEAD 2> /dev/null; then
    git log --format= --name-only "$base..HEAD"
  else
    git log --format= --name-only -n 5  # a clone that does not reach back so far
  fi
}

# For a header the source beside it, else the first that includes it.
as_source() {
  while read -r file; do
    case $file in
      *.h | *.inc | *.def)
        source=${file%.*}.cpp
        if ! grep -qxF "$source" "$work/all"; then
          source=$(xargs grep -lF "<tern/$file>" < "$work/all" | head -n 1) || true
        fi
        [ -z "$source" ] || echo "$source"
        ;;
      *) echo "$file" ;;
    esac
  done
}

if [ "$form" = full ]; then
  cp "$work/all" "$work/files"
else
  changed | awk '!seen[$0]++' | as_source | awk '!seen[$0]++' | grep -xFf "$work/all" > "$work/changed" || true
  head -n "$limit" "$work/changed" > "$work/files"
  left=$(($(wc -l < "$work/changed") - $(wc -l < "$work/files")))
  [ "$left" -le 0 ] || echo "clang-tidy: $left changed files are left to make check-all"
fi
echo "clang-tidy: $(wc -l < "$work/files") of $(wc -l < "$work/all") sources"
xargs -r -P "$jobs" -n 1 clang-tidy-14 --quiet -p build/check < "$work/files" 2> "$work/errors" ||
  { grep -v 'warnings\? \(generated\|treated as\)' "$work/errors" || true; exit 1; }
