#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tern/tern.h>
#include <nlohmann/json.hpp>

namespace tern::testing {

/// A value of a record with its place, "reduce/sum.json: cases[2].samples", which begins the text
/// of every error.
class RecordValue {
 public:
  RecordValue(const nlohmann::json& data, std::string place)
      : data_(&data), place_(std::move(place)) {}

  const nlohmann::json& data() const { return *data_; }
  const std::string& place() const { return place_; }
  [[noreturn]] void fail(const std::string& text) const {
    throw Error(place_ + (is_file() ? "" : ": ") + text);
  }

  /// Throws unless this is an object whose fields are all among `names`.
  void allow(std::initializer_list<const char*> names) const {
    if (!data_->is_object()) fail("must be an object");
    for (const auto& [name, value] : data_->items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        fail("has no field \"" + name + "\"");
      }
    }
  }
  bool has(const char* name) const { return data_->contains(name); }
  RecordValue operator[](const char* name) const {
    if (!has(name)) fail(std::string("lacks the field \"") + name + "\"");
    return {data_->at(name), place_ + (is_file() ? "" : ".") + name};
  }
  std::vector<RecordValue> elements() const {
    if (!data_->is_array()) fail("must be an array");
    std::vector<RecordValue> elements;
    for (std::size_t i = 0; i < data_->size(); ++i) {
      elements.push_back({(*data_)[i], place_ + '[' + std::to_string(i) + ']'});
    }
    return elements;
  }

  template <class T>
  T as() const {
    try {
      return data_->get<T>();
    } catch (const nlohmann::json::exception& error) {
      fail(error.what());
    }
  }
  /// Sets `variable` to the field `name` if there is one.
  template <class T>
  void read(const char* name, T* variable) const {
    if (has(name)) *variable = (*this)[name].as<T>();
  }

 private:
  // The place of a whole record is "reduce/sum.json: ".
  bool is_file() const { return place_.ends_with(": "); }

  const nlohmann::json* data_;
  std::string place_;
};

}  // namespace tern::testing
