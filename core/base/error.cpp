#include <tern/core/base/error.h>

#include <string_view>

#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/running_module.h>

namespace tern {

// Defined here, so that the type information of each class is emitted in this file alone.
Error::~Error() = default;
ShapeError::~ShapeError() = default;
DTypeError::~DTypeError() = default;
DeviceError::~DeviceError() = default;
IndexError::~IndexError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
FileError::~FileError() = default;
NotImplementedError::~NotImplementedError() = default;

namespace detail {

constinit thread_local const char* running_op = nullptr;

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns true for "op ..", "op: ..", and for op(, .op and "op anywhere, as in PyTorch's texts. The
// text of the in-place op `op_` may say `op`.
bool names_op(std::string_view text, std::string_view op) {
  if (op.ends_with('_')) op.remove_suffix(1);
  for (std::size_t at = 0; (at = text.find(op, at)) != text.npos; ++at) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (before == '"') return true;  // the name of a kernel: "add_cpu"
    std::string_view rest = text.substr(at + op.size());
    if (rest.starts_with('_')) rest.remove_prefix(1);
    if (is_word(before) || (!rest.empty() && is_word(rest[0]))) continue;
    if (at == 0 || rest.starts_with('(') || before == '.') return true;
  }
  return false;
}

constexpr std::string_view kModuleLine = "\n  in module ";

}  // namespace

std::string error_text(std::string text, bool is_of_op) {
  is_of_op = is_of_op && !text.starts_with("CUDA");  // device errors: "CUDA error: .."
  if (is_of_op && running_op != nullptr && !names_op(text, running_op)) {
    text.insert(0, ": ").insert(0, running_op);
  }
  if (running_module() != nullptr && text.find(kModuleLine) == text.npos) {
    text.append(kModuleLine).append(running_module_text());
  }
  return text;
}

void assertion_failed(const char* condition, const char* file, int line) {
  raise<Error>("internal error in tern: ", condition, " does not hold (", file, ":", line,
               "); please report it");
}

}  // namespace detail
}  // namespace tern
