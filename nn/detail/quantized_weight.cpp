#include <tern/nn/detail/quantized_weight.h>

#include <string_view>
#include <unordered_map>

#include <tern/core/ops/create/creation.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/linear.h>

namespace tern::nn::detail {

namespace {

constexpr std::string_view kPrefix = "weight_";
constexpr BlockFormat kFormats[] = {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1,
                                    BlockFormat::kQ4_K, BlockFormat::kQ6_K};

std::int64_t row_bytes(BlockFormat format, std::int64_t columns) {
  return columns / elements_of_block(format) * bytes_of_block(format);
}

/// Makes `to` as quantised as `from`, with blocks that other modules may have.
template <class M>
bool adopt(Module& to, const Module& from, std::unordered_map<const void*, Tensor>& made) {
  const auto* const source = from.as<M>();
  auto* const target = to.as<M>();
  if (source == nullptr || target == nullptr) return false;
  if (!source->weight_format() || target->weight_format()) return true;
  Tensor& blocks = made[source->weight_blocks.unsafeGetTensorImpl()];
  if (!blocks.defined()) {
    blocks = empty(source->weight_blocks.sizes(), source->weight_blocks.options());
  }
  target->set_quantized_weight(blocks, *source->weight_format());
  return true;
}

}  // namespace

std::string blocks_name(BlockFormat format) {
  std::string name(kPrefix);
  for (const char c : block_format_name(format)) {
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

Tensor empty_blocks(BlockFormat format, std::int64_t rows, std::int64_t columns,
                    const std::optional<Device>& device) {
  TensorOptions options(kByte);
  if (device) options = options.device(*device);
  return empty({rows, row_bytes(format, columns)}, options);
}

void set_blocks(const WeightMembers& members, const Tensor& blocks, BlockFormat format,
                std::int64_t rows, std::int64_t columns) {
  const auto& [module, type, weight, target, now] = members;
  TERN_CHECK(!now || *now == format, Error, type, ": the weight is quantised as ",
             block_format_name(now.value_or(format)), " and cannot become ",
             block_format_name(format));
  TERN_CHECK(now || weight.defined(), Error, type,
             ": the weight cannot be quantised, because it is no parameter; remove its "
             "parametrizations first");
  TERN_CHECK(blocks.defined() && blocks.dtype() == kByte, DTypeError, type, ": the blocks of ",
             block_format_name(format), " must be uint8, but got ",
             blocks.defined() ? dtype_info(blocks.dtype()).python_name : "an undefined tensor");
  const int block = elements_of_block(format);
  TERN_CHECK(columns % block == 0, ShapeError, type, ": the rows of a weight as ",
             block_format_name(format), " must be a multiple of ", block,
             " elements long, but the weight is [", rows, ", ", columns, "]");
  TERN_CHECK(
      blocks.dim() == 2 && blocks.size(0) == rows && blocks.size(1) == row_bytes(format, columns),
      ShapeError, type, ": the blocks of a weight [", rows, ", ", columns, "] as ",
      block_format_name(format), " have the sizes [", rows, ", ", row_bytes(format, columns),
      "], but got ", blocks.sizes());
  const std::string name = blocks_name(format);
  if (now) {
    module.replace_buffer(name, blocks);
    return;
  }
  module.bind_buffer(name, target, blocks);
  module.replace_parameter("weight", Tensor());
  now = format;
}

void check_not_quantized(const char* type, const std::optional<BlockFormat>& format) {
  TERN_CHECK(!format, Error, type, ": the weight is quantised as ",
             block_format_name(format.value_or(BlockFormat::kQ8_0)), " and cannot be drawn anew");
}

void print_format(std::ostream& stream, const std::optional<BlockFormat>& format) {
  if (format) print_to(stream, {", weight=", block_format_name(*format)});
}

void adopt_blocks(Module& to, const Module& from) {
  std::unordered_map<const void*, Tensor> made;
  std::vector<std::pair<Module*, const Module*>> open = {{&to, &from}};
  while (!open.empty()) {
    const auto [target, source] = open.back();
    open.pop_back();
    if (adopt<LinearImpl>(*target, *source, made)) continue;
    if (adopt<EmbeddingImpl>(*target, *source, made)) continue;
    const auto targets = target->named_children(), sources = source->named_children();
    for (const auto& [name, child] : sources) {
      const auto* const same = targets.find(name);
      if (same != nullptr) open.emplace_back(same->get(), child.get());
    }
  }
}

std::string cure_of_format(const std::string& missing, const std::string& unexpected) {
  const std::size_t dot = missing.rfind('.') + 1;
  if (missing.compare(0, dot, unexpected, 0, unexpected.rfind('.') + 1) != 0) return {};
  const std::string_view lacks = std::string_view(missing).substr(dot);
  const std::string_view has = std::string_view(unexpected).substr(dot);
  for (const BlockFormat format : kFormats) {
    const std::string_view name = block_format_name(format);
    if (lacks == "weight" && has == blocks_name(format)) {
      return tern::detail::text_of("\"", unexpected, "\" is quantised as ", name,
                                   ": call nn::quantize_() on the module before it loads the "
                                   "state.");
    }
    if (has == "weight" && lacks == blocks_name(format)) {
      return tern::detail::text_of("\"", unexpected, "\" is not quantised, the module's is, as ",
                                   name, ": load the state before nn::quantize_().");
    }
  }
  return {};
}

}  // namespace tern::nn::detail
