#!/usr/bin/env bash
# Times tern, beside libtorch where there is one, and prints a table of ratios.
#
#   benchmarks/run.sh BUILD_DIR            (make bench)
#
# PYTHON (python3) is where PyTorch and JAX are looked for; TORCH_DIR names another libtorch (the
# folder with include/ and lib/). The programs of all run in turn, ROUNDS times (3), with 1 and 2
# threads; each figure is the smallest of its rounds. MNIST_DIR names the folder of MNIST's files for
# the epoch, which takes drawn digits without.
# Results: BUILD_DIR/bench/results.md, results.json and scaling.svg.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$build/bench
rounds=${ROUNDS:-3}
python=${PYTHON:-python3}
torch=${TORCH_DIR:-$("$python" -c 'import torch, os; print(os.path.dirname(torch.__file__))' 2>/dev/null || true)}
programs=(vae_step adam_limit small_ops ops norms gemm linear every_op json_state safetensors)

mkdir -p "$out"
peer=
if [ -n "$torch" ]; then
  peer="libtorch $(sed -n "s/^__version__ = '\(.*\)'/\1/p" "$torch/version.py")"
else
  echo "no libtorch found (set PYTHON or TORCH_DIR): tern alone is timed"
fi
for program in "${programs[@]}" scaling; do
  case $program in adam_limit | json_state | safetensors) continue ;; esac  # beside the machine's limit; Python's
  if [ -n "$torch" ] && [ "$here/$program.cpp" -nt "$out/$program.peer" ]; then
    echo "compiling $program.cpp against libtorch"
    "${CXX:-g++}" -std=c++20 -O2 -I"$torch/include" -I"$torch/include/torch/csrc/api/include" \
      "$here/$program.cpp" -L"$torch/lib" -Wl,-rpath,"$torch/lib" -ltorch -ltorch_cpu -lc10 \
      -o "$out/$program.peer"
  fi
done

# Appends what a program prints (name, tab, nanoseconds) to the times.
time_it() {  # tern or peer, threads, name of the program, command
  "${@:4}" "$2" | sed "s/^/$1\t$2\t$3\t/" >> "$out/times.tsv"
}

rm -f "$out"/*.tsv "$out"/scaling.*.tsv
for round in $(seq "$rounds"); do
  for threads in 1 2; do
    for program in "${programs[@]}"; do
      time_it tern "$threads" "$program" "$build/bin/$program"
      if [ -n "$torch" ] && [ -x "$out/$program.peer" ]; then
        time_it peer "$threads" "$program" "$out/$program.peer"
      fi
    done
    time_it peer "$threads" compiled_step "$python" "$here/compiled_step.py" 2>> "$out/python.log"
    time_it peer "$threads" json_state "$python" "$here/json_state.py"
    time_it peer "$threads" safetensors "$python" "$here/safetensors_state.py" 2>> "$out/python.log" || true
    "$build/bin/scaling" "$threads" >> "$out/scaling.tern.$threads.tsv"
    if [ -n "$torch" ]; then "$out/scaling.peer" "$threads" >> "$out/scaling.peer.$threads.tsv"; fi
  done
  echo "round $round of $rounds done"
done

"$here/footprint.sh" "$build" "$torch" > "$out/footprint.tsv"
"$build/bin/epoch" 2 ${MNIST_DIR:+"$MNIST_DIR"} | sed 's/$/\t0/' >> "$out/footprint.tsv"
"$here/table.py" "$out" "$peer"

series=("tern, 1 thread=$out/scaling.tern.1.tsv" "tern, 2 threads=$out/scaling.tern.2.tsv")
if [ -n "$torch" ]; then
  series+=("libtorch, 1 thread=$out/scaling.peer.1.tsv" "libtorch, 2 threads=$out/scaling.peer.2.tsv")
fi
"$here/scaling_chart.py" "$out/scaling.svg" "${series[@]}"
cat "$out/results.md"
