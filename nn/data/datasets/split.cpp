#include <algorithm>
#include <cmath>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/random_integers.h>
#include <tern/nn/data/datasets/concat.h>
#include <tern/nn/data/datasets/subset.h>

namespace tern::data::datasets::detail {
namespace {

/// The sum as Python's sum() rounds it: with compensation.
double sum_of(const std::vector<double>& numbers) {
  long double sum = 0;
  for (const double number : numbers) sum += static_cast<long double>(number);
  return static_cast<double>(sum);
}

/// Replaces fractions of `size` by counts.
std::vector<double> counts_of(const std::vector<double>& fractions, std::size_t size) {
  std::vector<double> counts;
  std::size_t given = 0;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    TERN_CHECK(fractions[i] >= 0 && fractions[i] <= 1, Error, "random_split: Fraction at index ", i,
               " is not between 0 and 1, got ", fractions[i]);
    counts.push_back(std::floor(static_cast<double>(size) * fractions[i]));
    given += static_cast<std::size_t>(counts.back());
  }
  for (std::size_t i = 0; given + i < size; ++i) counts[i % counts.size()] += 1;
  return counts;
}

}  // namespace

std::vector<std::size_t> subset_indices(const std::vector<std::size_t>& indices,
                                        ArrayRef<std::size_t> request) {
  std::vector<std::size_t> found;
  found.reserve(request.size());
  for (const std::size_t index : request) {
    TERN_CHECK(index < indices.size(), IndexError, "Subset: index ", index,
               " is out of range for a subset of ", indices.size(), " examples");
    found.push_back(indices[index]);
  }
  return found;
}

std::vector<std::vector<std::size_t>> split_indices(std::optional<std::size_t> size,
                                                    const SplitLengths& lengths,
                                                    std::optional<Generator> generator) {
  TERN_CHECK(size, Error, "random_split: the dataset has no size, so it cannot be split");
  std::vector<double> counts = lengths.lengths();
  const double sum = sum_of(counts);
  if (sum <= 1 && sum >= 1 - 1e-9) counts = counts_of(counts, *size);
  double total = 0;
  for (const double count : counts) {
    TERN_CHECK(count >= 0 && count == std::floor(count), Error,
               "random_split: lengths must be counts, or fractions that sum up to 1, got ", count,
               " and a sum of ", sum);
    total += count;
  }
  TERN_CHECK(total == static_cast<double>(*size), Error,
             "random_split: Sum of input lengths does not equal the length of the input dataset! "
             "The lengths sum up to ",
             sum, ", the dataset has ", *size, " examples");
  const Tensor order = randperm(static_cast<std::int64_t>(*size), std::move(generator), kCPU);
  const std::int64_t* next = order.data_ptr<std::int64_t>();
  std::vector<std::vector<std::size_t>> parts;
  for (const double count : counts) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    parts.emplace_back(next, end);
    next = end;
  }
  return parts;
}

std::vector<std::size_t> concat_ends(const std::vector<std::optional<std::size_t>>& sizes) {
  TERN_CHECK(!sizes.empty(), Error, "ConcatDataset: datasets should not be an empty iterable");
  std::vector<std::size_t> ends;
  for (const std::optional<std::size_t>& size : sizes) {
    TERN_CHECK(size, Error, "ConcatDataset: dataset ", ends.size(), " has no size");
    ends.push_back((ends.empty() ? 0 : ends.back()) + *size);
  }
  return ends;
}

std::size_t concat_part(const std::vector<std::size_t>& ends, std::size_t index) {
  const auto part = std::upper_bound(ends.begin(), ends.end(), index);
  TERN_CHECK(part != ends.end(), IndexError, "ConcatDataset: index ", index,
             " is out of range for ", ends.back(), " examples");
  return static_cast<std::size_t>(part - ends.begin());
}

}  // namespace tern::data::datasets::detail
