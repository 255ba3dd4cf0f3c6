#include <tern/core/tensor/scalar.h>

#include <ostream>

namespace tern {

ScalarType Scalar::dtype() const {
  if (is_floating_point()) return get_default_dtype();
  return is_boolean() ? kBool : kLong;
}

std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
  if (scalar.is_floating_point()) return out << scalar.toDouble();
  if (scalar.is_boolean()) return out << (scalar.toBool() ? "true" : "false");
  return out << scalar.toLong();
}

}  // namespace tern
