#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/serialization/state_file.h>
#include <tern/serialization/torch/detail/pickle_reader.h>

namespace tern::detail {

/// Reads pickles of torch.save without running any function that they name. Knows the names of the
/// few functions that build values of a State; the results of all other functions are foreign.
class TorchPickle : public PickleReader {
 public:
  /// Returns the number of bytes in the file for a storage that needs `bytes`. Throws FileError if
  /// the file has no such storage.
  using StorageSize = std::function<std::uint64_t(const std::string& key, std::uint64_t bytes)>;

  /// `skipped` receives the values that a State cannot hold; null makes them an error. With
  /// `requires_grad`, tensors require a gradient where the pickle says so.
  TorchPickle(ByteStream& stream, decltype(LoadFileOptions::skipped) skipped,
              StorageSize storage_size, bool requires_grad = false)
      : PickleReader(stream),
        skipped_(skipped),
        storage_size_(std::move(storage_size)),
        requires_grad_(requires_grad) {}

  /// Reads the next pickle. Its tensors have memory, but the caller must fill in the elements.
  State read();

  struct Storage {
    std::string key;
    std::string note;  // a tensor that uses the storage, for error texts: "'fc.weight': "
    Tensor elements;   // all elements, in one dimension
  };
  /// Returns the storages that the tensors of all pickles so far use.
  const std::vector<Storage>& storages() const { return storages_; }
  /// Returns the size of an element in a storage that the pickles mention but no tensor uses, or 0
  /// for other keys.
  std::size_t element_size(const std::string& key) const;

 private:
  bool is_known(std::string_view name) const override;
  PickleValue call(const PickleObject& function, const PickleObject& arguments) override;
  PickleValue find_outside(const PickleValue& id) override;

  /// The place of a value in the state.
  struct Place {
    const Place* parent = nullptr;  // null for the root
    std::string_view key = {};      // in the parent
    int depth = 0;
  };

  /// Returns true for the name of a dtype of PyTorch, such as "torch.float8_e5m2".
  static bool is_dtype(std::string_view name);
  std::optional<PickleValue> call_python(std::string_view name, const PickleObject& arguments);
  std::optional<PickleValue> call_script(std::string_view name, const PickleObject& arguments);
  std::optional<PickleValue> call_torch(std::string_view name, const PickleObject& arguments);
  PickleValue dict_of_pairs(PickleObject& list);
  PickleValue encode(PickleObject& text);
  PickleValue make_value(Tensor tensor);
  PickleValue rebuild(const PickleObject& arguments);
  PickleValue rebuild_meta(const PickleObject& arguments);
  const Tensor& elements_of(const PickleObject& storage);
  void charge(std::uint64_t cost);
  [[noreturn]] void fail_for(const std::string& name, const std::string& what) const;
  std::nullopt_t leave_out(const Place& place, const std::string& what);
  std::optional<State> to_state(const PickleValue& value, const Place& place);
  State dict_of(const PickleObject& object, const Place& place);
  template <class... Parts>
  [[noreturn]] __attribute__((noinline, cold)) void fail(const Parts&... parts) const {
    stream_.fail(key_in_front(), parts...);
  }

  decltype(LoadFileOptions::skipped) const skipped_;
  StorageSize storage_size_;
  const bool requires_grad_;
  std::vector<Storage> storages_;
  std::unordered_map<std::string, std::size_t> by_key_;         // key -> index in storages_
  std::unordered_map<std::string, std::size_t> element_sizes_;  // by key
  std::uint64_t budget_ = 0;  // number of values and bytes of text that the state may still take
};

}  // namespace tern::detail
