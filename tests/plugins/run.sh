#!/bin/sh
# run.sh FOLDER LIBRARY PLUGIN REASON PROGRAM...: copies libtern, where there is one, and the programs into
# FOLDER, with PLUGIN as its libtern_cuda.so (none: without one; cut:FILE: its first 4 KiB), and expects that the first
# program tells REASON and that all of them succeed. TERN_TEST_PRELOAD is what `env` sets for them.
set -eu
folder=$1 library=$2 plugin=$3 reason=$4
shift 4
unset TERN_SIMULATE_CUDA TERN_CUDA TERN_PLUGIN_PATH CUDA_VISIBLE_DEVICES

rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/lib"
case $library in *.so*) cp -P "${library%%.so*}".so* "$folder/lib" ;; esac
case $plugin in
  none) ;;
  cut:*)
    head -c 4096 "${plugin#cut:}" > "$folder/lib/libtern_cuda.so"
    ;;
  *) cp "$plugin" "$folder/lib/libtern_cuda.so" ;;
esac

first=
for program in "$@"; do
  copy=$folder/bin/$(basename "$program")
  cp "$program" "$copy"
  output=$(env ${TERN_TEST_PRELOAD:-} "$copy" 2>&1) || { echo "$output"; echo "$program failed with '$plugin'"; exit 1; }
  if [ -z "$first" ]; then
    first=$copy
    case $output in
      *"$reason"*) ;;
      *) echo "expected the reason '$reason', got '$output'"; exit 1 ;;
    esac
  fi
done
rm -rf "$folder"
