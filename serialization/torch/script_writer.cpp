#include <algorithm>
#include <cstddef>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/serialization/torch/detail/pickler.h>
#include <tern/serialization/torch/detail/script.h>

namespace tern::detail {
namespace {

const char* const kScriptFolder = "archive/";

/// Returns true for a name that can stand in the source of a class. Python's keywords cannot:
/// libtorch fails to read its own archives with such a name.
bool is_identifier(std::string_view name) {
  constexpr std::string_view kKeywords[] = {
      "False",   "None",     "True",     "and",    "as",   "assert", "async",  "await",
      "break",   "class",    "continue", "def",    "del",  "elif",   "else",   "except",
      "finally", "for",      "from",     "global", "if",   "import", "in",     "is",
      "lambda",  "nonlocal", "not",      "or",     "pass", "raise",  "return", "try",
      "while",   "with",     "yield",    "print",  "inf",  "nan",    "infj",   "nanj"};
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && (name[0] < '0' || name[0] > '9') && std::ranges::all_of(name, is_word) &&
         std::ranges::find(kKeywords, name) == std::end(kKeywords);
}

/// Returns a string literal of TorchScript.
std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte >= ' ' && byte < 127) {
      text += c;
    } else {
      text += '\\';
      for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (byte >> shift & 7));
    }
  }
  return text + '"';
}

/// Writes the objects of an archive and collects the sources of their classes.
class ScriptWriter {
 public:
  void write(const ScriptModule& root, ZipWriter& zip) {
    count(root, 0);
    module(root, "__torch__");
    pickler_.finish(zip, kScriptFolder);
    for (const auto& [path, source] : sources_) zip.add(path, {source});
    zip.add(std::string(kScriptFolder) + "constants.pkl", {"\x80\2)."});
  }

 private:
  using Role = ScriptAttribute::Role;

  void count(const ScriptModule& module, int depth) {
    TERN_CHECK(depth < State::kMaxDepth, Error, "archives are nested deeper than ",
               State::kMaxDepth);
    for (const ScriptAttribute& attribute : module.attributes) {
      if (attribute.module != nullptr) {
        count(*attribute.module, depth + 1);
      } else {
        pickler_.count_tensors(attribute.value);
      }
    }
  }

  /// Writes an object whose class is `name`.Module.
  void module(const ScriptModule& module, const std::string& name) {
    const std::size_t place = sources_.size();
    std::string path = name;
    std::ranges::replace(path, '.', '/');
    sources_.emplace_back(std::string(kScriptFolder) + "code/" + path + ".py", "");
    std::string annotations;
    pickler_.raw("c" + name + "\nModule\n)\x81}");
    pickler_.count_objects(4);
    pickler_.in_batches(module.attributes, 'u', [&](const ScriptAttribute& attribute) {
      pickler_.string(attribute.name);
      const std::string type = this->value(attribute);
      if (is_identifier(attribute.name)) {
        annotations += "  " + attribute.name + " : " + type + "\n";
        return;
      }
      if (annotations.empty()) annotations = "  __annotations__ = []\n";
      annotations += "  __annotations__[" + quoted_name(attribute.name) + "] = " + type + "\n";
    });
    pickler_.raw("b");
    sources_[place].second = "class Module(Module):\n  __parameters__ = [" +
                             names(module, Role::kParameter) + "]\n  __buffers__ = [" +
                             names(module, Role::kBuffer) + "]\n" + annotations;
  }

  /// Returns the names of the attributes with this role.
  static std::string names(const ScriptModule& module, Role role) {
    std::string text;
    for (const ScriptAttribute& attribute : module.attributes) {
      if (attribute.role == role) text += quoted_name(attribute.name) + ", ";
    }
    return text;
  }

  /// Writes the value of an attribute. Returns its type in the source.
  std::string value(const ScriptAttribute& attribute) {
    if (attribute.module != nullptr) {
      const std::string name = "__torch__.___torch_mangle_" + std::to_string(modules_++);
      module(*attribute.module, name);
      return name + ".Module";
    }
    const std::string& type = attribute.type;
    if (type.starts_with("List[")) {
      list(attribute.value, type);
    } else if (type.starts_with("Tuple[")) {
      pickler_.raw("(");
      pickler_.count_objects(1);
      for (const State& element : attribute.value.elements()) pickler_.value(element);
      pickler_.raw("t");
    } else {
      pickler_.value(attribute.value);
    }
    return type;
  }

  void list(const State& elements, const std::string& type) {
    constexpr std::pair<std::string_view, std::string_view> kBuilders[] = {
        {"List[int]", "build_intlist"},
        {"List[float]", "build_doublelist"},
        {"List[bool]", "build_boollist"},
        {"List[Tensor]", "build_tensorlist"}};
    const auto* const builder =
        std::ranges::find(kBuilders, std::string_view(type), [](const auto& b) { return b.first; });
    const bool known = builder != std::end(kBuilders);
    pickler_.raw("ctorch.jit._pickle\n");
    pickler_.raw(known ? builder->second : "restore_type_tag");
    pickler_.raw("\n(");
    pickler_.count_objects(2);
    pickler_.value(elements);
    if (!known) pickler_.string(type);
    pickler_.raw("tR");
  }

  Pickler pickler_{/*requires_grad=*/true};
  std::vector<std::pair<std::string, std::string>> sources_;
  int modules_ = 0;
};

const char* leaf_type(const State& value) {
  switch (value.kind()) {
    case State::Kind::Bool:
      return "bool";
    case State::Kind::Int:
      return "int";
    case State::Kind::Double:
      return "float";
    case State::Kind::String:
      return "str";
    case State::Kind::Tensor:
      return "Tensor";
    default:
      return "NoneType";
  }
}

}  // namespace

std::string tuple_type(const State& list) {
  std::string types;
  for (const State& element : list.elements()) {
    types += (types.empty() ? "" : ", ") + script_type(element);
  }
  return "Tuple[" + types + "]";
}

std::string script_type(const State& value) {
  if (!value.is_list()) return leaf_type(value);
  if (value.empty()) return "List[Tensor]";
  const State& first = value[0];
  const bool is_uniform = !first.is_list() && !first.is_null() &&
                          std::ranges::all_of(value.elements(), [&](const State& element) {
                            return element.kind() == first.kind();
                          });
  return is_uniform ? std::string("List[") + leaf_type(first) + "]" : tuple_type(value);
}

ScriptModule script_of(const State& dict) {
  ScriptModule module;
  for (const auto& [key, value] : dict) {
    if (value.is_dict()) {
      module.attributes.push_back(
          {.name = key, .type = "", .module = std::make_shared<ScriptModule>(script_of(value))});
    } else {
      module.attributes.push_back({.name = key, .type = script_type(value), .value = value});
    }
  }
  return module;
}

void write_script(const ScriptModule& root, ZipWriter& zip) {
  ScriptWriter().write(root, zip);
  zip.finish();
}

}  // namespace tern::detail
