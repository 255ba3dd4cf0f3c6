#!/bin/sh
# format.sh: every C++ and CUDA source looks as clang-format 14 writes it. `make format` mends it.
set -eu
git ls-files --cached --others --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh' |
  while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
  xargs clang-format-14 --dry-run --Werror --ferror-limit=1
