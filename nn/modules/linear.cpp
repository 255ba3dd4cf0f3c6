#include <cmath>

#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/linalg/matmul.h>
#include <tern/core/ops/linalg/products.h>
#include <tern/core/ops/nn/quantized.h>
#include <tern/core/ops/shape/arrange_dims.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/detail/quantized_weight.h>
#include <tern/nn/init.h>
#include <tern/nn/modules/linear.h>

namespace tern::nn {

void IdentityImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::Identity()"; }

LinearImpl::LinearImpl(StrictInt in_features, StrictInt out_features)
    : LinearImpl(LinearOptions(in_features, out_features)) {}
LinearImpl::LinearImpl(const LinearOptions& options_) : options(options_) { LinearImpl::reset(); }

LinearImpl::LinearImpl(const LinearOptions& options_, detail::Unregistered) : options(options_) {}

void LinearImpl::reset() {
  detail::check_size("nn::Linear", "in_features", options.in_features());
  detail::check_size("nn::Linear", "out_features", options.out_features());
  const TensorOptions like = detail::factory_options(options);
  const std::int64_t rows = options.out_features(), columns = options.in_features();
  bind_parameter("weight", weight, format_ ? Tensor() : empty({rows, columns}, like));
  bind_parameter("bias", bias, options.bias() ? empty({rows}, like) : Tensor());
  if (format_) {
    bind_buffer(detail::blocks_name(*format_), weight_blocks,
                detail::empty_blocks(*format_, rows, columns, options.device()));
  } else {
    reset_parameters();
  }
}

void LinearImpl::reset_parameters() {
  detail::check_not_quantized("nn::Linear", format_);
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (bias.defined()) {
    const double fan_in = static_cast<double>(options.in_features());
    const double bound = fan_in > 0 ? 1 / std::sqrt(fan_in) : 0;
    init::uniform_(bias, -bound, bound);
  }
}

void LinearImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::Linear(in_features=", options.in_features(),
                            ", out_features=", options.out_features(),
                            ", bias=", detail::text_of_bool(options.bias())});
  detail::print_format(stream, format_);
  stream << ')';
}

void LinearImpl::set_quantized_weight(const Tensor& blocks, BlockFormat format) {
  detail::set_blocks({*this, "nn::Linear", weight, weight_blocks, format_}, blocks, format,
                     options.out_features(), options.in_features());
}

Tensor LinearImpl::forward(const Tensor& input) {
  return format_ ? quantized_linear(input, weight_blocks, *format_, bias)
                 : linear(input, weight, bias);
}

BilinearImpl::BilinearImpl(StrictInt in1_features, StrictInt in2_features, StrictInt out_features)
    : BilinearImpl(BilinearOptions(in1_features, in2_features, out_features)) {}
BilinearImpl::BilinearImpl(const BilinearOptions& options_) : options(options_) {
  BilinearImpl::reset();
}

void BilinearImpl::reset() {
  const std::int64_t in1 = options.in1_features(), in2 = options.in2_features();
  TERN_CHECK(in1 > 0, ShapeError, "nn::Bilinear: in1_features must be > 0, but got ", in1);
  detail::check_size("nn::Bilinear", "in2_features", in2);
  detail::check_size("nn::Bilinear", "out_features", options.out_features());
  const TensorOptions like = detail::factory_options(options);
  bind_parameter("weight", weight, empty({options.out_features(), in1, in2}, like));
  bind_parameter("bias", bias, options.bias() ? empty({options.out_features()}, like) : Tensor());
  reset_parameters();
}

void BilinearImpl::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(options.in1_features()));
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}

void BilinearImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(
      stream, {"tern::nn::Bilinear(in1_features=", options.in1_features(),
               ", in2_features=", options.in2_features(), ", out_features=", options.out_features(),
               ", bias=", detail::text_of_bool(options.bias()), ')'});
}

Tensor BilinearImpl::forward(const Tensor& input1, const Tensor& input2) {
  return bilinear(input1, input2, weight, bias);
}

FlattenImpl::FlattenImpl(const FlattenOptions& options_) : options(options_) {}

void FlattenImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::Flatten(start_dim=", options.start_dim(),
                            ", end_dim=", options.end_dim(), ')'});
}

Tensor FlattenImpl::forward(const Tensor& input) {
  return flatten(input, options.start_dim(), options.end_dim());
}

UnflattenImpl::UnflattenImpl(StrictInt dim, std::vector<std::int64_t> sizes)
    : UnflattenImpl(UnflattenOptions(dim, std::move(sizes))) {}
UnflattenImpl::UnflattenImpl(UnflattenOptions options_) : options(std::move(options_)) {}

void UnflattenImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::Unflatten(dim=", options.dim(), ", unflattened_size={"});
  const char* separator = "";
  for (const std::int64_t size : options.sizes()) {
    detail::print_to(stream, {separator, size});
    separator = ", ";
  }
  stream << "})";
}

Tensor UnflattenImpl::forward(const Tensor& input) {
  return unflatten(input, options.dim(), options.sizes());
}

}  // namespace tern::nn
