#include <tern/compat/names/nn.h>

#include <tern/core/base/error.h>

namespace tern::compat {

std::vector<std::int64_t> _reverse_repeat_vector(IntArrayRef numbers, std::int64_t n) {
  std::vector<std::int64_t> result;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    result.insert(result.end(), static_cast<std::size_t>(n), numbers[i]);
  }
  return result;
}

std::vector<std::int64_t> _list_with_default(ArrayRef<std::optional<std::int64_t>> sizes,
                                             IntArrayRef defaults) {
  TERN_CHECK(defaults.size() > sizes.size(), Error, "Input dimension should be at least ",
             sizes.size() + 1);
  std::vector<std::int64_t> result;
  const std::size_t first = defaults.size() - sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    result.push_back(sizes[i].value_or(defaults[first + i]));
  }
  return result;
}

}  // namespace tern::compat
