// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/nn/detail/pooling.h>
#include <tern/core/ops/ops.h>

// Max and average pooling with windows of a fixed size.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace detail {

using kernels::PoolingArgs;
using kernels::PoolingOp;

Pooling::Pooling(const Tensor& input, int dims_)
    : dims(dims_),
      args{},
      in_sizes(input.sizes()),
      out_sizes(input.sizes()),
      format(dims_ == 2 ? image_format(input, 2) : MemoryFormat::Contiguous) {
  const auto first = in_sizes.size() - static_cast<std::size_t>(dims);
  args.planes = 1;
  for (std::size_t d = 0; d < first; ++d) args.planes *= in_sizes[d];
  for (int d = 0; d < 3; ++d) {
    args.sizes[d] = d < 3 - dims ? 1 : in_sizes[first + static_cast<std::size_t>(d - 3 + dims)];
    args.out_sizes[d] = args.stride[d] = args.dilation[d] = 1;
    args.kernel[d] = args.sizes[d];
    args.padding[d] = 0;
  }
}

void Pooling::set_out_sizes() {
  const std::size_t first = in_sizes.size() - static_cast<std::size_t>(dims);
  for (std::size_t d = first; d < out_sizes.size(); ++d)
    out_sizes[d] = last(args.out_sizes)[d - first];
}

namespace {

/// Returns the arguments for channels-last images [N, H, W, C]: volumes in which a window has the
/// depth and height of the window of the images, and one channel.
PoolingArgs channels_last(const Pooling& pool) {
  PoolingArgs args = pool.args;
  args.planes = pool.in_sizes[0];
  const std::int64_t channels = pool.in_sizes[1];
  using List = std::int64_t[3];
  const auto shift = [](List& list, std::int64_t last) {
    list[0] = list[1];
    list[1] = list[2];
    list[2] = last;
  };
  shift(args.sizes, channels);
  shift(args.out_sizes, channels);
  for (List* list : {&args.kernel, &args.stride, &args.dilation}) shift(*list, 1);
  shift(args.padding, 0);
  return args;
}

/// Returns a new result in row-major order, or channels-last for images.
Tensor new_result(const Pooling& pool, const DimVector& sizes, ScalarType dtype, Device device) {
  const bool is_image = pool.format == MemoryFormat::ChannelsLast;
  return make_tensor(sizes, is_image ? pool.format : MemoryFormat::Contiguous, dtype, device);
}

/// Runs the kernel unless there is nothing to do. The results are those of new_result().
void run_pooling(const Pooling& pool, PoolingOp op, const Tensor& input, const Tensor& out,
                 const Tensor& indices = {}, const Tensor& starts = {}) {
  if (out.numel() == 0) return;
  const bool is_image = pool.format == MemoryFormat::ChannelsLast;
  const Tensor dense = input.detach().contiguous(is_image ? pool.format : MemoryFormat::Contiguous);
  PoolingArgs args = is_image ? channels_last(pool) : pool.args;
  args.op = op;
  args.dtype = input.dtype();
  args.in = dense.data_ptr();
  args.out = out.data_ptr();
  if (indices.defined()) args.indices = indices.data_ptr<std::int64_t>();
  if (starts.defined()) args.starts = starts.data_ptr<std::int64_t>();
  kernels::run("pooling", out.device(), out.dtype(), args);
  if (is_image && indices.defined()) Tensor(indices).floor_divide_(pool.in_sizes[1]);
}

Tensor spread_back(const char* node, const Pooling& pool, const Tensor& g) {
  Tensor out = new_result(pool, pool.in_sizes, g.dtype(), g.device());
  if (pool.args.out_sizes[0] * pool.args.out_sizes[1] * pool.args.out_sizes[2] == 0) {
    out.zero_();
  } else {
    run_pooling(pool, PoolingOp::kAverageBackward, g, out);
  }
  if (!needs_grad(g)) return out;
  return record("AvgPoolBackwardBackward0", out,
                wrt(g, [node, pool](const Tensor& gg) { return average_pooled(node, pool, gg); }));
}

}  // namespace

Tensor average_pooled(const char* node, const Pooling& pool, const Tensor& input) {
  Tensor out = new_result(pool, pool.out_sizes, input.dtype(), input.device());
  run_pooling(pool, PoolingOp::kAverage, input, out);
  if (!needs_grad(input)) return out;
  return record(node, out,
                wrt(input, [node, pool](const Tensor& g) { return spread_back(node, pool, g); }));
}

Tensor placed(const Tensor& values, const Tensor& indices, const DimVector& sizes, int dims,
              MemoryFormat format) {
  std::int64_t planes = 1, plane = 1, count = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const bool is_outer = d + static_cast<std::size_t>(dims) < sizes.size();
    (is_outer ? planes : plane) *= sizes[d];
    if (!is_outer) count *= indices.sizes()[d];
  }
  const Tensor rows =
      values.new_zeros({planes, plane})
          .scatter_add_(1, indices.reshape({planes, count}), values.reshape({planes, count}));
  return in_format(rows.view(sizes), format);
}

std::tuple<Tensor, Tensor> max_pooled(const char* node, const Pooling& pool, const Tensor& input,
                                      bool with_indices, const Tensor& starts) {
  constexpr std::int64_t kMostElements = 0x7fffffff;
  const std::int64_t* const n = pool.args.sizes;
  const std::int64_t channels =
      pool.format == MemoryFormat::ChannelsLast ? std::max<std::int64_t>(pool.in_sizes[1], 1) : 1;
  if (channels > 1 && n[0] * n[1] * n[2] >= kMostElements / channels) {
    Pooling row_major = pool;
    row_major.format = MemoryFormat::Contiguous;
    return max_pooled(node, row_major, input, with_indices, starts);
  }
  TERN_CHECK(n[0] * n[1] * n[2] < kMostElements, NotImplementedError,
             "max pooling of a channel with ", n[0] * n[1] * n[2], " elements, 2^31 or more");
  Tensor out = new_result(pool, pool.out_sizes, input.dtype(), input.device());
  Tensor indices;
  if (with_indices || needs_grad(input)) {
    indices = new_result(pool, pool.out_sizes, kLong, input.device());
  }
  {
    const NoGradGuard no_grad;
    run_pooling(pool, PoolingOp::kMax, input, out, indices, starts);
    out = in_format(out, pool.format);
    if (indices.defined()) indices = in_format(indices, pool.format);
  }
  if (!needs_grad(input)) return {out, indices};
  const Tensor recorded = record(
      node, out,
      wrt(
          input,
          [sizes = pool.in_sizes, dims = pool.dims, format = pool.format](
              const Tensor& g, const Tensor& at) { return placed(g, at, sizes, dims, format); },
          indices));
  return {recorded, indices};
}

void check_pooling_dtype(const char* kernel, const Tensor& input, bool takes_long) {
  TERN_CHECK(input.is_floating_point() || (takes_long && input.dtype() == kLong),
             NotImplementedError, '"', kernel, "\" not implemented for '", input.scalar_type(),
             '\'');
}

void check_pooling_elements(const Tensor& input, std::size_t first) {
  const IntArrayRef sizes = input.sizes();
  for (std::size_t d = first; d < sizes.size(); ++d) {
    TERN_CHECK(
        sizes[d] != 0, ShapeError,
        "Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
        sizes, " with dimension ", d, " being empty");
  }
}

}  // namespace detail

namespace {

using detail::Pooling;
using detail::regular_pooling;

std::tuple<Tensor, Tensor> largest(const char* kernel, const char* node, int dims,
                                   const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                                   IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                                   bool with_indices) {
  Pooling pool = regular_pooling(
      {kernel, dims, true, kernel_size, stride, padding, dilation, ceil_mode}, input);
  if (dims == 3) pool.format = detail::image_format(input, 3);
  // PyTorch has integers in one dimension only with indices.
  if (dims == 1 && !with_indices) detail::check_pooling_dtype(kernel, input);
  TERN_CHECK(input.dtype() != kBool, NotImplementedError, '"', kernel,
             "\" not implemented for 'Bool'");
  return detail::max_pooled(node, pool, input, with_indices);
}

constexpr const char* kMaxNodes[] = {"", "MaxPool1DWithIndicesBackward0",
                                     "MaxPool2DWithIndicesBackward0",
                                     "MaxPool3DWithIndicesBackward0"};

Tensor averages(const char* kernel, const char* node, int dims, const Tensor& input,
                IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                bool count_include_pad, std::optional<StrictInt> divisor) {
  Pooling pool =
      regular_pooling({kernel, dims, false, kernel_size, stride, padding, 1, ceil_mode}, input);
  TERN_CHECK(!divisor || *divisor != 0, Error, "divisor must be not zero");
  detail::check_pooling_dtype(kernel, input, /*takes_long=*/true);
  pool.args.count_include_pad = count_include_pad;
  pool.args.divisor = divisor ? std::int64_t{*divisor} : 0;
  return detail::average_pooled(node, pool, input);
}

}  // namespace

Tensor max_pool1d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, StrictBool ceil_mode) {
  TERN_OP("max_pool1d", input);
  return std::get<0>(largest("max_pool1d_impl", kMaxNodes[1], 1, input, kernel_size, stride,
                             padding, dilation, ceil_mode, false));
}
Tensor max_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, StrictBool ceil_mode) {
  TERN_OP("max_pool2d", input);
  return std::get<0>(largest("max_pool2d", kMaxNodes[2], 2, input, kernel_size, stride, padding,
                             dilation, ceil_mode, false));
}
Tensor max_pool3d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, StrictBool ceil_mode) {
  TERN_OP("max_pool3d", input);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::max_pool3d, input, kernel_size, stride, padding,
                dilation, ceil_mode);
  return std::get<0>(largest("max_pool3d", kMaxNodes[3], 3, input, kernel_size, stride, padding,
                             dilation, ceil_mode, false));
}
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, StrictBool ceil_mode) {
  TERN_OP("max_pool1d_with_indices", input);
  return largest("max_pool1d_impl", kMaxNodes[1], 1, input, kernel_size, stride, padding, dilation,
                 ceil_mode, true);
}
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, StrictBool ceil_mode) {
  TERN_OP("max_pool2d_with_indices", input);
  return largest("max_pool2d", kMaxNodes[2], 2, input, kernel_size, stride, padding, dilation,
                 ceil_mode, true);
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, StrictBool ceil_mode) {
  TERN_OP("max_pool3d_with_indices", input);
  return largest("max_pool3d", kMaxNodes[3], 3, input, kernel_size, stride, padding, dilation,
                 ceil_mode, true);
}

Tensor avg_pool1d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, StrictBool ceil_mode, StrictBool count_include_pad) {
  TERN_OP("avg_pool1d", input);
  return averages("avg_pool2d", "AvgPool1DBackward0", 1, input, kernel_size, stride, padding,
                  ceil_mode, count_include_pad, std::nullopt);
}
Tensor avg_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, StrictBool ceil_mode, StrictBool count_include_pad,
                  std::optional<StrictInt> divisor_override) {
  TERN_OP("avg_pool2d", input);
  return averages("avg_pool2d", "AvgPool2DBackward0", 2, input, kernel_size, stride, padding,
                  ceil_mode, count_include_pad, divisor_override);
}
Tensor avg_pool3d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, StrictBool ceil_mode, StrictBool count_include_pad,
                  std::optional<StrictInt> divisor_override) {
  TERN_OP("avg_pool3d", input);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::avg_pool3d, input, kernel_size, stride, padding,
                ceil_mode, count_include_pad, divisor_override);
  return averages("avg_pool3d_out_frame", "AvgPool3DBackward0", 3, input, kernel_size, stride,
                  padding, ceil_mode, count_include_pad, divisor_override);
}

}  // namespace tern
