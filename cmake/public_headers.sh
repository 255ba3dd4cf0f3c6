#!/bin/sh
# public_headers.sh [made]: prints the public headers: those that tern.h, train/train.h, nn/models.h, text/text.h and torch/torch.h include,
# and those that users include by their own names. Headers that the build makes are not among them, but with `made`.
set -eu
cd "$(dirname "$0")/.."
awk '
  function visit(file, line) {
    if (seen[file]++) return
    print file
    while ((getline line < file) > 0) {
      if (line ~ /^#include <tern\/.*\.h>/ && line !~ /generated/) {
        gsub(/^#include <tern\/|>.*/, "", line)
        visit(line)
      }
    }
    close(file)
  }
  BEGIN {
    visit("tern.h"); visit("train/train.h"); visit("compat/torch/torch.h"); visit("compat/torch/script.h")
    visit("compat/names/c10d.h")
    visit("serialization/safetensors.h"); visit("serialization/json_document.h"); visit("serialization/gguf.h")
    visit("nn/models.h"); visit("text/text.h")
  }'
[ "${1-}" = made ] || exit 0
sed -n 's/^\([^#]*\):.*/\1/p' cmake/moved_headers.txt
grep -v '^#' compat/headers.txt | tr ' ' '\n' | grep -v /generated/ | sed 's|^|compat/|'
