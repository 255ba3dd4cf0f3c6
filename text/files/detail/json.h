#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <tern/core/base/error.h>

namespace tern::text {

/// A value of a JSON file that knows where it stands. Errors are FileError, with the file, the
/// key, what is expected there and what is there.
class Json {
 public:
  Json(const nlohmann::json& value, const std::string& file, std::string key)
      : value_(&value), file_(&file), key_(std::move(key)) {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& key() const { return key_; }
  const std::string& file() const { return *file_; }

  bool is_null() const { return value_->is_null(); }
  bool is_object() const { return value_->is_object(); }
  bool is_text() const { return value_->is_string(); }
  bool is_list() const { return value_->is_array(); }

  /// A member, null if there is none.
  Json find(const char* name) const;
  /// A member that must be there.
  Json at(const char* name) const;
  /// An element of a list.
  Json at(std::size_t index) const;
  /// How many elements a list has.
  std::size_t size() const;

  const std::string& text() const;
  bool boolean() const;
  /// An integer from 0 to `max`.
  std::uint32_t integer(std::uint64_t max) const;

  std::string text_or(const std::string& otherwise) const { return is_null() ? otherwise : text(); }
  bool boolean_or(bool otherwise) const { return is_null() ? otherwise : boolean(); }
  std::uint32_t integer_or(std::uint32_t otherwise, std::uint64_t max) const {
    return is_null() ? otherwise : integer(max);
  }

  /// Throws FileError for this value.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    refuse_text(detail::text_of(parts...));
  }
  /// Throws NotImplementedError for this value.
  [[noreturn]] void not_implemented(std::string_view what) const;

  /// Returns this value, or what it holds for an error text.
  std::string shown() const;

  const Json& expect_object() const;
  const Json& expect_list() const;

 private:
  [[noreturn]] void refuse_text(const std::string& text) const;
  [[noreturn]] void expected(const char* what) const;

  const nlohmann::json* value_;
  const std::string* file_;
  std::string key_;
};

/// Reads a JSON file. Throws FileError with the place of an error.
nlohmann::json parse_json(std::string_view text, const std::string& file);

/// Reads a whole file.
std::string read_file(const std::string& path);

}  // namespace tern::text
