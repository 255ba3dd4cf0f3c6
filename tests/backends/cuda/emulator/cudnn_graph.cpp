#include <backends/cuda/emulator/cudnn_graph.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <tern/core/base/bfloat16.h>
#include <tern/core/base/half.h>

// Graphs of attention for the replacement for cuDNN. It knows nothing of attention: each operation
// computes what cuDNN's documentation says of it.

namespace tern::emulator {
namespace {

using Index4 = std::array<std::int64_t, 4>;

std::int64_t count_of(const Index4& sizes) { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }

/// A tensor's descriptor.
struct Shape {
  const CudnnNode& node;
  std::int64_t id;
  DataType type;
  Index4 sizes, strides;
  bool is_virtual, is_by_value;

  explicit Shape(const CudnnNode& tensor)
      : node(tensor),
        id(tensor.one<std::int64_t>(kTensorId)),
        type(tensor.one<DataType>(kTensorType)),
        sizes(four(tensor, kTensorSizes)),
        strides(four(tensor, kTensorStrides)),
        is_virtual(tensor.flag(kTensorIsVirtual)),
        is_by_value(tensor.flag(kTensorIsByValue)) {}

  bool is_narrow() const { return type == kHalfData || type == kBfloat16Data; }
  std::int64_t offset(const Index4& at) const {
    return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2] + at[3] * strides[3];
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    std::int64_t number = 0;
    Index4 at{};
    for (at[0] = 0; at[0] < sizes[0]; ++at[0]) {
      for (at[1] = 0; at[1] < sizes[1]; ++at[1]) {
        for (at[2] = 0; at[2] < sizes[2]; ++at[2]) {
          for (at[3] = 0; at[3] < sizes[3]; ++at[3]) visit(at, number++);
        }
      }
    }
  }
  /// The number of the element at an index of a larger tensor: sizes of 1 are repeated, heads in
  /// groups.
  std::int64_t repeated(const Index4& at, const Index4& of) const {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      number = number * sizes[d] + (sizes[d] == 1 ? 0 : at[d] / (of[d] / sizes[d]));
    }
    return number;
  }
  float rounded(float x) const {
    if (type == kHalfData) return static_cast<float>(Half(x));
    if (type == kBfloat16Data) return static_cast<float>(BFloat16(x));
    return x;
  }

 private:
  static Index4 four(const CudnnNode& tensor, Attribute attribute) {
    const auto values = tensor.all<std::int64_t>(attribute);
    require_cudnn_rule(values.size() == 4, "matrices have two dimensions of batches");
    return {values[0], values[1], values[2], values[3]};
  }
};

void check_shape(const Shape& x) {
  require_cudnn_rule(count_of(x.sizes) > 0, "a size is not positive");
  require_cudnn_rule(!x.is_virtual || !x.is_by_value, "a virtual tensor has no value");
  require_cudnn_rule(x.is_virtual || x.is_by_value || count_of(x.sizes) > 1,
                     "memory of one element is taken for a scalar");
  if (!x.is_narrow()) return;
  std::int64_t ones = 0;
  for (std::size_t d = 0; d < 4; ++d) {
    require_cudnn_rule(x.strides[d] > 0, "a stride is not positive");
    ones += x.strides[d] == 1 ? 1 : 0;
    require_cudnn_rule(x.is_virtual || x.strides[d] == 1 || x.strides[d] % 8 == 0,
                       "rows that are not aligned");
  }
  require_cudnn_rule(x.is_virtual || ones == 1, "one dimension is contiguous");
}

Shape shape_of(const CudnnNode& operation, Attribute attribute) {
  const Shape shape(operation.node(attribute));
  check_shape(shape);
  return shape;
}

bool repeats(const Index4& part, const Index4& whole) {
  for (std::size_t d = 0; d < 4; ++d) {
    if (part[d] != whole[d] && part[d] != 1) return false;
  }
  return true;
}

void check_product(const CudnnNode& operation) {
  const Shape a = shape_of(operation, kMatmulA), b = shape_of(operation, kMatmulB);
  const Shape c = shape_of(operation, kMatmulC);
  require_cudnn_rule(operation.node(kMatmulMatmul).one<DataType>(kMatmulMath) == kFloatData,
                     "products are summed in float32");
  require_cudnn_rule(a.is_narrow() && a.type == b.type, "factors of one narrow type");
  require_cudnn_rule(c.type == kFloatData || c.type == a.type, "a product of another type");
  require_cudnn_rule(a.sizes[3] == b.sizes[2] && c.sizes[2] == a.sizes[2] &&
                         c.sizes[3] == b.sizes[3] && a.sizes[0] == b.sizes[0] &&
                         c.sizes[0] == a.sizes[0] && c.sizes[1] == a.sizes[1] &&
                         a.sizes[1] % b.sizes[1] == 0,
                     "sizes of a product that do not fit");
}

void check_pointwise(const CudnnNode& operation) {
  const CudnnNode& pointwise = operation.node(kPointwisePointwise);
  const Mode mode = pointwise.one<Mode>(kPointwiseMode);
  const Shape x = shape_of(operation, kPointwiseX), y = shape_of(operation, kPointwiseY);
  require_cudnn_rule(repeats(x.sizes, y.sizes), "sizes of a pointwise operation do not fit");
  const bool has_two = mode == kAdd || mode == kMultiply || mode == kDivide || mode == kMinus ||
                       mode == kNotLess || mode == kSelect;
  require_cudnn_rule(operation.has(kPointwiseB) == has_two, "operands that the mode does not have");
  require_cudnn_rule(operation.has(kPointwiseCondition) == (mode == kSelect),
                     "a condition without a selection");
  require_cudnn_rule(pointwise.has(kPointwiseAxis) == (mode == kIndex), "an axis without an index");
  require_cudnn_rule(mode != kIndex || y.type == kInt32Data, "an index is int32");
  require_cudnn_rule((mode == kNotLess) == (y.type == kBooleanData), "a comparison is boolean");
  require_cudnn_rule(
      pointwise.one<DataType>(kPointwiseMath) == (mode == kNotLess ? kBooleanData : kFloatData),
      "the type of the computation");
  if (has_two) {
    require_cudnn_rule(repeats(shape_of(operation, kPointwiseB).sizes, y.sizes),
                       "sizes of a pointwise operation do not fit");
  }
  if (mode == kSelect) {
    const Shape condition = shape_of(operation, kPointwiseCondition);
    require_cudnn_rule(condition.type == kBooleanData && condition.sizes == y.sizes,
                       "a condition is boolean");
  }
}

void check_reduction(const CudnnNode& operation) {
  const Shape x = shape_of(operation, kReductionX), y = shape_of(operation, kReductionY);
  const CudnnNode& reduction = operation.node(kReductionReduction);
  require_cudnn_rule(reduction.one<DataType>(kReductionMath) == kFloatData, "sums are float32");
  for (std::size_t d = 0; d < 4; ++d) {
    require_cudnn_rule(
        x.sizes[d] == y.sizes[d] || y.sizes[d] == 1 || (d == 1 && x.sizes[d] % y.sizes[d] == 0),
        "sizes of a reduction that do not fit");
  }
}

void check_view(const CudnnNode& operation) {
  const Shape x = shape_of(operation, kReshapeX), y = shape_of(operation, kReshapeY);
  require_cudnn_rule(count_of(x.sizes) == count_of(y.sizes) && y.is_virtual,
                     "a view has as many elements");
}

/// The elements of a graph's tensors, by their number, as float32.
class Elements {
 public:
  explicit Elements(const CudnnNode& pack)
      : ids_(pack.all<std::int64_t>(kPackIds)), pointers_(pack.all<void*>(kPackPointers)) {
    require_cudnn_rule(ids_.size() == pointers_.size(), "a pack of as many tensors as pointers");
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      require_cudnn_rule(std::count(ids_.begin(), ids_.end(), ids_[i]) == 1, "a tensor twice");
    }
  }

  const std::vector<float>& read(const Shape& x) {
    const auto found = values_.find(x.id);
    if (found != values_.end()) return found->second;
    require_cudnn_rule(!x.is_virtual, "nothing computes a virtual tensor before it is read");
    std::vector<float>& values = values_[x.id];
    values.resize(static_cast<std::size_t>(count_of(x.sizes)));
    const void* const data = pointer(x);
    x.for_each([&](const Index4& at, std::int64_t number) {
      values[static_cast<std::size_t>(number)] = load(x, data, x.offset(at));
    });
    return values;
  }

  void write(const Shape& y, std::vector<float> values) {
    require_cudnn_rule(!y.is_by_value && values_.count(y.id) == 0, "a tensor is computed twice");
    for (float& value : values) value = y.rounded(value);
    if (!y.is_virtual) {
      void* const data = pointer(y);
      y.for_each([&](const Index4& at, std::int64_t number) {
        store(y, data, y.offset(at), values[static_cast<std::size_t>(number)]);
      });
    }
    values_[y.id] = std::move(values);
  }

  void require_all_used() const {
    for (const std::int64_t id : ids_) {
      require_cudnn_rule(values_.count(id) == 1, "the pack has a tensor that is not in the graph");
    }
  }

 private:
  void* pointer(const Shape& x) const {
    const auto id = std::find(ids_.begin(), ids_.end(), x.id);
    require_cudnn_rule(id != ids_.end(), "the pack lacks a tensor");
    void* const data = pointers_[static_cast<std::size_t>(id - ids_.begin())];
    require_cudnn_rule(data != nullptr, "a buffer is null");
    require_cudnn_rule(x.is_by_value || reinterpret_cast<std::uintptr_t>(data) % 16 == 0,
                       "a buffer is less aligned than its tensor");
    return data;
  }
  static float load(const Shape& x, const void* data, std::int64_t at) {
    if (x.type == kHalfData) return static_cast<float>(static_cast<const Half*>(data)[at]);
    if (x.type == kBfloat16Data) return static_cast<float>(static_cast<const BFloat16*>(data)[at]);
    require_cudnn_rule(x.type == kFloatData, "memory of another type");
    return static_cast<const float*>(data)[at];
  }
  static void store(const Shape& y, void* data, std::int64_t at, float value) {
    if (y.type == kHalfData) {
      static_cast<Half*>(data)[at] = Half(value);
    } else if (y.type == kBfloat16Data) {
      static_cast<BFloat16*>(data)[at] = BFloat16(value);
    } else {
      require_cudnn_rule(y.type == kFloatData, "memory of another type");
      static_cast<float*>(data)[at] = value;
    }
  }

  std::vector<std::int64_t> ids_;
  std::vector<void*> pointers_;
  std::map<std::int64_t, std::vector<float>> values_;
};

std::vector<float> product(const CudnnNode& operation, const Shape& c, Elements& elements) {
  const Shape a(operation.node(kMatmulA)), b(operation.node(kMatmulB));
  const std::vector<float>&as = elements.read(a), &bs = elements.read(b);
  std::vector<float> result(static_cast<std::size_t>(count_of(c.sizes)));
  const std::int64_t terms = a.sizes[3], group = a.sizes[1] / b.sizes[1];
  c.for_each([&](const Index4& at, std::int64_t number) {
    const std::int64_t row = ((at[0] * a.sizes[1] + at[1]) * a.sizes[2] + at[2]) * terms;
    const std::int64_t matrix = (at[0] * b.sizes[1] + at[1] / group) * terms * b.sizes[3];
    float sum = 0;
    for (std::int64_t k = 0; k < terms; ++k) {
      sum += as[static_cast<std::size_t>(row + k)] *
             bs[static_cast<std::size_t>(matrix + k * b.sizes[3] + at[3])];
    }
    result[static_cast<std::size_t>(number)] = sum;
  });
  return result;
}

float pointwise_of(Mode mode, float x, float b, float condition) {
  if (mode == kAdd) return x + b;
  if (mode == kMultiply) return x * b;
  if (mode == kDivide) return x / b;
  if (mode == kMinus) return x - b;
  if (mode == kExp) return std::exp(x);
  if (mode == kLog) return std::log(x);
  if (mode == kIdentity) return x;
  if (mode == kNotLess) return x >= b ? 1.0f : 0.0f;
  require_cudnn_rule(mode == kSelect, "a mode that attention does not have");
  return condition != 0 ? x : b;
}

std::vector<float> pointwise(const CudnnNode& operation, const Shape& y, Elements& elements) {
  const CudnnNode& node = operation.node(kPointwisePointwise);
  const Mode mode = node.one<Mode>(kPointwiseMode);
  std::vector<float> result(static_cast<std::size_t>(count_of(y.sizes)));
  const Shape x(operation.node(kPointwiseX));
  if (mode == kIndex) {
    const auto axis = static_cast<std::size_t>(node.one<std::int64_t>(kPointwiseAxis));
    y.for_each([&](const Index4& at, std::int64_t number) {
      result[static_cast<std::size_t>(number)] = static_cast<float>(at.at(axis));
    });
    return result;
  }
  const auto operand = [&](Attribute attribute) -> std::optional<Shape> {
    if (!operation.has(attribute)) return std::nullopt;
    return Shape(operation.node(attribute));
  };
  const std::optional<Shape> b = operand(kPointwiseB), condition = operand(kPointwiseCondition);
  const auto value = [&](const Shape& from, const Index4& at) {
    return elements.read(from)[static_cast<std::size_t>(from.repeated(at, y.sizes))];
  };
  y.for_each([&](const Index4& at, std::int64_t number) {
    result[static_cast<std::size_t>(number)] = pointwise_of(
        mode, value(x, at), b ? value(*b, at) : 0, condition ? value(*condition, at) : 0);
  });
  return result;
}

std::vector<float> reduction(const CudnnNode& operation, const Shape& y, Elements& elements) {
  const Mode mode = operation.node(kReductionReduction).one<Mode>(kReductionOperator);
  const Shape x(operation.node(kReductionX));
  const std::vector<float>& xs = elements.read(x);
  const bool is_sum = mode == kSumOf;
  require_cudnn_rule(is_sum || mode == kLargestOf, "a reduction that attention does not have");
  std::vector<float> result(static_cast<std::size_t>(count_of(y.sizes)),
                            is_sum ? 0 : -std::numeric_limits<float>::infinity());
  x.for_each([&](const Index4& at, std::int64_t number) {
    float& value = result[static_cast<std::size_t>(y.repeated(at, x.sizes))];
    const float next = xs[static_cast<std::size_t>(number)];
    value = is_sum ? value + next : std::max(value, next);
  });
  return result;
}

std::vector<float> view(const CudnnNode& operation, const Shape& y, Elements& elements) {
  const Shape x(operation.node(kReshapeX));
  const std::vector<float>& xs = elements.read(x);
  std::map<std::int64_t, float> at_offset;
  x.for_each([&](const Index4& at, std::int64_t number) {
    at_offset[x.offset(at)] = xs[static_cast<std::size_t>(number)];
  });
  std::vector<float> result(static_cast<std::size_t>(count_of(y.sizes)));
  y.for_each([&](const Index4& at, std::int64_t number) {
    const auto found = at_offset.find(y.offset(at));
    require_cudnn_rule(found != at_offset.end(), "a view of elements that are not there");
    result[static_cast<std::size_t>(number)] = found->second;
  });
  return result;
}

}  // namespace

void check_operation(const CudnnNode& operation) {
  if (operation.kind == kMatmulOperation) check_product(operation);
  if (operation.kind == kPointwiseOperation) check_pointwise(operation);
  if (operation.kind == kReductionOperation) check_reduction(operation);
  if (operation.kind == kReshapeOperation) check_view(operation);
}

void compute_operations(const std::vector<Descriptor>& operations, const CudnnNode& pack) {
  Elements elements(pack);
  for (const Descriptor descriptor : operations) {
    const CudnnNode& operation = finished(descriptor);
    const auto compute = [&](Attribute result, auto function) {
      const Shape y(operation.node(result));
      elements.write(y, function(operation, y, elements));
    };
    if (operation.kind == kMatmulOperation) {
      compute(kMatmulC, product);
    } else if (operation.kind == kPointwiseOperation) {
      compute(kPointwiseY, pointwise);
    } else if (operation.kind == kReductionOperation) {
      compute(kReductionY, reduction);
    } else {
      require_cudnn_rule(operation.kind == kReshapeOperation, "an operation of another graph");
      compute(kReshapeY, view);
    }
  }
  elements.require_all_used();
}

}  // namespace tern::emulator
