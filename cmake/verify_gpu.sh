#!/bin/sh
# verify_gpu.sh [output folder]: checks on a machine with a GPU what no other machine can check. Builds for
# this GPU, runs the device tests on it, runs them again under compute-sanitizer, trains the VAE on CPU and
# GPU, and times the training step, also with PyTorch if PYTHON (python3) has a version for this GPU. Writes
# logs and figures to the output folder (out/gpu); the last lines are a table for docs/gpu.md.
set -u
cd "$(dirname "$0")/.."
out=${1:-out/gpu} build=build/gpu python=${PYTHON:-python3}
mkdir -p "$out"
failed=0

# step NAME COMMAND...: runs the command, stores its output and reports how it ended.
step() {
  name=$1
  shift
  if "$@" > "$out/$name.log" 2>&1; then result=passed; else result=FAILED failed=1; fi
  printf '| %s | %s | `%s` |\n' "$name" "$result" "$*" >> "$out/table.md"
  echo "$name: $result ($out/$name.log)"
}

sanitized() {
  TERN_REQUIRE_GPU=1 TERN_CUDA_CACHE=0 compute-sanitizer --tool "$1" --error-exitcode 9 \
    --leak-check no "$build/bin/ops_test" --gtest_brief=1 \
    --gtest_filter='*AgreesWithTheOracle*:*InPlaceTwin*:*RejectsWhatItMust*:*RunsWhereItsInputsAre*'
}

# The plugin as a program finds it, before any test: which devices there are.
finds_devices() {
  "$build/bin/plugin_tell" | tee "$out/devices.txt"
  grep -q 'devices, the first is' "$out/devices.txt"
}

{ nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; git log -1 --format='commit %h'; date -u
} | tee "$out/machine.txt"
: > "$out/table.md"

step configure cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTERN_CUDA=ON \
  -DTERN_CUDA_ARCHITECTURES=native -DTERN_TEST_GPU=ON
step build cmake --build "$build" --parallel
step devices finds_devices
step libraries ctest --test-dir "$build" -R '^(plugin_|install_find_package)' --no-tests=error --output-on-failure
step tests ctest --test-dir "$build" --timeout 3600 -L gpu --no-tests=error --output-on-failure
step memcheck sanitized memcheck
step racecheck sanitized racecheck
step vae_gpu "$build/bin/vae" --device cuda --epochs 2 --out "$out/vae_gpu"
step vae_graph "$build/bin/vae" --device cuda --graph --epochs 2 --out "$out/vae_graph"
step graph_is_eager cmp "$out/vae_gpu/vae.json" "$out/vae_graph/vae.json"
step vae_cpu "$build/bin/vae" --device cpu --epochs 2 --out "$out/vae_cpu"
step multi_device env TERN_CUDA_VIRTUAL_DEVICES=2 "$build/bin/multi_device"
step time "$build/bin/cuda_step"
if "$python" -c 'import torch; assert torch.cuda.is_available()' 2> /dev/null; then
  step time_pytorch "$python" benchmarks/cuda_step.py
fi

echo
cat "$out/table.md"
cat "$out"/time*.log
exit $failed
