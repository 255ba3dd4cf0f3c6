#!/bin/sh
# run.sh SOURCE BUILD WORK: packs programs of a build as `make gpu-bundle` does, and lets cmake/verify_gpu.sh run them without
# a GPU and on simulated devices; then a damaged bundle, tests that fail, and a program that hangs. The folder WORK is written.
set -eu
source=$1 build=$2 work=$3
unset TERN_SIMULATE_CUDA TERN_CUDA TERN_PLUGIN_PATH TERN_TEST_SOURCES GTEST_FILTER
export PYTHON=/none CUDA_VISIBLE_DEVICES=-1

rm -rf "$work"
mkdir -p "$work/mnist"
cd "$work"

# fails WHAT: shows the last run.
fails() {
  cat output
  tail -n 50 out/*.txt 2> /dev/null || true
  echo "expected $1"
  exit 1
}
# verify CODE ARGUMENT...: runs the script, which ends with the code.
verify() {
  expected=$1 code=0
  shift
  rm -rf out
  "$source/cmake/verify_gpu.sh" --jobs 2 --small --data mnist "$@" out > output 2>&1 || code=$?
  [ $code -eq "$expected" ] || fails "code $expected, got $code"
}
# shows PATTERN...: the summary has lines that match.
shows() {
  for pattern in "$@"; do grep -Eq -- "$pattern" out/summary.md || fails "'$pattern' in the summary"; done
}

# Sixteen black digits.
for part in train t10k; do
  { printf '\000\000\010\003\000\000\000\020\000\000\000\034\000\000\000\034'; head -c 12544 /dev/zero; } > mnist/$part-images-idx3-ubyte
  { printf '\000\000\010\001\000\000\000\020'; head -c 16 /dev/zero; } > mnist/$part-labels-idx1-ubyte
done

plugin=$build/lib/libtern_cuda.so
[ -e "$plugin" ] || plugin=none
# Of any architectures that a build has: two take 8 MB if their code is compressed, one took 18 without.
[ $plugin = none ] || [ "$(wc -c < "$plugin")" -le 14000000 ] || { echo "$plugin has over 14 MB"; exit 1; }
TERN_XZ_LEVEL=1 "$source/cmake/gpu/bundle.sh" "$build" "$plugin" bundle.tar.xz plugin_tell vae multi_device cuda_step bandwidth \
  models slots_against_cpu backends_cuda_test serialization_test ops_test nn_test differential_test

verify 2 bundle.tar.xz
shows '^\| smoke \| not run \|.* no GPU: .*(Found no NVIDIA driver|No CUDA GPUs|cannot be loaded: libcublasLt|libtern_cuda.so was not found)' \
  '^\| tests \| not run \|.* no GPU: ' '^\| vae_cpu \| passed \|.* Test set loss: ' \
  '^1 passed, 0 failed, .* NOTHING RAN ON A GPU: no GPU: '

export TERN_SIMULATE_CUDA=2
unset CUDA_VISIBLE_DEVICES
# A few tests, most of which read files of the sources.
export GTEST_FILTER='Stream*:*TorchEntries*:*OpCaptureTest*/nonzero*:RecordedLayers*:EveryOptimizer*'
verify 0 bundle.tar.xz
for step in smoke vae_gpu cuda_step tests bandwidth models graph_is_eager multi_device vae_cpu; do shows "^\| $step \| passed "; done
if [ -e "$build/bin/slots_against_cpu" ]; then shows '^\| slots \| passed .* [1-9][0-9]+ passed, 0 failed'; fi
shows '^\| smoke .* 2 devices, the first is ' '^\| tests .* [1-9][0-9]+ passed, 0 failed, 0 skipped' \
  '^\| memcheck \| not run .* the devices are simulated' '^\| VAE step, graph, TF32 \| [0-9.]+ \|' \
  '^\| softmax of rows, float16 \| ([0-9.]+ \| - \| - \| [0-9.]+) '
[ "$(find out -type f | wc -l)" -le 8 ] || fails "at most 8 files"

cmake -E tar xf bundle.tar.xz
echo >> tern-gpu/bin/vae
verify 1 tern-gpu
shows '^tern-gpu is damaged: bin/vae: FAILED'

# Without a file that the tests read, and without the programs before them.
for program in vae cuda_step bandwidth models slots_against_cpu multi_device ops_test nn_test differential_test; do
  rm -f "tern-gpu/bin/$program"
  sed -i "/bin\/$program\$/d" tern-gpu/MANIFEST
done
rm tern-gpu/source/tests/golden/serialization/torch/torch_entries_2.pt
verify 1 tern-gpu
shows '^\| vae_gpu \| not run .* the bundle has no vae' '^\| tests \| FAILED.* [1-9][0-9]* failed \(TorchEntries' ' 1 failed, '
grep -q 'serialization_test.*: failed' out/tests.txt || fails "the failed tests"

printf '#!/bin/sh\nexec sleep 60\n' > tern-gpu/bin/vae
chmod +x tern-gpu/bin/vae
verify 1 --seconds 4 tern-gpu
shows '^\| vae_gpu \| stopped after [234] s' '^\| tests \| not run .* the 4 seconds were over'

# A test that hangs is not left behind.
rm tern-gpu/bin/vae
printf '#!/bin/sh\necho $$ > %s/pid\nexec sleep 60\n' "$work" > tern-gpu/bin/backends_cuda_test
sed -i '/bin\/backends_cuda_test$/d' tern-gpu/MANIFEST
verify 1 --seconds 5 tern-gpu
shows '^\| tests \| FAILED.* 0 passed, [1-9] failed'
grep -q 'backends_cuda_test.0: ended with code 124' out/tests.txt || fails "the program that hung"
if kill -0 "$(cat pid)" 2> /dev/null; then fails "no program that runs on"; fi

# What cannot say whether there is a GPU counts as none.
printf '#!/bin/sh\nexit 3\n' > tern-gpu/bin/plugin_tell
sed -i '/bin\/plugin_tell$/d' tern-gpu/MANIFEST
verify 1 tern-gpu
shows '^\| tests \| not run \|.* smoke FAILED, code 3' 'NOTHING RAN ON A GPU: smoke FAILED, code 3'

cd /
rm -rf "$work"
