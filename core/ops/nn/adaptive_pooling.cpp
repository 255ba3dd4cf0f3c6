// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/pooling.h>
#include <tern/core/ops/ops.h>

// Pooling to a given size: adaptive, fractional, and the reverse of max pooling.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Pooling;

namespace detail {

Pooling adaptive_pooling(const Tensor& input, int dims, IntArrayRef output_size) {
  Pooling pool(input, dims);
  kernels::PoolingArgs& args = pool.args;
  bool is_regular = true;
  for (int d = 0; d < dims; ++d) {
    const int at = 3 - dims + d;
    const std::int64_t out = args.out_sizes[at] = output_size[static_cast<std::size_t>(d)];
    if (out == 0) continue;
    args.kernel[at] = args.stride[at] = args.sizes[at] / out;
    is_regular = is_regular && args.sizes[at] % out == 0;
  }
  args.windows =
      is_regular ? kernels::PoolingWindows::kRegular : kernels::PoolingWindows::kAdaptive;
  pool.set_out_sizes();
  return pool;
}

}  // namespace detail

namespace {

/// Returns the numbers of a list for `dims` dimensions, or of one number for all.
DimVector numbers_for(const char* name, IntArrayRef list, int dims) {
  TERN_CHECK(list.size() == 1 || list.size() == static_cast<std::size_t>(dims), ShapeError, name,
             " must be ", dims, ", or one number for all dimensions, but got ", list);
  DimVector numbers = list;
  while (numbers.size() < static_cast<std::size_t>(dims)) numbers.push_back(numbers[0]);
  return numbers;
}

void check_dims(const Tensor& input, int dims, const char* but_got) {
  const std::int64_t given = input.dim();
  if (given == dims + 1 || given == dims + 2) return;
  if (dims == 1) {
    detail::raise<ShapeError>("Expected 2 to 3 dimensions, but got ", given,
                              "-dimensional tensor for argument #1 'self'");
  }
  detail::raise<ShapeError>("Expected ", dims + 1, "D or ", dims + 2, "D tensor, but got", but_got,
                            input.sizes());
}

Tensor adaptive_average(const char* kernel, const char* node, int dims, const Tensor& input,
                        IntArrayRef output_size) {
  check_dims(input, dims, " ");
  const DimVector sizes = numbers_for("output_size", output_size, dims);
  std::string list;
  for (const std::int64_t n : sizes) list += (list.empty() ? "" : ", ") + std::to_string(n);
  for (const std::int64_t n : sizes) {
    TERN_CHECK(n >= 0, ShapeError,
               "elements of output_size must be greater than or equal to 0 but received {", list,
               '}');
  }
  const auto rank = static_cast<std::size_t>(input.dim());
  const auto windows = static_cast<std::size_t>(dims);
  detail::check_pooling_elements(input, dims == 3 ? rank - windows - 1 : rank - windows);
  detail::check_pooling_dtype(kernel, input);
  return detail::average_pooled(node, detail::adaptive_pooling(input, dims, sizes), input);
}

std::tuple<Tensor, Tensor> adaptive_largest(const char* kernel, const char* node, int dims,
                                            const Tensor& input, IntArrayRef output_size) {
  check_dims(input, dims, ": ");
  const DimVector sizes = numbers_for("output_size", output_size, dims);
  const auto rank = static_cast<std::size_t>(input.dim());
  detail::check_pooling_elements(input, rank - static_cast<std::size_t>(dims) - 1);
  for (const std::int64_t n : sizes) {
    if (n >= 0) continue;
    DimVector all(input.sizes().slice(0, rank - static_cast<std::size_t>(dims)));
    for (const std::int64_t each : sizes) all.push_back(each);
    detail::raise<ShapeError>("Trying to create tensor with negative dimension ", n, ": ",
                              IntArrayRef(all));
  }
  detail::check_pooling_dtype(kernel, input);
  return detail::max_pooled(node, detail::adaptive_pooling(input, dims, sizes), input, true);
}

/// Returns the starts of the windows of one dimension of fractional pooling [planes, out].
Tensor fractional_starts(const Tensor& samples, std::int64_t size, std::int64_t kernel,
                         std::int64_t out) {
  Tensor last = full({samples.size(0), std::min<std::int64_t>(out, 1)}, size - kernel,
                     samples.options().dtype(kLong));
  if (out < 2) return last;
  // In the dtype of the samples, whose rounding decides.
  const Tensor alpha = full({}, static_cast<double>(size - kernel) / static_cast<double>(out - 1),
                            samples.options());
  const Tensor steps = arange(out - 1, samples.options());
  const Tensor starts = ((steps + samples) * alpha).to(kLong) - (samples * alpha).to(kLong);
  return cat({starts.clamp(0, size - kernel), last}, 1);
}

std::tuple<Tensor, Tensor> fractional_largest(const char* node, int dims, const Tensor& input,
                                              IntArrayRef kernel_size, IntArrayRef output_size,
                                              const Tensor& samples) {
  const auto windows = static_cast<std::size_t>(dims);
  const std::int64_t given = input.dim();
  TERN_CHECK(given == dims + 1 || given == dims + 2, ShapeError, "Expected ", dims + 1, "D or ",
             dims + 2, "D tensor, but got: ", input.sizes());
  const DimVector kernel = numbers_for("kernel_size", kernel_size, dims);
  const DimVector out = numbers_for("output_size", output_size, dims);
  detail::check_pooling_elements(input, given == dims + 2 ? 1 : 0);
  detail::check_pooling_dtype(dims == 2 ? "fractional_max_pool2d" : "fractional_max_pool3d", input);
  constexpr const char* kNames[] = {"time", "height", "width"};
  Pooling pool(input, dims);
  for (std::size_t d = 0; d < windows; ++d) {
    std::string text;
    for (const std::int64_t k : kernel) text += (text.empty() ? "" : "x") + std::to_string(k);
    TERN_CHECK(kernel[d] > 0, ShapeError, "kernel size should be greater than zero, but got ",
               text);
    TERN_CHECK(out[d] >= 0, ShapeError, "output_size should not be negative, but got ", out[d]);
    const std::int64_t size = pool.last(pool.args.sizes)[d];
    // PyTorch's rule for three dimensions is stricter.
    const std::int64_t room = size - kernel[d] - (dims == 3 ? 1 : 0);
    TERN_CHECK(room >= 0 && out[d] - 1 <= room, ShapeError, "pool ", kNames[3 - windows + d], ' ',
               kernel[d], " too large relative to input ", kNames[3 - windows + d], ' ', size);
    pool.last(pool.args.kernel)[d] = kernel[d];
    pool.last(pool.args.out_sizes)[d] = out[d];
  }
  pool.args.windows = kernels::PoolingWindows::kTable;
  pool.format = MemoryFormat::Contiguous;  // as in PyTorch
  pool.set_out_sizes();
  const std::int64_t batch = given == dims + 2 ? input.size(0) : 1,
                     channels = input.size(-1 - dims);
  TERN_CHECK(samples.dim() == 3, ShapeError, "Expect _random_samples to have 3 dimensions, got ",
             samples.sizes());
  TERN_CHECK(samples.dtype() == input.dtype(), DTypeError,
             "Expect _random_samples to have the same dtype as input: ", input.scalar_type(),
             ", got ", samples.scalar_type());
  TERN_CHECK(samples.size(0) >= batch, ShapeError,
             "Expect _random_samples.size(0) no less then input batch size: ", batch, ", got ",
             samples.size(0));
  TERN_CHECK(samples.size(1) == channels, ShapeError,
             "Expect _random_samples.size(1) equals to input channel size: ", channels, ", got ",
             samples.size(1));
  TERN_CHECK(samples.size(2) == dims, ShapeError, "Expect _random_samples.size(2) equals to ", dims,
             "; got ", samples.size(2));
  detail::check_same_device("wrapper_CUDA_fractional_max_pool", {&input, &samples},
                            {"self", "random_samples"});
  Tensor starts;
  {
    const NoGradGuard no_grad;
    const Tensor rows = samples.narrow(0, 0, batch).reshape({batch * channels, dims});
    std::vector<Tensor> parts;
    for (int at = 0; at < 3; ++at) {
      const int d = at - 3 + dims;  // of the windows
      if (d < 0) {
        parts.push_back(zeros({batch * channels, 1}, rows.options().dtype(kLong)));
        continue;
      }
      const int sample = dims == 2 ? 1 - d : d;  // of two samples the first is that of x
      parts.push_back(fractional_starts(rows.narrow(1, sample, 1), pool.args.sizes[at],
                                        pool.args.kernel[at], pool.args.out_sizes[at]));
    }
    starts = cat(parts, 1).contiguous();
  }
  return detail::max_pooled(node, pool, input, true, starts);
}

/// Throws IndexError for an index that is not below `size`. On a GPU the kernel that writes looks.
void check_positions(const Tensor& indices, std::int64_t size, IntArrayRef output_size) {
  if (!indices.device().is_cpu() || indices.numel() == 0) return;
  const auto [low, high] = indices.aminmax();
  const auto first = low.item<std::int64_t>(), last = high.item<std::int64_t>();
  if (first >= 0 && last < size) return;
  std::string volume;
  for (const std::int64_t n : output_size)
    volume += (volume.empty() ? "" : "x") + std::to_string(n);
  detail::raise<IndexError>("Found an invalid max index: ", first < 0 ? first : last,
                            " (output volumes are of size ", volume, ')');
}

Tensor unpooled(const char* kernel, const char* node, int dims, const Tensor& input,
                const Tensor& indices, IntArrayRef output_size) {
  const auto windows = static_cast<std::size_t>(dims);
  TERN_CHECK(output_size.size() == windows, ShapeError, "There should be exactly ",
             dims == 2 ? "two elements (height, width)" : "three elements (depth, height, width)",
             " in output_size, but got ", output_size.size(), " elements.");
  TERN_CHECK(indices.dtype() == kLong, DTypeError,
             "elements in indices should be type int64 but got: ", indices.scalar_type());
  TERN_CHECK(input.dim() == dims + 1 || input.dim() == dims + 2, ShapeError,
             "Input to max_unpooling", dims, "d should be a ", dims + 1, "d or ", dims + 2,
             "d Tensor, but got a tensor with ", input.dim(), " dimensions.");
  TERN_CHECK(input.sizes() == indices.sizes(), ShapeError,
             "Expected shape of indices to be same as that of the input tensor (", input.sizes(),
             ") but got indices tensor with shape: ", indices.sizes());
  detail::check_pooling_elements(input, input.dim() == dims + 2 ? 1 : 0);
  detail::check_pooling_dtype(kernel, input);
  detail::check_same_device("wrapper_CUDA_max_unpool", {&input, &indices}, {"self", "indices"});
  DimVector sizes = input.sizes();
  std::int64_t planes = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::size_t first = sizes.size() - windows;
    if (d < first) {
      planes *= sizes[d];
      continue;
    }
    sizes[d] = output_size[d - first];
    TERN_CHECK(sizes[d] >= 0, ShapeError,
               "output_size must contain non-negative spatial dimensions, but got output_size=",
               output_size);
  }
  static_cast<void>(checked_numel(sizes));
  const std::int64_t volume = checked_numel(output_size);
  check_positions(indices, volume, output_size);
  const std::int64_t count = planes == 0 ? 0 : input.numel() / planes;
  const Tensor at = indices.reshape({planes, count});
  Tensor out;
  {
    const NoGradGuard no_grad;
    Tensor rows = input.new_zeros({planes, volume});
    rows.scatter_(1, at, input.reshape({planes, count}));
    rows.self().set_geometry(0, sizes, contiguous_strides(sizes));  // no view of another tensor
    out = detail::in_format(rows,
                            dims == 2 ? detail::image_format(input, 2) : MemoryFormat::Contiguous);
  }
  if (!needs_grad(input)) return out;
  return record(
      node, out,
      wrt(
          input,
          [planes, volume, shape = DimVector(input.sizes())](const Tensor& g, const Tensor& index) {
            return g.reshape({planes, volume}).gather(1, index).view(shape);
          },
          at));
}

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& input, IntArrayRef output_size) {
  TERN_OP("adaptive_avg_pool1d", input);
  return adaptive_average("adaptive_avg_pool2d", "AdaptiveAvgPool1DBackward0", 1, input,
                          output_size);
}
Tensor adaptive_avg_pool2d(const Tensor& input, IntArrayRef output_size) {
  TERN_OP("adaptive_avg_pool2d", input);
  return adaptive_average("adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0", 2, input,
                          output_size);
}
Tensor adaptive_avg_pool3d(const Tensor& input, IntArrayRef output_size) {
  TERN_OP("adaptive_avg_pool3d", input);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::adaptive_avg_pool3d, input, output_size);
  return adaptive_average("adaptive_avg_pool3d_cpu", "AdaptiveAvgPool3DBackward0", 3, input,
                          output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& input, IntArrayRef output_size) {
  TERN_OP("adaptive_max_pool1d", input);
  return adaptive_largest("adaptive_max_pool2d", "AdaptiveMaxPool1DBackward0", 1, input,
                          output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& input, IntArrayRef output_size) {
  TERN_OP("adaptive_max_pool2d", input);
  return adaptive_largest("adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0", 2, input,
                          output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& input, IntArrayRef output_size) {
  TERN_OP("adaptive_max_pool3d", input);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::adaptive_max_pool3d, input, output_size);
  return adaptive_largest("adaptive_max_pool3d_cpu", "AdaptiveMaxPool3DBackward0", 3, input,
                          output_size);
}

std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& input, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples) {
  TERN_OP("fractional_max_pool2d", input, kernel_size, output_size, random_samples);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::fractional_max_pool2d, input, kernel_size, output_size,
                random_samples);
  return fractional_largest("FractionalMaxPool2DBackward0", 2, input, kernel_size, output_size,
                            random_samples);
}
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& input, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples) {
  TERN_OP("fractional_max_pool3d", input, kernel_size, output_size, random_samples);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::fractional_max_pool3d, input, kernel_size, output_size,
                random_samples);
  return fractional_largest("FractionalMaxPool3DBackward0", 3, input, kernel_size, output_size,
                            random_samples);
}

Tensor max_unpool2d(const Tensor& input, const Tensor& indices, IntArrayRef output_size) {
  TERN_OP("max_unpool2d", input, indices);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::max_unpool2d, input, indices, output_size);
  return unpooled("max_unpool2d", "MaxUnpool2DBackward0", 2, input, indices, output_size);
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding) {
  TERN_OP("max_unpool3d", input, indices);
  TERN_AUTOCAST(kFloat32, kUnchanged, tern::max_unpool3d, input, indices, output_size, stride,
                padding);
  for (const IntArrayRef list : {stride, padding}) {
    TERN_CHECK(list.size() == 3, ShapeError,
               "There should be exactly three elements (depth, height, width) in ",
               list.data() == stride.data() ? "stride" : "padding", ", but got: ", list.size(),
               " elements.");
  }
  for (const std::int64_t n : stride) {
    TERN_CHECK(n > 0, ShapeError, "strides should be greater than zero, but got stride: ", stride);
  }
  return unpooled("max_unpool3d", "MaxUnpool3DBackward0", 3, input, indices, output_size);
}

}  // namespace tern
