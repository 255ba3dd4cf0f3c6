#include <tern/serialization/state/detail/finite.h>

#include <algorithm>
#include <cmath>

#include <tern/serialization/json/detail/text.h>

namespace tern::detail {
namespace {

template <class T>
void refuse(const std::string& path, const std::string& name, const Tensor& tensor) {
  const T* const data = tensor.data_ptr<T>();
  const T* const end = data + tensor.numel();
  // The cast to double is exact for every floating dtype.
  const T* const found =
      std::find_if(data, end, [](T value) { return !std::isfinite(static_cast<double>(value)); });
  if (found == end) return;
  std::string place;
  std::int64_t rest = found - data;
  for (std::int64_t dim = tensor.dim(); dim-- > 0; rest /= tensor.size(dim)) {
    place = text_of('[', rest % tensor.size(dim), ']', place);
  }
  raise<FileError>("save: '", path, "': tensor '", name, "': data", place, " is ",
                   non_finite_word(static_cast<double>(*found)),
                   ", but SaveOptions::allow_non_finite is false");
}

}  // namespace

void refuse_non_finite(const std::string& path, const std::string& name, const Tensor& tensor) {
  visit_dtype(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_floating_point(dtype_of<T>())) refuse<T>(path, name, tensor);
  });
}

}  // namespace tern::detail
