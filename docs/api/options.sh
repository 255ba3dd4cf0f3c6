#!/bin/sh
# options.sh: prints docs/options.md, the page of all options, made of the headers. `make ops-page` calls it.
set -eu
cd "$(dirname "$0")/../.."
all=$(cmake/public_headers.sh)

# section HEADING PATTERN: the options in the public headers whose paths match the pattern.
section() {
  printf '\n## %s\n' "$1"
  files=$(echo "$all" | grep -E "$2" | sort)
  # shellcheck disable=SC2086  # the files are words
  awk -f docs/api/options.awk pass=1 $all pass=2 $files
}

cat <<'TEXT'
<!-- Made by `make ops-page` of the headers: change the comments there. -->

# Options

The fields of all classes of options with their types and defaults. A class is set in the way that its table shows.

| the class | is set so |
| --- | --- |
| most, as in libtorch: `nn::Conv2dOptions` | by calls that return the options: `nn::Conv2dOptions(3, 8, 5).stride(2).bias(false)`. A call without an argument reads: `options.stride()` |
| plain structs, as `train::Options` | by names in braces, in the order of the table: `{.epochs = 5, .clip_norm = 1.0}` |
| all | in part: an option that is not set has its default. The arguments of the constructor have no default. An empty cell means that the option has no value |

Numbers for each dimension, `ExpandingArray<D>`, are one for all or a list: `.stride(2)` or `.stride({2, 1})`.
TEXT
section "Tensors and autograd" '^core/'
section "Layers and their functions" '^nn/(options|utils|module)'
section "Models" '^nn/models'
section "Optimizers and schedulers" '^nn/optim'
section "Data" '^nn/data'
section "Training" '^train/'
section "Files" '^serialization/'
