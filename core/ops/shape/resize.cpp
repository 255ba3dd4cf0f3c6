// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/shape/resize.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

// Gives `self` the elements of `source`, which has the same dtype.
void show(const Tensor& self, const Tensor& source) {
  TensorImpl& impl = self.self();
  const TensorImpl& from = source.self();
  if (impl.storage != from.storage) {  // with other memory, the tensor is no longer a view
    impl.view_base.reset();
    impl.view_origin = ViewOrigin::kNone;
  }
  impl.storage = from.storage;
  impl.set_geometry(from.offset, from.sizes, from.strides);
}

void check_may_set(const Tensor& self, const Tensor& source) {
  detail::check_inplace(self, /*recorded=*/false);
  TERN_CHECK(!self.requires_grad(), Error, "the tensor requires grad, and its elements come from ",
             "elsewhere afterwards. Use set_data(), or detach() it first.");
  TERN_CHECK(source.dtype() == self.dtype(), DTypeError, "Could not set tensor of type ",
             source.scalar_type(), " to a tensor of type ", self.scalar_type());
  TERN_CHECK(source.device() == self.device(), DeviceError,
             "Attempted to set the storage of a tensor on device ", self.device(),
             " to a storage on different device ", source.device());
}

}  // namespace

Tensor& resize_(Tensor& self, IntArrayRef sizes, std::optional<MemoryFormat> memory_format) {
  TERN_OP("resize_", self);
  TERN_CHECK(!self.is_inference() || InferenceMode::is_enabled(), Error,
             "Inplace update to inference tensor outside InferenceMode is not allowed.");
  TERN_CHECK(!self.requires_grad() || InferenceMode::is_enabled(), Error,
             "cannot resize variables that require grad");
  const std::int64_t numel = checked_numel(sizes);
  if (memory_format) {
    TERN_CHECK(*memory_format != MemoryFormat::Preserve, Error,
               "Unsupported memory format Preserve");
    const DimVector strides = format_strides(sizes, *memory_format);
    resize_(self, sizes);
    self.self().set_geometry(self.storage_offset(), DimVector(sizes), strides);
    return self;
  }
  if (sizes == self.sizes()) return self;
  const auto held = static_cast<std::int64_t>(self.storage().bytes() / self.element_size());
  const std::int64_t kept =
      std::min(numel, std::max<std::int64_t>(0, held - self.storage_offset()));
  if (kept == numel) {
    show(self, detail::make_alias(self, sizes, contiguous_strides(sizes), self.storage_offset()));
  } else {
    const NoGradGuard no_grad;
    const Tensor larger = detail::make_tensor(sizes, self.dtype(), self.device());
    detail::make_alias(larger, {kept}, {1}, 0)
        .copy_(detail::make_alias(self, {kept}, {1}, self.storage_offset()));
    show(self, larger);
  }
  self.self().storage->bump_version();
  return self;
}

Tensor& resize_as_(Tensor& self, const Tensor& other, std::optional<MemoryFormat> memory_format) {
  TERN_OP("resize_as_", self, other);
  if (memory_format == MemoryFormat::Preserve) memory_format = other.suggest_memory_format();
  return resize_(self, other.sizes(), memory_format);
}

Tensor& set_(Tensor& self, const Tensor& source) {
  TERN_OP("set_", self, source);
  check_may_set(self, source);
  show(self, source);
  self.self().storage->bump_version();
  return self;
}

Tensor& set_(Tensor& self, const Tensor& source, StrictInt storage_offset, IntArrayRef sizes,
             IntArrayRef strides) {
  TERN_OP("set_", self, source);
  const bool is_open = strides.empty() && !sizes.empty();
  const DimVector chosen = is_open ? contiguous_strides(sizes) : DimVector(strides);
  return set_(self, source.detach().as_strided(sizes, chosen, storage_offset));
}

Tensor& set_(Tensor& self) {
  TERN_OP("set_", self);
  return set_(self, detail::make_tensor({0}, self.dtype(), self.device()));
}

}  // namespace tern
