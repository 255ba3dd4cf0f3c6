#!/bin/sh
# tidy.sh quick|full <jobs>: runs clang-tidy 14 over the library. The full form checks every source. The quick
# form checks what changed since the commit in tidy_commit, the last commit that passed the full form.
set -eu
form=$1 jobs=$2
limit=${TERN_TIDY_LIMIT:-40}  # files of the quick form: about a minute and a half on one core

cmake --preset check > /dev/null
work=build/check/tidy
mkdir -p "$work"
# The sources of the library that the compiler sees, without generated sources.
sed -n 's|^ *"file": "\(.*\)",*$|\1|p' build/check/compile_commands.json |
  sed "s|^$PWD/||" | grep -v '^build/' | sort -u > "$work/all"

# Newest first: `git log` names the files in this order.
changed() {
  git ls-files --others --exclude-standard
  git diff --name-only HEAD
  base=$(cat cmake/check/tidy_commit)
  if git merge-base --is-ancestor "$base" HEAD 2> /dev/null; then
    git log --format= --name-only "$base..HEAD"
  else
    git log --format= --name-only -n 5  # for a clone whose history does not reach back so far
  fi
}

# Prints, for a header, the source beside it, or else the first source that includes it.
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
