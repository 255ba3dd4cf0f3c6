# Lists the public functions, methods and classes of headers as tables of Markdown, with the first
# sentence of each comment. docs/api/ops.sh calls it, with `-v heading=...` for a section, and
# `-v plain=1` where functions have no other form.

function note(name, form, text,  base) {
  base = substr(name, 1, length(name) - 1)
  if (name ~ /_$/ && base in summary) return note(base, "in place", "")
  if (name ~ /_$/ && form ~ /method$/) form = "in place"
  if (!(name in summary)) names[++count] = name
  if (summary[name] == "") summary[name] = text
  if (index(forms[name], form) == 0) forms[name] = forms[name] (forms[name] ? ", " : "") form
}

END {
  for (i = 1; i <= count; i++) if (forms[names[i]] != "") has_forms = 1
  printf "\n## %s\n\n", heading
  print has_forms ? "| name | forms | what |\n| --- | --- | --- |" : "| name | what |\n| --- | --- |"
  for (i = 1; i <= count; i++) {
    name = names[i]
    printf "| `%s` |%s %s |\n", name, has_forms ? " " forms[name] " |" : "", summary[name]
  }
}

# The first sentence, fit for a cell.
function sentence(text) {
  if (match(text, /\. [A-Z`]|\. *\n/)) text = substr(text, 1, RSTART - 1)
  sub(/^Returns /, "", text)
  sub(/[.:]$/, "", text)
  gsub(/\|/, "\\|", text)
  while (match(text, /<[A-Za-z]/)) text = substr(text, 1, RSTART - 1) "&lt;" substr(text, RSTART + 1)
  return text
}

# What stands before the first parenthesis: the name of a function.
function name_of(line) {
  sub(/\(.*/, "", line)
  sub(/.*[ &]/, "", line)
  return line
}

FNR == 1 {
  in_detail = in_macro = 0
  inner = ""
  comment = ""
  is_methods = FILENAME ~ /\.inc$/
}
{
  was_macro = in_macro
  in_macro = /\\$/
  if (was_macro || in_macro) next
}
/^namespace .*detail \{/ { in_detail = 1 }
/^\}  \/\/ namespace .*detail/ { in_detail = 0 }
in_detail { next }
$1 == "namespace" && $2 == "linalg" { inner = "linalg::" }
$3 == "namespace" && $4 == "linalg" { inner = "" }

/^ *\/\/\/ / {
  sub(/^ *\/\/\/ /, "")
  comment = comment (comment ? " " : "") $0
  next
}
/^ *\/\/\/$/ {
  comment = comment "\n"
  next
}
/^ *(template|requires) ?</ { next }

!is_methods && /^(TERN_API|inline) [A-Za-z0-9_:<>, ]+&? [a-z][a-z_0-9]*\(/ && !/operator/ {
  is_method = $0 ~ /[(,] ?(const Tensor& |Tensor&? )self[,)]/
  note(inner name_of($0), plain ? "" : is_method ? "function, method" : "function", sentence(comment))
}
is_methods && /^  [A-Z:a-z_<>, ]+&? [A-Za-z_0-9]+\(/ && !/^  requires/ {
  note(name_of($0), "method", sentence(comment))
}
/^class (TERN_API )?[A-Za-z0-9]+Impl( |$)/ {
  name = $2 == "TERN_API" ? $3 : $2
  sub(/Impl$/, "", name)
  of_class[name] = sentence(comment)
}
/^TERN_MODULE\(/ || (/^class [A-Za-z]+( |$)/ && $2 in of_class) {
  name = $0
  gsub(/^(TERN_MODULE\(|class )|\).*| .*/, "", name)
  note(name, "", of_class[name])
}
/^class TERN_API [A-Za-z0-9]+ : public Optimizer \{/ { note($3, "", sentence(comment)) }
{ comment = "" }
