#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tern/backends/cuda/device/cudnn/library.h>

// The descriptors of the replacement for cuDNN.

namespace tern::emulator {

using namespace cuda::device::cudnn;

struct CudnnHandle {
  bool has_stream = false;
  void* stream = nullptr;
};

inline void require_cudnn_rule(bool condition, const char* rule) {
  if (!condition) throw std::logic_error(std::string("cuDNN: ") + rule);
}

/// The attributes of each kind of descriptor that the kernels set.
struct Known {
  Kind kind;
  Attribute attribute;
  Type type;
  bool is_optional = false;
};
// clang-format off
inline constexpr Known kKnown[] = {
    {kTensor, kTensorType, kDataTypeType}, {kTensor, kTensorAlignment, kInt64Type},
    {kTensor, kTensorId, kInt64Type}, {kTensor, kTensorSizes, kInt64Type},
    {kTensor, kTensorStrides, kInt64Type},
    {kTensor, kTensorIsVirtual, kBooleanType, true}, {kTensor, kTensorIsByValue, kBooleanType, true},
    {kMatmul, kMatmulMath, kDataTypeType},
    {kMatmulOperation, kMatmulA, kDescriptorType}, {kMatmulOperation, kMatmulB, kDescriptorType},
    {kMatmulOperation, kMatmulC, kDescriptorType}, {kMatmulOperation, kMatmulMatmul, kDescriptorType},
    {kPointwise, kPointwiseMode, kPointwiseModeType}, {kPointwise, kPointwiseMath, kDataTypeType},
    {kPointwise, kPointwiseAxis, kInt64Type, true},
    {kPointwiseOperation, kPointwisePointwise, kDescriptorType},
    {kPointwiseOperation, kPointwiseX, kDescriptorType},
    {kPointwiseOperation, kPointwiseB, kDescriptorType, true},
    {kPointwiseOperation, kPointwiseCondition, kDescriptorType, true},
    {kPointwiseOperation, kPointwiseY, kDescriptorType},
    {kReduction, kReductionOperator, kReductionType}, {kReduction, kReductionMath, kDataTypeType},
    {kReductionOperation, kReductionX, kDescriptorType},
    {kReductionOperation, kReductionY, kDescriptorType},
    {kReductionOperation, kReductionReduction, kDescriptorType},
    {kReshapeOperation, kReshapeX, kDescriptorType}, {kReshapeOperation, kReshapeY, kDescriptorType},
    {kConvolution, kConvolutionDims, kInt64Type}, {kConvolution, kConvolutionMath, kDataTypeType},
    {kConvolution, kConvolutionMode, kConvolutionModeType},
    {kConvolution, kConvolutionStrides, kInt64Type},
    {kConvolution, kConvolutionDilations, kInt64Type},
    {kConvolution, kConvolutionInFront, kInt64Type}, {kConvolution, kConvolutionBehind, kInt64Type},
#define TERN_OPERATION(kind, part)                                                        \
    {kind, part##X, kDescriptorType}, {kind, part##W, kDescriptorType},                   \
    {kind, part##Y, kDescriptorType}, {kind, part##Convolution, kDescriptorType},         \
    {kind, part##Alpha, kFloatType}, {kind, part##Beta, kFloatType},
    TERN_OPERATION(kForward, kForward) TERN_OPERATION(kInputGradient, kInput)
    TERN_OPERATION(kWeightGradient, kWeight)
#undef TERN_OPERATION
    {kGraph, kGraphHandle, kHandleType}, {kGraph, kGraphOperations, kDescriptorType},
    {kHeuristics, kHeuristicsGraph, kDescriptorType},
    {kHeuristics, kHeuristicsMode, kHeuristicsModeType},
    {kPlan, kPlanHandle, kHandleType}, {kPlan, kPlanConfig, kDescriptorType},
    {kVariantPack, kPackIds, kInt64Type}, {kVariantPack, kPackPointers, kPointerType},
    {kVariantPack, kPackWorkspace, kPointerType}};
// clang-format on

inline std::size_t bytes_of(Type type) {
  if (type == kBooleanType) return sizeof(bool);
  return type == kHandleType || type == kInt64Type || type == kDoubleType || type == kPointerType ||
                 type == kDescriptorType
             ? 8
             : 4;
}

/// A descriptor.
struct CudnnNode {
  Kind kind;
  bool finalized = false;
  std::map<Attribute, std::pair<Type, std::vector<char>>> attributes;
  CudnnNode* graph = nullptr;  // of an engine configuration and of an engine
  int engine = -1;

  template <class T>
  std::vector<T> all(Attribute attribute) const {
    const std::vector<char>& bytes = attributes.at(attribute).second;
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <class T>
  T one(Attribute attribute) const {
    const std::vector<T> values = all<T>(attribute);
    require_cudnn_rule(values.size() == 1, "one value is needed");
    return values[0];
  }
  bool has(Attribute attribute) const { return attributes.count(attribute) == 1; }
  /// Returns a bool, false by default.
  bool flag(Attribute attribute) const { return has(attribute) && all<char>(attribute).at(0) != 0; }
  const CudnnNode& node(Attribute attribute) const {
    return *static_cast<CudnnNode*>(one<Descriptor>(attribute));
  }
};

struct LiveNodes {
  std::mutex mutex;
  std::set<Descriptor> nodes;
};
inline LiveNodes& live_nodes() {
  static LiveNodes& nodes = *new LiveNodes;
  return nodes;
}

inline CudnnNode& node_of(Descriptor descriptor) {
  LiveNodes& live = live_nodes();
  const std::lock_guard lock(live.mutex);
  require_cudnn_rule(live.nodes.count(descriptor) == 1, "a descriptor that was destroyed");
  return *static_cast<CudnnNode*>(descriptor);
}
inline const CudnnNode& finished(Descriptor descriptor) {
  const CudnnNode& node = node_of(descriptor);
  require_cudnn_rule(node.finalized, "a descriptor that is not finalized");
  return node;
}

inline const Known& known_of(Kind kind, Attribute attribute) {
  const auto* const known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) {
    return k.kind == kind && k.attribute == attribute;
  });
  require_cudnn_rule(known != std::end(kKnown), "a descriptor has no such attribute");
  return *known;
}

}  // namespace tern::emulator
