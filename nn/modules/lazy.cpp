#include <tern/nn/modules/lazy.h>

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/create/creation.h>
#include <tern/nn/detail/conv_channels.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn {

namespace {

// A family of lazy modules has four functions: is_known() tells whether the options have the size
// of the input, register_lazy() registers uninitialized tensors, infer() sets the size from an
// input and gives the tensors their sizes, print_lazy() prints the module before it knows the size.

bool is_known(const LinearImpl& module) { return module.options.in_features() != 0; }

void register_lazy(LinearImpl& module) {
  const TensorOptions like = detail::factory_options(module.options);
  module.bind_parameter("weight", module.weight, detail::make_lazy(like));
  module.bind_parameter("bias", module.bias,
                        module.options.bias() ? detail::make_lazy(like) : Tensor());
}

void infer(LinearImpl& module, const Tensor& input) {
  TERN_CHECK(input.dim() > 0, ShapeError, "nn::LazyLinear: the input has no dimensions");
  const std::int64_t in_features = is_lazy(module.weight) ? input.size(-1) : module.weight.size(1);
  module.options.in_features(in_features);
  detail::materialize(module.weight, {module.options.out_features(), in_features});
  detail::materialize(module.bias, {module.options.out_features()});
}

void print_lazy(std::ostream& stream, const LinearImpl& module) {
  detail::print_to(
      stream, {"tern::nn::LazyLinear(in_features=0, out_features=", module.options.out_features(),
               ", bias=", detail::text_of_bool(module.options.bias()), ')'});
}

/// Prints as Layer::pretty_print() does, whatever overrides it.
template <class Layer>
struct LineOf {
  const Layer& module;

  friend std::ostream& operator<<(std::ostream& stream, const LineOf& line) {
    line.module.Layer::pretty_print(stream);
    return stream;
  }
};

template <class Layer>
void print_as_lazy(std::ostream& stream, const Layer& module) {
  const std::string text = tern::detail::text_of(LineOf<Layer>{module});
  stream << "tern::nn::Lazy" + text.substr(std::string_view("tern::nn::").size());
}

template <class Derived, class Options>
using Norm = detail::ChannelNorm<Derived, Options>;

template <class Derived, class Options>
bool is_known(const Norm<Derived, Options>& module) {
  return module.options.num_features() != 0;
}

template <class Derived, class Options>
void register_lazy(Norm<Derived, Options>& module) {
  const Options& options = module.options;
  const TensorOptions like = detail::factory_options(options);
  const auto lazy = [&](bool wanted) { return wanted ? detail::make_lazy(like) : Tensor(); };
  const bool tracked = options.track_running_stats();
  module.bind_parameter("weight", module.weight, lazy(options.affine()));
  module.bind_parameter("bias", module.bias, lazy(options.affine() && options.bias()));
  module.bind_buffer("running_mean", module.running_mean, lazy(tracked));
  module.bind_buffer("running_var", module.running_var, lazy(tracked));
  module.bind_buffer("num_batches_tracked", module.num_batches_tracked,
                     tracked ? zeros({}, like.dtype(kLong)) : Tensor());
}

template <class Derived, class Options>
void infer(Norm<Derived, Options>& module, const Tensor& input) {
  constexpr bool kIsInstance = std::is_same_v<Options, InstanceNormOptions>;
  constexpr std::int64_t kBatchDims =
      std::is_base_of_v<BatchNorm1dImpl, Derived> || std::is_base_of_v<InstanceNorm1dImpl, Derived>
          ? 3
      : std::is_base_of_v<BatchNorm2dImpl, Derived> ||
              std::is_base_of_v<InstanceNorm2dImpl, Derived>
          ? 4
          : 5;
  const bool has_batch = !kIsInstance || input.dim() == kBatchDims;
  const bool fits = input.dim() == kBatchDims ||
                    (input.dim() == kBatchDims - 1 && (kIsInstance || kBatchDims == 3));
  if (!fits) return;  // forward reports it
  std::int64_t features = input.size(has_batch ? 1 : 0);
  for (const Tensor* tensor :
       {&module.weight, &module.bias, &module.running_mean, &module.running_var}) {
    if (tensor->defined() && !is_lazy(*tensor)) features = tensor->size(0);
  }
  module.options.num_features(features);
  for (const Tensor* tensor :
       {&module.weight, &module.bias, &module.running_mean, &module.running_var}) {
    detail::materialize(*tensor, {features});
  }
}

template <class Derived, class Options>
void print_lazy(std::ostream& stream, const Norm<Derived, Options>& module) {
  print_as_lazy(stream, static_cast<const Derived&>(module));
}

template <class Derived, std::size_t D>
using Conv = detail::ConvLayer<Derived, D>;
template <class Derived, std::size_t D>
using ConvTranspose = detail::ConvTransposeLayer<Derived, D>;

template <class Layer>
void register_lazy_conv(Layer& module) {
  const TensorOptions like = detail::factory_options(module.options);
  module.bind_parameter("weight", module.weight, detail::make_lazy(like));
  module.bind_parameter("bias", module.bias,
                        module.options.bias() ? detail::make_lazy(like) : Tensor());
}

/// Sets in_channels from the input, or from a weight that a state has initialised.
template <std::size_t D, class Layer>
void infer_conv(Layer& module, const Tensor& input, bool transposed) {
  const char* const kind = transposed ? "LazyConvTranspose" : "LazyConv";
  const auto dims = static_cast<std::size_t>(input.dim());
  TERN_CHECK(dims == D + 1 || dims == D + 2, ShapeError, "Expected ", D + 1, "D (unbatched) or ",
             D + 2, "D (batched) input to ", kind, D, "d, but got input of size: ", input.sizes());
  auto& options = module.options;
  const std::int64_t groups = options.groups(), out = options.out_channels();
  std::int64_t in = input.sizes()[dims - D - 1];
  if (!is_lazy(module.weight)) {
    in = transposed ? module.weight.size(0) : module.weight.size(1) * groups;
  }
  detail::check_conv_channels(kind, D, in, out, groups);
  options.in_channels(in);
  DimVector sizes{transposed ? in : out, (transposed ? out : in) / groups};
  for (const std::int64_t size : *options.kernel_size()) sizes.push_back(size);
  detail::materialize(module.weight, sizes);
  detail::materialize(module.bias, {out});
}

template <class Layer>
void print_lazy_conv(std::ostream& stream, const Layer& module) {
  print_as_lazy(stream, module);
}

template <class Derived, std::size_t D>
bool is_known(const Conv<Derived, D>& module) {
  return module.options.in_channels() != 0;
}
template <class Derived, std::size_t D>
bool is_known(const ConvTranspose<Derived, D>& module) {
  return module.options.in_channels() != 0;
}
template <class Derived, std::size_t D>
void register_lazy(Conv<Derived, D>& module) {
  register_lazy_conv(module);
}
template <class Derived, std::size_t D>
void register_lazy(ConvTranspose<Derived, D>& module) {
  register_lazy_conv(module);
}
template <class Derived, std::size_t D>
void infer(Conv<Derived, D>& module, const Tensor& input) {
  infer_conv<D>(module, input, false);
}
template <class Derived, std::size_t D>
void infer(ConvTranspose<Derived, D>& module, const Tensor& input) {
  infer_conv<D>(module, input, true);
}
template <class Derived, std::size_t D>
void print_lazy(std::ostream& stream, const Conv<Derived, D>& module) {
  print_lazy_conv(stream, module);
}
template <class Derived, std::size_t D>
void print_lazy(std::ostream& stream, const ConvTranspose<Derived, D>& module) {
  print_lazy_conv(stream, module);
}

LinearOptions base_options(const LazyLinearOptions& lazy) {
  return LinearOptions(0, lazy.out_features())
      .bias(lazy.bias())
      .device(lazy.device())
      .dtype(lazy.dtype());
}

template <class Options>
Options base_options(const LazyNormOptions& lazy) {
  return Options(0)
      .eps(lazy.eps())
      .momentum(lazy.momentum())
      .affine(lazy.affine())
      .bias(lazy.bias())
      .track_running_stats(lazy.track_running_stats())
      .device(lazy.device())
      .dtype(lazy.dtype());
}

/// Calls fn for each tensor of the module itself.
template <class Fn>
void each_tensor(const Module& module, const Fn& fn) {
  for (const Tensor& tensor : module.parameters(/*recurse=*/false)) fn(tensor);
  for (const Tensor& tensor : module.buffers(/*recurse=*/false)) fn(tensor);
}

}  // namespace

namespace detail {

template <class Derived, class Base>
void LazyModule<Derived, Base>::reset() {
  if (is_known(*this)) {
    Base::reset();
  } else {
    register_lazy(*this);
  }
}

template <class Derived, class Base>
bool LazyModule<Derived, Base>::has_uninitialized_params() const {
  bool any = false;
  each_tensor(*this, [&](const Tensor& tensor) { any = any || is_lazy(tensor); });
  return any;
}

template <class Derived, class Base>
std::shared_ptr<Module> LazyModule<Derived, Base>::clone(
    const std::optional<Device>& device) const {
  const RandomStateGuard guard;
  const auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
  copy->forget_registered();
  copy->reset();
  copy->copy_from(*this, device);
  return copy;
}

template <class Derived, class Base>
Module::Assign LazyModule<Derived, Base>::assignment() const {
  if (typeid(*this) != typeid(Derived)) return nullptr;
  return [](Module& to, const Module& from) {
    static_cast<Derived&>(to) = static_cast<const Derived&>(from);
  };
}

template <class Derived, class Base>
void LazyModule<Derived, Base>::pretty_print(std::ostream& stream) const {
  if (has_uninitialized_params()) {
    print_lazy(stream, *this);
  } else {
    Base::pretty_print(stream);
  }
}

template <class Derived, class Base>
void LazyModule<Derived, Base>::reset_parameters() {
  if (!has_uninitialized_params()) Base::reset_parameters();
}

template <class Derived, class Base>
void LazyModule<Derived, Base>::initialize_parameters(const Tensor& input) {
  const NoGradGuard no_grad;
  std::vector<std::pair<Tensor, Tensor>> loaded;  // tensors that a state has initialised
  bool any = false;
  each_tensor(*this, [&](const Tensor& tensor) { any = any || is_lazy(tensor); });
  if (any) {
    each_tensor(*this, [&](const Tensor& tensor) {
      if (!is_lazy(tensor)) loaded.emplace_back(tensor, tensor.detach().clone());
    });
  }
  infer(*this, input);
  if (!any || has_uninitialized_params()) return;
  Base::reset_parameters();
  for (auto& [tensor, value] : loaded) tensor.copy_(value);
}

}  // namespace detail

LazyLinearImpl::LazyLinearImpl(const LazyLinearOptions& options_)
    : LazyModule(base_options(options_), detail::Unregistered()) {
  detail::check_size("nn::LazyLinear", "out_features", options_.out_features());
  reset();
}
template class detail::LazyModule<LazyLinearImpl, LinearImpl>;
Tensor LazyLinearImpl::forward(const Tensor& input) {
  if (!is_known(*this)) initialize_parameters(input);
  return LinearImpl::forward(input);
}

// Defines the rest of a lazy norm.
#define TERN_LAZY_NORM(Name, Options)                                         \
  Lazy##Name##Impl::Lazy##Name##Impl(const LazyNormOptions& options_)         \
      : LazyModule(base_options<Options>(options_), detail::Unregistered()) { \
    reset();                                                                  \
  }                                                                           \
  template class detail::LazyModule<Lazy##Name##Impl, Name##Impl>;            \
  Tensor Lazy##Name##Impl::forward(const Tensor& input) {                     \
    if (!is_known(*this)) initialize_parameters(input);                       \
    return Name##Impl::forward(input);                                        \
  }

TERN_LAZY_NORM(BatchNorm1d, BatchNormOptions)
TERN_LAZY_NORM(BatchNorm2d, BatchNormOptions)
TERN_LAZY_NORM(BatchNorm3d, BatchNormOptions)
TERN_LAZY_NORM(InstanceNorm1d, InstanceNormOptions)
TERN_LAZY_NORM(InstanceNorm2d, InstanceNormOptions)
TERN_LAZY_NORM(InstanceNorm3d, InstanceNormOptions)
#undef TERN_LAZY_NORM

// Defines the rest of a lazy convolution and of its transposed form.
#define TERN_LAZY_CONV(D)                                                                      \
  LazyConv##D##d##Impl::LazyConv##D##d##Impl(StrictInt out_channels,                           \
                                             ExpandingArray<D> kernel_size)                    \
      : LazyConv##D##d##Impl(LazyConv##D##d##Options(out_channels, kernel_size)) {}            \
  LazyConvTranspose##D##d##Impl::LazyConvTranspose##D##d##Impl(StrictInt out_channels,         \
                                                               ExpandingArray<D> kernel_size)  \
      : LazyConvTranspose##D##d##Impl(                                                         \
            LazyConvTranspose##D##d##Options(out_channels, kernel_size)) {}                    \
                                                                                               \
  LazyConv##D##d##Impl::LazyConv##D##d##Impl(const LazyConv##D##d##Options& options_)          \
      : LazyModule(options_, detail::Unregistered()) {                                         \
    reset();                                                                                   \
  }                                                                                            \
  template class detail::LazyModule<LazyConv##D##d##Impl, Conv##D##d##Impl>;                   \
  Tensor LazyConv##D##d##Impl::forward(const Tensor& input) {                                  \
    if (!is_known(*this)) initialize_parameters(input);                                        \
    return Conv##D##d##Impl::forward(input);                                                   \
  }                                                                                            \
  LazyConvTranspose##D##d##Impl::LazyConvTranspose##D##d##Impl(                                \
      const LazyConvTranspose##D##d##Options& options_)                                        \
      : LazyModule(options_, detail::Unregistered()) {                                         \
    reset();                                                                                   \
  }                                                                                            \
  template class detail::LazyModule<LazyConvTranspose##D##d##Impl, ConvTranspose##D##d##Impl>; \
  Tensor LazyConvTranspose##D##d##Impl::forward(const Tensor& input,                           \
                                                const OptionalIntArrayRef& output_size) {      \
    if (!is_known(*this)) initialize_parameters(input);                                        \
    return ConvTranspose##D##d##Impl::forward(input, output_size);                             \
  }

TERN_LAZY_CONV(1)
TERN_LAZY_CONV(2)
TERN_LAZY_CONV(3)
#undef TERN_LAZY_CONV

}  // namespace tern::nn
