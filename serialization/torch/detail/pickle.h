#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/serialization/torch/detail/pickle_reader.h>

namespace tern::detail {

/// Pickles of torch.save. Nothing that they name is run: the few functions that build tensors are
/// known by name, and everything else is refused.
class TorchPickle : public PickleReader {
 public:
  /// How many bytes the file has for a storage that needs `bytes`; throws FileError when it has no
  /// such storage.
  using StorageSize = std::function<std::uint64_t(const std::string& key, std::uint64_t bytes)>;

  TorchPickle(ByteStream& stream, StorageSize storage_size)
      : PickleReader(stream), storage_size_(std::move(storage_size)) {}

  /// The next pickle. Its tensors have memory, but no elements yet.
  State read();

  struct Storage {
    std::string key;
    std::string note;  // which tensor shows it, for errors: "'fc.weight': "
    Tensor elements;   // all of them, in one dimension
  };
  /// Those that tensors of all pickles read show.
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
  std::unordered_map<std::string, std::size_t> by_key_;  // in storages_
  std::uint64_t budget_ = 0;                             // what the state may still take
};

}  // namespace tern::detail
