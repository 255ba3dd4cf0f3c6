#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/serialization/torch/detail/pickle_reader.h>

namespace tern::detail {

/// Reads pickles of torch.save without running any function that they name. Knows the names of the
/// few functions that build tensors, and refuses all other names.
class TorchPickle : public PickleReader {
 public:
  /// Returns the number of bytes in the file for a storage that needs `bytes`. Throws FileError if
  /// the file has no such storage.
  using StorageSize = std::function<std::uint64_t(const std::string& key, std::uint64_t bytes)>;

  TorchPickle(ByteStream& stream, StorageSize storage_size)
      : PickleReader(stream), storage_size_(std::move(storage_size)) {}

  /// Reads the next pickle. Its tensors have memory, but the caller must fill in the elements.
  State read();

  struct Storage {
    std::string key;
    std::string note;  // a tensor that uses the storage, for error texts: "'fc.weight': "
    Tensor elements;   // all elements, in one dimension
  };
  /// Returns the storages that the tensors of all pickles so far use.
  const std::vector<Storage>& storages() const { return storages_; }

 private:
  bool is_known(std::string_view name) const override;
  PickleValue call(const PickleObject& function, const PickleObject& arguments) override;
  PickleValue find_outside(const PickleValue& id) override;

  PickleValue dict_of_pairs(PickleObject& list);
  Tensor rebuild(const PickleObject& arguments);
  const Tensor& elements_of(const PickleObject& storage);
  State to_state(const PickleValue& value, int depth);
  std::string key_of(const PickleValue& value);
  template <class... Parts>
  [[noreturn]] __attribute__((noinline, cold)) void fail(const Parts&... parts) const {
    stream_.fail(key_in_front(), parts...);
  }

  StorageSize storage_size_;
  std::vector<Storage> storages_;
  std::unordered_map<std::string, std::size_t> by_key_;  // key -> index in storages_
  std::uint64_t budget_ = 0;  // number of values and bytes of text that the state may still take
};

}  // namespace tern::detail
