#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/state.h>

namespace tern::models::detail {

/// Reads the fields of a model's config.json. Errors name the field and its value.
class ConfigReader {
 public:
  /// Reads `config` for the options of `model`, a name for errors. Throws Error unless the
  /// configuration is a dictionary, and unless its "model_type" is missing or one of `types`.
  ConfigReader(const char* model, const State& config,
               std::initializer_list<std::string_view> types);

  /// Returns the kind of model, the first of the types if the configuration does not name it.
  const std::string& type() const { return type_; }
  /// Returns the value of a field, null if the field is missing or null.
  const State* find(std::string_view field) const;
  /// Stores a field that every configuration has. Throws Error if the field is missing.
  void need(std::string_view field, std::int64_t& value) const {
    value = integer(field, get(field));
  }
  void need(std::string_view field, double& value) const { value = number(field, get(field)); }
  /// Stores a field if it is there.
  void read(std::string_view field, std::int64_t& value) const;
  void read(std::string_view field, double& value) const;
  void read(std::string_view field, bool& value) const;
  void read(std::string_view field, std::string& value) const;
  void read(std::string_view field, std::optional<StrictInt>& value) const;
  /// Throws Error if the field is there and has another value.
  void expect(std::string_view field, const char* value) const;
  void expect(std::string_view field, bool value) const;
  /// Returns the dtype of the file's weights, "dtype" or in older files "torch_dtype".
  std::optional<ScalarType> dtype() const;
  /// Reads a dictionary inside of the configuration.
  ConfigReader inside(std::string_view field) const;
  /// Throws Error: the field has a value that the model does not support.
  [[noreturn]] void refuse(std::string_view field, const std::string& value,
                           std::string_view supported) const;

 private:
  ConfigReader(const char* model, const State& config, std::string path);
  const State& get(std::string_view field) const;
  std::int64_t integer(std::string_view field, const State& value) const;
  double number(std::string_view field, const State& value) const;
  [[noreturn]] void wrong_kind(std::string_view field, const State& value,
                               const char* expected) const;

  const char* model_;
  const State& config_;
  std::string path_;  // of the dictionary inside of the configuration: "rope_parameters."
  std::string type_;
};

}  // namespace tern::models::detail
