#!/bin/sh
# public_headers.sh: prints the public headers: those that tern.h, train/train.h, nn/models.h and torch/torch.h include, and
# the reader of one format that users include by its own name. Headers that the build makes are not among them.
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
    visit("tern.h"); visit("train/train.h"); visit("compat/torch/torch.h"); visit("serialization/safetensors.h")
    visit("nn/models.h")
  }'
