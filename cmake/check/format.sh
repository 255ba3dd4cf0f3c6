#!/bin/sh
# format.sh: checks that every C++ and CUDA source is formatted by clang-format 14. `make format` formats
# them.
set -eu
git ls-files --cached --others --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh' |
  while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
  xargs clang-format-14 --dry-run --Werror --ferror-limit=1
