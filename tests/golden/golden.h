#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/dtype.h>

#include "source_folder.h"

// Reads numbers of PyTorch: the JSON files of this folder, and "golden" in the records of ops.

namespace tern::testing {

/// Returns the file tests/golden/<name>.json, a name such as "ops/draws".
inline const nlohmann::json& golden(const std::string& name) {
  static std::map<std::string, nlohmann::json> files;
  auto found = files.find(name);
  if (found == files.end()) {
    std::ifstream file(golden_folder() + "/" + name + ".json");
    found = files.emplace(name, nlohmann::json::parse(file)).first;
  }
  return found->second;
}

/// Returns the dtype that Python calls `name`.
inline ScalarType golden_dtype(const std::string& name) {
#define TERN_DTYPE(dtype, type, number, file_name, python_name, category) \
  if (name == (python_name)) return ScalarType::dtype;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  throw Error("no dtype is called " + name);
}

/// Returns a list of numbers. Infinities and NaN are strings.
template <class T = double>
std::vector<T> golden_numbers(const nlohmann::json& list) {
  std::vector<T> numbers;
  for (const nlohmann::json& number : list) {
    numbers.push_back(number.is_string() ? static_cast<T>(std::stod(number.get<std::string>()))
                                         : number.get<T>());
  }
  return numbers;
}

/// Returns a list of numbers as a tensor of one dimension.
inline Tensor golden_tensor(const nlohmann::json& list, ScalarType dtype) {
  // Numbers beyond 2^53 do not fit a double.
  if (dtype == kLong) return tensor(golden_numbers<std::int64_t>(list), kLong);
  return tensor(golden_numbers(list), kDouble).to(dtype);
}

/// Returns a tensor that is written with its dtype and shape.
inline Tensor golden_tensor(const nlohmann::json& entry) {
  return golden_tensor(entry.at("data"), golden_dtype(entry.at("dtype")))
      .reshape(entry.at("shape").get<std::vector<std::int64_t>>());
}

}  // namespace tern::testing
