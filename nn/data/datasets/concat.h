#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

namespace detail {

/// Returns the ends of the parts of a concatenation. Throws Error for no part and for a part
/// without a size.
TERN_API std::vector<std::size_t> concat_ends(const std::vector<std::optional<std::size_t>>& sizes);
/// Returns the part that holds example `index`. Throws IndexError out of range.
TERN_API std::size_t concat_part(const std::vector<std::size_t>& ends, std::size_t index);

}  // namespace detail

/// Datasets of one type, one after the other.
///
/// Example:
///   datasets::ConcatDataset<datasets::MNIST> both({train, test});
template <class D>
class ConcatDataset
    : public Dataset<ConcatDataset<D>, decltype(std::declval<D&>().get(std::size_t{}))> {
 public:
  /// The type of an example.
  using ExampleType = decltype(std::declval<D&>().get(std::size_t{}));

  /// Joins the datasets. Throws Error if there is none or if one has no size.
  explicit ConcatDataset(std::vector<D> datasets) : datasets_(std::move(datasets)) {
    std::vector<std::optional<std::size_t>> sizes;
    for (const D& dataset : datasets_) sizes.push_back(dataset.size());
    ends_ = detail::concat_ends(sizes);
  }

  /// Returns example `index` of all datasets together.
  ExampleType get(std::size_t index) override {
    const std::size_t part = detail::concat_part(ends_, index);
    return datasets_[part].get(index - (part == 0 ? 0 : ends_[part - 1]));
  }
  /// Returns the number of examples of all datasets.
  std::optional<std::size_t> size() const override { return ends_.back(); }

  /// Returns the datasets.
  const std::vector<D>& datasets() const { return datasets_; }
  /// Returns the number of examples of the first, of the first two datasets, and so on.
  const std::vector<std::size_t>& cumulative_sizes() const { return ends_; }

 private:
  std::vector<D> datasets_;
  std::vector<std::size_t> ends_;
};

}  // namespace tern::data::datasets

namespace tern::data {
using datasets::ConcatDataset;
}  // namespace tern::data
