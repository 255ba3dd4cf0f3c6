#!/bin/sh
# filtered.sh FILE: prints what Doxygen reads instead of FILE. `make docs` has tools/generate/doxygen.py write it before,
# because starting Python for each file would take minutes. A file that is only included has none, and is read as it is.
filtered=build/docs/filtered/${1#"$PWD"/}
[ -e "$filtered" ] || filtered=$1
cat "$filtered"
