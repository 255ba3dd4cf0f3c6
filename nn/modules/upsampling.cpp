#include <tern/nn/modules/upsampling.h>

#include <utility>

#include <tern/core/base/array_ref.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/functional/upsampling.h>

namespace tern::nn {

UpsampleImpl::UpsampleImpl(UpsampleOptions options_) : options(std::move(options_)) {}

void UpsampleImpl::pretty_print(std::ostream& stream) const {
  constexpr const char* kNames[] = {"kNearest",   "kLinear", "kBilinear",    "kBicubic",
                                    "kTrilinear", "kArea",   "kNearestExact"};
  stream << "tern::nn::Upsample(";
  if (options.scale_factor()) {
    detail::print_to(stream, {"scale_factor=", ArrayRef<double>(*options.scale_factor())});
  } else if (options.size()) {
    detail::print_to(stream, {"size=", IntArrayRef(*options.size())});
  }
  const InterpolationMode mode = options.mode();
  stream << ", mode=" << kNames[static_cast<int>(mode)] << ')';
}

Tensor UpsampleImpl::forward(const Tensor& input) {
  return functional::interpolate(input, functional::InterpolateFuncOptions()
                                            .size(options.size())
                                            .scale_factor(options.scale_factor())
                                            .mode(options.mode())
                                            .align_corners(options.align_corners()));
}

}  // namespace tern::nn
