#include <tern/nn/modules/dropout.h>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/nn/dropout.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn::functional {
namespace {

template <class Options, class Drop, class DropInplace>
Tensor dropped(Tensor& input, const Options& options, const Drop& drop,
               const DropInplace& drop_inplace) {
  if (!options.inplace()) return drop(input, options.p(), options.training());
  return drop_inplace(input, options.p(), options.training());
}

// An input without a batch gets a batch of one.
Tensor drop_channels(Tensor& input, const DropoutFuncOptions& options, bool has_batch) {
  if (has_batch) return dropped(input, options, feature_dropout, feature_dropout_);
  Tensor batch = input.unsqueeze(0);
  const Tensor out = dropped(batch, options, feature_dropout, feature_dropout_);
  return options.inplace() ? input : out.squeeze(0);
}

}  // namespace

Tensor dropout(Tensor input, const DropoutFuncOptions& options) {
  TERN_OP("dropout", input);
  return dropped(input, options, tern::dropout, tern::dropout_);
}

Tensor dropout1d(Tensor input, const Dropout1dFuncOptions& options) {
  TERN_OP("dropout1d", input);
  TERN_CHECK(input.dim() == 2 || input.dim() == 3, ShapeError,
             "Expected 2D or 3D input, but received a ", input.dim(), "D input");
  return drop_channels(input, options, input.dim() == 3);
}

Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options) {
  TERN_OP("dropout2d", input);
  TERN_CHECK(input.dim() == 3 || input.dim() == 4, ShapeError,
             "Expected 3D or 4D input, but received a ", input.dim(), "D input");
  return drop_channels(input, options, true);
}

Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options) {
  TERN_OP("dropout3d", input);
  TERN_CHECK(input.dim() == 4 || input.dim() == 5, ShapeError,
             "Expected 4D or 5D input, but received a ", input.dim(), "D input");
  return drop_channels(input, options, input.dim() == 5);
}

Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options) {
  TERN_OP("alpha_dropout", input);
  return dropped(input, options, tern::alpha_dropout, tern::alpha_dropout_);
}

Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options) {
  TERN_OP("feature_alpha_dropout", input);
  return dropped(input, options, tern::feature_alpha_dropout, tern::feature_alpha_dropout_);
}

}  // namespace tern::nn::functional

namespace tern::nn {
namespace {

/// The name of a dropout layer and the function that it calls.
template <class Options>
struct DropoutKind {
  const char* name;
  Tensor (*function)(Tensor input, const Options& options);
};

template <class Layer>
constexpr DropoutKind<functional::DropoutFuncOptions> kDropoutKind{};
template <>
constexpr DropoutKind<functional::DropoutFuncOptions> kDropoutKind<DropoutImpl>{
    "Dropout", functional::dropout};
template <>
constexpr DropoutKind<functional::DropoutFuncOptions> kDropoutKind<Dropout1dImpl>{
    "Dropout1d", functional::dropout1d};
template <>
constexpr DropoutKind<functional::DropoutFuncOptions> kDropoutKind<Dropout2dImpl>{
    "Dropout2d", functional::dropout2d};
template <>
constexpr DropoutKind<functional::DropoutFuncOptions> kDropoutKind<Dropout3dImpl>{
    "Dropout3d", functional::dropout3d};
template <>
constexpr DropoutKind<functional::AlphaDropoutFuncOptions> kDropoutKind<AlphaDropoutImpl>{
    "AlphaDropout", functional::alpha_dropout};
template <>
constexpr DropoutKind<functional::AlphaDropoutFuncOptions> kDropoutKind<FeatureAlphaDropoutImpl>{
    "FeatureAlphaDropout", functional::feature_alpha_dropout};

template <class Options>
Tensor drop(const DropoutKind<Options>& kind, Tensor input, const DropoutOptions& options,
            bool training) {
  return kind.function(std::move(input),
                       Options().p(options.p()).training(training).inplace(options.inplace()));
}

}  // namespace

namespace detail {

template <class Derived>
DropoutBase<Derived>::DropoutBase(const DropoutOptions& options_) : options(options_) {
  DropoutBase::reset();
}

template <class Derived>
void DropoutBase<Derived>::reset() {
  TERN_CHECK(options.p() >= 0 && options.p() <= 1, Error, "nn::", kDropoutKind<Derived>.name,
             ": dropout probability has to be between 0 and 1, but got ", options.p());
}

template <class Derived>
void DropoutBase<Derived>::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::", kDropoutKind<Derived>.name, "(p=", options.p(),
                            ", inplace=", text_of_bool(options.inplace()), ')'});
}

template <class Derived>
Tensor DropoutBase<Derived>::forward(Tensor input) {
  return drop(kDropoutKind<Derived>, std::move(input), options, this->is_training());
}

template class DropoutBase<DropoutImpl>;
template class DropoutBase<Dropout1dImpl>;
template class DropoutBase<Dropout2dImpl>;
template class DropoutBase<Dropout3dImpl>;
template class DropoutBase<AlphaDropoutImpl>;
template class DropoutBase<FeatureAlphaDropoutImpl>;

}  // namespace detail
}  // namespace tern::nn
