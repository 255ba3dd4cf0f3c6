#include <cstdio>
#include <filesystem>

#include <tern/serialization/gguf.h>
#include <tern/serialization/safetensors.h>

#include "commands.h"
#include "leaves.h"

namespace {

struct Row {
  std::string name, dtype, shape;
  std::uint64_t elements, bytes;
};

void print_tensors(const std::vector<Row>& rows) {
  std::size_t widths[3] = {};
  Row total{};
  for (const Row& row : rows) {
    widths[0] = std::max(widths[0], row.name.size());
    widths[1] = std::max(widths[1], row.dtype.size());
    widths[2] = std::max(widths[2], row.shape.size());
    total.elements += row.elements;
    total.bytes += row.bytes;
  }
  for (const Row& row : rows) {
    std::printf("  %-*s  %-*s  %-*s  %12llu bytes\n", static_cast<int>(widths[0]), row.name.c_str(),
                static_cast<int>(widths[1]), row.dtype.c_str(), static_cast<int>(widths[2]),
                row.shape.c_str(), static_cast<unsigned long long>(row.bytes));
  }
  std::printf("%zu tensors, %llu elements, %llu bytes\n", rows.size(),
              static_cast<unsigned long long>(total.elements),
              static_cast<unsigned long long>(total.bytes));
}

void print_value(const std::string& name, const std::string& value) {
  constexpr std::size_t kMaxShown = 100;
  const bool is_long = value.size() > kMaxShown;
  std::printf("  %s: %s%s\n", printable(name).c_str(),
              printable(value.substr(0, kMaxShown)).c_str(), is_long ? "..." : "");
}

void print_metadata(const tern::SafetensorsMetadata& metadata) {
  if (!metadata.empty()) std::printf("metadata:\n");
  for (const auto& [key, value] : metadata) print_value(key, value);
}

std::uint64_t product(tern::IntArrayRef sizes) {
  std::uint64_t result = 1;
  for (const std::int64_t size : sizes) result *= static_cast<std::uint64_t>(size);
  return result;
}

void show_safetensors(const std::string& path) {
  const tern::SafetensorsFile file(path);
  std::printf("%s: safetensors, %llu bytes\n", path.c_str(),
              static_cast<unsigned long long>(std::filesystem::file_size(path)));
  print_metadata(file.metadata());
  std::vector<Row> rows;
  for (const tern::SafetensorsEntry& entry : file.entries()) {
    rows.push_back({printable(entry.name), std::string(entry.dtype), text_of_sizes(entry.shape),
                    product(entry.shape), entry.end - entry.begin});
  }
  std::printf("tensors:\n");
  print_tensors(rows);
}

void show_gguf(const std::string& path) {
  const tern::GgufFile file(path);
  std::printf("%s: GGUF, %llu bytes\n", path.c_str(),
              static_cast<unsigned long long>(std::filesystem::file_size(path)));
  tern::SafetensorsMetadata metadata;
  for (const std::string_view key : file.keys()) metadata.emplace_back(key, file.text(key));
  print_metadata(metadata);
  std::vector<Row> rows;
  for (const tern::GgufEntry& entry : file.entries()) {
    rows.push_back({printable(entry.name), std::string(entry.type), text_of_sizes(entry.shape),
                    product(entry.shape), entry.end - entry.begin});
  }
  std::printf("tensors:\n");
  print_tensors(rows);
}

void show_state(const std::string& path) {
  tern::SafetensorsMetadata metadata;
  Skipped skipped;
  const tern::State state = tern::load_state(path, {.metadata = &metadata, .skipped = &skipped});
  const std::string name = std::filesystem::path(path).filename().string();
  const std::size_t point = name.find('.');
  const std::string kind = std::filesystem::is_directory(path) ? "a folder"
                           : point == std::string::npos        ? "a state file"
                                                               : name.substr(point + 1);
  std::printf("%s: %s\n", path.c_str(), kind.c_str());
  print_metadata(metadata);
  std::vector<Row> rows;
  bool has_values = false;
  for (const auto& [key, leaf] : leaves_of(state)) {
    if (leaf.is_tensor()) {
      const tern::Tensor tensor = leaf;
      rows.push_back({printable(key), dtype_name(tensor), text_of_sizes(tensor.sizes()),
                      static_cast<std::uint64_t>(tensor.numel()), tensor.nbytes()});
    } else {
      if (!std::exchange(has_values, true)) std::printf("values:\n");
      print_value(key, text_of_leaf(leaf));
    }
  }
  if (!skipped.empty()) std::printf("left out, because a State cannot hold it:\n");
  for (const auto& [keys, what] : skipped) print_value(keys, what);
  std::printf("tensors:\n");
  print_tensors(rows);
}

}  // namespace

void show_info(const std::string& path) {
  if (path.ends_with(".safetensors") && std::filesystem::is_regular_file(path)) {
    show_safetensors(path);
  } else if (path.ends_with(".gguf")) {
    show_gguf(path);
  } else {
    show_state(path);
  }
}

bool validate(const std::vector<std::string>& paths) {
  bool all_valid = true;
  for (const std::string& path : paths) {
    try {
      std::uint64_t tensors = 0;
      for (const auto& [key, leaf] : leaves_of(tern::load_state(path))) tensors += leaf.is_tensor();
      std::printf("%s: valid, %llu tensors\n", path.c_str(),
                  static_cast<unsigned long long>(tensors));
    } catch (const tern::Error& error) {
      std::printf("%s: not valid: %s\n", path.c_str(), printable(error.what()).c_str());
      all_valid = false;
    }
  }
  return all_valid;
}
