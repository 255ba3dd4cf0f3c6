#include <tern/core/base/detail/libtorch.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/create/detail/creation.h>

// Tensors of numbers in nested braces.

namespace tern::detail {

namespace {

std::string text_of_sizes(const TensorData& data) {
  std::string text;
  for (const std::int64_t size : data.sizes()) text += (text.empty() ? "" : " ") + text_of(size);
  return text;
}

[[noreturn]] __attribute__((cold)) void throw_ragged(const TensorData& first,
                                                     const TensorData& row) {
  raise<ShapeError>("Expected all sub-lists to have sizes: ", text_of_sizes(first), " (e.g. ",
                    first.text(), "), but got sub-list ", row.text(),
                    " with sizes: ", text_of_sizes(row));
}

}  // namespace

std::string TensorData::text() const {
  if (is_scalar_) return text_of(value_);
  std::string joined;
  for (const TensorData& row : rows_) joined += (joined.empty() ? "" : ", ") + row.text();
  return "{" + joined + "}";
}

TensorData::TensorData(std::initializer_list<TensorData> rows)
    : dtype_(get_default_dtype()), rows_(rows) {
  sizes_.push_back(static_cast<std::int64_t>(rows_.size()));
  if (rows_.empty()) return;
  dtype_ = rows_[0].dtype_;
  for (const TensorData& row : rows_) {
    dtype_ = promote_types(dtype_, row.dtype_);
    if (as_libtorch && row.sizes_ != rows_[0].sizes_) throw_ragged(rows_[0], row);
  }
  for (std::int64_t size : rows_[0].sizes_) sizes_.push_back(size);
}

void TensorData::fill(std::vector<Scalar>& out) const {
  if (is_scalar_) {
    out.push_back(value_);
    return;
  }
  for (const TensorData& row : rows_) row.fill(out);
}

Tensor TensorData::make(const TensorOptions& options) const {
  TERN_OP("tensor");
  const TensorOptions chosen = options.or_else(dtype_);
  // The sizes are those of the first rows; all other rows must agree.
  const auto check = [&](const auto& check_rows, const TensorData& data, std::size_t dim) -> void {
    const bool expects_number = dim == sizes_.size();
    TERN_CHECK(data.is_scalar_ || !expects_number, ShapeError, "expected a number at dim ", dim,
               " (got a sequence of length ", data.rows_.size(), ")");
    if (expects_number) return;
    TERN_CHECK(!data.is_scalar_, ShapeError, "not a sequence: expected sequence of length ",
               sizes_[dim], " at dim ", dim, " (got a number)");
    const auto length = static_cast<std::int64_t>(data.rows_.size());
    TERN_CHECK(length == sizes_[dim], ShapeError, "expected sequence of length ", sizes_[dim],
               " at dim ", dim, " (got ", length, ")");
    for (const TensorData& row : data.rows_) check_rows(check_rows, row, dim + 1);
  };
  check(check, *this, 0);
  std::vector<Scalar> values;
  fill(values);
  Tensor out = make_tensor(sizes_, chosen.dtype(), kCPU);
  visit_dtype(chosen.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* data = out.data_ptr<T>();
    for (const Scalar& value : values) {
      // As in Python, a large number becomes infinity here, but not in full().
      if constexpr (is_floating_point(dtype_of<T>())) {
        *data++ = static_cast<T>(value.toDouble());
      } else {
        *data++ = value.to<T>();
      }
    }
  });
  return finish_factory(out.to(chosen.device()), chosen);
}

}  // namespace tern::detail
