#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/tensor/generator.h>
#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

namespace detail {

/// Returns indices[i] for every i of `request`. Throws IndexError for an i out of range.
TERN_API std::vector<std::size_t> subset_indices(const std::vector<std::size_t>& indices,
                                                 ArrayRef<std::size_t> request);

}  // namespace detail

/// The examples of a dataset at chosen indices, in this order.
///
/// Example:
///   datasets::Subset first_ten(dataset, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
template <class D>
class Subset : public BatchDataset<Subset<D>, typename D::BatchType> {
 public:
  /// Takes the examples of `dataset` at `indices`. Throws IndexError for an index beyond the
  /// dataset.
  Subset(D dataset, std::vector<std::size_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    const auto count = dataset_.size();
    for (const std::size_t index : indices_) {
      TERN_CHECK(!count || index < *count, IndexError, "Subset: index ", index,
                 " is out of range for a dataset of ", *count, " examples");
    }
  }

  /// Returns the batch of the dataset at the chosen indices.
  typename D::BatchType get_batch(ArrayRef<std::size_t> request) override {
    return dataset_.get_batch(detail::subset_indices(indices_, request));
  }
  /// Returns example `index` of the subset.
  auto get(std::size_t index) requires(requires(D& dataset) { dataset.get(index); }) {
    return dataset_.get(detail::subset_indices(indices_, index).front());
  }
  /// Returns the stacked batch at the chosen indices.
  auto gather(ArrayRef<std::size_t> request) requires(detail::Gathers<D>) {
    return dataset_.gather(detail::subset_indices(indices_, request));
  }
  /// Returns the number of chosen indices.
  std::optional<std::size_t> size() const override { return indices_.size(); }

  /// Returns the whole dataset.
  const D& dataset() const { return dataset_; }
  /// Returns the chosen indices.
  const std::vector<std::size_t>& indices() const { return indices_; }

 private:
  D dataset_;
  std::vector<std::size_t> indices_;
};

/// The parts of random_split(): counts, or fractions that sum up to 1.
class SplitLengths {
 public:
  /// Takes counts or fractions in braces.
  template <class T>
  SplitLengths(std::initializer_list<T> lengths) : lengths_(lengths.begin(), lengths.end()) {}
  /// Takes counts or fractions.
  template <class T>
  SplitLengths(const std::vector<T>& lengths) : lengths_(lengths.begin(), lengths.end()) {}
  /// Returns the lengths.
  const std::vector<double>& lengths() const { return lengths_; }

 private:
  std::vector<double> lengths_;
};

namespace detail {

/// Returns the indices of every part. Throws Error unless the lengths fit `size` examples.
TERN_API std::vector<std::vector<std::size_t>> split_indices(std::optional<std::size_t> size,
                                                             const SplitLengths& lengths,
                                                             std::optional<Generator> generator);

}  // namespace detail

/// Splits a dataset at random into parts that do not overlap, as torch.utils.data.random_split
/// does: the same seed gives the same parts. Fractions are rounded down, and what remains goes to
/// the first parts, one example each. Draws randperm(size) from `generator`, or from the CPU's
/// default generator.
///
/// Throws: Error unless the counts sum up to the size of the dataset or the fractions to 1.
///
/// Example:
///   auto parts = datasets::random_split(dataset, {0.8, 0.2});
///   auto train = data::make_data_loader(parts[0].map(transforms::Stack<>()), 64);
template <class D>
std::vector<Subset<D>> random_split(const D& dataset, const SplitLengths& lengths,
                                    const std::optional<Generator>& generator = std::nullopt) {
  std::vector<Subset<D>> parts;
  for (auto& indices : detail::split_indices(dataset.size(), lengths, generator)) {
    parts.emplace_back(dataset, std::move(indices));
  }
  return parts;
}

}  // namespace tern::data::datasets

namespace tern::data {
using datasets::random_split;
using datasets::Subset;
}  // namespace tern::data
