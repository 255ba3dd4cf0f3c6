#pragma once

#include <cstdint>
#include <memory>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/small_vector.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/storage.h>

namespace tern {

/// What autograd keeps with a tensor; only core/autograd knows its content.
struct AutogradPart {
  virtual ~AutogradPart() = default;
};

/// How an in-place change of a view is treated by autograd.
enum class ViewOrigin : std::uint8_t {
  kNone,    // not a view
  kNormal,  // made with gradients enabled
  kNoGrad,  // made under NoGradGuard: must not be written with gradients enabled
};

/// What a Tensor points to.
class TERN_API TensorImpl final : public RefCounted {
 public:
  TensorImpl(IntrusivePtr<Storage> storage, std::int64_t offset, IntArrayRef sizes,
             IntArrayRef strides, ScalarType dtype);
  /// The geometry of `like` from the start of `storage`.
  TensorImpl(IntrusivePtr<Storage> storage, const TensorImpl& like, ScalarType dtype);
  ~TensorImpl() override;

  /// Changes where the elements are; keeps the derived facts below in step.
  void set_geometry(std::int64_t offset, IntArrayRef sizes, IntArrayRef strides);

  void* data() const {
    return static_cast<char*>(storage->data()) +
           static_cast<std::size_t>(offset) * element_size(dtype);
  }
  bool has_internal_overlap() const;

  IntrusivePtr<Storage> storage;
  std::int64_t offset;
  DimVector sizes, strides;
  std::int64_t numel;
  ScalarType dtype;
  bool contiguous;
  bool wrapped_number = false;  // made of a bare C++ number: of lowest rank in promotion
  ViewOrigin view_origin = ViewOrigin::kNone;
  std::uint32_t view_version = 0;      // of the storage when this view's grad_fn was made
  IntrusivePtr<TensorImpl> view_base;  // the tensor that this one is a view of
  std::unique_ptr<AutogradPart> autograd;

  static void* operator new(std::size_t size) { return detail::allocate_object(size); }
  static void operator delete(void* pointer, std::size_t size) noexcept {
    detail::free_object(pointer, size);
  }
};

}  // namespace tern
