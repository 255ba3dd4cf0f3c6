#include <initializer_list>

#include <tern/core/ops/create/creation.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/functional/activation.h>
#include <tern/nn/init.h>
#include <tern/nn/modules/activation.h>

namespace tern::nn {

namespace {

struct Option {
  const char* name;
  double value;
};

/// Prints "tern::nn::Name(option=1, inplace=true)"; layers say `inplace` only when it is true.
void print(std::ostream& stream, const char* name, std::initializer_list<Option> options,
           bool inplace = false) {
  stream << "tern::nn::" << name << '(';
  const char* separator = "";
  for (const Option& option : options) {
    detail::print_to(stream, {separator, option.name, '=', option.value});
    separator = ", ";
  }
  if (inplace) stream << separator << "inplace=true";
  stream << ')';
}

}  // namespace

void ReLUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "ReLU", {}, options.inplace());
}
Tensor ReLUImpl::forward(Tensor input) { return functional::relu(std::move(input), options); }

void ReLU6Impl::pretty_print(std::ostream& stream) const {
  print(stream, "ReLU6", {}, options.inplace());
}
Tensor ReLU6Impl::forward(Tensor input) { return functional::relu6(std::move(input), options); }

void LeakyReLUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "LeakyReLU", {{"negative_slope", options.negative_slope()}}, options.inplace());
}
Tensor LeakyReLUImpl::forward(Tensor input) {
  return functional::leaky_relu(std::move(input), options);
}

void ELUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "ELU", {{"alpha", options.alpha()}}, options.inplace());
}
Tensor ELUImpl::forward(Tensor input) { return functional::elu(std::move(input), options); }

void SELUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "SELU", {}, options.inplace());
}
Tensor SELUImpl::forward(Tensor input) { return functional::selu(std::move(input), options); }

void CELUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "CELU", {{"alpha", options.alpha()}}, options.inplace());
}
Tensor CELUImpl::forward(Tensor input) { return functional::celu(std::move(input), options); }

void GELUImpl::pretty_print(std::ostream& stream) const {
  const bool exact = options.approximate() == "none";
  stream << "tern::nn::GELU(" << (exact ? "" : "approximate=" + options.approximate()) << ')';
}
Tensor GELUImpl::forward(const Tensor& input) { return functional::gelu(input, options); }

void SiLUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "SiLU", {}, options.inplace());
}
Tensor SiLUImpl::forward(Tensor input) { return functional::silu(std::move(input), options); }

void MishImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Mish", {}, options.inplace());
}
Tensor MishImpl::forward(Tensor input) { return functional::mish(std::move(input), options); }

void SigmoidImpl::pretty_print(std::ostream& stream) const { print(stream, "Sigmoid", {}); }
Tensor SigmoidImpl::forward(Tensor input) { return functional::sigmoid(std::move(input)); }

void LogSigmoidImpl::pretty_print(std::ostream& stream) const { print(stream, "LogSigmoid", {}); }
Tensor LogSigmoidImpl::forward(const Tensor& input) { return functional::logsigmoid(input); }

void HardsigmoidImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Hardsigmoid", {}, options.inplace());
}
Tensor HardsigmoidImpl::forward(Tensor input) {
  return functional::hardsigmoid(std::move(input), options);
}

void HardswishImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Hardswish", {}, options.inplace());
}
Tensor HardswishImpl::forward(Tensor input) {
  return functional::hardswish(std::move(input), options);
}

void TanhImpl::pretty_print(std::ostream& stream) const { print(stream, "Tanh", {}); }
Tensor TanhImpl::forward(Tensor input) { return functional::tanh(std::move(input)); }

void TanhshrinkImpl::pretty_print(std::ostream& stream) const { print(stream, "Tanhshrink", {}); }
Tensor TanhshrinkImpl::forward(const Tensor& input) { return functional::tanhshrink(input); }

HardtanhImpl::HardtanhImpl(const HardtanhOptions& options_) : Stateless(options_) {
  TERN_CHECK(options.max_val() > options.min_val(), Error,
             "Hardtanh: max_val must be greater than min_val, got max_val=", options.max_val(),
             " and min_val=", options.min_val());
}
void HardtanhImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Hardtanh", {{"min_val", options.min_val()}, {"max_val", options.max_val()}},
        options.inplace());
}
Tensor HardtanhImpl::forward(Tensor input) {
  return functional::hardtanh(std::move(input), options);
}

void HardshrinkImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::Hardshrink(", options.lambda(), ')'});
}
Tensor HardshrinkImpl::forward(const Tensor& input) {
  return functional::hardshrink(input, options);
}

void SoftshrinkImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::Softshrink(", options.lambda(), ')'});
}
Tensor SoftshrinkImpl::forward(const Tensor& input) {
  return functional::softshrink(input, options);
}

void SoftplusImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Softplus", {{"beta", options.beta()}, {"threshold", options.threshold()}});
}
Tensor SoftplusImpl::forward(const Tensor& input) { return functional::softplus(input, options); }

void SoftsignImpl::pretty_print(std::ostream& stream) const { print(stream, "Softsign", {}); }
Tensor SoftsignImpl::forward(const Tensor& input) { return functional::softsign(input); }

ThresholdImpl::ThresholdImpl(double threshold, double value) : Stateless({threshold, value}) {}

void ThresholdImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Threshold", {{"threshold", options.threshold()}, {"value", options.value()}},
        options.inplace());
}
Tensor ThresholdImpl::forward(Tensor input) {
  return functional::threshold(std::move(input), options);
}

void GLUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "GLU", {{"dim", static_cast<double>(options.dim())}});
}
Tensor GLUImpl::forward(const Tensor& input) { return functional::glu(input, options); }

void SoftmaxImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Softmax", {{"dim", static_cast<double>(options.dim())}});
}
Tensor SoftmaxImpl::forward(const Tensor& input) { return tern::softmax(input, options.dim()); }

void SoftminImpl::pretty_print(std::ostream& stream) const {
  print(stream, "Softmin", {{"dim", static_cast<double>(options.dim())}});
}
Tensor SoftminImpl::forward(const Tensor& input) { return tern::softmax(-input, options.dim()); }

void LogSoftmaxImpl::pretty_print(std::ostream& stream) const {
  print(stream, "LogSoftmax", {{"dim", static_cast<double>(options.dim())}});
}
Tensor LogSoftmaxImpl::forward(const Tensor& input) {
  return tern::log_softmax(input, options.dim());
}

void Softmax2dImpl::pretty_print(std::ostream& stream) const { print(stream, "Softmax2d", {}); }
Tensor Softmax2dImpl::forward(const Tensor& input) {
  TERN_CHECK(input.dim() == 3 || input.dim() == 4, ShapeError,
             "Softmax2d requires a 3D or 4D tensor as input, got ", input.dim(), "D");
  return softmax(input, -3);
}

void RReLUImpl::pretty_print(std::ostream& stream) const {
  print(stream, "RReLU", {{"lower", options.lower()}, {"upper", options.upper()}},
        options.inplace());
}
Tensor RReLUImpl::forward(Tensor input) {
  return functional::rrelu(std::move(input), functional::RReLUFuncOptions()
                                                 .lower(options.lower())
                                                 .upper(options.upper())
                                                 .training(is_training())
                                                 .inplace(options.inplace()));
}

PReLUImpl::PReLUImpl(const PReLUOptions& options_) : options(options_) { PReLUImpl::reset(); }
void PReLUImpl::reset() {
  detail::check_size("nn::PReLU", "num_parameters", options.num_parameters());
  bind_parameter("weight", weight,
                 empty({options.num_parameters()}, detail::factory_options(options)));
  init::constant_(weight, options.init());
}
void PReLUImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::PReLU(num_parameters=", options.num_parameters(), ')'});
}
Tensor PReLUImpl::forward(const Tensor& input) { return prelu(input, weight); }

}  // namespace tern::nn
