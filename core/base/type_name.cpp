#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include <tern/core/base/detail/type_name.h>

namespace tern::detail {

std::string type_name(const std::type_info& type) {
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), std::free);
  return name ? name.get() : type.name();
}

}  // namespace tern::detail
