#include <algorithm>

#include <tern/core/base/strict.h>
#include <tern/core/base/text.h>
#include <tern/nn/models/detail/config.h>

namespace tern::models::detail {
namespace {

using tern::detail::raise;
using tern::detail::text_of;

/// Returns a value as JSON shows it.
std::string shown(const State& value) {
  if (value.is_string()) return text_of('"', value.string(), '"');
  if (value.is_bool()) return value.to<bool>() ? "true" : "false";
  if (value.is_int()) return text_of(value.to<std::int64_t>());
  if (value.is_double()) return text_of(value.to<double>());
  return kind_name(value.kind());
}

}  // namespace

ConfigReader::ConfigReader(const char* model, const State& config,
                           std::initializer_list<std::string_view> types)
    : ConfigReader(model, config, std::string()) {
  type_ = *types.begin();
  read("model_type", type_);
  if (std::find(types.begin(), types.end(), type_) != types.end()) return;
  std::string supported;
  for (const std::string_view type : types) {
    if (!supported.empty()) supported += ", ";
    supported += text_of('"', type, '"');
  }
  refuse("model_type", text_of('"', type_, '"'), supported);
}

ConfigReader::ConfigReader(const char* model, const State& config, std::string path)
    : model_(model), config_(config), path_(std::move(path)) {
  TERN_CHECK(config.is_dict(), Error, model_, ": expected a configuration with fields",
             path_.empty() ? "" : " in ", path_, ", got ", kind_name(config.kind()));
}

const State* ConfigReader::find(std::string_view field) const {
  const State* value = config_.find(field);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const State& ConfigReader::get(std::string_view field) const {
  const State* value = find(field);
  TERN_CHECK(value != nullptr, Error, model_, ": the configuration has no field \"", path_, field,
             '"');
  return *value;
}

void ConfigReader::wrong_kind(std::string_view field, const State& value,
                              const char* expected) const {
  raise<Error>(model_, ": the field \"", path_, field, "\" of the configuration must be ", expected,
               ", got ", shown(value));
}

std::int64_t ConfigReader::integer(std::string_view field, const State& value) const {
  if (!value.is_int()) wrong_kind(field, value, "an integer");
  return value.to<std::int64_t>();
}

double ConfigReader::number(std::string_view field, const State& value) const {
  if (!value.is_int() && !value.is_double()) wrong_kind(field, value, "a number");
  return value.to<double>();
}

void ConfigReader::read(std::string_view field, std::int64_t& value) const {
  if (const State* found = find(field)) value = integer(field, *found);
}
void ConfigReader::read(std::string_view field, double& value) const {
  if (const State* found = find(field)) value = number(field, *found);
}
void ConfigReader::read(std::string_view field, bool& value) const {
  const State* found = find(field);
  if (found == nullptr) return;
  if (!found->is_bool()) wrong_kind(field, *found, "true or false");
  value = found->to<bool>();
}
void ConfigReader::read(std::string_view field, std::string& value) const {
  const State* found = find(field);
  if (found == nullptr) return;
  if (!found->is_string()) wrong_kind(field, *found, "a string");
  value = found->string();
}
void ConfigReader::read(std::string_view field, std::optional<StrictInt>& value) const {
  if (const State* found = find(field)) value = integer(field, *found);
}

void ConfigReader::expect(std::string_view field, const char* value) const {
  std::string found(value);
  read(field, found);
  if (found != value) refuse(field, text_of('"', found, '"'), text_of('"', value, '"'));
}

void ConfigReader::expect(std::string_view field, bool value) const {
  bool found = value;
  read(field, found);
  if (found != value) refuse(field, found ? "true" : "false", value ? "true" : "false");
}

void ConfigReader::refuse(std::string_view field, const std::string& value,
                          std::string_view supported) const {
  raise<Error>(model_, ": the field \"", path_, field, "\" of the configuration is ", value,
               ", supported: ", supported);
}

std::optional<ScalarType> ConfigReader::dtype() const {
  const char* const field = find("dtype") != nullptr ? "dtype" : "torch_dtype";
  std::string name;
  read(field, name);
  if (name.empty()) return std::nullopt;
  for (const ScalarType dtype : {kFloat, kBFloat16, kHalf, kDouble}) {
    if (name == dtype_info(dtype).python_name) return dtype;
  }
  refuse(field, text_of('"', name, '"'), "\"float32\", \"bfloat16\", \"float16\", \"float64\"");
}

ConfigReader ConfigReader::inside(std::string_view field) const {
  return {model_, get(field), text_of(path_, field, '.')};
}

}  // namespace tern::models::detail
