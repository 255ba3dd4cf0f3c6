#include <tern/core/base/error.h>
#include <tern/nn/detail/printed_type.h>
#include <tern/nn/module/any_value.h>

namespace tern::nn {

void AnyValue::cast_error(const std::type_info& wanted) const {
  tern::detail::raise<Error>("Attempted to cast AnyValue to ", detail::printed_type(wanted),
                             ", but its actual type is ", detail::printed_type(type_info()));
}

}  // namespace tern::nn
