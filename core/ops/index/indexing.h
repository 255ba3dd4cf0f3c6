#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <tern/core/tensor/tensor.h>

namespace tern::indexing {

/// The type of Ellipsis.
struct EllipsisType {
  /// Makes the ellipsis.
  explicit constexpr EllipsisType() = default;
};

/// An index that stands for all dimensions that the other indices do not name; same as "...".
inline constexpr EllipsisType Ellipsis{};
/// An index that adds a dimension of size 1, and a bound of Slice that is left out.
inline constexpr std::nullopt_t None = std::nullopt;

/// Elements start, start + step, ... below stop of one dimension, as Python's start:stop:step.
/// Negative bounds count from the end, and bounds out of range are clipped.
///
/// Example:
///   x.index({Slice(), Slice(1, None, 2)});  // x[:, 1::2]
class Slice {
 public:
  /// Takes the bounds; None leaves one out. An index() with a step below 1 throws.
  Slice(std::optional<StrictInt> start = std::nullopt, std::optional<StrictInt> stop = std::nullopt,
        std::optional<StrictInt> step = std::nullopt)
      : start_(start), stop_(stop), step_(step.value_or(StrictInt(1))) {}

  /// Returns the first index, if there is one.
  std::optional<StrictInt> start() const { return start_; }
  /// Returns the bound behind the last index, if there is one.
  std::optional<StrictInt> stop() const { return stop_; }
  /// Returns the distance of two elements.
  std::int64_t step() const { return step_; }

 private:
  std::optional<StrictInt> start_, stop_;
  StrictInt step_;
};

/// Satisfied by the integers that may be an index: no bool and no character.
template <class T>
concept IntegerIndex = std::integral<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> &&
                       !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> &&
                       !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

/// One index of Tensor::index() and index_put_(): an integer, a Slice, None, Ellipsis or "...", a
/// bool, or a tensor. A tensor holds indices, or is a mask if its dtype is bool or uint8. An
/// integer and a 0-d tensor of an integer remove their dimension; a bool adds a dimension of size 1
/// or 0. Numbers with a fraction and characters do not convert.
class TensorIndex {
 public:
  /// The kinds of indices.
  enum class Kind { kNone, kEllipsis, kInteger, kBool, kSlice, kTensor };

  /// Takes None.
  TensorIndex(std::nullopt_t) {}
  /// Takes Ellipsis.
  TensorIndex(EllipsisType) : kind_(Kind::kEllipsis) {}
  TensorIndex(std::nullptr_t) = delete;
  /// Takes "...". Throws Error for another text.
  TensorIndex(const char* text) : kind_(Kind::kEllipsis) {
    TERN_CHECK(std::string_view(text) == "...", Error,
               "Expected \"...\" to represent an ellipsis index, but got \"", text, '"');
  }
  /// Takes an integer.
  template <IntegerIndex T>
  TensorIndex(T integer) : kind_(Kind::kInteger), integer_(static_cast<std::int64_t>(integer)) {}
  /// Takes a bool.
  template <class T>
  requires detail::kIsBool<T> TensorIndex(T value)
      : kind_(Kind::kBool), integer_(static_cast<bool>(value) ? 1 : 0) {}
  /// Takes a slice.
  TensorIndex(const Slice& slice) : kind_(Kind::kSlice), slice_(slice) {}
  /// Takes a tensor. An undefined tensor stands for Slice().
  TensorIndex(const Tensor& tensor)
      : kind_(tensor.defined() ? Kind::kTensor : Kind::kSlice), tensor_(tensor) {}

  /// Returns the kind of the index, which says what of the following is set.
  Kind kind() const { return kind_; }
  /// Returns the integer, or the bool as 0 or 1.
  std::int64_t integer() const { return integer_; }
  /// Returns the slice.
  const Slice& slice() const { return slice_; }
  /// Returns the tensor.
  const Tensor& tensor() const { return tensor_; }

 private:
  Kind kind_ = Kind::kNone;
  std::int64_t integer_ = 0;
  Slice slice_;
  Tensor tensor_;
};

}  // namespace tern::indexing

namespace tern {

/// Returns the elements that the indices name, one index per dimension from the first on; see
/// indexing::TensorIndex. Integers, slices, None and "..." alone give a view; masks and tensors of
/// indices give a copy. These broadcast against each other, and their dimensions replace the
/// indexed ones: at the place of the first if the indexed dimensions are neighbours, else in front.
/// Throws IndexError for an index out of range, too many indices, and masks of another shape.
///
/// Example:
///   using namespace tern::indexing;
///   x.index({Slice(1, None, 2), "...", 3});  // x[1::2, ..., 3], a view
///   x.index({x.sum(1) > 0});                 // the rows with a positive sum, a copy
TERN_API Tensor index(const Tensor& self, ArrayRef<indexing::TensorIndex> indices);
/// Returns a copy of self with the elements that index() with the same indices would return
/// replaced by `values`, which broadcasts; with `accumulate` the values are added. Of equal indices
/// the last one wins on the CPU. Masks and tensors of indices require `values` of self's dtype.
/// Throws IndexError as index(), ShapeError when `values` does not fit, DTypeError for another
/// dtype.
TERN_API Tensor index_put(const Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                          const Tensor& values, StrictBool accumulate = false);
TERN_API Tensor index_put(const Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                          const Scalar& value, StrictBool accumulate = false);
TERN_API Tensor& index_put_(Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                            const Tensor& values, StrictBool accumulate = false);
TERN_API Tensor& index_put_(Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                            const Scalar& value, StrictBool accumulate = false);

}  // namespace tern
