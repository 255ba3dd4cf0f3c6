#include <tern/core/base/detail/type_name.h>
#include <tern/core/base/error.h>
#include <tern/nn/module/any_value.h>

namespace tern::nn {

void AnyValue::cast_error(const std::type_info& wanted) const {
  tern::detail::raise<Error>("Attempted to cast AnyValue to ", tern::detail::type_name(wanted),
                             ", but its actual type is ", tern::detail::type_name(type_info()));
}

}  // namespace tern::nn
