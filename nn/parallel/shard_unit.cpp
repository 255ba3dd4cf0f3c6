#include <tern/nn/parallel/detail/shard_unit.h>

#include <algorithm>
#include <utility>

#include <tern/core/autograd/detail/swap_contents.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::nn::detail {
namespace {

using distributed::ReduceOp;

TensorOptions options_of(const Tensor& tensor) {
  return TensorOptions().dtype(tensor.dtype()).device(tensor.device());
}

// The elements with another layout. The result is no view.
Tensor laid_out(const Tensor& elements, IntArrayRef sizes, IntArrayRef strides) {
  return elements.as_strided(sizes, strides, elements.storage_offset()).data();
}

ScalarType dtype_for(const Tensor& tensor, const std::optional<ScalarType>& policy) {
  return policy && tensor.is_floating_point() ? *policy : tensor.dtype();
}

}  // namespace

ShardedParameter::ShardedParameter(std::string path_of, const Tensor& parameter,
                                   const distributed::ProcessGroup& group)
    : path(std::move(path_of)),
      tensor(parameter),
      sizes(parameter.sizes()),
      ranks_(group.size()),
      rank_(group.rank()),
      rows_(parameter.dim() == 0 ? 1 : parameter.size(0)),
      row_(rows_ == 0 ? 0 : parameter.numel() / rows_),
      chunk_((rows_ + ranks_ - 1) / ranks_),
      own_(std::clamp<std::int64_t>(rows_ - rank_ * chunk_, 0, chunk_)) {
  // A layout in which each row is one piece stays; channels-last weights have one.
  const bool has_rows = parameter.dim() > 0 && (rows_ == 1 || parameter.stride(0) == row_) &&
                        is_dense(parameter.sizes(), parameter.strides());
  strides_ = has_rows ? DimVector(parameter.strides()) : contiguous_strides(parameter.sizes());
  local = chunk_of(rows_of(parameter.data()));
  tensor.set_data(rows_from(local));
}

DimVector ShardedParameter::row_sizes() const {
  DimVector result = sizes;
  if (result.empty()) result.push_back(0);
  result[0] = own_;
  return result;
}

Tensor ShardedParameter::rows_of(const Tensor& whole) const {
  const Tensor rows = whole.dim() == 0 ? whole.view({1}) : whole;
  return rows.narrow(0, std::min(rank_ * chunk_, rows_), own_);
}

Tensor ShardedParameter::rows_from(const Tensor& chunk) const {
  return sizes.empty() ? laid_out(chunk, {own_}, {1}) : laid_out(chunk, row_sizes(), strides_);
}

Tensor ShardedParameter::whole_from(const Tensor& chunks) const {
  return laid_out(chunks, sizes, strides_);
}

Tensor ShardedParameter::chunk_of(const Tensor& rows) const {
  Tensor result = zeros({chunk()}, options_of(rows));
  rows_from(result).copy_(rows);
  return result;
}

Tensor ShardedParameter::chunks_of(const Tensor& whole) const {
  if (whole.numel() == padded() && whole.strides() == IntArrayRef(strides_)) {
    return laid_out(whole, {padded()}, {1});
  }
  Tensor result = zeros({padded()}, options_of(whole));
  whole_from(result).copy_(whole);
  return result;
}

void ShardedParameter::check() const {
  const Tensor& rows = leaf();
  TERN_CHECK(rows.dtype() == local.dtype() && rows.device() == local.device() &&
                 rows.sizes() == IntArrayRef(row_sizes()) && rows.is_alias_of(local),
             Error, "fully_shard: parameter '", path, "' had ",
             dtype_info(local.scalar_type()).python_name, " rows ", IntArrayRef(row_sizes()),
             " on ", local.device(), " when the module was sharded, and now has other ",
             dtype_info(rows.scalar_type()).python_name, " elements ", rows.sizes(), " on ",
             rows.device(), "; move and cast the module before fully_shard()");
}

void ShardUnit::start_gather() {
  if (is_gathered_) return;
  const NoGradGuard no_grad;
  is_gathered_ = true;
  // Units may have parameters of the same sizes. This has another size for each unit, so that ranks
  // that gather different ones are found.
  gathering_.push_back(group_.broadcast_async(zeros({number_ + 1}, kByte)));
  for (ShardedParameter& parameter : parameters) {
    const Tensor chunk = parameter.local.to(dtype_for(parameter.local, policy_.param_dtype()));
    parameter.gathered = empty({parameter.padded()}, options_of(chunk));
    if (parameter.padded() == 0) continue;
    gathering_.push_back(group_.all_gather_async(parameter.gathered, chunk));
  }
}

void ShardUnit::gather() {
  start_gather();
  try {
    for (distributed::Work& work : gathering_) work.wait();
    gathering_.clear();
  } catch (...) {
    free();
    throw;
  }
}

void ShardUnit::free() {
  gathering_.clear();
  for (ShardedParameter& parameter : parameters) parameter.gathered.reset();
  is_gathered_ = false;
}

void ShardUnit::show_rows() {
  for (ShardedParameter& parameter : parameters) {
    if (!std::exchange(parameter.is_whole, false)) continue;
    autograd::swap_contents(parameter.tensor, parameter.hidden);
    parameter.hidden.reset();
  }
}

void ShardUnit::start_reduce(std::vector<Tensor> gradients) {
  const NoGradGuard no_grad;
  is_used_ = zeros({static_cast<std::int64_t>(parameters.size()) + number_ + 1}, kByte);
  auto* const is_used = is_used_.data_ptr<std::uint8_t>();
  for (std::size_t i = 0; i < gradients.size(); ++i) is_used[i] = gradients[i].defined() ? 1 : 0;
  averages_.clear();
  reducing_.push_back(group_.all_reduce_async(is_used_, ReduceOp::kMax));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ShardedParameter& parameter = parameters[i];
    averages_.emplace_back();
    if (!parameter.leaf().requires_grad() || parameter.padded() == 0) continue;
    const Tensor gradient = std::move(gradients[i]);
    const ScalarType computed = dtype_for(parameter.local, policy_.param_dtype());
    const ScalarType dtype = policy_.reduce_dtype().value_or(computed);
    const auto options = options_of(parameter.local).dtype(dtype);
    const Tensor chunks = gradient.defined() ? parameter.chunks_of(gradient.to(dtype))
                                             : zeros({parameter.padded()}, options);
    averages_[i] = empty({parameter.chunk()}, options);
    reducing_.push_back(group_.reduce_scatter_async(averages_[i], chunks, ReduceOp::kMean));
  }
}

std::vector<Tensor> ShardUnit::finish_reduce() {
  const NoGradGuard no_grad;
  std::vector<distributed::Work> works = std::exchange(reducing_, {});
  for (distributed::Work& work : works) work.wait();
  std::vector<Tensor> averages = std::exchange(averages_, {});
  for (std::size_t i = 0; i < averages.size(); ++i) {
    const ShardedParameter& parameter = parameters[i];
    if (!averages[i].defined()) continue;
    const bool is_used = is_used_.data_ptr<std::uint8_t>()[i] != 0;
    averages[i] = is_used ? parameter.rows_from(averages[i].to(parameter.local.dtype())) : Tensor();
  }
  return averages;
}

}  // namespace tern::nn::detail
