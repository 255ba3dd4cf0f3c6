#include <tern/core/ops/detail/op.h>

#include <string_view>

namespace tern::detail {

void undefined_argument(const char* names, std::initializer_list<bool> undefined) {
  std::string_view rest = names;
  std::size_t index = 0;
  for (const bool* argument = undefined.begin(); !*argument; ++argument, ++index) {
    rest.remove_prefix(rest.find(", ") + 2);
  }
  std::string_view name = rest.substr(0, rest.find(','));
  if (name == "*this") name = "self";
  raise<Error>(
      "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #", index,
      " '", name, "'");
}

void check_all_defined(TensorList tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TERN_CHECK(tensors[i].defined(), Error,
               "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument "
               "#0 'tensors', element ",
               i);
  }
}

}  // namespace tern::detail
