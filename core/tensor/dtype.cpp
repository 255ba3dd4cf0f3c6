#include <atomic>

#include <tern/core/tensor/dtype.h>

namespace tern {
namespace {
std::atomic<ScalarType> default_dtype{kFloat};
}  // namespace

std::string_view TypeMeta::name() const {
  if (!dtype_) return "nullptr (uninitialized)";
  switch (*dtype_) {
    case kFloat:
      return "float";
    case kDouble:
      return "double";
    case kHalf:
      return "c10::Half";
    case kBFloat16:
      return "c10::BFloat16";
    case kLong:
      return "long int";
    case kInt:
      return "int";
    case kShort:
      return "short int";
    case kChar:
      return "signed char";
    case kByte:
      return "unsigned char";
    case kBool:
      return "bool";
  }
  return "";
}

void TypeMeta::no_dtype_error() const {
  detail::raise<Error>("Unsupported TypeMeta in ATen: ", name());
}

std::ostream& operator<<(std::ostream& out, TypeMeta dtype) {
  return detail::print_text(out, dtype.name());
}

TypeMeta get_default_dtype() {
  return TypeMeta::fromScalarType(default_dtype.load(std::memory_order_relaxed));
}

void set_default_dtype(ScalarType dtype) {
  TERN_CHECK(is_floating_point(dtype), DTypeError,
             "only floating-point types are supported as the default type, got ", dtype);
  default_dtype.store(dtype, std::memory_order_relaxed);
}

}  // namespace tern
