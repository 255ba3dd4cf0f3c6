#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/error.h>
#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/generator.h>
#include <tern/core/tensor/options.h>
#include <tern/core/tensor/scalar.h>
#include <tern/core/tensor/tensor_impl.h>

namespace tern {

class Tensor;
using TensorList = ArrayRef<Tensor>;

namespace detail {
class TensorData;
}  // namespace detail
namespace autograd {
class Node;
}  // namespace autograd
namespace cuda {
class Stream;
}  // namespace cuda

/// An n-dimensional array that knows its dtype, its device and how it was computed.
///
/// A Tensor is a handle: copies share the elements. A default-made one is undefined and holds
/// nothing. Ops run where their tensors are; see <tern/core/ops/...> for each op's documentation
/// (methods here do what the free functions of the same name do).
class TERN_API Tensor {
 public:
  Tensor() = default;
  explicit Tensor(IntrusivePtr<TensorImpl> impl) : impl_(std::move(impl)) {}

  // --- What it is ------------------------------------------------------------------------------

  bool defined() const { return static_cast<bool>(impl_); }
  std::int64_t dim() const { return static_cast<std::int64_t>(sizes().size()); }
  std::int64_t ndimension() const { return dim(); }
  /// [0] for an undefined tensor.
  IntArrayRef sizes() const {
    return impl_ ? IntArrayRef(impl_->sizes) : IntArrayRef(kUndefinedSizes, 1);
  }
  IntArrayRef strides() const { return self().strides; }
  /// Size of one dimension; negative ones count from the end. Throws IndexError.
  std::int64_t size(std::int64_t dim) const;
  std::int64_t stride(std::int64_t dim) const;
  std::int64_t numel() const { return impl_ ? impl_->numel : 0; }
  std::size_t element_size() const { return tern::element_size(dtype()); }
  std::size_t itemsize() const { return element_size(); }
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * element_size(); }
  ScalarType dtype() const { return self().dtype; }
  ScalarType scalar_type() const { return dtype(); }
  Device device() const {
    if (!impl_) [[unlikely]]
      no_device_error();
    return impl_->storage->device();
  }
  /// The number of its CUDA device; -1 elsewhere.
  DeviceIndex get_device() const { return is_cuda() ? device().index() : -1; }
  bool is_cpu() const { return device().is_cpu(); }
  bool is_cuda() const { return device().is_cuda(); }
  bool is_meta() const { return device().is_meta(); }
  bool is_floating_point() const { return tern::is_floating_point(dtype()); }
  bool is_contiguous() const { return self().contiguous; }
  /// True when its memory came from pin_memory() or TensorOptions::pinned_memory.
  bool is_pinned() const { return self().storage->pinned(); }
  std::int64_t storage_offset() const { return self().offset; }
  /// dtype and device of this tensor.
  TensorOptions options() const { return TensorOptions(dtype()).device(device()); }

  // --- Its elements ----------------------------------------------------------------------------

  /// The address of the first element. On a device it is an address there.
  void* data_ptr() const { return self().data(); }
  /// The same, typed; throws DTypeError ("expected scalar type Double but found Float").
  template <class T>
  T* data_ptr() const {
    check_scalar_type(dtype_of<T>());
    return static_cast<T*>(data_ptr());
  }
  template <class T>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  const void* const_data_ptr() const { return data_ptr(); }
  /// The only element. Throws Error when there are more or none, or on meta.
  Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }
  /// True when the only element is not 0; so `if (a.equal(b))`, `if ((a > b).all())`.
  explicit operator bool() const;
  /// All elements in row-major order, copied to the host. Throws DTypeError on another T.
  template <class T>
  std::vector<T> to_vector() const;

  /// Says that work on `stream`, other than the one current when the memory was allocated, uses it:
  /// after the tensor is gone its memory waits for that work before it is handed out again. CUDA
  /// tensors only; see docs/devices.md.
  void record_stream(cuda::Stream stream) const;

  // --- The handle ------------------------------------------------------------------------------

  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  void reset() { impl_.reset(); }
  std::uint32_t use_count() const { return impl_ ? impl_->use_count() : 0; }
  TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
  const IntrusivePtr<TensorImpl>& impl() const& { return impl_; }
  /// The implementation of a defined tensor. Throws Error on an undefined one.
  TensorImpl& self() const {
    if (!impl_) [[unlikely]]
      undefined_error();
    return *impl_;
  }
  /// True when both show at least one byte of the same storage object.
  bool is_alias_of(const Tensor& other) const { return self().storage == other.self().storage; }

  // --- Autograd (defined in core/autograd) -------------------------------------------------------

  bool requires_grad() const;
  /// Throws Error on a dtype without gradients, and when switching a result of ops off.
  Tensor& requires_grad_(bool requires_grad = true);
  const Tensor& set_requires_grad(bool requires_grad) const;
  bool is_leaf() const;
  /// The rule that made this tensor; null for a leaf.
  IntrusivePtr<autograd::Node> grad_fn() const;
  std::uint32_t output_nr() const;
  /// The gradient that backward() left here; undefined if none.
  const Tensor& grad() const;
  Tensor& mutable_grad() const;
  /// Sets .grad; throws when shape, dtype or device do not fit. Undefined clears it.
  void set_grad(const Tensor& grad) const;
  /// Computes the gradients of all leaves that this tensor was made of and adds them to their
  /// .grad. `gradient` may be missing for a tensor with one element; it starts with 1.
  void backward(const Tensor& gradient = Tensor(), std::optional<bool> retain_graph = std::nullopt,
                bool create_graph = false) const;
  /// The same elements without history.
  Tensor detach() const;
  Tensor& detach_();
  /// The same elements without history and with a version counter of its own.
  Tensor data() const;
  Tensor tensor_data() const { return data(); }
  Tensor variable_data() const { return data(); }
  /// Makes this handle's object show the elements of `other`; identity, .grad and hooks stay.
  void set_data(const Tensor& other) const;
  /// Calls `hook` with this tensor's gradient during backward; what it returns, if defined,
  /// replaces the gradient. Returns a number for remove_hook.
  unsigned register_hook(std::function<Tensor(const Tensor&)> hook) const;
  void remove_hook(unsigned number) const;
  /// Keeps the gradient of a tensor that is no leaf in .grad.
  void retain_grad() const;
  bool retains_grad() const;
  /// How often the elements were changed in place.
  std::int64_t _version() const { return self().storage->version(); }
  bool is_view() const { return static_cast<bool>(self().view_base); }
  /// The tensor that this one is a view of; undefined for one that is no view.
  Tensor _base() const { return Tensor(self().view_base); }

  // --- Operators ---------------------------------------------------------------------------------

  /// The `index`-th slice of the first dimension; a view.
  Tensor operator[](std::int64_t index) const;
  Tensor operator-() const;
  Tensor operator~() const;
  Tensor& operator+=(const Tensor& other);
  Tensor& operator+=(const Scalar& other);
  Tensor& operator-=(const Tensor& other);
  Tensor& operator-=(const Scalar& other);
  Tensor& operator*=(const Tensor& other);
  Tensor& operator*=(const Scalar& other);
  Tensor& operator/=(const Tensor& other);
  Tensor& operator/=(const Scalar& other);

  // --- Ops, family by family ---------------------------------------------------------------------

#include <tern/core/ops/copy_methods.inc>
#include <tern/core/ops/creation_methods.inc>
#include <tern/core/ops/index_methods.inc>
#include <tern/core/ops/matmul_methods.inc>
#include <tern/core/ops/pointwise_methods.inc>
#include <tern/core/ops/random_methods.inc>
#include <tern/core/ops/reduce_methods.inc>
#include <tern/core/ops/view_methods.inc>

 private:
  static constexpr std::int64_t kUndefinedSizes[] = {0};

  [[noreturn]] static void undefined_error();
  [[noreturn]] static void no_device_error();
  void check_scalar_type(ScalarType expected) const;
  void copy_to_host(void* destination) const;

  IntrusivePtr<TensorImpl> impl_;
};

template <class T>
std::vector<T> Tensor::to_vector() const {
  check_scalar_type(dtype_of<T>());
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> is no array: use to(kLong) first");
  std::vector<T> result(static_cast<std::size_t>(numel()));
  copy_to_host(result.data());
  return result;
}

namespace detail {

/// A new tensor with its own memory; no gradient history. `strides` empty: row-major.
TERN_API Tensor make_tensor(IntArrayRef sizes, ScalarType dtype, Device device);
TERN_API Tensor make_tensor(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype,
                            Device device);
/// The same in pinned host memory. Throws DeviceError when there is no CUDA.
TERN_API Tensor make_pinned(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
/// A fresh tensor with the sizes and strides of `like`, which is dense.
TERN_API Tensor make_like(const Tensor& like, ScalarType dtype, Device device);
/// Another geometry over the same storage; no gradient history and no view bookkeeping.
TERN_API Tensor make_alias(const Tensor& of, IntArrayRef sizes, IntArrayRef strides,
                           std::int64_t offset);
inline Tensor make_alias(const Tensor& of) {
  return make_alias(of, of.sizes(), of.strides(), of.storage_offset());
}
/// `device` with an index: the current one where it is open, checked to exist.
TERN_API Device resolve_device(Device device);

}  // namespace detail
}  // namespace tern
