#include <tern/core/tensor/scalar.h>

#include <ostream>

#include <tern/core/base/detail/plain_text.h>

namespace tern {

ScalarType Scalar::dtype() const {
  if (is_floating_point()) return get_default_dtype();
  return is_boolean() ? kBool : kLong;
}

std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
  if (scalar.is_boolean()) return out << (scalar.toBool() ? "true" : "false");
  if (!scalar.is_floating_point()) return out << std::to_string(scalar.toLong());
  // The stream chooses precision and form, but not the point.
  const auto form = out.flags() & std::ios_base::floatfield;
  const char kind = form == std::ios_base::fixed        ? 'f'
                    : form == std::ios_base::scientific ? 'e'
                                                        : 'g';
  return out << detail::number_text(scalar.toDouble(), kind, static_cast<int>(out.precision()));
}

}  // namespace tern
