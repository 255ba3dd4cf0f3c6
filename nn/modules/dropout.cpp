#include <tern/nn/detail/printing.h>
#include <tern/nn/functional/dropout.h>
#include <tern/nn/modules/dropout.h>

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
