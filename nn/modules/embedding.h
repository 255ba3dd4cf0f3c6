#pragma once

#include <utility>
#include <vector>

#include <tern/nn/module/any_value.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/embedding.h>

namespace tern::nn {

namespace detail {
struct ForwardDefaults;
}  // namespace detail

/// A table of vectors that are looked up by index.
///
/// Shape: int64 or int32 [*] -> [*, embedding_dim]
/// Parameters: weight [num_embeddings, embedding_dim], standard normal numbers; the row padding_idx
/// is zeros
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

  /// The options given to the constructor; a negative padding_idx became the row's index.
  EmbeddingOptions options;
  /// The parameter [num_embeddings, embedding_dim].
  Tensor weight;
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
