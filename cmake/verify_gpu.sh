#!/bin/sh
# verify_gpu.sh [--seconds N] [--jobs N] [--data DIR] [--small] BUNDLE OUT: runs on a machine with a GPU what
# `make gpu-bundle` packed (a file or an unpacked folder), in N seconds (540). Needs no build, no network and no root; a
# Python with PyTorch, compute-sanitizer and Nsight Compute where there are any (PYTHON names the Python). Each step has
# its own time-out, and nothing stops the rest. Read OUT/summary.md first. Ends with 0 if all steps passed or lacked a
# tool, 1 if one failed, 2 without a GPU. --data trains on MNIST's files of DIR; --jobs test programs (8) run at once;
# --small takes small problems, for a test of this script, which TERN_SIMULATE_CUDA lets run on simulated devices.
set -u

usage() { sed -n '2,/^set -u/s/^# //p' "$0" >&2; exit 2; }

# What a step runs. Its output goes to a file of OUT; lines of `note` go to the summary; code 77 means "not run".

note() { echo "$*" >> "$work/note"; }

tern() {
  program=$bundle/bin/$1
  shift
  LD_LIBRARY_PATH=$libraries "$program" "$@"
}

# figures WHO COMMAND...: stores the lines "figure, tab, nanoseconds, .." that the command prints.
figures() {
  who=$1
  shift
  { "$@"; echo $? > "$work/code"; } | awk -v who="$who" '/\t/ { print who "\t" $0; fflush() }' >> "$out/figures.tsv"
  return "$(cat "$work/code")"
}

peer() { figures PyTorch "$python" -B "$bundle/scripts/$1.py"; }

# Test programs and slots run in `jobs` processes at once, each behind the command `before`. A process that ends early,
# as after a fault of the device, loses only its part.
before=${before:-}

# shard LOG COMMAND...: runs a part of a step. It ends before the step does: the step's time-out would not end it.
shard() {
  log=$work/shards/$1 result=0 rest=$((shards_end - $(date +%s)))
  shift
  if [ $rest -lt 1 ]; then
    echo 'no time was left' > "$log"
    result=124
  else
    TERN_NUM_THREADS=2 LD_LIBRARY_PATH=$libraries timeout -k 1 $rest $before "$@" > "$log" 2>&1 || result=$?
  fi
  printf '\nexit %s\n' "$result" >> "$log"
  return "$result"
}

# shards FILTER PROGRAM...: runs the tests of FILTER, or those of the GTEST_FILTER that this script was called with.
shards() {
  export GTEST_FILTER="${filter:-$1}" GTEST_TOTAL_SHARDS="$jobs" before
  shift
  mkdir -p "$work/shards"
  for program in "$@"; do
    [ -e "$bundle/bin/$program" ] || continue
    index=0
    while [ $index -lt "$jobs" ]; do echo "$program $index"; index=$((index + 1)); done
  done | xargs -P "$jobs" -n 2 sh "$0" --tests
}
tests_of() { GTEST_SHARD_INDEX=$2 shard "$1.$2" "$bundle/bin/$1"; }

# all_slots [--small]: compares all kernel slots, each in its own process, and the elementwise one, with a hundred ops, in 8.
all_slots() {
  export slots_size="${1:-}" before
  mkdir -p "$work/shards"
  if [ -n "$small" ]; then
    xargs -P "$jobs" -n 20 sh "$0" --slots < "$bundle/scripts/slots.txt"
  else
    { for part in 0 1 2 3 4 5 6 7; do echo "elementwise --part $part/8"; done
      grep -vx elementwise "$bundle/scripts/slots.txt"
    } | xargs -P "$jobs" -L 1 sh "$0" --slots
  fi
}
# some_slots NAME.. [--part K/8]
some_slots() {
  names=$1 log=slots.$1
  shift
  while [ $# -gt 0 ] && [ "$1" != --part ]; do names=$names,$1; shift; done
  shard "$log${2:+.${2%/*}}" "$bundle/bin/slots_against_cpu" $slots_size --slots "$names" "$@"
}

vae() {
  device=$1 folder=$work/$2
  shift 2
  tern vae --device "$device" --epochs 1 --no-progress --log-interval 1000 ${data:+--data "$data"} --out "$folder" "$@" |
    tee "$folder.log"
  note "$(grep '^====> Test' "$folder.log" || echo 'no loss')"
  [ -e "$folder/vae.json" ]
}

smoke() {
  tern plugin_tell > "$work/tell" || return
  cat "$work/tell"
  if grep -q 'devices, the first is' "$work/tell"; then note "$(cat "$work/tell")"; return 0; fi
  note "no GPU: $(cat "$work/tell")"
  return 77
}
vae_gpu() { vae cuda vae_gpu; }
vae_cpu() { vae cpu vae_cpu; }
graph_is_eager() {
  vae cuda vae_graph --graph && cmp "$work/vae_gpu/vae.json" "$work/vae_graph/vae.json"
}
cuda_step() { figures tern tern cuda_step ${small:+2}; }
cuda_step_pytorch() { peer cuda_step; }
slots() { all_slots ${small:+--small}; }
# Files that only the sources have are compared with the rest of it elsewhere.
tests() {
  failed=0
  shards '-OpsPage*:Known*' ops_test nn_test differential_test backends_cuda_test || failed=$?
  shards '*AtAnyStep*:GeneratorStates*:*ModuleClasses*:*Entries*:ProfileDevices*:Nvtx*' serialization_test train_test || failed=$?
  return $failed
}
convolution() { shards '*onv*' ops_test nn_test; }
# An empty file in its place keeps the dynamic linker from finding cuDNN.
without_cudnn() {
  mkdir -p "$work/no_cudnn"
  : > "$work/no_cudnn/libcudnn.so.9"
  libraries=$work/no_cudnn:$libraries
}
convolution_own() { without_cudnn; convolution; }
bandwidth() { figures tern tern bandwidth ${small:+10}; }
bandwidth_pytorch() { peer bandwidth; }
models() { figures tern tern models 2 cuda ${small:+2}; }
# As far as it comes: tern's own kernels are slow with large layers.
models_own() {
  without_cudnn
  figures own env LD_LIBRARY_PATH="$libraries" timeout 9 "$bundle/bin/models" 2 cuda
  case $? in 0|124) return 0 ;; *) return 1 ;; esac
}
models_pytorch() { peer models; }
mnist() {
  tern mnist --device cuda --epochs 1 ${data:+--data "$data" --batch-size 16} | tee "$work/mnist.log"
  note "$(grep '^epoch 1' "$work/mnist.log")"
  grep -q '^epoch 1.*accuracy' "$work/mnist.log"
}
multi_device() {
  TERN_CUDA_VIRTUAL_DEVICES=2 tern multi_device --epochs 2 > "$work/multi.log" && cat "$work/multi.log" &&
    grep -q 'on cuda:1' "$work/multi.log"
}

# Without the cache, so that an access behind a tensor is one behind an allocation. A slot that only the CPU has makes no
# call of CUDA, which is an error by default.
sanitizer() {
  tool=$1
  shift
  export before="$compute_sanitizer --tool $tool --error-exitcode 9 --require-cuda-init no $*" TERN_CUDA_CACHE=0
}
# NVIDIA's libraries make calls that fail by design; those of tern are checked where they are made.
memcheck() {
  sanitizer memcheck --report-api-errors no
  shards '*AgreesWithTheOracle*:*InPlaceTwin*:*RunsWhereItsInputsAre*' ops_test
}
memcheck_slots() { sanitizer memcheck --report-api-errors no; all_slots --small; }
racecheck() { sanitizer racecheck; all_slots --small; }
initcheck() { sanitizer initcheck; all_slots --small; }
synccheck() { sanitizer synccheck; all_slots --small; }

# Every kernel of one training step with its time.
launches() {
  LD_LIBRARY_PATH=$libraries "$ncu" --nvtx --nvtx-include step/ --clock-control none --csv \
    --metrics gpu__time_duration.sum "$bundle/bin/cuda_step" 128 once > "$work/launches"
  result=$?
  cat "$work/launches"
  note "$(grep -c gpu__time_duration "$work/launches") kernels in a training step"
  return $result
}
cublaslt() {
  CUBLASLT_LOG_LEVEL=5 CUBLASLT_LOG_FILE=$work/cublaslt.log tern cuda_step 128 once
  result=$?
  note "$(grep -c . "$work/cublaslt.log" || echo no) lines of cuBLASLt"
  head -c 4000000 "$work/cublaslt.log"
  return $result
}
cudnn_properties() { LD_LIBRARY_PATH=$libraries "$python" -B "$bundle/scripts/cudnn_properties.py"; }

case ${1:-} in
  --step) shift; "$@"; exit ;;
  --tests) tests_of "$2" "$3"; exit ;;
  --slots) shift; some_slots "$@"; exit ;;
esac

# The plan: unpack, look at the machine, run steps.

seconds=540 jobs=8 data='' small=''
while :; do
  case ${1:-} in
    --seconds) seconds=${2:?} ;;
    --jobs) jobs=${2:?} ;;
    --data) data=$(realpath "${2:?}") ;;
    --small) small=yes; shift; continue ;;
    -*) usage ;;
    *) break ;;
  esac
  shift 2
done
[ $# -eq 2 ] || usage
began=$(date +%s)
left() { echo $((began + seconds - $(date +%s))); }
mkdir -p "$2" || exit 2
out=$(realpath "$2")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
for file in summary.md machine.txt figures.tsv slots.txt tests.txt sanitizer.txt libraries.txt log.txt; do : > "$out/$file"; done
say() { printf '%s\n' "$*" | tee -a "$out/summary.md"; }

archive=$(realpath "$1")
if [ -d "$1" ]; then
  bundle=$archive
elif tar -C "$work" -xf "$archive" 2> "$out/log.txt" ||
    (cd "$work" && cmake -E tar xf "$archive") 2>> "$out/log.txt" ||
    python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$archive" "$work" 2>> "$out/log.txt"; then
  bundle=$work/tern-gpu
else
  say "$1 cannot be unpacked: $(tail -n 1 "$out/log.txt")"
  exit 1
fi
if ! (cd "$bundle" && sed -n '/^[0-9a-f]\{64\} /p' MANIFEST | sha256sum --quiet -c) >> "$out/log.txt" 2>&1; then
  say "$1 is damaged: $(grep -m 1 FAILED "$out/log.txt")"
  exit 1
fi

# tool NAME: prints its path.
tool() {
  command -v "$1" && return
  for path in /usr/local/cuda*/bin/"$1" /opt/nvidia/*/"$1" /opt/nvidia/*/*/"$1"; do
    if [ -x "$path" ]; then echo "$path"; return; fi
  done
}
has_torch() { "$1" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)' 2> /dev/null; }
python='' torch=''
for path in ${PYTHON:-python3 /opt/*/bin/python /opt/*/.venv/bin/python}; do
  command -v "$path" > /dev/null || continue
  [ -n "$python" ] || python=$path
  if has_torch "$path"; then python=$path torch=yes; break; fi
done
compute_sanitizer=$(tool compute-sanitizer) ncu=$(tool ncu)

# Python's packages first: the libraries of PyTorch, which the figures are compared with.
libraries=
for folder in $([ -z "$python" ] || "$python" "$bundle/scripts/libraries.py") /usr/local/cuda*/lib64 \
    /usr/local/cuda*/targets/*/lib /usr/lib/x86_64-linux-gnu /usr/lib64; do
  for library in $(sed -n 's/^opens: //p' "$bundle/MANIFEST"); do
    [ -e "$folder/$library" ] || continue
    case " ${found:-} " in *" $library "*) continue ;; esac
    found="${found:-} $library"
    echo "$library: $folder" >> "$out/machine.txt"
    case $folder in /usr/lib*) ;; *) libraries=$libraries${libraries:+:}$folder ;; esac
  done
done
for library in $(sed -n 's/^opens: //p' "$bundle/MANIFEST"); do
  case " ${found:-} " in *" $library "*) ;; *) lacking="${lacking:+$lacking, }$library" ;; esac
done
{
  echo "${lacking:+not found: $lacking}"
  echo "Python: ${python:-none}${torch:+, with PyTorch}"
  echo "compute-sanitizer: ${compute_sanitizer:-none}; ncu: ${ncu:-none}"
  echo "$(uname -srm), $(getconf GNU_LIBC_VERSION), $(nproc) cores"
  timeout 10 nvidia-smi -q 2>&1 | grep -E 'Version|Product Name|FB Memory|Total  |SM  |Memory  |Persist|Compute Mode|ECC' | head -40
  echo
  cat "$bundle/MANIFEST"
} >> "$out/machine.txt"
filter=${GTEST_FILTER:-}
libraries=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}  # which may name the driver's folder
export filter bundle work out jobs data small python libraries compute_sanitizer ncu
export TERN_TEST_SOURCES="$bundle/source"
[ -n "${TERN_SIMULATE_CUDA:-}" ] || export TERN_REQUIRE_GPU=1

# lacks NEED...: prints why a step cannot run.
lacks() {
  for need in "$@"; do
    case $need in
      gpu) [ -n "$gpu" ] || { echo "$no_gpu"; return; } ;;
      torch) [ -n "$torch" ] || { echo 'no Python with PyTorch (PYTHON names one)'; return; } ;;
      python) [ -n "$python" ] || { echo 'no Python'; return; } ;;
      sanitizer) [ -n "$compute_sanitizer" ] || { echo 'no compute-sanitizer'; return; } ;;
      ncu) [ -n "$ncu" ] || { echo 'no Nsight Compute (ncu)'; return; } ;;
      hardware) [ -z "${TERN_SIMULATE_CUDA:-}" ] || { echo 'the devices are simulated'; return; } ;;
      *) [ -e "$bundle/bin/$need" ] || { echo "the bundle has no $need"; return; } ;;
    esac
  done
}

passed=0 failed=0 skipped=0
# step NAME SECONDS FILE NEED...: runs the function NAME, unless it lacks something.
step() {
  name=$1 limit=$2 file=$out/$3
  shift 3
  : > "$work/note"
  from=$(date +%s)
  why=$(lacks "$@")
  [ "$limit" -le "$(left)" ] || limit=$(left)
  if [ -n "$why" ]; then
    verdict='not run'
    note "$why"
  elif [ "$limit" -lt 2 ]; then
    verdict='not run'
    note "the $seconds seconds were over"
  else
    export shards_end=$((from + limit - 2))
    printf '\n==== %s ====\n' "$name" >> "$file"
    timeout -k 3 "$limit" sh "$script" --step "$name" > "$work/step.log" 2>&1
    code=$?
    case $code in
      0) verdict=passed ;;
      77) verdict='not run'; [ -s "$work/note" ] || note "$(tail -n 1 "$work/step.log")" ;;
      124|137) verdict="stopped after $limit s" ;;
      *) verdict="FAILED, code $code" ;;
    esac
    if [ -d "$work/shards" ]; then
      awk -f "$bundle/scripts/shards.awk" "$work"/shards/* > "$work/counts"
      rm -rf "$work/shards"
      head -c 3000000 "$work/counts" >> "$file"
      note "$(tail -n 1 "$work/counts")"
    elif [ "$code" -ne 0 ] && [ ! -s "$work/note" ]; then
      note "$(grep . "$work/step.log" | tail -n 1)"
    fi
    tail -c 4000000 "$work/step.log" >> "$file"
  fi
  case $verdict in passed) passed=$((passed + 1)) ;; 'not run') skipped=$((skipped + 1)) ;; *) failed=$((failed + 1)) ;; esac
  say "| $name | $verdict | $(($(date +%s) - from)) | $(paste -sd ';' "$work/note" | tr '|' ' ' | cut -c -600) |"
}

script=$(realpath "$0")
say "# tern on a GPU, $(date -u '+%Y-%m-%d %H:%M') UTC"
say ''
say "$(head -n 1 "$bundle/MANIFEST"); $(timeout 10 nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null ||
  echo 'no driver of NVIDIA')${lacking:+; not found: $lacking}"
say ''
say '| step | result | seconds | what it showed |'
say '| --- | --- | ---: | --- |'
gpu='' no_gpu=''
step smoke 30 log.txt plugin_tell  # may read half a gigabyte of libraries from a cold disk
[ "$verdict" != passed ] || gpu=yes
no_gpu=$(paste -sd ' ' "$work/note" | cut -c -200)
[ -n "$gpu$no_gpu" ] || no_gpu="smoke $verdict"
step vae_gpu 10 log.txt gpu vae
step cuda_step 12 log.txt gpu cuda_step
step cuda_step_pytorch 30 log.txt gpu hardware torch
step slots 60 slots.txt gpu slots_against_cpu
step tests 90 tests.txt gpu backends_cuda_test
step convolution 15 tests.txt gpu ops_test
step convolution_own 15 tests.txt gpu hardware ops_test
step bandwidth 16 log.txt gpu bandwidth
step bandwidth_pytorch 24 log.txt gpu hardware torch
step models 12 log.txt gpu models
step models_pytorch 16 log.txt gpu hardware torch
step models_own 12 log.txt gpu hardware models
step mnist 10 log.txt gpu mnist
step memcheck 80 sanitizer.txt gpu hardware sanitizer ops_test
step memcheck_slots 30 sanitizer.txt gpu hardware sanitizer slots_against_cpu
step racecheck 35 sanitizer.txt gpu hardware sanitizer slots_against_cpu
step initcheck 25 sanitizer.txt gpu hardware sanitizer slots_against_cpu
step synccheck 25 sanitizer.txt gpu hardware sanitizer slots_against_cpu
step graph_is_eager 6 log.txt gpu vae
step launches 12 libraries.txt gpu hardware ncu cuda_step
step cublaslt 4 libraries.txt gpu hardware cuda_step
step cudnn_properties 3 libraries.txt gpu hardware python
step multi_device 5 log.txt gpu multi_device
step vae_cpu 20 log.txt vae

verdict="$passed passed, $failed failed, $skipped not run, after $(($(date +%s) - began)) of $seconds s"
[ -n "$gpu" ] || verdict="$verdict. NOTHING RAN ON A GPU: $no_gpu"
{ sed 2q "$out/summary.md"; printf '%s\n\n' "$verdict"; sed 1,2d "$out/summary.md"; } > "$work/summary"
cp "$work/summary" "$out/summary.md"
printf '\n%s\n' "$verdict"
if [ -s "$out/figures.tsv" ]; then
  say ''
  say "$(awk -f "$bundle/scripts/figures.awk" "$out/figures.tsv")"
fi
[ "$failed" -eq 0 ] || exit 1
[ -n "$gpu" ] || exit 2
