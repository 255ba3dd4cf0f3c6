#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include <cuda_runtime_api.h>

#include <backends/cuda/emulator/cudnn.h>
#include <backends/cuda/emulator/cudnn_layer.h>
#include <backends/cuda/emulator/cudnn_node.h>
#include <backends/cuda/emulator/cusolver.h>

// The replacement for cuDNN's functions for recurrent layers. The host's rules are checked in each
// call; what is in device memory, when the queued work runs.

namespace tern::emulator {
namespace {

/// A descriptor of a layer, of the rows of sequences or of a tensor.
struct LayerNode {
  enum Kind { kLayer, kRows, kSizes };

  Kind kind;
  bool is_set = false;
  DataType type{};
  CellMode cells{};
  bool has_bias = false;
  MathType math{};
  std::int64_t inputs = 0, hidden = 0;  // of a layer
  int steps = 0, size = 0;              // of rows
  std::vector<int> lengths;
  std::vector<int> sizes;  // of a tensor
};

struct LiveLayerNodes {
  std::mutex mutex;
  std::set<Descriptor> nodes;
};
LiveLayerNodes& live_layer_nodes() {
  static LiveLayerNodes& live = *new LiveLayerNodes;
  return live;
}

LayerNode& layer_node(Descriptor descriptor, LayerNode::Kind kind) {
  LiveLayerNodes& live = live_layer_nodes();
  const std::lock_guard lock(live.mutex);
  require_cudnn_rule(live.nodes.count(descriptor) == 1, "no descriptor, or one that was destroyed");
  auto& node = *static_cast<LayerNode*>(descriptor);
  require_cudnn_rule(node.kind == kind, "a descriptor of another kind");
  return node;
}
const LayerNode& set_node(Descriptor descriptor, LayerNode::Kind kind) {
  const LayerNode& node = layer_node(descriptor, kind);
  require_cudnn_rule(node.is_set, "a descriptor that was not set");
  return node;
}

Status create(LayerNode::Kind kind, Descriptor* descriptor) {
  LiveLayerNodes& live = live_layer_nodes();
  const std::lock_guard lock(live.mutex);
  auto* const node = new LayerNode;
  node->kind = kind;
  live.nodes.insert(*descriptor = node);
  return kSuccess;
}
Status destroy(LayerNode::Kind kind, Descriptor descriptor) {
  const LayerNode& node = layer_node(descriptor, kind);
  LiveLayerNodes& live = live_layer_nodes();
  const std::lock_guard lock(live.mutex);
  live.nodes.erase(descriptor);
  delete &node;
  return kSuccess;
}

void* stream_of(Handle handle) {
  require_cudnn_rule(handle != nullptr && static_cast<CudnnHandle*>(handle)->has_stream,
                     "no handle, or no stream");
  return static_cast<CudnnHandle*>(handle)->stream;
}

/// Returns the layer of descriptors, without elements.
LayerCall layer_of(Descriptor descriptor) {
  const LayerNode& layer = set_node(descriptor, LayerNode::kLayer);
  LayerCall call{};
  call.cells = layer.cells;
  call.has_bias = layer.has_bias;
  call.is_double = layer.type == kDoubleData;
  call.inputs = layer.inputs;
  call.hidden = layer.hidden;
  return call;
}
LayerCall layer_of(Descriptor descriptor, Descriptor x_rows) {
  LayerCall call = layer_of(descriptor);
  const LayerNode& x = set_node(x_rows, LayerNode::kRows);
  require_cudnn_rule(x.type == set_node(descriptor, LayerNode::kLayer).type,
                     "rows of another type than the layer");
  require_cudnn_rule(x.size == call.inputs, "rows of x that do not fit the layer");
  call.lengths = x.lengths;
  return call;
}

/// Memory that a call got beside its operands.
struct Spaces {
  const std::int32_t* lengths;
  std::size_t weight_bytes;
  const void* weights;
  std::size_t workspace_bytes;
  void* workspace;
  std::size_t reserve_bytes;
  void* reserve;
};

/// Checks what the calls that compute have in common, and returns the layer.
LayerCall check_call(Descriptor layer, Descriptor x_rows, Descriptor y_rows, Descriptor h_sizes,
                     const Spaces& spaces, bool is_training) {
  LayerCall call = layer_of(layer, x_rows);
  const LayerNode& y = set_node(y_rows, LayerNode::kRows);
  require_cudnn_rule(y.type == set_node(x_rows, LayerNode::kRows).type && y.size == call.hidden &&
                         y.lengths == call.lengths,
                     "rows of y that do not fit those of x");
  const auto check_sizes = [&](Descriptor descriptor) {
    const LayerNode& sizes = set_node(descriptor, LayerNode::kSizes);
    require_cudnn_rule(sizes.type == y.type &&
                           sizes.sizes == std::vector<int>{1, static_cast<int>(y.lengths.size()),
                                                           static_cast<int>(call.hidden)},
                       "a state that is not [1, batch, hidden]");
  };
  check_sizes(h_sizes);
  require_cudnn_rule(
      spaces.weight_bytes == call.weight_bytes() && is_scratch(spaces.weights, spaces.weight_bytes),
      "the weights have another size, or are not in device memory");
  require_cudnn_rule(spaces.workspace_bytes == call.workspace_bytes() &&
                         is_scratch(spaces.workspace, spaces.workspace_bytes),
                     "the workspace has another size, or is not in device memory");
  require_cudnn_rule(is_scratch(spaces.lengths, call.lengths.size() * sizeof(std::int32_t)),
                     "the lengths are not in device memory");
  require_cudnn_rule(is_training
                         ? spaces.reserve_bytes == call.reserve_bytes() && spaces.reserve != nullptr
                         : spaces.reserve_bytes == 0,
                     "the reserve has another size");
  call.weights = spaces.weights;
  call.reserve = is_training ? spaces.reserve : nullptr;
  return call;
}

void check_cells(const LayerCall& call, Descriptor c_sizes, const void* first_c) {
  if (call.cells != kLstmCells) return;
  const LayerNode& sizes = set_node(c_sizes, LayerNode::kSizes);
  require_cudnn_rule(first_c != nullptr &&
                         sizes.sizes == std::vector<int>{1, static_cast<int>(call.lengths.size()),
                                                         static_cast<int>(call.hidden)},
                     "an LSTM without cells [1, batch, hidden]");
}

void require_all(std::initializer_list<const void*> pointers) {
  const bool found = std::find(pointers.begin(), pointers.end(), nullptr) != pointers.end();
  require_cudnn_rule(!found, "a needed pointer is null");
}

/// Queues the work of a call, which destroys what the workspace holds.
Status queue(Handle handle, const LayerCall& call, const Spaces& spaces,
             void (*compute)(const LayerCall&)) {
  const auto work = [call, spaces, compute] {
    require_cudnn_rule(std::equal(call.lengths.begin(), call.lengths.end(), spaces.lengths),
                       "the lengths in device memory are not those of the descriptors");
    std::memset(spaces.workspace, 0xff, spaces.workspace_bytes);
    compute(call);
  };
  const bool queued = submit(static_cast<cudaStream_t>(stream_of(handle)), work) == cudaSuccess;
  return queued ? kSuccess : kExecutionFailed;
}

}  // namespace
}  // namespace tern::emulator

using namespace tern::emulator;

extern "C" {

Status cudnnCreateTensorDescriptor(Descriptor* descriptor) {
  return create(LayerNode::kSizes, descriptor);
}
Status cudnnDestroyTensorDescriptor(Descriptor descriptor) {
  return destroy(LayerNode::kSizes, descriptor);
}
Status cudnnSetTensorNdDescriptor(Descriptor descriptor, DataType type, int count, const int* sizes,
                                  const int* strides) {
  LayerNode& node = layer_node(descriptor, LayerNode::kSizes);
  require_cudnn_rule(count == 3, "states have three dimensions");
  require_cudnn_rule(strides[2] == 1 && strides[1] == sizes[2] && strides[0] == sizes[1] * sizes[2],
                     "states have no gaps");
  node.is_set = true;
  node.type = type;
  node.sizes.assign(sizes, sizes + count);
  return kSuccess;
}

Status cudnnCreateRNNDescriptor(Descriptor* descriptor) {
  return create(LayerNode::kLayer, descriptor);
}
Status cudnnDestroyRNNDescriptor(Descriptor descriptor) {
  return destroy(LayerNode::kLayer, descriptor);
}
Status cudnnSetRNNDescriptor_v8(Descriptor descriptor, Algorithm algorithm, CellMode cells,
                                BiasMode biases, Direction direction, InputMode input,
                                DataType type, DataType math_type, MathType math,
                                std::int32_t input_size, std::int32_t hidden_size,
                                std::int32_t projected_size, std::int32_t layers,
                                Descriptor dropout, LayerFlags flags) {
  LayerNode& node = layer_node(descriptor, LayerNode::kLayer);
  require_cudnn_rule(algorithm == kStandard && direction == kOneDirection &&
                         input == kWeightedInput && layers == 1 && dropout == nullptr &&
                         flags == kWithoutPadding,
                     "a layer that this replacement does not compute");
  require_cudnn_rule(
      cells == kReluCells || cells == kTanhCells || cells == kLstmCells || cells == kGruCells,
      "unknown cells");
  require_cudnn_rule(biases == kNoBias || biases == kTwoBiases, "no biases, or two");
  require_cudnn_rule(type == math_type && (type == kFloatData || type == kDoubleData),
                     "sums have the type of the elements");
  require_cudnn_rule(math == kDefaultMath || math == kExactMath, "unknown math");
  require_cudnn_rule(input_size > 0 && hidden_size > 0 && projected_size == hidden_size,
                     "a size is not positive, or the states are projected");
  node.is_set = true;
  node.type = type;
  node.cells = cells;
  node.has_bias = biases == kTwoBiases;
  node.math = math;
  node.inputs = input_size;
  node.hidden = hidden_size;
  return kSuccess;
}

Status cudnnCreateRNNDataDescriptor(Descriptor* descriptor) {
  return create(LayerNode::kRows, descriptor);
}
Status cudnnDestroyRNNDataDescriptor(Descriptor descriptor) {
  return destroy(LayerNode::kRows, descriptor);
}
Status cudnnSetRNNDataDescriptor(Descriptor descriptor, DataType type, RowLayout layout, int steps,
                                 int batch, int size, const int* lengths, void* padding) {
  LayerNode& node = layer_node(descriptor, LayerNode::kRows);
  require_cudnn_rule(layout == kPackedRows && padding == nullptr, "rows that are not packed");
  require_cudnn_rule(steps > 0 && batch > 0 && size > 0, "a size is not positive");
  // What 9.19 and 9.26 check.
  require_cudnn_rule(lengths[0] == steps && lengths[batch - 1] > 0 &&
                         std::is_sorted(lengths, lengths + batch, std::greater<int>()),
                     "the lengths do not fall from the number of steps to 1 or more");
  node.is_set = true;
  node.type = type;
  node.steps = steps;
  node.size = size;
  node.lengths.assign(lengths, lengths + batch);
  return kSuccess;
}

Status cudnnGetRNNWeightSpaceSize(Handle handle, Descriptor layer, std::size_t* bytes) {
  require_all({handle, layer, bytes});
  *bytes = layer_of(layer).weight_bytes();
  return kSuccess;
}
Status cudnnGetRNNTempSpaceSizes(Handle handle, Descriptor layer, ForwardMode mode, Descriptor x,
                                 std::size_t* workspace_bytes, std::size_t* reserve_bytes) {
  require_all({handle, layer, x, workspace_bytes, reserve_bytes});
  const Status status{cudnn().layer_status.load()};
  if (status != kSuccess) return status;
  const LayerCall call = layer_of(layer, x);
  *workspace_bytes = call.workspace_bytes();
  *reserve_bytes = mode == kTraining ? call.reserve_bytes() : 0;
  return kSuccess;
}

Status cudnnGetRNNWeightParams(Handle handle, Descriptor layer, std::int32_t pseudo_layer,
                               std::size_t bytes, const void* weights, std::int32_t part,
                               Descriptor matrix, void** matrix_at, Descriptor bias,
                               void** bias_at) {
  require_all({handle, weights, matrix_at, bias_at});
  layer_node(matrix, LayerNode::kSizes);
  layer_node(bias, LayerNode::kSizes);
  const LayerCall call = layer_of(layer);
  require_cudnn_rule(pseudo_layer == 0 && part >= 0 && part < 2 * call.gates(), "no such part");
  require_cudnn_rule(bytes == call.weight_bytes(), "the weights have another size");
  auto* const block = static_cast<char*>(const_cast<void*>(weights));
  *matrix_at = block + call.place_of(part, false);
  *bias_at = call.has_bias ? block + call.place_of(part, true) : nullptr;
  return kSuccess;
}

Status cudnnRNNForward(Handle handle, Descriptor layer, ForwardMode mode,
                       const std::int32_t* lengths, Descriptor x_rows, const void* x,
                       Descriptor y_rows, void* y, Descriptor h_sizes, const void* first_h,
                       void* last_h, Descriptor c_sizes, const void* first_c, void* last_c,
                       std::size_t weight_bytes, const void* weights, std::size_t workspace_bytes,
                       void* workspace, std::size_t reserve_bytes, void* reserve) {
  const Spaces spaces{lengths,   weight_bytes,  weights, workspace_bytes,
                      workspace, reserve_bytes, reserve};
  LayerCall call = check_call(layer, x_rows, y_rows, h_sizes, spaces, mode == kTraining);
  check_cells(call, c_sizes, first_c);
  require_all({x, y, first_h, last_h});
  const Status status{cudnn().layer_run_status.load()};
  if (status != kSuccess) return status;
  call.x = x;
  call.y = y;
  call.first_h = first_h;
  call.first_c = first_c;
  call.last_h = last_h;
  call.last_c = last_c;
  ++cudnn().layers;
  cudnn().last_layer_math = static_cast<int>(set_node(layer, LayerNode::kLayer).math);
  return queue(handle, call, spaces, compute_forward);
}

Status cudnnRNNBackwardData_v8(Handle handle, Descriptor layer, const std::int32_t* lengths,
                               Descriptor y_rows, const void* y, const void* grad_y,
                               Descriptor x_rows, void* grad_x, Descriptor h_sizes,
                               const void* first_h, const void* grad_last_h, void* grad_first_h,
                               Descriptor c_sizes, const void* first_c, const void* grad_last_c,
                               void* grad_first_c, std::size_t weight_bytes, const void* weights,
                               std::size_t workspace_bytes, void* workspace,
                               std::size_t reserve_bytes, void* reserve) {
  const Spaces spaces{lengths,   weight_bytes,  weights, workspace_bytes,
                      workspace, reserve_bytes, reserve};
  LayerCall call = check_call(layer, x_rows, y_rows, h_sizes, spaces, true);
  check_cells(call, c_sizes, first_c);
  require_all({y, grad_y, grad_x, first_h});
  const Status status{cudnn().layer_gradient_status.load()};
  if (status != kSuccess) return status;
  call.y = const_cast<void*>(y);
  call.grad_y = grad_y;
  call.grad_x = grad_x;
  call.first_h = first_h;
  call.grad_h = grad_last_h;
  call.grad_first_h = grad_first_h;
  call.first_c = first_c;
  call.grad_c = grad_last_c;
  call.grad_first_c = grad_first_c;
  ++cudnn().layer_gradients;
  return queue(handle, call, spaces, compute_gradients);
}

Status cudnnRNNBackwardWeights_v8(Handle handle, Descriptor layer, GradientMode mode,
                                  const std::int32_t* lengths, Descriptor x_rows, const void* x,
                                  Descriptor h_sizes, const void* first_h, Descriptor y_rows,
                                  const void* y, std::size_t weight_bytes, void* grad_weights,
                                  std::size_t workspace_bytes, void* workspace,
                                  std::size_t reserve_bytes, void* reserve) {
  const Spaces spaces{lengths,   weight_bytes,  grad_weights, workspace_bytes,
                      workspace, reserve_bytes, reserve};
  LayerCall call = check_call(layer, x_rows, y_rows, h_sizes, spaces, true);
  require_cudnn_rule(mode == kAddGradients, "cuDNN can only add to the gradients of weights");
  require_all({x, y, first_h});
  call.x = x;
  call.y = const_cast<void*>(y);
  call.first_h = first_h;
  call.weights = nullptr;
  call.grad_weights = grad_weights;
  ++cudnn().layer_weight_gradients;
  return queue(handle, call, spaces, compute_weight_gradients);
}

}  // extern "C"
