#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <tern/serialization/json/detail/events.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {

/// Builds a State from the JSON of its tree (FlatState::tree), or only checks the JSON. A check
/// allocates nothing, so an invalid text never costs the memory of its values. All functions throw
/// Error.
class TreeReader final : public JsonEvents {
 public:
  /// The place of the tree: a string of the metadata, or JSON in a JSON file.
  enum Place { kInMetadata, kInFile };

  /// Checks a tree.
  explicit TreeReader(Place place) : place_(place) {}
  /// Builds a State with the tensors of `flat`.
  TreeReader(Place place, const FlatState& flat);

  /// Returns the State after the whole tree was read.
  State take();

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& text) override;
  bool string(std::string& value) override;
  bool binary(Json::binary_t&) override { return false; }  // JSON has no binary values
  bool key(std::string& key) override;
  bool start_object(std::size_t) override { return push(false); }
  bool end_object() override { return pop(); }
  bool start_array(std::size_t) override { return push(true); }
  bool end_array() override { return pop(); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override;

 private:
  struct Frame {
    State value;
    std::string key;   // the key of the next value
    std::string word;  // $tensor, $double or $value if this object stands for another value
  };

  void count();
  bool add(State value);
  bool push(bool is_list);
  bool pop();
  void put(State value);
  bool is_wrapped_root(const Frame& frame) const;
  State leaf(const Frame& frame);

  const Place place_;
  const FlatState* flat_ = nullptr;  // null for a check
  std::unordered_map<std::string, Tensor> tensors_;
  std::unordered_set<std::string> used_;
  int depth_ = 0;  // number of open objects and lists
  std::size_t values_ = 0;
  std::vector<Frame> frames_;
  State result_;
};

}  // namespace tern::detail
