#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/error.h>
#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/tensor/accessor.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/generator.h>
#include <tern/core/tensor/options.h>
#include <tern/core/tensor/scalar.h>
#include <tern/core/tensor/tensor_impl.h>

namespace tern {

class Tensor;
/// Several tensors as a parameter: braces or a vector.
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
namespace indexing {
class TensorIndex;
}  // namespace indexing

/// An n-dimensional array that knows its dtype, its device and how it was computed.
///
/// A Tensor is a handle: copies share the elements. A default-made Tensor is undefined and holds
/// nothing; most members throw Error on it. Ops run on the device of their tensors. Methods do the
/// same as the free functions of the same name, with this tensor as `self`; a method whose name
/// ends in `_` changes the tensor in place. Such a method is const: a const handle always refers to
/// the same tensor, but does not protect its elements.
///
/// Example:
///   Tensor x = tern::tensor({{1., 2.}, {3., 4.}}).requires_grad_();
///   Tensor y = (x * x).sum();
///   y.backward();
///   std::cout << x.grad();  // tensor([[2., 4.], [6., 8.]])
class TERN_API Tensor {
 public:
  /// Makes an undefined tensor.
  Tensor() = default;
  /// Makes a handle to an implementation object.
  explicit Tensor(IntrusivePtr<TensorImpl> impl) : impl_(std::move(impl)) {}
  /// Makes a handle to the tensor in the optional; undefined if there is none.
  template <class Optional>
  requires std::is_same_v<Optional, std::optional<Tensor>> Tensor(const Optional& tensor)
      : impl_(tensor ? tensor->impl_ : IntrusivePtr<TensorImpl>()) {}
  Tensor(std::nullopt_t) {}
  /// Makes another handle to the same tensor.
  Tensor(const Tensor&) = default;
  /// Takes over the handle; `other` becomes undefined.
  Tensor(Tensor&& other) noexcept = default;
  ~Tensor() = default;

  /// Makes this handle refer to the tensor `other`. Copies no elements.
  Tensor& operator=(const Tensor& other) & = default;
  Tensor& operator=(Tensor&& other) & noexcept = default;
  /// Copies elements into the view that an expression returns, as copy_() and fill_() do. Throws
  /// Error for a result that no other tensor shares, because the assignment would be lost.
  ///
  /// Example:
  ///   a[0] = tern::ones({3});  // the first row of a is 1
  ///   a.select(1, 2) = 5;      // column 2 of a is 5
  ///   a.index({a < 0}) = 0;    // an error: index() copies; use masked_fill_()
  Tensor& operator=(const Tensor& source) && { return assigned_view().copy_(source); }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor,bugprone-exception-escape): copies
  Tensor& operator=(Tensor&& source) && { return assigned_view().copy_(source); }
  Tensor& operator=(const Scalar& value) && { return assigned_view().fill_(value); }

  // --- Properties ------------------------------------------------------------------------------

  /// Returns false for a default-made tensor.
  bool defined() const { return static_cast<bool>(impl_); }
  /// Returns the number of dimensions.
  std::int64_t dim() const { return static_cast<std::int64_t>(sizes().size()); }
  /// Returns the same as dim().
  std::int64_t ndimension() const { return dim(); }
  /// Returns the size of every dimension; [0] for an undefined tensor.
  IntArrayRef sizes() const {
    return impl_ ? IntArrayRef(impl_->sizes) : IntArrayRef(kUndefinedSizes, 1);
  }
  /// Returns the distance between neighbours along every dimension, in elements.
  IntArrayRef strides() const { return self().strides; }
  /// Returns the size of one dimension; a negative `dim` counts from the end. Throws IndexError out
  /// of range.
  std::int64_t size(StrictInt dim) const;
  /// Returns the stride of one dimension, in elements; a negative `dim` counts from the end. Throws
  /// IndexError out of range.
  std::int64_t stride(StrictInt dim) const;
  /// Returns the number of elements; 0 for an undefined tensor.
  std::int64_t numel() const { return impl_ ? impl_->numel : 0; }
  /// Returns the size of an element in bytes.
  std::size_t element_size() const { return tern::element_size(scalar_type()); }
  /// Returns the same as element_size().
  std::size_t itemsize() const { return element_size(); }
  /// Returns the size of all elements in bytes.
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * element_size(); }
  /// Returns the type of the elements.
  TypeMeta dtype() const { return TypeMeta::fromScalarType(self().dtype); }
  /// Returns the type of the elements as an enumerator.
  ScalarType scalar_type() const { return self().dtype; }
  /// Returns the device of the elements. A CUDA device has an index here.
  Device device() const {
    if (!impl_) [[unlikely]]
      no_device_error();
    return impl_->storage->device();
  }
  /// Returns the number of the CUDA device; -1 for other devices.
  DeviceIndex get_device() const { return is_cuda() ? device().index() : -1; }
  /// Returns true for a tensor in host memory.
  bool is_cpu() const { return device().is_cpu(); }
  /// Returns true for a tensor on a CUDA device.
  bool is_cuda() const { return device().is_cuda(); }
  /// Returns true for a tensor without elements, which has only sizes and a dtype.
  bool is_meta() const { return device().is_meta(); }
  /// Returns true for float16, bfloat16, float32 and float64.
  bool is_floating_point() const { return tern::is_floating_point(scalar_type()); }
  /// Returns true when the elements lie in row-major order without gaps.
  bool is_contiguous() const { return self().contiguous; }
  /// Returns true when the elements lie in the order of the format without gaps. Where a size is 1,
  /// several formats may fit.
  bool is_contiguous(MemoryFormat format) const;
  /// Returns the memory format that the strides follow, perhaps with gaps; Contiguous if several
  /// fit, as for one channel or an image of 1 x 1. Convolution, pooling and the other ops of images
  /// give their result this format. With `channels_last_strides_exact_match`, the strides must be
  /// those of a tensor without gaps.
  MemoryFormat suggest_memory_format(StrictBool channels_last_strides_exact_match = false) const;
  /// Returns the memory that this tensor and its views share.
  const Storage& storage() const { return *self().storage; }
  /// Returns the offset of the first element in the storage, in elements.
  std::int64_t storage_offset() const { return self().offset; }
  /// Returns dtype and device of this tensor, for factories.
  TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }

  // --- Elements --------------------------------------------------------------------------------

  /// Returns the address of the first element; a device address for a tensor on a GPU.
  void* data_ptr() const { return self().data(); }
  /// Returns the address of the first element. Throws DTypeError when T is not the C++ type of the
  /// dtype ("expected scalar type Double but found Float").
  template <class T>
  T* data_ptr() const {
    check_scalar_type(dtype_of<T>());
    return static_cast<T*>(data_ptr());
  }
  /// Returns data_ptr() for reading only.
  template <class T>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  const void* const_data_ptr() const { return data_ptr(); }
  /// Returns the only element, copied to the host. Throws Error unless numel() is 1, and for a meta
  /// tensor.
  ///
  /// Example:
  ///   float loss_value = loss.item<float>();
  Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }
  /// Returns true when the only element is not 0, for conditions like `if ((a > b).all())`. Throws
  /// Error unless numel() is 1.
  explicit operator bool() const;
  /// Copies all elements to the host, in row-major order. Throws DTypeError when T is not the C++
  /// type of the dtype. For bool tensors use `to(kLong)` first.
  template <class T>
  std::vector<T> to_vector() const;

  /// Tells the caching allocator that work on `stream` uses this tensor's memory. After the tensor
  /// is freed, the allocator reuses the memory only when that work is done. Needed for streams
  /// other than the one that was current at the allocation; see docs/devices.md. CUDA tensors only.
  void record_stream(cuda::Stream stream) const;

  // --- The handle ------------------------------------------------------------------------------

  /// Returns true when both handles refer to one tensor.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  /// Makes this handle undefined.
  void reset() { impl_.reset(); }
  /// Returns the number of handles to this tensor.
  std::size_t use_count() const { return impl_ ? impl_->use_count() : 0; }
  /// Returns the implementation object; null for an undefined tensor. Its address identifies the
  /// tensor.
  TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
  /// Returns the owning pointer to the implementation object.
  const IntrusivePtr<TensorImpl>& impl() const& { return impl_; }
  /// Returns the implementation object. Throws Error for an undefined tensor.
  TensorImpl& self() const {
    if (!impl_) [[unlikely]]
      undefined_error();
    return *impl_;
  }
  /// Returns true when both tensors use the same allocation.
  bool is_alias_of(const Tensor& other) const {
    return self().storage->is_alias_of(*other.self().storage);
  }

  // --- Autograd (defined in core/autograd) -------------------------------------------------------

  /// Returns true when backward() computes a gradient for this tensor or passes through it. Also
  /// true for a view of such a tensor that was made under NoGradGuard; it passes no gradient on.
  bool requires_grad() const;
  /// Sets whether ops on this leaf are recorded for backward. Returns this tensor. Throws
  /// DTypeError for a dtype that is not floating point, and Error when `false` is set on a result
  /// of ops (use detach()).
  Tensor& requires_grad_(StrictBool requires_grad = true) const;
  /// Does the same as requires_grad_(), but leaves a result of ops unchanged instead of throwing.
  const Tensor& set_requires_grad(StrictBool requires_grad) const;
  /// Returns true for a tensor that no recorded op made.
  bool is_leaf() const;
  /// Returns the gradient rule that made this tensor; null for a leaf.
  IntrusivePtr<autograd::Node> grad_fn() const;
  /// Returns the index of this tensor among the outputs of grad_fn().
  std::uint32_t output_nr() const;
  /// Returns the gradient that backward() accumulated; undefined if there is none.
  const Tensor& grad() const;
  /// Returns the gradient for modification, without the checks of set_grad().
  Tensor& mutable_grad() const;
  /// Replaces the gradient; an undefined `grad` removes it. Throws ShapeError, DTypeError or
  /// DeviceError when the gradient does not fit this tensor.
  void set_grad(const Tensor& grad) const;
  /// Computes the gradients of all leaves that this tensor was computed from and adds them to their
  /// grad().
  ///
  /// `gradient` is the gradient of this tensor; it may be left out for a tensor with one element
  /// and is 1 then. The graph is freed afterwards unless `retain_graph` is true; its default is
  /// `create_graph`. With `create_graph` the gradients can be differentiated again. Throws Error
  /// when this tensor does not require a gradient, when the graph was freed before, and when a
  /// saved tensor was changed in place.
  ///
  /// With `inputs`, only these get a gradient; an empty list is an Error.
  void backward(const Tensor& gradient = Tensor(),
                std::optional<StrictBool> retain_graph = std::nullopt,
                StrictBool create_graph = false,
                std::optional<TensorList> inputs = std::nullopt) const;
  /// Returns a tensor with the same elements and without history. In-place changes of either show
  /// in both.
  Tensor detach() const;
  /// Drops the history of this tensor. Throws Error for a view.
  Tensor& detach_() const;
  /// Returns a tensor with the same elements, without history and with a version counter of its
  /// own: autograd does not notice in-place changes made through it.
  Tensor data() const;
  /// Returns the same as detach().
  Tensor tensor_data() const { return detach(); }
  /// Returns the same as data().
  Tensor variable_data() const { return data(); }
  /// Makes this tensor use the elements of `other`; identity, gradient, history and hooks stay.
  /// Throws DTypeError when this tensor requires a gradient and `other` is not floating point.
  void set_data(const Tensor& other) const;
  /// Calls `hook` with this tensor's gradient during backward. A defined result of the hook
  /// replaces the gradient; backward throws when the result has other sizes, another dtype or
  /// another device. Returns a number for remove_hook(), from 0. Throws Error without a gradient.
  unsigned register_hook(std::function<Tensor(const Tensor&)> hook) const;
  /// Calls a hook that returns nothing and so leaves the gradient as it is.
  template <class Fn>
  requires std::is_void_v<std::invoke_result_t<Fn&, const Tensor&>>
  unsigned register_hook(Fn hook) const {
    return register_hook([hook = std::move(hook)](const Tensor& gradient) mutable {
      hook(gradient);
      return Tensor();
    });
  }
  /// Removes the hook with this number. Throws Error if this tensor never had such a hook.
  void remove_hook(unsigned number) const;
  /// Makes backward() store the gradient of a tensor that is not a leaf in grad(). Throws Error
  /// unless this tensor requires a gradient.
  void retain_grad() const;
  /// Returns true after retain_grad() on a tensor that is not a leaf.
  bool retains_grad() const;
  /// Returns true for tensors made in InferenceMode and for their views, whose is_view() is false.
  bool is_inference() const { return self().storage->is_inference(); }
  /// Returns how often the elements were changed in place. Throws Error for an inference tensor.
  std::int64_t _version() const;
  /// Returns true when the tensor is a view of another tensor.
  bool is_view() const { return static_cast<bool>(self().view_base); }
  /// Returns the tensor that this tensor is a view of; undefined for other tensors.
  Tensor _base() const { return Tensor(self().view_base); }

  // --- Operators ---------------------------------------------------------------------------------

  /// Returns slice `index` of the first dimension as a view; a negative index counts from the end.
  /// Throws IndexError out of range.
  Tensor operator[](StrictInt index) const { return select(0, index); }
  /// Returns the slices of the first dimension that a mask or a tensor of indices names, as index()
  /// does: a copy, or a view for a 0-d integer. The result is constant, because an assignment to a
  /// copy would be lost: use index_put_().
  // NOLINTNEXTLINE(readability-const-return-type)
  const Tensor operator[](const Tensor& index) const;
  /// Negates every element.
  Tensor operator-() const { return neg(); }
  /// Same as bitwise_not().
  Tensor operator~() const { return bitwise_not(); }
  /// Same as add_().
  Tensor& operator+=(const Tensor& other) { return add_(other); }
  Tensor& operator+=(const Scalar& other) { return add_(other); }
  /// Same as sub_().
  Tensor& operator-=(const Tensor& other) { return sub_(other); }
  Tensor& operator-=(const Scalar& other) { return sub_(other); }
  /// Same as mul_().
  Tensor& operator*=(const Tensor& other) { return mul_(other); }
  Tensor& operator*=(const Scalar& other) { return mul_(other); }
  /// Same as div_().
  Tensor& operator/=(const Tensor& other) { return div_(other); }
  Tensor& operator/=(const Scalar& other) { return div_(other); }
  /// Same as bitwise_and_().
  Tensor& operator&=(const Tensor& other) { return bitwise_and_(other); }
  Tensor& operator&=(const Scalar& other) { return bitwise_and_(other); }
  /// Same as bitwise_or_().
  Tensor& operator|=(const Tensor& other) { return bitwise_or_(other); }
  Tensor& operator|=(const Scalar& other) { return bitwise_or_(other); }
  /// Same as bitwise_xor_().
  Tensor& operator^=(const Tensor& other) { return bitwise_xor_(other); }
  Tensor& operator^=(const Scalar& other) { return bitwise_xor_(other); }
  /// Same as bitwise_left_shift_().
  Tensor& operator<<=(const Tensor& other) { return bitwise_left_shift_(other); }
  Tensor& operator<<=(const Scalar& other) { return bitwise_left_shift_(other); }
  /// Same as bitwise_right_shift_().
  Tensor& operator>>=(const Tensor& other) { return bitwise_right_shift_(other); }
  Tensor& operator>>=(const Scalar& other) { return bitwise_right_shift_(other); }
  /// Same as remainder_().
  Tensor& operator%=(const Tensor& other) { return remainder_(other); }
  Tensor& operator%=(const Scalar& other) { return remainder_(other); }

  // --- Ops: methods without a function, by family, then those made of functions ------------------

#include <tern/core/ops/create/creation_methods.inc>
#include <tern/core/ops/create/random_methods.inc>
#include <tern/core/ops/generated/tensor_methods.inc>
#include <tern/core/ops/reduce/reduce_methods.inc>
#include <tern/core/ops/shape/copy_methods.inc>
#include <tern/core/ops/shape/view_methods.inc>

 private:
  static constexpr std::int64_t kUndefinedSizes[] = {0};

  /// Returns this handle for functions that change the elements.
  Tensor& handle() const { return const_cast<Tensor&>(*this); }  // NOLINT(*-const-cast)
  Tensor viewed_as(ScalarType dtype) const;
  /// Returns this temporary handle for an assignment. Throws Error if no other tensor shares the
  /// elements.
  Tensor& assigned_view() const;
  [[noreturn]] static void undefined_error();
  [[noreturn]] static void no_device_error();
  void check_scalar_type(ScalarType expected) const;
  void check_accessor(std::size_t dims) const;
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

/// Makes a new tensor with its own memory and without history. Row-major without `strides`.
TERN_API Tensor make_tensor(IntArrayRef sizes, ScalarType dtype, Device device);
TERN_API Tensor make_tensor(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype,
                            Device device);
/// Makes a new tensor in pinned host memory. Throws DeviceError when there is no CUDA.
TERN_API Tensor make_pinned(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
/// Makes a new tensor with the sizes and strides of `like`, which must be dense.
TERN_API Tensor make_like(const Tensor& like, ScalarType dtype, Device device);
/// Makes a tensor with another geometry over the same storage, without history and view tracking.
TERN_API Tensor make_alias(const Tensor& of, IntArrayRef sizes, IntArrayRef strides,
                           std::int64_t offset);
inline Tensor make_alias(const Tensor& of) {
  return make_alias(of, of.sizes(), of.strides(), of.storage_offset());
}
/// Returns `device` with an index, by default the current one. Throws DeviceError if the device
/// does not exist.
TERN_API Device resolve_device(Device device);

}  // namespace detail
}  // namespace tern
