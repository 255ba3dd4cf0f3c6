#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/base/block_format.h>
#include <tern/core/ops/loss/reduction.h>
#include <tern/core/ops/nn/embedding.h>
#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
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
  template <detail::ConstantOf<EmbeddingBagMode> T>
  EmbeddingBagMode(const T& /*mode*/) : EmbeddingBagMode(T::value) {}
  /// Returns the way.
  constexpr operator Kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace nn

/// The maximum of a bag, as in libtorch.
constexpr auto kMax = nn::EmbeddingBagMode::Max;

}  // namespace tern

namespace tern::nn {

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

/// Returns the rows of the table `weight` that the integers `input` name; see tern::embedding().
/// With `max_norm`, first shortens the used rows of `weight` itself to that norm. Throws IndexError
/// for an index out of range and for a padding_idx out of range.
///
/// Shape: input [*], weight [rows, dim] -> [*, dim]
TERN_API Tensor embedding(const Tensor& input, const Tensor& weight,
                          const EmbeddingFuncOptions& options = {});
/// Combines rows of the table `weight` in bags; see tern::embedding_bag(). Each row of an input of
/// two dimensions is a bag; the option `offsets` says where the bags of a vector start. With
/// `max_norm`, first shortens the used rows of `weight` itself to that norm.
///
/// Shape: input [bags, length], or [n] with offsets [bags]; weight [rows, dim] -> [bags, dim]
TERN_API Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                              const EmbeddingBagFuncOptions& options = {});
/// Returns 1 at the class that each element names, and 0 elsewhere; see tern::one_hot().
inline Tensor one_hot(const Tensor& tensor, StrictInt num_classes = -1) {
  return tern::one_hot(tensor, num_classes);
}

}  // namespace functional

namespace detail {
struct ForwardDefaults;
}  // namespace detail

/// A table of vectors that are looked up by index.
///
/// Shape: int64 or int32 [*] -> [*, embedding_dim]
/// Parameters: weight [num_embeddings, embedding_dim], standard normal numbers; the row padding_idx
/// is zeros
/// Buffers: weight_q8_0 and so on in place of weight, after nn::quantize_()
///
/// Example:
///   nn::Embedding words(nn::EmbeddingOptions(10000, 64).padding_idx(0));
class TERN_API EmbeddingImpl : public Cloneable<EmbeddingImpl> {
 public:
  /// Makes the table.
  EmbeddingImpl(StrictInt num_embeddings, StrictInt embedding_dim);
  /// Makes the table. Throws IndexError for a padding_idx out of range, ShapeError for a `_weight`
  /// of other sizes, NotImplementedError if `sparse` is true.
  explicit EmbeddingImpl(const EmbeddingOptions& options_);

  void reset() override;
  /// Draws a new table.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the rows that `indices` names. Throws IndexError for an index out of range, DTypeError
  /// for indices other than int64 and int32.
  Tensor forward(const Tensor& indices);

  /// Replaces the parameter `weight` by a buffer of ggml's blocks, as nn::quantize_() does; see
  /// LinearImpl::set_quantized_weight(). The rows that forward() returns keep the dtype of the
  /// parameter, and to() changes it.
  ///
  /// Throws: DTypeError unless the blocks are uint8, ShapeError unless they are the blocks of
  /// num_embeddings rows of embedding_dim elements, Error if the weight has blocks of another
  /// format, and with max_norm, which changes the table.
  void set_quantized_weight(const Tensor& blocks, BlockFormat format);
  /// Returns the format of a quantised table; nothing for a parameter.
  std::optional<BlockFormat> weight_format() const { return format_; }

  /// The options given to the constructor; a negative padding_idx became the row's index.
  EmbeddingOptions options;
  /// The parameter [num_embeddings, embedding_dim]; undefined if the table is quantised.
  Tensor weight;
  /// A quantised table: the uint8 buffer [num_embeddings, bytes of a row], named "weight_q8_0" for
  /// Q8_0. Undefined for a parameter.
  Tensor weight_blocks;

 private:
  void bind_dtype(const TensorOptions& options_);

  std::optional<BlockFormat> format_;
  Tensor dtype_;  // no elements: to() gives it the dtype that rows of a quantised table get
};

/// The holder of EmbeddingImpl.
class Embedding : public ModuleHolder<EmbeddingImpl, Embedding> {
 public:
  /// Makes the module from the arguments of its constructor.
  using ModuleHolder<EmbeddingImpl, Embedding>::ModuleHolder;

  /// Makes a module of an existing table, whose elements it shares; by default frozen. Throws
  /// ShapeError unless `embeddings` is a matrix.
  TERN_API static Embedding from_pretrained(const Tensor& embeddings,
                                            const EmbeddingFromPretrainedOptions& options = {});
};

/// A table of vectors, of which bags of indices are combined: the sum, mean or maximum of the rows
/// of each bag, without the rows between.
///
/// Shape: [bags, length], or [n] with offsets [bags] -> [bags, embedding_dim]
/// Parameters: weight [num_embeddings, embedding_dim], standard normal numbers; the row padding_idx
/// is zeros
///
/// Example:
///   nn::EmbeddingBag words(nn::EmbeddingBagOptions(10000, 64).mode(kSum));
///   Tensor y = words(tern::tensor({3, 5, 7}), tern::tensor({0, 2}));  // rows 3 + 5, and row 7
class TERN_API EmbeddingBagImpl : public Cloneable<EmbeddingBagImpl> {
 public:
  /// Makes the table.
  EmbeddingBagImpl(StrictInt num_embeddings, StrictInt embedding_dim);
  /// Makes the table. Throws as the constructor of Embedding.
  explicit EmbeddingBagImpl(const EmbeddingBagOptions& options_);

  void reset() override;
  /// Draws a new table.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the combined rows; see nn::functional::embedding_bag(). `per_sample_weights` has a
  /// factor for each index, for kSum alone.
  Tensor forward(const Tensor& input, const Tensor& offsets = {},
                 const Tensor& per_sample_weights = {});

  /// The options given to the constructor; a negative padding_idx became the row's index.
  EmbeddingBagOptions options;
  /// The parameter [num_embeddings, embedding_dim].
  Tensor weight;

 private:
  // TERN_FORWARD_HAS_DEFAULT_ARGS with the values in the source: each program would compile them.
  friend struct detail::ForwardDefaults;
  static std::vector<std::pair<unsigned, AnyValue>> forward_defaults();
};

/// The holder of EmbeddingBagImpl.
class EmbeddingBag : public ModuleHolder<EmbeddingBagImpl, EmbeddingBag> {
 public:
  /// Makes the module from the arguments of its constructor.
  using ModuleHolder<EmbeddingBagImpl, EmbeddingBag>::ModuleHolder;

  /// Makes a module of an existing table, whose elements it shares; by default frozen. Throws
  /// ShapeError unless `embeddings` is a matrix.
  TERN_API static EmbeddingBag from_pretrained(
      const Tensor& embeddings, const EmbeddingBagFromPretrainedOptions& options = {});
};

}  // namespace tern::nn
