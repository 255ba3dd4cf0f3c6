#include <algorithm>
#include <cmath>
#include <cstring>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/fill.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/detail/creation.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {

Tensor detail::finish_factory(Tensor tensor, const TensorOptions& options) {
  if (options.pinned_memory() && !tensor.is_meta()) tensor = tensor.pin_memory();
  tensor.self().storage->reset_version();
  if (options.requires_grad()) tensor.requires_grad_();
  return tensor;
}

DimVector detail::strides_like(const Tensor& self, std::optional<MemoryFormat> format) {
  if (format.value_or(MemoryFormat::Preserve) != MemoryFormat::Preserve) {
    return format_strides(self.sizes(), *format);
  }
  return preserved_strides(self.sizes(), self.strides());
}

namespace {

using detail::finish_factory;

// Returns an uninitialised tensor with the dtype, device and kind of memory of the options.
Tensor allocate(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  const Device device = detail::resolve_device(options.device());
  if (!options.pinned_memory() || device.is_meta()) {
    return detail::make_tensor(sizes, strides, options.dtype(), device);
  }
  TERN_CHECK(device.is_cpu(), DeviceError, "Only dense CPU tensors can be pinned, got device ",
             device);
  return detail::make_pinned(sizes, strides, options.dtype());
}

// Returns |b - a|, which int64 cannot always hold.
std::uint64_t distance_between(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return a < b ? y - x : x - y;
}

// Returns the dtype in which arange counts for elements of `dtype`; the numbers are then cast.
ScalarType arange_dtype(ScalarType dtype) {
  if (dtype == kBool || dtype == kDouble) return dtype;
  return is_floating_point(dtype) ? kFloat : kLong;
}

// Returns a new tensor with the dtype and device of the options; `fill` writes its elements.
template <class Fill>
Tensor make(IntArrayRef sizes, const TensorOptions& options, const Fill& fill) {
  const MemoryFormat format = options.memory_format_opt().value_or(MemoryFormat::Contiguous);
  Tensor out = allocate(sizes, format_strides(sizes, format), options);
  fill(out);
  return finish_factory(std::move(out), options);
}

TensorOptions like(const Tensor& self, const TensorOptions& options) {
  return options.or_else(self.options());
}

// Returns a new tensor with the format of the options, by default the dimension order of `self`;
// `fill` writes its elements.
template <class Fill>
Tensor make_like(const Tensor& self, const TensorOptions& options, const Fill& fill) {
  const TensorOptions chosen = like(self, options);
  Tensor out =
      allocate(self.sizes(), detail::strides_like(self, options.memory_format_opt()), chosen);
  fill(out);
  return finish_factory(std::move(out), chosen);
}

constexpr auto kLeave = [](Tensor&) {};

}  // namespace

Tensor empty(IntArrayRef sizes, const TensorOptions& options) {
  TERN_OP("empty");
  return make(sizes, options, kLeave);
}

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  TERN_OP("empty_strided");
  TERN_CHECK(sizes.size() == strides.size(), ShapeError,
             "dimensionality of sizes must match dimensionality of strides, got ", sizes, " and ",
             strides);
  const std::int64_t extent = checked_extent("empty_strided", sizes, strides);
  Tensor out = allocate({extent}, {1}, options);
  out.self().set_geometry(0, sizes, strides);
  return finish_factory(std::move(out), options);
}

Tensor zeros(IntArrayRef sizes, const TensorOptions& options) {
  TERN_OP("zeros");
  if (tern::detail::as_libtorch) {
    for (const std::int64_t size : sizes)
      TERN_CHECK(size >= 0, ShapeError, "Dimension size must be non-negative.");
  }
  return full(sizes, 0, options.or_else(get_default_dtype()));
}
Tensor ones(IntArrayRef sizes, const TensorOptions& options) {
  TERN_OP("ones");
  return full(sizes, 1, options.or_else(get_default_dtype()));
}

Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
  TERN_OP("full");
  return make(sizes, options.or_else(value.dtype()), [&](Tensor& out) { out.fill_(value); });
}

Tensor eye(StrictInt n, const TensorOptions& options) { return eye(n, n, options); }

Tensor eye(StrictInt n, StrictInt m, const TensorOptions& options) {
  TERN_OP("eye");
  TERN_CHECK(n >= 0, ShapeError, "n must be greater or equal to 0, got ", n);
  TERN_CHECK(m >= 0, ShapeError, "m must be greater or equal to 0, got ", m);
  return make({n, m}, options, [&](Tensor& out) {
    out.zero_();
    const std::int64_t diagonal = std::min(n, m);
    if (diagonal > 0) out.as_strided({diagonal}, {m + 1}).fill_(1);
  });
}

namespace {

// Returns `count` numbers from `start` on.
Tensor numbers_from(std::int64_t count, const Scalar& start, const Scalar& step,
                    const TensorOptions& chosen) {
  const ScalarType wide = arange_dtype(chosen.dtype());
  const TensorOptions widened = TensorOptions(chosen.device()).dtype(wide);
  const bool casts = wide != chosen.dtype();
  if (casts && wide != kLong) {
    return finish_factory(numbers_from(count, start, step, widened).to(chosen.dtype()), chosen);
  }
  return make({count}, chosen, [&](Tensor& out) {
    if (!casts) return detail::fill_range(out, start, step);
    const std::int64_t piece = detail::factory_piece(out.device(), out.numel());
    const Tensor numbers = empty({piece}, widened);
    for (std::int64_t i = 0; i < out.numel(); i += piece) {
      const std::int64_t n = std::min(piece, out.numel() - i);
      const Tensor part = numbers.narrow(0, 0, n);
      const auto first = static_cast<std::uint64_t>(start.toLong()) +
                         static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step.toLong());
      detail::fill_range(part, static_cast<std::int64_t>(first), step);
      detail::copy_elements(out.narrow(0, i, n), part);
    }
  });
}

}  // namespace

Tensor arange(const Scalar& end, const TensorOptions& options) { return arange(0, end, options); }
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options) {
  return arange(start, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options) {
  TERN_OP("arange");
  const bool is_floating =
      start.is_floating_point() || end.is_floating_point() || step.is_floating_point();
  const double from = start.toDouble(), to = end.toDouble(), by = step.toDouble();
  TERN_CHECK(by != 0, ShapeError, "step must be nonzero, got ", step);
  TERN_CHECK(std::isfinite(by), ShapeError, "step must be finite but got ", by);
  TERN_CHECK(std::isfinite(from) && std::isfinite(to), ShapeError, "unsupported range: ", from,
             " -> ", to);
  const TensorOptions chosen = options.or_else(is_floating ? get_default_dtype() : kLong);
  double count;
  bool rises = to >= from, is_empty = to == from;
  if (is_floating || is_floating_point(chosen.dtype())) {
    count = std::ceil((to - from) / by);
  } else {  // integers that a double would round
    const std::int64_t first = start.toLong(), last = end.toLong(), width = step.toLong();
    rises = last >= first;
    is_empty = last == first;
    const std::uint64_t distance = distance_between(first, last), each = distance_between(0, width);
    const std::uint64_t steps = distance / each + (distance % each != 0 ? 1 : 0);
    count = static_cast<double>(steps);
  }
  TERN_CHECK((by > 0) == rises || is_empty, ShapeError,
             "upper bound and lower bound inconsistent with step sign, got start ", start, ", end ",
             end, ", step ", step);
  TERN_CHECK(count >= 0 && count < 9e18, ShapeError, "invalid size, possible overflow? ", count);
  return numbers_from(static_cast<std::int64_t>(count), start, step, chosen);
}

Tensor range(const Scalar& start, const Scalar& end, const TensorOptions& options) {
  return range(start, end, 1, options);
}

Tensor range(const Scalar& start, const Scalar& end, const Scalar& step,
             const TensorOptions& options) {
  TERN_OP("range");
  const TensorOptions chosen = options.or_else(get_default_dtype());
  const ScalarType dtype = chosen.dtype();
  TERN_CHECK(dtype != kBool, NotImplementedError, "\"range_cpu\" not implemented for 'Bool'");
  // Integers are computed from integers: the numbers are cast first.
  const auto cast = [&](const Scalar& number) {
    return is_floating_point(dtype) ? Scalar(number.toDouble()) : Scalar(number.toLong());
  };
  const double from = start.toDouble(), to = end.toDouble();
  TERN_CHECK(std::isfinite(from) && std::isfinite(to), ShapeError, "unsupported range: ", from,
             " -> ", to);
  const Scalar first = cast(start), last = cast(end), by = cast(step);
  TERN_CHECK(by.toDouble() != 0, ShapeError, "step must be nonzero, got ", step);
  TERN_CHECK(std::isfinite(by.toDouble()), ShapeError, "step must be finite but got ", step);
  TERN_CHECK(by.toDouble() > 0 ? to >= from : to <= from, ShapeError,
             "upper bound and lower bound inconsistent with step sign, got start ", start, ", end ",
             end, ", step ", step);
  double count = 0;
  if (is_floating_point(dtype)) {
    count = std::floor((last.toDouble() - first.toDouble()) / by.toDouble()) + 1;
  } else {
    const auto steps =
        distance_between(first.toLong(), last.toLong()) / distance_between(0, by.toLong());
    count = static_cast<double>(steps) + 1;
  }
  TERN_CHECK(count < 9e18, ShapeError, "invalid size, possible overflow? ", count);
  return numbers_from(static_cast<std::int64_t>(count), first, by, chosen);
}

void detail::fill_range(const Tensor& out, const Scalar& start, const Scalar& step) {
  if (out.numel() == 0) return;
  const auto in_dtype = [&](const Scalar& s) {
    return to_immediate(out.is_floating_point() ? Scalar(s.toDouble()) : Scalar(s.toLong()));
  };
  kernels::ArangeArgs args;
  args.dtype = out.dtype();
  args.out = out.data_ptr();
  args.count = out.numel();
  args.start = in_dtype(start);
  args.step = in_dtype(step);
  kernels::run("arange", out.device(), out.dtype(), args);
}

Tensor scalar_tensor(const Scalar& value, const TensorOptions& options) {
  TERN_OP("scalar_tensor");
  return full({}, value, options.dtype(options.dtype()));
}

Tensor empty_like(const Tensor& self, const TensorOptions& options) {
  TERN_OP("empty_like", self);
  return make_like(self, options, kLeave);
}
Tensor zeros_like(const Tensor& self, const TensorOptions& options) {
  TERN_OP("zeros_like", self);
  return full_like(self, 0, options);
}
Tensor ones_like(const Tensor& self, const TensorOptions& options) {
  TERN_OP("ones_like", self);
  return full_like(self, 1, options);
}
Tensor full_like(const Tensor& self, const Scalar& value, const TensorOptions& options) {
  TERN_OP("full_like", self);
  return make_like(self, options, [&](Tensor& out) { out.fill_(value); });
}

Tensor Tensor::new_empty(IntArrayRef sizes, const TensorOptions& options) const {
  TERN_OP("new_empty", *this);
  return empty(sizes, like(*this, options));
}
Tensor Tensor::new_empty_strided(IntArrayRef sizes, IntArrayRef strides,
                                 const TensorOptions& options) const {
  TERN_OP("new_empty_strided", *this);
  return empty_strided(sizes, strides, like(*this, options));
}
Tensor Tensor::new_zeros(IntArrayRef sizes, const TensorOptions& options) const {
  TERN_OP("new_zeros", *this);
  return zeros(sizes, like(*this, options));
}
Tensor Tensor::new_ones(IntArrayRef sizes, const TensorOptions& options) const {
  TERN_OP("new_ones", *this);
  return ones(sizes, like(*this, options));
}
Tensor Tensor::new_full(IntArrayRef sizes, const Scalar& value,
                        const TensorOptions& options) const {
  TERN_OP("new_full", *this);
  return full(sizes, value, like(*this, options));
}

namespace {

Tensor blob(void* data, IntArrayRef sizes, IntArrayRef strides, Storage::Deleter deleter,
            void* context, const TensorOptions& options) {
  TERN_CHECK(sizes.size() == strides.size(), ShapeError,
             "sizes and strides must have the same length, got sizes ", sizes, " and strides ",
             strides);
  std::int64_t extent = checked_numel(sizes) == 0 ? 0 : 1;
  TERN_CHECK(data != nullptr || extent == 0 || options.device().is_meta(), Error,
             "the data pointer is null, but the sizes ", sizes, " need elements");
  for (std::size_t i = 0; i < sizes.size() && extent != 0; ++i) {
    TERN_CHECK(strides[i] >= 0, ShapeError, "strides must not be negative, got strides ", strides);
    extent += (sizes[i] - 1) * strides[i];
  }
  auto storage = make_intrusive<Storage>(
      data, static_cast<std::size_t>(extent) * element_size(options.dtype()),
      detail::resolve_device(options.device()), deleter, context);
  return finish_factory(
      Tensor(make_intrusive<TensorImpl>(std::move(storage), 0, sizes, strides, options.dtype())),
      options);
}

}  // namespace

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  TERN_OP("from_blob");
  return blob(data, sizes, strides, nullptr, nullptr, options);
}

Tensor from_blob(void* data, IntArrayRef sizes, std::function<void(void*)> deleter,
                 const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), std::move(deleter), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 std::function<void(void*)> deleter, const TensorOptions& options) {
  TERN_OP("from_blob");
  auto owned = std::make_unique<std::function<void(void*)>>(std::move(deleter));
  Tensor out = blob(
      data, sizes, strides,
      [](void* memory, void* context) {
        const std::unique_ptr<std::function<void(void*)>> call(
            static_cast<std::function<void(void*)>*>(context));
        (*call)(memory);
      },
      owned.get(), options);
  static_cast<void>(owned.release());  // the storage owns it now
  return out;
}

namespace detail {

namespace {

// Throws Error unless every number fits the integer dtype `to`: a cast would wrap.
void check_each_fits(const void* data, std::int64_t count, ScalarType from, ScalarType to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Scalar number = from == kLong    ? Scalar(static_cast<const std::int64_t*>(data)[i])
                          : from == kFloat ? Scalar(static_cast<const float*>(data)[i])
                                           : Scalar(static_cast<const double*>(data)[i]);
    check_fits(number, to);
  }
}

}  // namespace

Tensor tensor_from_host(const void* data, IntArrayRef sizes, ScalarType source_dtype,
                        const TensorOptions& options) {
  TERN_OP("tensor");
  if (dtype_info(options.dtype()).category == DtypeCategory::kIntegral &&
      options.dtype() != source_dtype) {
    check_each_fits(data, checked_numel(sizes), source_dtype, options.dtype());
  }
  Tensor host = make_tensor(sizes, source_dtype, kCPU);
  if (host.numel() != 0) std::memcpy(host.data_ptr(), data, host.nbytes());
  return finish_factory(host.to(options.device(), options.dtype()), options);
}

}  // namespace detail

Tensor Tensor::new_tensor(const detail::TensorData& data, const TensorOptions& options) const {
  TERN_OP("new_tensor", *this);
  return data.make(like(*this, options));
}

}  // namespace tern
