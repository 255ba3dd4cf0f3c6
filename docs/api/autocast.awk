# Lists the rules of ops under autocast as rows of a table: awk -f autocast.awk core/ops/*/*.cpp
# An op declares its rules beside TERN_OP: TERN_AUTOCAST(rule of the CPU, rule of CUDA, OP, ..).

function text_of(rule) {
  if (rule == "kLower") return "lower"
  if (rule == "kFloat32") return "float32"
  if (rule == "kWidest") return "widest"
  if (rule == "kBanned") return "refused"
  return ""
}
function add(op, of_cpu, of_cuda) {
  cpu[op] = text_of(of_cpu)
  cuda[op] = text_of(of_cuda)
  ops[op]
}

/\\$/ && !/^TERN_/ { next }  # in a macro
/^  TERN_OP\("/ { split($0, part, "\""); op = part[2] }
/^  TERN_AUTOCAST(_IF)?\(/ {
  text = $0
  while (text !~ /;$/ && (getline next_line) > 0) text = text " " next_line
  match(text, /k[A-Z][A-Za-z0-9]+, +k[A-Z][A-Za-z0-9]+,/)
  split(substr(text, RSTART, RLENGTH), part, /, */)
  add(op, part[1], part[2])
}
/^  TERN_AUTOCAST_INNER_OPS/ { parts[op]; ops[op] }
/^TERN_UNARY_FLOAT32\(/ { split($0, part, /[(,]/); add(part[2], "kUnchanged", "kFloat32") }
/^TERN_ADDED_PRODUCT\(/ { split($0, part, /[(),] */); add(part[2], part[5], "kLower") }
/^TERN_CONVOLUTION\(/ { split($0, part, /[(),] */); add(part[2], "kLower", "kLower"); add(part[3], "kLower", "kLower") }

function cell(text, without) { return " " (text ? text : without) " |" }

END {
  for (op in ops) {
    without = op in parts ? "as its parts" : "as it is"
    print "| `" op "` |" cell(cpu[op], without) cell(cuda[op], without)
  }
}
