#include <algorithm>
#include <cstring>

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>
#include <tern/core/kernels/families/copy.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/detail/creation.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::backend_of;

// out[...] = in[...] on one device. `in_strides` belong to the dimensions of `out`.
void copy_from(const Tensor& out, const void* in, ScalarType in_dtype, DimVector in_strides) {
  if (out.numel() == 0) return;
  DimVector sizes(out.sizes()), out_strides(out.strides());
  // Sorts the dimensions by the output's strides, so that the output is written row by row.
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    for (std::size_t j = i; j > 0 && out_strides[j - 1] < out_strides[j]; --j) {
      std::swap(sizes[j - 1], sizes[j]);
      std::swap(out_strides[j - 1], out_strides[j]);
      std::swap(in_strides[j - 1], in_strides[j]);
    }
  }
  kernels::CopyArgs args;
  args.out_dtype = out.dtype();
  args.in_dtype = in_dtype;
  args.out = out.data_ptr();
  args.in = in;
  int ndim = 0;
  for (std::size_t d = 0; d < in_strides.size(); ++d) {
    const std::int64_t size = sizes[d], to = out_strides[d], from = in_strides[d];
    if (size == 1) continue;
    const bool merges = ndim > 0 && args.out_strides[ndim - 1] == to * size &&
                        args.in_strides[ndim - 1] == from * size;
    if (!merges) {
      TERN_CHECK(ndim < kernels::kMaxDims, ShapeError, "tensors may have up to ", kernels::kMaxDims,
                 " dimensions, got ", out.dim());
      ++ndim;
    }
    args.sizes[ndim - 1] = merges ? args.sizes[ndim - 1] * size : size;
    args.out_strides[ndim - 1] = to;
    args.in_strides[ndim - 1] = from;
  }
  args.ndim = ndim;
  kernels::run("copy_", out.device(), out.dtype(), args);
}

// The same for a source that broadcasts to out.
void copy_on_device(const Tensor& out, const Tensor& source) {
  copy_from(out, source.data_ptr(), source.dtype(),
            broadcast_strides(source.sizes(), source.strides(), out.sizes()));
}

// Copies between devices: dense bytes are transferred; casts and strides are handled on each side.
void copy_across(const Tensor& out, const Tensor& source, bool non_blocking) {
  TERN_CHECK(!source.is_meta(), NotImplementedError, "Cannot copy out of meta tensor; no data!");
  if (out.is_meta() || out.numel() == 0) return;
  const bool same = source.dtype() == out.dtype() && source.sizes() == out.sizes();
  const bool alike =
      same && source.strides() == out.strides() && is_dense(out.sizes(), out.strides());
  const bool direct_out = alike || out.is_contiguous();
  Tensor sent = source;
  if (!alike && !(same && source.is_contiguous())) {
    sent = detail::make_tensor(out.sizes(), out.dtype(), source.device());
    copy_on_device(sent, source);
  }
  const Tensor received =
      direct_out ? out : detail::make_tensor(out.sizes(), out.dtype(), out.device());
  const Device device = out.is_cpu() ? source.device() : out.device();
  backend_of(device.type())
      .copy_bytes(received.data_ptr(), out.device(), sent.data_ptr(), source.device(), out.nbytes(),
                  non_blocking);
  if (!direct_out) copy_on_device(out, received);
}

bool overlaps(const Tensor& a, const Tensor& b) {
  return a.is_alias_of(b) && (a.storage_offset() != b.storage_offset() ||
                              a.strides() != b.strides() || a.sizes() != b.sizes());
}

}  // namespace

void detail::copy_elements(const Tensor& out, const Tensor& source, bool non_blocking) {
  if (source.sizes() != out.sizes()) {
    const DimVector sizes = broadcast_sizes(out.sizes(), source.sizes());
    TERN_CHECK(out.sizes() == IntArrayRef(sizes), ShapeError, "output with shape ", out.sizes(),
               " doesn't match the broadcast shape ", IntArrayRef(sizes));
  }
  if (!(out.device() == source.device())) {
    copy_across(out, source, non_blocking);
  } else {
    copy_on_device(out, overlaps(source, out) ? source.detach().clone() : source);
  }
}

void detail::copy_reversed(const Tensor& out, const Tensor& source, const DimMask& reversed) {
  DimVector strides = source.self().strides;
  std::int64_t first = 0;
  for (std::size_t d = 0; d < strides.size() && source.numel() != 0; ++d) {
    if (!reversed[d]) continue;
    first += (source.sizes()[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  const auto in = static_cast<const char*>(source.data_ptr()) +
                  first * static_cast<std::int64_t>(source.element_size());
  copy_from(out, in, source.dtype(), strides);
}

namespace {

using detail::copy_elements;

// Returns a new tensor with the elements of `self` in the given layout, without history. A
// non-blocking copy to the host needs pinned memory as its target.
Tensor copied(const Tensor& self, IntArrayRef strides, ScalarType dtype, Device device,
              bool non_blocking) {
  const bool overlaps = non_blocking && device.is_cpu() &&
                        backend_of(self.device().type()).pinned_allocator() != nullptr;
  Tensor out = overlaps ? detail::make_pinned(self.sizes(), strides, dtype)
                        : detail::make_tensor(self.sizes(), strides, dtype, device);
  copy_elements(out, self, non_blocking);
  return out;
}

Tensor recorded_copy(const char* node, const Tensor& self, const Tensor& out) {
  // Also recorded for an inference tensor, whose copy is a normal one.
  if (!needs_grad(self, out) || !out.is_floating_point()) return out;
  return record(node, out,
                wrt(self, [device = self.device(), dtype = self.dtype()](const Tensor& g) {
                  return g.to(device, dtype);
                }));
}

}  // namespace

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  TERN_OP("clone", self);
  return recorded_copy(
      "CloneBackward0", self,
      copied(self, detail::strides_like(self, memory_format), self.dtype(), self.device(), false));
}

Tensor Tensor::contiguous() const { return contiguous(MemoryFormat::Contiguous); }

Tensor Tensor::contiguous(MemoryFormat format) const {
  TERN_OP("contiguous", *this);
  if (is_contiguous(format)) return *this;
  TERN_CHECK(format != MemoryFormat::Preserve, Error,
             "preserve memory format is unsupported by the contiguous operator");
  return recorded_copy("CloneBackward0", *this,
                       copied(*this, format_strides(sizes(), format), dtype(), device(), false));
}

bool Tensor::is_non_overlapping_and_dense() const { return is_dense(sizes(), strides()); }

bool Tensor::is_contiguous(MemoryFormat format) const {
  return has_format(sizes(), strides(), format);
}

MemoryFormat Tensor::suggest_memory_format(StrictBool channels_last_strides_exact_match) const {
  const MemoryFormat format = suggested_format(sizes(), strides());
  const bool fits = !channels_last_strides_exact_match ||
                    IntArrayRef(format_strides(sizes(), format)) == strides();
  return fits ? format : MemoryFormat::Contiguous;
}

Tensor detail::copied_over(const char* node, const Tensor& x, const Tensor& fresh,
                           const Tensor& source, bool non_blocking) {
  copy_elements(fresh, source, non_blocking);
  return record(node, fresh, wrt(x, [](const Tensor& g) { return zeros_like(g); }),
                wrt(source, [device = source.device()](const Tensor& g) { return g.to(device); }));
}

Tensor& detail::copy_inplace(const char* node, Tensor& self, const Tensor& source,
                             bool non_blocking) {
  const bool has_gradient = self.is_floating_point();  // a copy to integers has none
  const auto op = [&](const Tensor& x, const Tensor& out) {
    Tensor result = detail::result_like(x, out);
    if (has_gradient && needs_grad(x, source)) {
      return copied_over(node, x, result, source, non_blocking);
    }
    if (!result.is_same(source)) copy_elements(result, source, non_blocking);
    return result;
  };
  return has_gradient ? detail::overwrite_into(self, op, source) : detail::overwrite_into(self, op);
}

Tensor& Tensor::copy_(const Tensor& source, StrictBool non_blocking) const {
  TERN_OP("copy_", *this, source);
  return detail::copy_inplace("CopyBackwards", handle(), source, non_blocking);
}

Tensor Tensor::to(Device device, ScalarType dtype, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  TERN_OP("to", *this);
  // cpu:0 and cpu are the same device; cuda means the current device.
  const Device target = detail::resolve_device(device);
  const bool fits = memory_format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve ||
                    suggest_memory_format() == *memory_format;
  if (!copy && fits && target == this->device() && dtype == this->dtype()) return *this;
  return recorded_copy(
      "ToCopyBackward0", *this,
      copied(*this, detail::strides_like(*this, memory_format), dtype, target, non_blocking));
}

Tensor Tensor::to(const TensorOptions& options, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  TERN_OP("to", *this);
  TERN_CHECK(!options.requires_grad(), Error,
             "Operators taking TensorOptions cannot take a TensorOptions with "
             "options.requires_grad set as true. This isn't implemented yet.");
  return to(options.device_opt().value_or(device()), options.dtype_opt().value_or(dtype()),
            non_blocking, copy, memory_format ? memory_format : options.memory_format_opt());
}
Tensor Tensor::to(ScalarType dtype, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  TERN_OP("to", *this);
  if (!copy && !memory_format && dtype == this->dtype()) return *this;
  return to(device(), dtype, non_blocking, copy, memory_format);
}
Tensor Tensor::to(TypeMeta dtype, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  return to(dtype.toScalarType(), non_blocking, copy, memory_format);
}
Tensor Tensor::to(Device device, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  TERN_OP("to", *this);
  return to(device, dtype(), non_blocking, copy, memory_format);
}
Tensor Tensor::to(DeviceType type, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  return to(Device(type), non_blocking, copy, memory_format);
}
Tensor Tensor::to(int ordinal, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  return to(Device(ordinal), non_blocking, copy, memory_format);
}
Tensor Tensor::to(int ordinal, ScalarType dtype, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  return to(Device(ordinal), dtype, non_blocking, copy, memory_format);
}
Tensor Tensor::to(const Tensor& like, StrictBool non_blocking, StrictBool copy,
                  std::optional<MemoryFormat> memory_format) const {
  TERN_OP("to", *this, like);
  return to(like.device(), like.dtype(), non_blocking, copy, memory_format);
}

Tensor Tensor::pin_memory() const {
  TERN_OP("pin_memory", *this);
  TERN_CHECK(is_cpu(), DeviceError, "cannot pin '", kernels::traits_of(device()).type_prefix,
             scalar_type(), "Type' only dense CPU tensors can be pinned");
  if (is_pinned()) return *this;
  const Tensor out = detail::make_pinned(sizes(), preserved_strides(sizes(), strides()), dtype());
  copy_elements(out, *this, /*non_blocking=*/false);
  return needs_grad(*this)
             ? record("PinMemoryBackward0", out, wrt(*this, [](const Tensor& g) { return g; }))
             : out;
}

Tensor Tensor::type(ScalarType dtype, StrictBool non_blocking) const {
  TERN_OP("type", *this);
  return to(dtype, non_blocking);
}
Tensor Tensor::toType(ScalarType dtype) const {
  TERN_OP("toType", *this);
  return to(dtype);
}
Tensor Tensor::type_as(const Tensor& other) const {
  TERN_OP("type_as", *this, other);
  return to(other);
}
Tensor Tensor::cpu() const {
  TERN_OP("cpu", *this);
  return to(kCPU);
}
Tensor Tensor::cuda() const { return cuda(Device(kCUDA)); }
Tensor Tensor::cuda(int ordinal, StrictBool non_blocking) const {
  return cuda(Device(ordinal), non_blocking);
}
Tensor Tensor::cuda(Device device, StrictBool non_blocking) const {
  TERN_OP("cuda", *this);
  TERN_CHECK(device.is_cuda(), DeviceError, "Invalid device, must be cuda device, got ", device);
  return to(device, non_blocking);
}

Scalar Tensor::item() const {
  TERN_OP("item", *this);
  TERN_CHECK(numel() == 1, Error, "a Tensor with ", numel(),
             " elements cannot be converted to Scalar");
  TERN_CHECK(!is_meta(), Error, "Tensor.item() cannot be called on meta tensors");
  alignas(8) char bytes[8];
  const void* value = data_ptr();
  if (!is_cpu()) {
    TERN_CHECK(
        !kernels::is_capturing(device()), DeviceError,
        "CUDA error: operation not permitted when stream is capturing\nitem() needs a result "
        "that only a replay computes.");
    backend_of(device().type())
        .copy_bytes(bytes, kCPU, data_ptr(), device(), element_size(), /*non_blocking=*/false);
    value = bytes;
  }
  return visit_dtype(dtype(), [value](auto tag) {
    typename decltype(tag)::type element;
    std::memcpy(&element, value, sizeof(element));
    return Scalar(element);
  });
}

Tensor::operator bool() const {
  TERN_CHECK(numel() == 1, Error, "Boolean value of Tensor with ",
             numel() == 0 ? "no values" : "more than one value", " is ambiguous");
  return item().toBool();
}

void Tensor::copy_to_host(void* destination) const {
  const NoGradGuard no_grad;
  const Tensor here = to(kCPU).contiguous();
  if (numel() != 0) std::memcpy(destination, here.data_ptr(), nbytes());
}

namespace detail {

Device resolve_device(Device device) {
  if (device.is_cpu()) return kCPU;
  kernels::Backend& backend = backend_of(device.type());
  if (!kernels::traits_of(device).has_indices) return Device(device.type());
  const DeviceIndex index = device.has_index() ? device.index() : backend.current_device();
  backend.check_device(index);
  return Device(device.type(), index);
}

}  // namespace detail
}  // namespace tern
