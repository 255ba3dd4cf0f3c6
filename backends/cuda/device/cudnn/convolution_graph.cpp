#include <tern/backends/cuda/device/cudnn/convolution_graph.h>

#include <algorithm>
#include <bit>

namespace tern::cuda::device::cudnn {
namespace {

constexpr std::int64_t kMostTensor = 0x7fffffff;   // elements; many engines index with 32 bits
constexpr std::int64_t kMostTensorAlignment = 16;  // in bytes; engines read packs of this size

std::optional<DataType> data_type_of(ScalarType dtype) {
  if (dtype == kFloat) return kFloatData;
  if (dtype == kDouble) return kDoubleData;
  if (dtype == kHalf) return kHalfData;
  if (dtype == kBFloat16) return kBfloat16Data;
  return std::nullopt;
}

/// Finds the zeros behind an extent for which cuDNN computes the extent of y; as many as in front
/// if possible, because more engines support that. Returns false if there is no such number.
bool find_zeros_behind(const ConvolutionArgs& a, int d, std::int64_t* behind) {
  const std::int64_t reach = (a.out_sizes[d] - 1) * a.stride[d] + a.dilation[d] * (a.kernel[d] - 1);
  const std::int64_t least = reach + 1 - a.in[d] - a.padding[d];
  const std::int64_t most = least + a.stride[d] - 1;
  if (a.padding[d] < 0 || most < 0) return false;
  *behind = std::clamp(a.padding[d], std::max<std::int64_t>(least, 0), most);
  return true;
}

Node make_tensor(const Problem& problem, std::int64_t id, std::int64_t rows, std::int64_t channels,
                 const std::int64_t* extents) {
  std::vector<std::int64_t> sizes{rows, channels};
  sizes.insert(sizes.end(), extents + problem.first, extents + 3);
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * sizes[d];
  const auto dims = static_cast<std::int64_t>(sizes.size());
  Node tensor(kTensor);
  tensor.set(kTensorType, kDataTypeType, *data_type_of(problem.numbers.dtype))
      .set(kTensorAlignment, kInt64Type, problem.alignment)
      .set(kTensorId, kInt64Type, id)
      .set(kTensorSizes, kInt64Type, dims, sizes.data())
      .set(kTensorStrides, kInt64Type, dims, strides.data())
      .finalize();
  return tensor;
}

/// The attributes of an operation, which have names of their own in each of the three.
struct OperationNames {
  Kind kind;
  Attribute x, w, y, convolution, alpha, beta;
};

OperationNames names_of(ConvolutionOp op) {
  switch (op) {
    case ConvolutionOp::kForward:
      return {kForward,      kForwardX,   kForwardW, kForwardY, kForwardConvolution,
              kForwardAlpha, kForwardBeta};
    case ConvolutionOp::kInputGradient:
      return {kInputGradient,    kInputX,     kInputW,   kInputY,
              kInputConvolution, kInputAlpha, kInputBeta};
    default:
      return {kWeightGradient,    kWeightX,     kWeightW,   kWeightY,
              kWeightConvolution, kWeightAlpha, kWeightBeta};
  }
}

}  // namespace

std::vector<std::int64_t> Problem::key() const {
  const ConvolutionArgs& a = numbers;
  std::vector<std::int64_t> key{kConvolutionKey,
                                static_cast<std::int64_t>(a.op),
                                static_cast<std::int64_t>(a.dtype),
                                a.options & ~kFastestConvolution,
                                alignment,
                                a.batch,
                                a.groups,
                                a.inputs,
                                a.outputs};
  for (const auto* list : {a.in, a.kernel, a.out_sizes, a.stride, a.padding, a.dilation}) {
    key.insert(key.end(), list, list + 3);
  }
  return key;
}

Buffers buffers_of(const ConvolutionArgs& args) {
  const auto given = [&](const void* data) {
    return data == nullptr ? args.out : const_cast<void*>(data);
  };
  return {given(args.input), given(args.weight), given(args.gradient)};
}

std::optional<Problem> problem_of(const ConvolutionArgs& args) {
  const std::int64_t inputs = args.groups * args.inputs, outputs = args.groups * args.outputs;
  if (!data_type_of(args.dtype) || args.batch * inputs * volume(args.in) > kMostTensor ||
      args.batch * outputs * volume(args.out_sizes) > kMostTensor ||
      outputs * args.inputs * volume(args.kernel) > kMostTensor) {
    return std::nullopt;
  }
  Problem problem{args, 0, {}, 1};
  problem.numbers.input = problem.numbers.weight = problem.numbers.bias = nullptr;
  problem.numbers.gradient = problem.numbers.out = nullptr;
  problem.numbers.algorithm = nullptr;
  const auto [x, w, y] = buffers_of(args);
  const auto bits = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(w) |
                    reinterpret_cast<std::uintptr_t>(y) | std::uintptr_t{kMostTensorAlignment};
  problem.alignment = std::int64_t{1} << std::countr_zero(bits);
  for (int d = 0; d < 3; ++d) {
    if (!find_zeros_behind(args, d, &problem.behind[d])) return std::nullopt;
  }
  // Two dimensions at least: cuDNN has none of one.
  const bool is_flat = args.in[0] == 1 && args.kernel[0] == 1 && args.out_sizes[0] == 1 &&
                       args.padding[0] == 0 && problem.behind[0] == 0;
  if (!is_flat) problem.first = 0;
  return problem;
}

ConvolutionGraph::ConvolutionGraph(const Problem& problem)
    : problem_(problem),
      x_(make_tensor(problem, kXId, a().batch, a().groups * a().inputs, a().in)),
      w_(make_tensor(problem, kWId, a().groups * a().outputs, a().inputs, a().kernel)),
      y_(make_tensor(problem, kYId, a().batch, a().groups * a().outputs, a().out_sizes)),
      convolution_(kConvolution) {}

bool ConvolutionGraph::make(Handle handle) {
  const std::int64_t dims = 3 - problem_.first;
  const bool is_double = a().dtype == kDouble;
  const auto set = [&](Attribute attribute, const std::int64_t* list) {
    convolution_.set(attribute, kInt64Type, dims, list + problem_.first);
  };
  convolution_.set(kConvolutionDims, kInt64Type, dims)
      .set(kConvolutionMath, kDataTypeType, is_double ? kDoubleData : kFloatData)
      .set(kConvolutionMode, kConvolutionModeType, kCrossCorrelation);
  set(kConvolutionStrides, a().stride);
  set(kConvolutionDilations, a().dilation);
  set(kConvolutionInFront, a().padding);
  set(kConvolutionBehind, problem_.behind);
  const OperationNames names = names_of(a().op);
  operation_ = Node(names.kind);
  if (!x_.is_ready() || !w_.is_ready() || !y_.is_ready() || !convolution_.finalize()) {
    return false;
  }
  operation_.set(names.x, x_).set(names.w, w_).set(names.y, y_);
  operation_.set(names.convolution, convolution_);
  if (is_double) {
    operation_.set(names.alpha, kDoubleType, 1.0).set(names.beta, kDoubleType, 0.0);
  } else {
    operation_.set(names.alpha, kFloatType, 1.0f).set(names.beta, kFloatType, 0.0f);
  }
  const Descriptor operation = operation_.descriptor();
  return operation_.finalize() && finish(handle, {&operation, 1});
}

bool ConvolutionGraph::permits(Note note) const {
  if (note == kNondeterministic) return !has(kDeterministicConvolution);
  if (note == kTensorCore) return a().dtype != kFloat || has(kRoundToTf32);
  return note != kDownConvertInputs && note != kReducedSum;
}

}  // namespace tern::cuda::device::cudnn
