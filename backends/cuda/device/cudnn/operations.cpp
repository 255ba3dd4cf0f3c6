#include <tern/backends/cuda/device/cudnn/operations.h>

#include <utility>

namespace tern::cuda::device::cudnn {
namespace {

constexpr std::int64_t kAlignment = 16;  // in bytes

Node& set_node(Node& node, Attribute attribute, Descriptor other) {
  return node.set(attribute, kDescriptorType, other);
}

}  // namespace

Sizes dense_strides(const Sizes& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
}

Sizes transposed(const Sizes& sizes) { return {sizes[0], sizes[1], sizes[3], sizes[2]}; }

Descriptor Operations::keep(Node node) {
  ready_ = node.finalize() && ready_;
  return nodes_.emplace_back(std::move(node)).descriptor();
}

GraphTensor Operations::add(std::int64_t id, DataType type, const Sizes& sizes,
                            const Sizes& strides, bool is_virtual, bool is_by_value) {
  Node node(kTensor);
  node.set(kTensorType, kDataTypeType, type)
      .set(kTensorAlignment, kInt64Type, kAlignment)
      .set(kTensorId, kInt64Type, id)
      .set(kTensorSizes, kInt64Type, 4, sizes.data())
      .set(kTensorStrides, kInt64Type, 4, strides.data())
      .set(kTensorIsVirtual, kBooleanType, is_virtual)
      .set(kTensorIsByValue, kBooleanType, is_by_value);
  return {sizes, strides, keep(std::move(node))};
}

GraphTensor Operations::memory(std::int64_t id, DataType type, const Sizes& sizes,
                               const Sizes& strides) {
  return add(id, type, sizes, strides, false, false);
}

GraphTensor Operations::scalar(std::int64_t id) {
  return add(id, kFloatData, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true);
}

GraphTensor Operations::between(DataType type, const Sizes& sizes, const Sizes& strides) {
  return add(next_++, type, sizes, strides, true, false);
}

GraphTensor Operations::multiply(const GraphTensor& a, const GraphTensor& b, const GraphTensor& y) {
  Node matmul(kMatmul);
  matmul.set(kMatmulMath, kDataTypeType, kFloatData);
  Node node(kMatmulOperation);
  set_node(node, kMatmulA, a.node);
  set_node(node, kMatmulB, b.node);
  set_node(node, kMatmulC, y.node);
  set_node(node, kMatmulMatmul, keep(std::move(matmul)));
  add_operation(std::move(node));
  return y;
}

Node Operations::pointwise_node(Mode mode, DataType math) {
  Node pointwise(kPointwise);
  pointwise.set(kPointwiseMode, kPointwiseModeType, mode).set(kPointwiseMath, kDataTypeType, math);
  Node node(kPointwiseOperation);
  set_node(node, kPointwisePointwise, keep(std::move(pointwise)));
  return node;
}

GraphTensor Operations::pointwise(Mode mode, const GraphTensor& x, const GraphTensor& y) {
  Node node = pointwise_node(mode, kFloatData);
  set_node(node, kPointwiseX, x.node);
  set_node(node, kPointwiseY, y.node);
  add_operation(std::move(node));
  return y;
}

GraphTensor Operations::pointwise(Mode mode, const GraphTensor& x, const GraphTensor& b,
                                  const GraphTensor& y) {
  Node node = pointwise_node(mode, mode == kNotLess ? kBooleanData : kFloatData);
  set_node(node, kPointwiseX, x.node);
  set_node(node, kPointwiseB, b.node);
  set_node(node, kPointwiseY, y.node);
  add_operation(std::move(node));
  return y;
}

GraphTensor Operations::reduce(Mode mode, const GraphTensor& x, const GraphTensor& y) {
  Node reduction(kReduction);
  reduction.set(kReductionOperator, kReductionType, mode)
      .set(kReductionMath, kDataTypeType, kFloatData);
  Node node(kReductionOperation);
  set_node(node, kReductionX, x.node);
  set_node(node, kReductionY, y.node);
  set_node(node, kReductionReduction, keep(std::move(reduction)));
  add_operation(std::move(node));
  return y;
}

GraphTensor Operations::view(const GraphTensor& x, const GraphTensor& y) {
  Node node(kReshapeOperation);
  set_node(node, kReshapeX, x.node);
  set_node(node, kReshapeY, y.node);
  add_operation(std::move(node));
  return y;
}

GraphTensor Operations::lower_triangle(const GraphTensor& x, const GraphTensor& replacement) {
  GraphTensor indices[2];  // of rows and of columns
  for (std::int64_t axis = 2; axis < 4; ++axis) {
    Node index(kPointwise);
    index.set(kPointwiseMode, kPointwiseModeType, kIndex)
        .set(kPointwiseMath, kDataTypeType, kFloatData)
        .set(kPointwiseAxis, kInt64Type, axis);
    Node node(kPointwiseOperation);
    GraphTensor& y = indices[axis - 2] = between(kInt32Data, x.sizes);
    set_node(node, kPointwisePointwise, keep(std::move(index)));
    set_node(node, kPointwiseX, x.node);
    set_node(node, kPointwiseY, y.node);
    add_operation(std::move(node));
  }
  const GraphTensor stays =
      pointwise(kNotLess, indices[0], indices[1], between(kBooleanData, x.sizes));
  const GraphTensor y = between(kFloatData, x.sizes);
  Node node = pointwise_node(kSelect, kFloatData);
  set_node(node, kPointwiseX, x.node);
  set_node(node, kPointwiseB, replacement.node);
  set_node(node, kPointwiseCondition, stays.node);
  set_node(node, kPointwiseY, y.node);
  add_operation(std::move(node));
  return y;
}

}  // namespace tern::cuda::device::cudnn
