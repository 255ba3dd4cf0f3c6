#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/ops/loss/reduction.h>
#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>

namespace tern {

namespace nn {

/// How EmbeddingBag combines the rows of a bag: kSum, kMean or kMax.
class TERN_API EmbeddingBagMode {
 public:
  /// The three ways, numbered as the `mode` of tern::embedding_bag().
  enum Kind : std::uint8_t { Sum, Mean, Max };
  /// Takes kMax.
  constexpr EmbeddingBagMode(Kind kind) : kind_(kind) {}
  /// Takes kSum or kMean. Throws Error for kNone.
  EmbeddingBagMode(Reduction reduction);
  /// Returns the way.
  constexpr operator Kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace nn

/// The maximum of a bag, as in libtorch.
constexpr auto kMax = nn::EmbeddingBagMode::Max;

namespace nn {

/// Options of Embedding.
struct EmbeddingOptions {
  /// Sets both sizes.
  EmbeddingOptions(StrictInt num_embeddings, StrictInt embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  /// The number of rows of the table.
  TERN_ARG(std::int64_t, num_embeddings);
  /// The length of each row.
  TERN_ARG(std::int64_t, embedding_dim);
  /// The index whose row starts as zeros and gets no gradient; negative numbers count from the end.
  TERN_ARG(std::optional<StrictInt>, padding_idx);
  /// The norm to which forward shortens longer rows among those it uses, in the table itself.
  TERN_ARG(std::optional<StrictNumber>, max_norm);
  /// The order of that norm.
  TERN_ARG(double, norm_type) = 2;
  /// True: the gradient of a row is divided by the number of times that its index occurs.
  TERN_ARG(bool, scale_grad_by_freq) = false;
  /// Must be false: tern has no sparse gradients.
  TERN_ARG(bool, sparse) = false;
  /// The table itself, [num_embeddings, embedding_dim], instead of a drawn one. The module takes it
  /// out of its options.
  TERN_ARG(Tensor, _weight);
  /// The device of the table; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the table; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of Embedding::from_pretrained().
struct EmbeddingFromPretrainedOptions {
  /// True: the table does not require grad.
  TERN_ARG(bool, freeze) = true;
  /// The index whose row gets no gradient; negative numbers count from the end.
  TERN_ARG(std::optional<StrictInt>, padding_idx);
  /// The norm to which forward shortens longer rows among those it uses, in the table itself.
  TERN_ARG(std::optional<StrictNumber>, max_norm);
  /// The order of that norm.
  TERN_ARG(double, norm_type) = 2;
  /// True: the gradient of a row is divided by the number of times that its index occurs.
  TERN_ARG(bool, scale_grad_by_freq) = false;
  /// Must be false: tern has no sparse gradients.
  TERN_ARG(bool, sparse) = false;
};

/// Options of EmbeddingBag.
struct EmbeddingBagOptions {
  /// Sets both sizes.
  EmbeddingBagOptions(StrictInt num_embeddings, StrictInt embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  /// The number of rows of the table.
  TERN_ARG(std::int64_t, num_embeddings);
  /// The length of each row.
  TERN_ARG(std::int64_t, embedding_dim);
  /// The norm to which forward shortens longer rows among those it uses, in the table itself.
  TERN_ARG(std::optional<StrictNumber>, max_norm);
  /// The order of that norm.
  TERN_ARG(double, norm_type) = 2;
  /// True: the gradient of a row is divided by the number of times that its index occurs. Not for
  /// kMax.
  TERN_ARG(bool, scale_grad_by_freq) = false;
  /// How the rows of a bag are combined: kSum, kMean or kMax.
  TERN_ARG(EmbeddingBagMode, mode) = kMean;
  /// Must be false: tern has no sparse gradients.
  TERN_ARG(bool, sparse) = false;
  /// The table itself, [num_embeddings, embedding_dim], instead of a drawn one. The module takes it
  /// out of its options.
  TERN_ARG(Tensor, _weight);
  /// True: the last offset is where the last bag ends.
  TERN_ARG(bool, include_last_offset) = false;
  /// The index that does not count, and whose row starts as zeros; negative numbers count from the
  /// end.
  TERN_ARG(std::optional<StrictInt>, padding_idx);
  /// The device of the table; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the table; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of EmbeddingBag::from_pretrained().
struct EmbeddingBagFromPretrainedOptions {
  /// True: the table does not require grad.
  TERN_ARG(bool, freeze) = true;
  /// The norm to which forward shortens longer rows among those it uses, in the table itself.
  TERN_ARG(std::optional<StrictNumber>, max_norm);
  /// The order of that norm.
  TERN_ARG(double, norm_type) = 2;
  /// True: the gradient of a row is divided by the number of times that its index occurs. Not for
  /// kMax.
  TERN_ARG(bool, scale_grad_by_freq) = false;
  /// How the rows of a bag are combined: kSum, kMean or kMax.
  TERN_ARG(EmbeddingBagMode, mode) = kMean;
  /// Must be false: tern has no sparse gradients.
  TERN_ARG(bool, sparse) = false;
  /// True: the last offset is where the last bag ends.
  TERN_ARG(bool, include_last_offset) = false;
  /// The index that does not count; negative numbers count from the end.
  TERN_ARG(std::optional<StrictInt>, padding_idx);
};

namespace functional {
/// Options of nn::functional::embedding.
struct EmbeddingFuncOptions {
  /// The index whose row gets no gradient; negative numbers count from the end.
  TERN_ARG(std::optional<StrictInt>, padding_idx);
  /// The norm to which longer rows among the used ones are shortened, in the table itself.
  TERN_ARG(std::optional<StrictNumber>, max_norm);
  /// The order of that norm.
  TERN_ARG(double, norm_type) = 2;
  /// True: the gradient of a row is divided by the number of times that its index occurs.
  TERN_ARG(bool, scale_grad_by_freq) = false;
  /// Must be false: tern has no sparse gradients.
  TERN_ARG(bool, sparse) = false;
};

/// Options of nn::functional::embedding_bag.
struct EmbeddingBagFuncOptions {
  /// Where each bag starts, for an input of one dimension alone.
  TERN_ARG(Tensor, offsets);
  /// The norm to which longer rows among the used ones are shortened, in the table itself.
  TERN_ARG(std::optional<StrictNumber>, max_norm);
  /// The order of that norm.
  TERN_ARG(double, norm_type) = 2;
  /// True: the gradient of a row is divided by the number of times that its index occurs. Not for
  /// kMax.
  TERN_ARG(bool, scale_grad_by_freq) = false;
  /// How the rows of a bag are combined: kSum, kMean or kMax.
  TERN_ARG(EmbeddingBagMode, mode) = kMean;
  /// Must be false: tern has no sparse gradients.
  TERN_ARG(bool, sparse) = false;
  /// A factor for each index, of the input's shape; for kSum alone.
  TERN_ARG(Tensor, per_sample_weights);
  /// True: the last offset is where the last bag ends.
  TERN_ARG(bool, include_last_offset) = false;
  /// The index that does not count; negative numbers count from the end.
  TERN_ARG(std::optional<StrictInt>, padding_idx);
};
}  // namespace functional
}  // namespace nn
}  // namespace tern
