# Makes a table of lines "who, tab, figure, tab, nanoseconds[, tab, GB/s]": a row per figure, times in microseconds.
BEGIN { FS = "\t" }
!($2 in known) { known[$2] = 1; order[++count] = $2 }
{ ns[$1, $2] = $3; if ($4 != "") rate[$2] = $4 }
END {
  print "| figure | tern, us | PyTorch, us | ratio | tern, GB/s | without cuDNN, us |"
  print "| --- | ---: | ---: | ---: | ---: | ---: |"
  for (i = 1; i <= count; ++i) {
    name = order[i]; tern = ns["tern", name]; peer = ns["PyTorch", name]
    printf "| %s | %s | %s | %s | %s | %s |\n", name, us(tern), us(peer),
      tern != "" && peer != "" ? sprintf("%.2f", tern / peer) : "-", rate[name] != "" ? rate[name] : "-", us(ns["own", name])
  }
}
function us(value) { return value == "" ? "-" : sprintf("%.1f", value / 1000) }
