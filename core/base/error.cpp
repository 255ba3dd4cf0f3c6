#include <tern/core/base/error.h>

#include <string_view>

#include <tern/core/base/detail/libtorch.h>
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

std::string Error::msg() const { return std::runtime_error::what(); }

const char* Error::what() const noexcept {
  return extra_ ? extra_->text.c_str() : std::runtime_error::what();
}

const std::vector<std::string>& Error::context() const {
  static const std::vector<std::string>* const kEmpty = new std::vector<std::string>;
  return extra_ ? extra_->context : *kEmpty;
}

void Error::add_context(std::string line) {
  const auto extra = std::make_shared<Extra>(extra_ ? *extra_ : Extra());
  extra->context.push_back(std::move(line));
  extra->text = std::runtime_error::what();
  if (extra->context.size() == 1) {
    extra->text += " (" + extra->context[0] + ")";
  } else {
    for (const std::string& each : extra->context) extra->text += "\n  " + each;
  }
  extra_ = extra;
}

namespace detail {

constinit thread_local const char* running_op = nullptr;
constinit bool as_libtorch = false;

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
