#include <tern/core/autograd/detail/swap_contents.h>

#include <utility>

namespace tern::autograd {

void swap_contents(const Tensor& a, const Tensor& b) noexcept {
  TensorImpl &x = a.self(), &y = b.self();
  std::swap(x.storage, y.storage);
  std::swap(x.offset, y.offset);
  std::swap(x.sizes, y.sizes);
  std::swap(x.strides, y.strides);
  std::swap(x.numel, y.numel);
  std::swap(x.dtype, y.dtype);
  std::swap(x.contiguous, y.contiguous);
  std::swap(x.view_origin, y.view_origin);
  std::swap(x.view_version, y.view_version);
  std::swap(x.view_base, y.view_base);
  std::swap(x.autograd, y.autograd);
}

}  // namespace tern::autograd
