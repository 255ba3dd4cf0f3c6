#!/usr/bin/env bash
# Times tern, beside libtorch where there is one, and prints a table of ratios.
#
#   benchmarks/run.sh BUILD_DIR            (make bench)
#
# libtorch is taken from TORCH_DIR (the folder with include/ and lib/), else from python3's torch.
# The programs of both run in turn, ROUNDS times (3), with 1 and 2 threads; each figure is the
# smallest of its rounds. Results: BUILD_DIR/bench/results.md, results.json and scaling.svg.
# MNIST_DIR names the folder of MNIST's files for the epoch, which takes drawn digits without.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$build/bench
rounds=${ROUNDS:-3}
mkdir -p "$out"
torch=${TORCH_DIR:-$(python3 -c 'import torch, os; print(os.path.dirname(torch.__file__))' 2>/dev/null || true)}

programs=(vae_step small_ops ops norms gemm linear every_op)
[ -n "$torch" ] || echo "no libtorch found (set TORCH_DIR): tern alone is timed"
for program in "${programs[@]}" scaling; do
  if [ -n "$torch" ] && [ "$here/$program.cpp" -nt "$out/$program.torch" ]; then
    echo "compiling $program.cpp against libtorch"
    "${CXX:-g++}" -std=c++20 -O2 -I"$torch/include" -I"$torch/include/torch/csrc/api/include" \
      "$here/$program.cpp" -L"$torch/lib" -Wl,-rpath,"$torch/lib" -ltorch -ltorch_cpu -lc10 \
      -o "$out/$program.torch"
  fi
done

mkdir -p "$out/scaling"
rm -f "$out"/*.tsv "$out"/scaling/*.tsv
for round in $(seq "$rounds"); do
  for threads in 1 2; do
    for program in "${programs[@]}"; do
      "$build/bin/$program" "$threads" | sed "s/^/$program\t/" >> "$out/tern.$threads.tsv"
      if [ -n "$torch" ]; then
        "$out/$program.torch" "$threads" | sed "s/^/$program\t/" >> "$out/torch.$threads.tsv"
      fi
    done
    "$build/bin/scaling" "$threads" >> "$out/scaling/tern.$threads.tsv"
    if [ -n "$torch" ]; then "$out/scaling.torch" "$threads" >> "$out/scaling/torch.$threads.tsv"; fi
  done
  echo "round $round of $rounds done"
done

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
isa=$(for set in avx512f avx2; do if grep -qw "$set" /proc/cpuinfo; then echo "$set"; break; fi; done)
peer="none"
if [ -n "$torch" ]; then peer="libtorch $(sed -n "s/^__version__ = '\(.*\)'/\1/p" "$torch/version.py")"; fi
touch "$out/torch.1.tsv" "$out/torch.2.tsv"
awk -F'\t' -v out="$out" -v cpu="$cpu" -v isa="${isa:-baseline}" -v peer="$peer" '
  function key(t, n) { return t SUBSEP n }
  FNR == 1 { file = FILENAME; sub(/.*\//, "", file); split(file, part, ".") }
  {
    k = key(part[1], part[2] SUBSEP $2)
    if (!(k in best) || $3 < best[k]) best[k] = $3
    if (!($2 in seen)) { seen[$2] = 1; names[++count] = $2; program[count] = $1 }
    if (!($1 in known)) { known[$1] = 1; programs[++program_count] = $1 }
  }
  function figure(who, threads, name,  k) { k = key(who, threads SUBSEP name); return k in best ? best[k] : 0 }
  function add_ratio(k, ratio, name) {
    logs[k] += log(ratio); ratios[k]++
    if (ratio > worst[k]) { worst[k] = ratio; worst_name[k] = name }
  }
  function show(ns) { return ns == 0 ? "-" : ns < 1e4 ? sprintf("%.0f ns", ns) : sprintf("%.1f us", ns / 1e3) }
  END {
    md = out "/results.md"; json = out "/results.json"
    printf "CPU: %s (%s). Peer: %s. Smallest of all rounds; ratio = tern / peer.\n\n", cpu, isa, peer > md
    print "| what | tern, 1 thread | ratio | tern, 2 threads | ratio |" > md
    print "| --- | ---: | ---: | ---: | ---: |" > md
    printf "{\"cpu\": \"%s\", \"instruction_set\": \"%s\", \"peer\": \"%s\", \"results\": [", cpu, isa, peer > json
    for (i = 1; i <= count; i++) {
      line = "| " names[i]
      for (t = 1; t <= 2; t++) {
        a = figure("tern", t, names[i]); b = figure("torch", t, names[i])
        line = line " | " show(a) " | " (a && b ? sprintf("%.2f", a / b) : "-")
        if (a && b) add_ratio(key(program[i], t), a / b, names[i])
        printf "%s\n  {\"name\": \"%s\", \"threads\": %d, \"tern_ns\": %.1f, \"peer_ns\": %.1f}", (i + t > 2 ? "," : ""), names[i], t, a, b > json
      }
      print line " |" > md
    }
    print "\n], \"footprint\": [" > json
    print "\n| program | threads | lines | geometric mean | worst | which |" > md
    print "| --- | ---: | ---: | ---: | ---: | --- |" > md
    for (p = 1; p <= program_count; p++) {
      for (t = 1; t <= 2; t++) {
        k = key(programs[p], t)
        if (ratios[k]) printf "| %s | %d | %d | %.2f | %.2f | %s |\n", programs[p], t, ratios[k], exp(logs[k] / ratios[k]), worst[k], worst_name[k] > md
      }
    }
  }' "$out"/tern.*.tsv "$out"/torch.*.tsv

"$here/footprint.sh" "$build" "$torch" > "$out/footprint.tsv"
"$build/bin/epoch" 2 ${MNIST_DIR:+"$MNIST_DIR"} | sed 's/$/\t0/' >> "$out/footprint.tsv"
awk -F'\t' -v md="$out/results.md" -v json="$out/results.json" '
  BEGIN { print "\n| what | tern | peer | ratio |\n| --- | ---: | ---: | ---: |" >> md }
  {
    peer = $4 > 0 ? $4 " " $2 : "-"
    printf "| %s | %s %s | %s | %s |\n", $1, $3, $2, peer, $4 > 0 ? sprintf("%.3f", $3 / $4) : "-" >> md
    printf "%s  {\"name\": \"%s\", \"unit\": \"%s\", \"tern\": %s, \"peer\": %s}", (NR > 1 ? ",\n" : ""), $1, $2, $3, $4 >> json
  }
  END { print "\n]}" >> json }' "$out/footprint.tsv"

series=("tern, 1 thread=$out/scaling/tern.1.tsv" "tern, 2 threads=$out/scaling/tern.2.tsv")
if [ -n "$torch" ]; then
  series+=("libtorch, 1 thread=$out/scaling/torch.1.tsv" "libtorch, 2 threads=$out/scaling/torch.2.tsv")
fi
"$here/scaling_chart.py" "$out/scaling.svg" "${series[@]}"
cat "$out/results.md"
