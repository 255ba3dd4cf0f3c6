# Prints one table per options class of the headers that are its arguments: the fields with types,
# defaults and comments. Reads the headers twice: pass=1 finds the aliases.

# Returns a C++ type as users read it.
function shown_type(type) {
  gsub(/std::|::tern::|detail::|Strict(er<std::size_t>)?/, "", type)
  gsub(/Integer<size_t>/, "int64", type); sub(/^Integer<uint64_t>$/, "uint64", type)
  gsub(/int64_t/, "int64", type)
  sub(/^Int$/, "int64", type); sub(/^Bool$/, "bool", type)
  if (type ~ /^optional<.*>$/) type = substr(type, 10, length(type) - 10) " or nullopt"
  gsub(/\|/, "\\|", type)
  return type
}

function row(field, type, value, text) {
  if (field in place) return  # an overload
  place[field] = ++count
  gsub(/\|/, "\\|", text)
  fields[count] = field; types[count] = shown_type(type); values[count] = value; texts[count] = text
}

# Ends the class: prints its heading, its constructors, and its table.
function finish(line, i) {
  if (count > 0 || made != "") {
    print "\n### " class "\n\n" about
    line = ""
    if (also[class] != "") line = "The class of " also[class] "."
    if (made != "") line = line (line == "" ? "" : " ") "Made from " made "."
    if (line != "") print "\n" line
    if (count > 0) print "\n| option | type | default | what it says |\n| --- | --- | --- | --- |"
    for (i = 1; i <= count; i++) {
      line = values[i] == "" ? "" : "`" values[i] "`"
      print "| `" fields[i] "` | `" types[i] "` | " line " | " texts[i] " |"
    }
  }
  class = made = ""
  count = 0
  split("", place)
}

# The comment before a declaration, without its example.
function comment(text) {
  text = words
  words = ""
  sub(/ (Example|Shape|Throws):.*/, "", text)
  sub(/ +$/, "", text)
  return text
}

function names_of(parameters, list, count, i, name, result) {
  count = split(parameters, list, ",")
  for (i = 1; i <= count; i++) {
    name = list[i]
    sub(/ *=.*/, "", name)
    sub(/.*[ &*]/, "", name)
    sub(/_(value)?$/, "", name)
    if (list[i] !~ /^ *$/) result = result (result == "" ? "" : ", ") name
  }
  return result
}

# First pass: the aliases.
pass == 1 {
  if (match($0, /^using [A-Za-z0-9]+Options = [A-Za-z0-9:]+Options(<[^>]*>)?;/)) {
    split($0, parts, /[ ;<]/)
    sub(/.*::/, "", parts[4])
    also[parts[4]] = also[parts[4]] (also[parts[4]] == "" ? "" : ", ") "`" parts[2] "`"
  }
  next
}

FNR == 1 { finish(); words = "" }

/^ *\/\/\/( |$)/ {
  line = $0
  sub(/^ *\/\/\/ ?/, "", line)
  words = words (words == "" ? "" : " ") line
  next
}

class == "" && match($0, /^(struct|class)( TERN_API)? ([A-Za-z]*Options)( |$)/) && /{/ && !/;$/ {
  class = $0
  sub(/^(struct|class)( TERN_API)? /, "", class)
  base = class
  sub(/[ :{].*/, "", class)
  if (FILENAME ~ /^train\/fit/) class = "train::Options"
  about = comment()
  made = pending = ""
  hidden = 0
  next
}
/^};/ { finish() }
class == "" { if (!/^template/) words = ""; next }

# A declaration of several lines.
{
  line = $0
  if (line ~ /^ (private|protected):$/) hidden = 1
  if (line ~ /^ public:$/) hidden = 0
  sub(/^ +/, "", line)
  if (words == "" && line ~ /;  \/\/ /) { words = line; sub(/.*\/\/ /, "", words) }
  sub(/ *\/\/.*/, "", line)
  pending = pending (pending == "" ? "" : " ") line
  opened = gsub(/[({[]/, "&", pending) - gsub(/[)}\]]/, "&", pending)
  if (opened > 0 || pending !~ /[;}{:]$|^$/) next
  line = pending
  pending = ""
}

line == "" { next }
{ sub(/^template <[^>]*> /, "", line) }
line ~ /^TERN_(OPTIM_)?ARG\(/ {
  value = line
  sub(/^TERN_(OPTIM_)?ARG\(/, "", line)
  match(line, /, [A-Za-z_0-9]+\)/)
  type = substr(line, 1, RSTART - 1)
  field = substr(line, RSTART + 2, RLENGTH - 3)
  value = substr(line, RSTART + RLENGTH)
  sub(/^ *= */, "", value); sub(/;.*/, "", value)
  row(field, type, value, comment())
  next
}
# A setter: `CsvOptions& header(StrictBool on) {`.
line ~ "^(\\[\\[nodiscard\\]\\] )?" class "&? [a-z_]+\\(" && line !~ /const [A-Za-z]*Options&/ && !hidden {
  sub("^(\\[\\[nodiscard\\]\\] )?" class "&? ", "", line)
  field = line; sub(/\(.*/, "", field)
  type = line; sub(/^[a-z_]+\(/, "", type); sub(/ [a-z_]+\).*/, "", type)
  row(field, type, "", comment())
  next
}
# A constructor.
line ~ "^(explicit )?" class "\\([^)]" && line !~ /delete/ && line !~ /const [A-Za-z]*Options&/ {
  sub(/^explicit /, "", line)
  parameters = line
  sub(/^[A-Za-z]*\(/, "", parameters)
  sub(/\).*/, "", parameters)
  form = "`" class "(" names_of(parameters) ")`"
  if (index(made, form) == 0) made = made (made == "" ? "" : " or ") form
  words = ""
  next
}
# A plain member: `bool strict = true;`.
!hidden && line ~ /^[a-zA-Z][A-Za-z0-9_:<>, *]* [a-z_0-9]+( = .*)?;$/ && line !~ /^(using|return|static|friend|virtual)/ && line !~ /_( = .*)?;$/ {
  value = line
  if (!sub(/^[^=]* = /, "", value)) value = ""
  sub(/;$/, "", value)
  sub(/( = .*)?;$/, "", line)
  field = line; sub(/.* /, "", field)
  type = line; sub(/ [a-z_0-9]+$/, "", type)
  row(field, type, value == "{}" ? "" : value, comment())
  next
}
# The member of a setter: `bool header_ = false;`.
line ~ /^[a-zA-Z][A-Za-z0-9_:<>, *]* [a-z_0-9]+_ = .*;$/ {
  value = line
  sub(/^[^=]* = /, "", value); sub(/;$/, "", value)
  field = line; sub(/_ = .*/, "", field); sub(/.* /, "", field)
  if (field in place) values[place[field]] = value
}
{ words = "" }

END { if (pass != 1) finish() }
