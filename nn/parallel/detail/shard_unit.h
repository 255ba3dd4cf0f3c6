#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/distributed/process_group.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/parallel/fully_shard.h>

namespace tern::nn::detail {

/// A parameter that is divided over the ranks by rows, which are its first dimension; a 0-d tensor
/// has one row. Collectives move chunks: the rows of a rank, filled up to the number of the first
/// rank's.
class ShardedParameter {
 public:
  /// Leaves this rank's rows in the parameter, which all ranks have.
  ShardedParameter(std::string path, const Tensor& parameter,
                   const distributed::ProcessGroup& group);

  /// Returns the number of elements of the chunks of all ranks.
  std::int64_t padded() const { return chunk_ * row_ * ranks_; }
  /// Returns the number of elements of a chunk.
  std::int64_t chunk() const { return chunk_ * row_; }
  /// Returns the number of bytes of the whole tensor in a dtype.
  std::size_t whole_nbytes(ScalarType dtype) const {
    return static_cast<std::size_t>(rows_ * row_) * element_size(dtype);
  }
  /// Returns this rank's rows of a whole tensor.
  Tensor rows_of(const Tensor& whole) const;
  /// Returns the elements of a chunk as this rank's rows.
  Tensor rows_from(const Tensor& chunk) const;
  /// Returns the chunks of all ranks as the whole tensor.
  Tensor whole_from(const Tensor& chunks) const;
  /// Copies this rank's rows to a new chunk.
  Tensor chunk_of(const Tensor& rows) const;
  /// Returns the chunks of a whole tensor.
  Tensor chunks_of(const Tensor& whole) const;
  /// Returns this rank's rows, which the module does not show while the unit is in use.
  const Tensor& leaf() const { return is_whole ? hidden : tensor; }
  /// Throws Error if the parameter does not have the rows that it was left with.
  void check() const;

  std::string path;
  Tensor tensor;            // of the module and of optimizers
  DimVector sizes;          // of the whole
  Tensor local;             // the chunk that `tensor` shows
  Tensor gathered;          // the chunks of all ranks, in the dtype that is computed with
  Tensor hidden;            // with is_whole: the rows
  bool is_whole = false;    // `tensor` shows `gathered`
  Tensor pending_gradient;  // of no_sync(); whole

 private:
  DimVector row_sizes() const;

  DimVector strides_;
  std::int64_t ranks_, rank_, rows_, row_, chunk_, own_;  // elements in a row, rows of this rank
};

/// The parameters that are gathered together.
class ShardUnit {
 public:
  /// Units have different numbers.
  ShardUnit(const distributed::ProcessGroup& group, parallel::MixedPrecisionPolicy policy,
            std::int64_t number)
      : group_(group), policy_(policy), number_(number) {}

  /// Starts to gather, unless the parameters are there.
  void start_gather();
  /// Waits for the whole parameters.
  void gather();
  /// Frees the whole parameters.
  void free();
  bool is_gathered() const { return is_gathered_; }

  /// Makes the module show the whole parameters until leave().
  void show_whole();
  /// Makes the module show rows.
  void show_rows();

  /// Starts to average gradients of whole parameters over the ranks; undefined ones count as 0.
  void start_reduce(std::vector<Tensor> gradients);
  /// Waits for the averages, and returns those of this rank's rows; undefined where no rank had a
  /// gradient.
  std::vector<Tensor> finish_reduce();

  std::vector<ShardedParameter> parameters;
  int uses = 0;              // calls of modules that are running
  bool is_recorded = false;  // a graph may need the whole parameters

 private:
  distributed::ProcessGroup group_;
  parallel::MixedPrecisionPolicy policy_;
  std::int64_t number_;
  bool is_gathered_ = false;  // or will be
  std::vector<distributed::Work> gathering_;
  Tensor is_used_;
  std::vector<Tensor> averages_;  // chunks
  std::vector<distributed::Work> reducing_;
};

}  // namespace tern::nn::detail
