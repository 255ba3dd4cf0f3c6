#include <backends/cuda/emulator/cudnn.h>

#include <algorithm>
#include <cstring>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/families/convolution.h>

#include <backends/cuda/emulator/cudnn_graph.h>
#include <backends/cuda/emulator/cudnn_node.h>
#include <backends/cuda/emulator/cusolver.h>
#include <backends/cuda/emulator/emulator.h>

// The replacement for cuDNN.

namespace tern::emulator {
namespace {

void check_tensor(const CudnnNode& tensor) {
  const auto sizes = tensor.all<std::int64_t>(kTensorSizes);
  const auto strides = tensor.all<std::int64_t>(kTensorStrides);
  require_cudnn_rule(sizes.size() == 4 || sizes.size() == 5, "tensors have 4 or 5 dimensions");
  require_cudnn_rule(sizes.size() == strides.size(), "as many strides as sizes");
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) {
    require_cudnn_rule(sizes[d] > 0, "a size is not positive");
    require_cudnn_rule(strides[d] == stride, "the simulator's kernel needs contiguous tensors");
  }
}

/// Where the operation keeps its parts.
struct Parts {
  kernels::ConvolutionOp op;
  Attribute x, w, y, convolution, alpha, beta;
};
Parts parts_of(Kind kind) {
  if (kind == kForward) {
    return {kernels::ConvolutionOp::kForward,
            kForwardX,
            kForwardW,
            kForwardY,
            kForwardConvolution,
            kForwardAlpha,
            kForwardBeta};
  }
  if (kind == kInputGradient) {
    return {kernels::ConvolutionOp::kInputGradient,
            kInputX,
            kInputW,
            kInputY,
            kInputConvolution,
            kInputAlpha,
            kInputBeta};
  }
  require_cudnn_rule(kind == kWeightGradient, "the graph is no convolution");
  return {kernels::ConvolutionOp::kWeightGradient,
          kWeightX,
          kWeightW,
          kWeightY,
          kWeightConvolution,
          kWeightAlpha,
          kWeightBeta};
}

ScalarType dtype_of_tensor(const CudnnNode& tensor) {
  switch (tensor.one<DataType>(kTensorType)) {
    case kFloatData:
      return kFloat;
    case kDoubleData:
      return kDouble;
    case kHalfData:
      return kHalf;
    default:
      return kBFloat16;
  }
}

/// Returns the convolution of an operation, without pointers, and checks that its parts fit.
kernels::ConvolutionArgs convolution_of(const CudnnNode& operation) {
  const Parts parts = parts_of(operation.kind);
  const CudnnNode& convolution = operation.node(parts.convolution);
  const CudnnNode &x = operation.node(parts.x), &w = operation.node(parts.w);
  const CudnnNode& y = operation.node(parts.y);
  for (const CudnnNode* tensor : {&x, &w, &y}) check_tensor(*tensor);
  kernels::ConvolutionArgs args{};
  args.op = parts.op;
  args.dtype = dtype_of_tensor(x);
  require_cudnn_rule(dtype_of_tensor(w) == args.dtype && dtype_of_tensor(y) == args.dtype,
                     "tensors of several types");
  const bool is_double = args.dtype == kDouble;
  require_cudnn_rule(
      convolution.one<DataType>(kConvolutionMath) == (is_double ? kDoubleData : kFloatData),
      "sums are float32, or float64 for tensors of float64");
  require_cudnn_rule(convolution.one<Mode>(kConvolutionMode) == kCrossCorrelation, "another mode");
  const Type scale = operation.attributes.at(parts.alpha).first;
  require_cudnn_rule(scale == (is_double ? kDoubleType : kFloatType) &&
                         operation.attributes.at(parts.beta).first == scale,
                     "alpha and beta have the type of the sums");
  require_cudnn_rule(
      is_double ? operation.one<double>(parts.alpha) == 1 && operation.one<double>(parts.beta) == 0
                : operation.one<float>(parts.alpha) == 1 && operation.one<float>(parts.beta) == 0,
      "a result that is not the convolution");
  const auto xs = x.all<std::int64_t>(kTensorSizes), ws = w.all<std::int64_t>(kTensorSizes);
  const auto ys = y.all<std::int64_t>(kTensorSizes);
  const auto dims = static_cast<std::size_t>(convolution.one<std::int64_t>(kConvolutionDims));
  require_cudnn_rule(dims + 2 == xs.size() && dims + 2 == ws.size() && dims + 2 == ys.size(),
                     "tensors with other dimensions than the convolution");
  require_cudnn_rule(
      xs[1] % ws[1] == 0 && ys[1] == ws[0] && xs[0] == ys[0] && ws[0] % (xs[1] / ws[1]) == 0,
      "channels or batches that do not fit");
  args.batch = xs[0];
  args.groups = xs[1] / ws[1];
  args.inputs = ws[1];
  args.outputs = ws[0] / args.groups;
  const auto strides = convolution.all<std::int64_t>(kConvolutionStrides);
  const auto dilations = convolution.all<std::int64_t>(kConvolutionDilations);
  const auto front = convolution.all<std::int64_t>(kConvolutionInFront);
  const auto behind = convolution.all<std::int64_t>(kConvolutionBehind);
  require_cudnn_rule(strides.size() == dims && dilations.size() == dims && front.size() == dims &&
                         behind.size() == dims,
                     "a list with other dimensions than the convolution");
  for (std::size_t d = 0; d < 3; ++d) {
    const bool given = d + dims >= 3;
    const std::size_t i = given ? d + dims - 3 : 0;
    args.in[d] = given ? xs[i + 2] : 1;
    args.kernel[d] = given ? ws[i + 2] : 1;
    args.out_sizes[d] = given ? ys[i + 2] : 1;
    args.stride[d] = given ? strides[i] : 1;
    args.padding[d] = given ? front[i] : 0;
    args.dilation[d] = given ? dilations[i] : 1;
    const std::int64_t after = given ? behind[i] : 0;
    const std::int64_t room =
        args.in[d] + args.padding[d] + after - args.dilation[d] * (args.kernel[d] - 1) - 1;
    require_cudnn_rule(args.padding[d] >= 0 && after >= 0, "negative padding");
    require_cudnn_rule(room >= 0 && args.out_sizes[d] == room / args.stride[d] + 1,
                       "an extent of y that does not follow from those of x and w");
  }
  return args;
}

constexpr std::int64_t kWorkspaces[] = {0, std::int64_t{1} << 40, 0, 0, 128, 0, 4096};
constexpr float kTimes[] = {1, 1, 1, 2, 3, 5, 4};

void check_alignment(const CudnnNode& tensor, const void* data) {
  require_cudnn_rule(
      reinterpret_cast<std::uintptr_t>(data) %
              static_cast<std::uintptr_t>(tensor.one<std::int64_t>(kTensorAlignment)) ==
          0,
      "a buffer is less aligned than its tensor");
}

void compute(const CudnnNode& operation, const CudnnNode& pack) {
  const Parts parts = parts_of(operation.kind);
  const auto ids = pack.all<std::int64_t>(kPackIds);
  const auto pointers = pack.all<void*>(kPackPointers);
  require_cudnn_rule(ids.size() == 3 && pointers.size() == 3, "a pack of other than three tensors");
  const auto pointer_of = [&](Attribute attribute) {
    const CudnnNode& tensor = operation.node(attribute);
    const auto id = std::find(ids.begin(), ids.end(), tensor.one<std::int64_t>(kTensorId));
    require_cudnn_rule(id != ids.end(), "the pack lacks a tensor");
    void* const data = pointers[static_cast<std::size_t>(id - ids.begin())];
    require_cudnn_rule(data != nullptr, "a buffer is null");
    check_alignment(tensor, data);
    return data;
  };
  kernels::ConvolutionArgs args = convolution_of(operation);
  void *x = pointer_of(parts.x), *w = pointer_of(parts.w), *y = pointer_of(parts.y);
  args.input = x;
  args.weight = w;
  args.gradient = y;
  const bool forward = parts.op == kernels::ConvolutionOp::kForward;
  args.out = forward ? y : parts.op == kernels::ConvolutionOp::kInputGradient ? x : w;
  static const auto kernel = [] {
    sim::OracleTable table;
    sim::register_convolution(table);
    return table.kernels[kernels::Slot::convolution];
  }();
  kernels::KernelContext context;
  kernel(&args, &context);
}

}  // namespace

Cudnn& cudnn() {
  static Cudnn& state = *new Cudnn;
  return state;
}

}  // namespace tern::emulator

extern "C" {

using namespace tern::cuda::device::cudnn;
using tern::emulator::Cudnn;

Status cudnnCreate(Handle* handle) {
  const Status status{tern::emulator::cudnn().create_status.load()};
  if (status == kSuccess) *handle = new tern::emulator::CudnnHandle;
  return status;
}
std::size_t cudnnGetVersion() { return tern::emulator::cudnn().version; }
Status cudnnSetStream(Handle handle, void* stream) {
  static_cast<tern::emulator::CudnnHandle*>(handle)->has_stream = true;
  static_cast<tern::emulator::CudnnHandle*>(handle)->stream = stream;
  return kSuccess;
}
const char* cudnnGetErrorString(Status status) {
  return status == kExecutionFailed ? "CUDNN_STATUS_EXECUTION_FAILED" : "another status of cuDNN";
}

Status cudnnBackendCreateDescriptor(Kind kind, Descriptor* descriptor) {
  auto& live = tern::emulator::live_nodes();
  const std::lock_guard lock(live.mutex);
  *descriptor = new tern::emulator::CudnnNode{kind, false, {}, nullptr, -1};
  live.nodes.insert(*descriptor);
  return kSuccess;
}
Status cudnnBackendDestroyDescriptor(Descriptor descriptor) {
  auto& node = tern::emulator::node_of(descriptor);
  auto& live = tern::emulator::live_nodes();
  const std::lock_guard lock(live.mutex);
  live.nodes.erase(descriptor);
  delete &node;
  return kSuccess;
}

Status cudnnBackendSetAttribute(Descriptor descriptor, Attribute attribute, Type type,
                                std::int64_t count, const void* values) {
  using namespace tern::emulator;
  CudnnNode& node = node_of(descriptor);
  require_cudnn_rule(!node.finalized, "a finalized descriptor cannot change");
  require_cudnn_rule(count > 0 && values != nullptr, "no value");
  const Known& known = known_of(node.kind, attribute);
  require_cudnn_rule(type == known.type || (known.type == kFloatType && type == kDoubleType),
                     "an attribute has another type");
  const auto* const bytes = static_cast<const char*>(values);
  node.attributes[attribute] = {
      type, std::vector<char>(bytes, bytes + static_cast<std::size_t>(count) * bytes_of(type))};
  if (type == kDescriptorType) {
    for (const Descriptor other : node.all<Descriptor>(attribute)) {
      if (node_of(other).kind != kEngineConfig) finished(other);
    }
  }
  return kSuccess;
}

Status cudnnBackendFinalize(Descriptor descriptor) {
  using namespace tern::emulator;
  CudnnNode& node = node_of(descriptor);
  for (const Known& known : kKnown) {
    require_cudnn_rule(
        known.kind != node.kind || known.is_optional || node.attributes.count(known.attribute) == 1,
        "a needed attribute is missing");
  }
  if (node.kind == kForward || node.kind == kInputGradient || node.kind == kWeightGradient) {
    convolution_of(node);
  }
  check_operation(node);
  if (node.kind == kGraph) {
    require_cudnn_rule(node.one<Handle>(kGraphHandle) != nullptr, "a graph without a handle");
    const Status status{cudnn().graph_status.load()};
    if (status != kSuccess) return status;
  }
  if (node.kind == kPlan) {
    const CudnnNode& config = node.node(kPlanConfig);
    require_cudnn_rule(config.engine >= 0, "a configuration that the heuristics did not fill in");
    if (config.engine == Cudnn::kBroken ||
        (cudnn().only_racing && config.engine != Cudnn::kRacing)) {
      return kNotSupported;
    }
    node.graph = config.graph;
    node.engine = config.engine;
  }
  node.finalized = true;
  return kSuccess;
}

Status cudnnBackendGetAttribute(Descriptor descriptor, Attribute attribute, Type type,
                                std::int64_t most, std::int64_t* count, void* values) {
  using namespace tern::emulator;
  CudnnNode& node = node_of(descriptor);
  const auto is = [&](Attribute wanted, Type its_type) {
    require_cudnn_rule(attribute != wanted || type == its_type, "an attribute has another type");
    return attribute == wanted;
  };
  if (is(kHeuristicsResults, kDescriptorType)) {
    finished(descriptor);
    const bool all = node.one<Mode>(kHeuristicsMode) == kModeA;
    const int found = all ? (cudnn().mode_a_finds_nothing ? 0 : int{Cudnn::kEngines}) : 1;
    *count = found;
    if (most == 0) return kSuccess;
    ++cudnn().searches;
    for (int i = 0; i < std::min<std::int64_t>(most, found); ++i) {
      CudnnNode& config = node_of(static_cast<Descriptor*>(values)[i]);
      require_cudnn_rule(config.kind == kEngineConfig, "a result is no configuration");
      config.graph = static_cast<CudnnNode*>(node.one<Descriptor>(kHeuristicsGraph));
      config.engine = all ? i : int{Cudnn::kPlain};
    }
    return kSuccess;
  }
  if (is(kEngineConfigEngine, kDescriptorType)) {
    require_cudnn_rule(node.engine >= 0 && most == 1, "a configuration without an engine");
    CudnnNode& engine = node_of(*static_cast<Descriptor*>(values));
    require_cudnn_rule(engine.kind == kEngine, "the result is no engine");
    engine.engine = node.engine;
    *count = 1;
    return kSuccess;
  }
  if (is(kEngineNotes, kNoteType)) {
    require_cudnn_rule(node.kind == kEngine && node.engine >= 0 && most >= 10, "no engine");
    *count = 1;
    auto& note = *static_cast<Note*>(values);
    if (node.engine == Cudnn::kDownConverting) {
      note = kDownConvertInputs;
    } else if (node.engine == Cudnn::kRounding) {
      note = kTensorCore;
    } else if (node.engine == Cudnn::kRacing) {
      note = kNondeterministic;
    } else {
      *count = 0;
    }
    return kSuccess;
  }
  require_cudnn_rule(is(kPlanWorkspace, kInt64Type), "an attribute that the kernels do not read");
  finished(descriptor);
  *static_cast<std::int64_t*>(values) = kWorkspaces[node.engine];
  *count = 1;
  return kSuccess;
}

Status cudnnBackendExecute(Handle handle, Descriptor plan, Descriptor pack) {
  using namespace tern::emulator;
  require_cudnn_rule(handle != nullptr && static_cast<CudnnHandle*>(handle)->has_stream,
                     "no handle, or no stream");
  finish(static_cast<CudnnHandle*>(handle)->stream);
  const CudnnNode& node = finished(plan);
  const CudnnNode& given = finished(pack);
  require_cudnn_rule(node.one<Handle>(kPlanHandle) == handle, "a plan of another device");
  const Status status{cudnn().execute_status.load()};
  if (status != kSuccess) return status;
  const auto bytes = static_cast<std::size_t>(kWorkspaces[node.engine]);
  void* const workspace = given.one<void*>(kPackWorkspace);
  require_cudnn_rule(bytes == 0 || is_scratch(workspace, bytes),
                     "the workspace is too small, or not in device memory");
  if (bytes > 0) std::memset(workspace, 0xff, bytes);
  const auto operations = finished(node.graph).all<Descriptor>(kGraphOperations);
  const CudnnNode& first = finished(operations.at(0));
  if (first.kind == kForward || first.kind == kInputGradient || first.kind == kWeightGradient) {
    require_cudnn_rule(operations.size() == 1, "a convolution is one operation");
    compute(first, given);
  } else {
    compute_operations(operations, given);
  }
  ++cudnn().executions;
  cudnn().last_engine = node.engine;
  milliseconds() += kTimes[node.engine];
  return kSuccess;
}

}  // extern "C"
