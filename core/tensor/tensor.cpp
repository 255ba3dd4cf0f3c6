#include <iostream>

#include <tern/core/tensor/detail/allocator.h>
#include <tern/core/tensor/detail/shape.h>
#include <tern/core/tensor/tensor.h>

namespace tern {

std::string Tensor::toString() const {
  if (!defined()) return "UndefinedType";
  return detail::text_of(is_cpu() ? "CPU" : is_cuda() ? "CUDA" : "Meta", scalar_type(), "Type");
}

void Tensor::print() const {
  if (!defined()) {
    std::cerr << "[UndefinedTensor]\n";
  } else {
    std::cerr << detail::text_of('[', toString(), ' ', sizes(), "]\n");
  }
}

void Tensor::undefined_error() {
  detail::raise<Error>(
      "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 "
      "'self'");
}

void Tensor::check_scalar_type(ScalarType expected) const {
  TERN_CHECK(dtype() == expected, DTypeError, "expected scalar type ", expected, " but found ",
             scalar_type());
}

void Tensor::check_accessor(std::size_t dims) const {
  TERN_CHECK(static_cast<std::size_t>(dim()) == dims, ShapeError, "TensorAccessor expected ", dims,
             " dims but tensor has ", dim());
  TERN_CHECK(is_cpu(), DeviceError, "accessor() reads host memory, but the tensor is on ", device(),
             ". Use cpu() first.");
}

Tensor& Tensor::assigned_view() const {
  const TensorImpl& impl = self();
  // Saved tensors may share the storage of a recorded result, but a program cannot read them.
  const bool is_lost =
      impl.use_count() == 1 && !impl.view_base && (impl.storage->is_exclusive() || !is_leaf());
  TERN_CHECK(!is_lost, Error,
             "the assignment changes nothing: its left side is a temporary result of shape ",
             sizes(),
             ", whose elements no other tensor shares. To change elements of a tensor x, "
             "assign to a view of it (x[0], x.select(), x.slice()), or call x.index_put_(), "
             "x.masked_fill_() or x.scatter_().");
  return handle();
}

std::int64_t Tensor::size(StrictInt dim) const {
  TERN_CHECK(this->dim() > 0, IndexError, "Dimension specified as ", dim,
             " but tensor has no dimensions");
  return sizes()[static_cast<std::size_t>(wrap_dim(dim, this->dim()))];
}

std::int64_t Tensor::stride(StrictInt dim) const {
  TERN_CHECK(this->dim() > 0, IndexError, "Dimension specified as ", dim,
             " but tensor has no dimensions");
  return strides()[static_cast<std::size_t>(wrap_dim(dim, this->dim()))];
}

void Tensor::no_device_error() {
  detail::raise<Error>("tensor does not have a device: it is undefined");
}

namespace detail {

Tensor make_tensor(IntArrayRef sizes, ScalarType dtype, Device device) {
  return make_tensor(sizes, contiguous_strides(sizes), dtype, device);
}

Tensor make_tensor(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype, Device device) {
  const std::int64_t numel = checked_numel(sizes);
  auto storage =
      make_intrusive<Storage>(static_cast<std::size_t>(numel) * element_size(dtype), device);
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), 0, sizes, strides, dtype));
}

Tensor make_pinned(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  auto storage = make_intrusive<Storage>(
      static_cast<std::size_t>(checked_numel(sizes)) * element_size(dtype), pinned_allocator());
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), 0, sizes, strides, dtype));
}

Tensor make_like(const Tensor& like, ScalarType dtype, Device device) {
  const TensorImpl& geometry = like.self();
  auto storage = make_intrusive<Storage>(
      static_cast<std::size_t>(geometry.numel) * element_size(dtype), device);
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), geometry, dtype));
}

Tensor make_alias(const Tensor& of, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
  return Tensor(make_intrusive<TensorImpl>(of.self().storage, offset, sizes, strides, of.dtype()));
}

}  // namespace detail
}  // namespace tern
