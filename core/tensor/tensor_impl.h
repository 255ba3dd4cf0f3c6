#pragma once

#include <cstdint>
#include <memory>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/own_ptr.h>
#include <tern/core/base/small_vector.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/storage.h>

namespace tern {

/// Autograd's data of a tensor. Only core/autograd knows the derived class.
struct AutogradPart {
  /// Frees the part.
  virtual ~AutogradPart() = default;
};

/// How autograd treats an in-place change of a view.
enum class ViewOrigin : std::uint8_t {
  kNone,       // not a view
  kNormal,     // made with gradients enabled
  kNoGrad,     // made under NoGradGuard: no recorded op may write to it
  kInference,  // made in InferenceMode: no recorded op may write to it
  kFunction,   // returned by a Function: no recorded op may write to it
  kPiece,      // one of several views that an op made: no recorded op may write to it
};

/// The object behind a Tensor: the location and layout of its elements. Programs use Tensor
/// instead.
class TERN_API TensorImpl final : public RefCounted {
 public:
  /// Describes elements of `storage`, starting at element `offset`. Strides count elements.
  TensorImpl(IntrusivePtr<Storage> storage, std::int64_t offset, IntArrayRef sizes,
             IntArrayRef strides, ScalarType dtype);
  /// Takes sizes and strides from `like`, with offset 0.
  TensorImpl(IntrusivePtr<Storage> storage, const TensorImpl& like, ScalarType dtype);
  ~TensorImpl() override;

  /// Changes offset, sizes and strides, and updates numel and contiguous.
  void set_geometry(std::int64_t offset, IntArrayRef sizes, IntArrayRef strides);

  /// Returns the address of the first element.
  void* data() const {
    return static_cast<char*>(storage->data()) +
           static_cast<std::size_t>(offset) * element_size(dtype);
  }
  /// Counts an in-place change.
  void bump_version() const { storage->bump_version(); }
  /// Returns true when a dimension of two or more elements has stride 0, as after expand().
  bool has_internal_overlap() const;

  /// The memory of the elements.
  IntrusivePtr<Storage> storage;
  /// The offset of the first element in the storage, in elements.
  std::int64_t offset;
  /// Sizes, and strides in elements.
  DimVector sizes, strides;
  /// The number of elements.
  std::int64_t numel;
  /// The dtype of the elements.
  ScalarType dtype;
  /// True when the elements lie in row-major order without gaps.
  bool contiguous;
  bool wrapped_number = false;  // made from a bare C++ number: lowest rank in promotion
  /// How an in-place change of this view is treated.
  ViewOrigin view_origin = ViewOrigin::kNone;
  std::uint32_t view_version = 0;      // version of the storage when this view's grad_fn was made
  IntrusivePtr<TensorImpl> view_base;  // the tensor that this view shows
  /// Autograd's data; null without gradients.
  OwnPtr<AutogradPart> autograd;

  /// Allocates the object from recycled memory.
  static void* operator new(std::size_t size) { return detail::allocate_object(size); }
  /// Gives the object's memory back.
  static void operator delete(void* pointer, std::size_t size) noexcept {
    detail::free_object(pointer, size);
  }
};

}  // namespace tern
