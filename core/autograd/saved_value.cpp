#include <tern/core/autograd/saved_value.h>

namespace tern::autograd {

void SavedValue::throw_other_type(std::size_t wanted) const {
  constexpr const char* kNames[] = {"nothing",  "an int",   "a double", "a bool", "a text",
                                    "a tensor", "integers", "doubles",  "tensors"};
  static_assert(std::size(kNames) == std::variant_size_v<Value>);
  tern::detail::raise<Error>("saved_data: expected ", kNames[wanted], " but the saved value is ",
                             kNames[value_.index()]);
}

}  // namespace tern::autograd
