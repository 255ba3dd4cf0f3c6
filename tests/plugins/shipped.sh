#!/bin/sh
# shipped.sh WORK LIBRARIES BUILD [PLUGINS]: opens all libraries in the folders LIBRARIES and PLUGINS in the ways that
# programs do, with the test programs of BUILD: bare, in a thread, after 50 other libraries; from a program that is
# linked with libtern, linked statically, or that opens libtern as a part of another library. The folder WORK is written.
set -eu
work=$1 libraries=$2 build=$3 plugins=${4:-$2}
unset TERN_SIMULATE_CUDA TERN_CUDA TERN_PLUGIN_PATH CUDA_VISIBLE_DEVICES

rm -rf "$work"
mkdir -p "$work/bin" "$work/others"
ln -s "$libraries" "$work/lib"
cp "$build"/bin/plugin_host "$build"/bin/plugin_tell "$build"/bin/plugin_tell_static "$work/bin"
for i in 0 1 2 3 4 5 6 7 8 9; do
  cp "$build/lib/libplugin_static_tls.so" "$work/others/static$i.so"
  for j in 0 1 2 3; do cp "$build/lib/libplugin_dynamic_tls.so" "$work/others/dynamic$i$j.so"; done
done
others=$(ls "$work"/others/*)

# expect PATTERN COMMAND...: the command succeeds and prints a match of the regular expression.
expect() {
  pattern=$1
  shift
  output=$("$@" 2>&1) || { echo "$* failed: $output"; exit 1; }
  echo "$output" | grep -Eq -- "$pattern" || { echo "expected '$pattern' of $*, got '$output'"; exit 1; }
}

opened=0
shift $#
if [ "$plugins" != "$libraries" ]; then
  ln -s "$plugins" "$work/bin"  # for the program that contains libtern
  set -- "$plugins"/*.so
fi
for library in "$libraries"/*.so "$@"; do
  expect '' "$work/bin/plugin_host" "$library"
  expect '' "$work/bin/plugin_host" --thread "$library"
  expect '' "$work/bin/plugin_host" $others "$library"
  opened=$((opened + 1))
done

no_gpu='libtern_cuda.so was not found in'
if [ -e "$plugins/libtern_cuda.so" ]; then
  no_gpu='Found no NVIDIA driver on your system'
  [ ! -e /proc/driver/nvidia/version ] || no_gpu="$no_gpu|No CUDA GPUs are available"
fi
for before in '' --thread "$others" "--thread $others"; do
  for program in tell tell_static host; do
    command="env LD_LIBRARY_PATH=$libraries $work/bin/plugin_$program $before"
    [ $program != host ] || command="$command $build/lib/libplugin_late.so"
    expect "$no_gpu" env CUDA_VISIBLE_DEVICES=-1 $command
    expect '2 devices, the first is ' env TERN_SIMULATE_CUDA=2 $command
  done
done
echo "opened $opened libraries"
rm -rf "$work"
