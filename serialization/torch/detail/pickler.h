#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/serialization/zip/detail/writer.h>

namespace tern::detail {

/// Writes the pickle of a file of PyTorch and collects the storages that it refers to.
class Pickler {
 public:
  /// With `requires_grad`, tensors keep whether they require a gradient. Python's state files say
  /// false for all tensors.
  explicit Pickler(bool requires_grad = false) : requires_grad_(requires_grad) {}

  /// Adds the tensors of `state` to those that share storages. Call it for all values before the
  /// first value().
  void count_tensors(const State& state);
  /// Writes one value.
  void value(const State& state);
  void string(const std::string& text);
  /// Writes pickle opcodes.
  void raw(std::string_view opcodes) { text_ += opcodes; }
  /// Writes batches of 1000 items, as Python does, because readers keep a whole batch on the stack.
  template <class Range, class Write>
  void in_batches(const Range& range, char end_of_batch, const Write& write) {
    constexpr int kBatch = 1000;
    int count = 0;
    for (const auto& each : range) {
      if (count == 0) text_ += '(';
      write(each);
      if (++count == kBatch) text_ += end_of_batch, count = 0;
    }
    if (count > 0) text_ += end_of_batch;
  }
  /// Counts objects that a reader makes for raw().
  void count_objects(std::uint64_t objects) { objects_ += objects; }

  /// Adds data.pkl, byteorder, the storages and version to an archive, below `folder`. Throws Error
  /// for a pickle with too many objects.
  void finish(ZipWriter& zip, const std::string& folder);

 private:
  /// Identifies a storage in the file. A storage of PyTorch has one dtype.
  using Key = std::pair<const Storage*, ScalarType>;
  struct Use {
    int tensors = 0;          // number of tensors that use the storage
    std::size_t number = -1;  // -1 until a tensor of the storage is written
  };

  static Key key_of(const Tensor& tensor) { return {tensor.self().storage.get(), tensor.dtype()}; }
  void dict(const State& state, bool numbered);
  void integer(std::int64_t number);
  void counts(IntArrayRef numbers);
  void tensor(const Tensor& tensor);

  const bool requires_grad_;
  std::string text_ = "\x80\2";   // protocol 2, as in torch.save
  std::uint64_t objects_ = 0;     // upper bound of the objects that a reader makes
  std::vector<Tensor> storages_;  // the elements of data/0, data/1, ...
  std::map<Key, Use> uses_;
};

}  // namespace tern::detail
