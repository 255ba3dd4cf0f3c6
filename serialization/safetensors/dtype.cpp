#include <tern/serialization/safetensors/detail/dtype.h>

#include <algorithm>
#include <iterator>

namespace tern::detail {
namespace {

constexpr SafetensorsDtype kDtypes[] = {
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64},
};

}  // namespace

const SafetensorsDtype* find_safetensors_dtype(std::string_view name) {
  const auto* found = std::ranges::find(kDtypes, name, &SafetensorsDtype::name);
  return found == std::end(kDtypes) ? nullptr : found;
}

}  // namespace tern::detail
