#include <algorithm>
#include <functional>

#include <tern/serialization/safetensors.h>

#include "serialization/peak_memory.h"
#include "serialization/safetensors/bytes.h"
#include "serialization/scratch.h"

// Headers that shall cost memory: twice their size and 16 MB are the most that a refusal takes. An
// index, whose entries are shorter, takes four times its size.

namespace tern {
namespace {

struct Hostile {
  const char* what;
  std::function<void(std::string& header, std::size_t size)> fill;
  const char* says;
};

/// Adds `part(i)` for each i until the header has `size` bytes.
std::function<void(std::string&, std::size_t)> repeated(
    const std::string& begin, const std::function<std::string(std::size_t)>& part,
    const std::string& end) {
  return [=](std::string& header, std::size_t size) {
    header = begin;
    for (std::size_t i = 0; header.size() < size; ++i) header += part(i);
    header += end;
  };
}

std::function<std::string(std::size_t)> always(const std::string& part) {
  return [part](std::size_t) { return part; };
}

/// {"0":..., "1":..., and so on, with a last entry that is wrong.
std::function<void(std::string&, std::size_t)> entries(const std::string& entry) {
  return repeated(
      "{", [entry](std::size_t i) { return '"' + std::to_string(i) + "\":" + entry + ','; },
      "\"w\":1}");
}

const std::string kEmpty = entry_text("U8", "[0]", "[0,0]");

std::string list_of_ones(int count) {
  std::string shape = "[1";
  for (int i = 1; i < count; ++i) shape += ",1";
  return shape + "]";
}

const Hostile kHostile[] = {
    {"small tensors", entries(kEmpty), "tensor 'w': expected an object"},
    {"small tensors and a hole",
     repeated(
         "{", [](std::size_t i) { return '"' + std::to_string(i) + "\":" + kEmpty + ','; },
         "\"w\":" + entry_text("U8", "[1]", "[1,2]") + "}"),
     "its data begin at byte 1"},
    {"many dimensions", entries(entry_text("U8", list_of_ones(64), "[0,1]")), "tensor 'w'"},
    {"one name", repeated("{", always("\"\":" + kEmpty + ','), "\"w\":" + kEmpty + "}"),
     "tensor '' appears twice"},
    {"much metadata", repeated(R"({"__metadata__":{)", always(R"("":"",)"), R"("a":""}})"),
     "more than 1048576 strings of metadata"},
    {"metadata that goes on with tensors",
     [](std::string& header, std::size_t size) {
       header = R"({"__metadata__":{)";
       for (std::size_t i = 0; i < std::min<std::size_t>(size / 20, 1'000'000); ++i)
         header += '"' + std::to_string(i) + R"(":"",)";
       header += R"("a":""})";
       while (header.size() < size) header += ",\"x\":" + kEmpty;
       header += '}';
     },
     "tensor 'x' appears twice"},
    {"a long name", repeated("{\"", always("name"), "\\x\":1}"), "an unknown escape"},
    {"a long name of escapes", repeated("{\"", always("\\u20ac"), "\":1}"), "expected an object"},
    {"a string without an end", repeated("{\"__metadata__\":{\"a\":\"", always("text"), ""),
     "has no end"},
    {"a long number", repeated("{\"w\":{\"shape\":[", always("1234"), "]}}"), "the number 1234"},
    {"a long broken number", repeated("{\"w\":{\"x\":", always("1234"), ".}}"), "a digit"},
    {"a long dtype", repeated("{\"w\":{\"dtype\":\"", always("F32"), "\"}}"), "unknown dtype"},
    {"nothing but space", repeated("{", always("    "), "x}"), "expected a string"},
};

TEST(SafetensorsMemory, ARefusalTakesTwiceTheHeaderAndALittle) {
  TERN_NEEDS_PEAK_MEMORY();
  const Scratch scratch;
  const std::string path = scratch.path("state.safetensors");
  const long size = count_for(10'000'000, 99'999'000);
  for (const Hostile& hostile : kHostile) {
    SCOPED_TRACE(hostile.what);
    {
      std::string header;
      header.reserve(static_cast<std::size_t>(size) + 1000);
      hostile.fill(header, static_cast<std::size_t>(size));
      write_file(path, safetensors_bytes(header, 2));
    }
    const long before = reset_peak();
    const std::string text = error_of<FileError>([&] { load_state(path); });
    const auto file_size = static_cast<long>(std::filesystem::file_size(path));
    EXPECT_LT(peak_bytes() - before, 2 * file_size + (16 << 20));
    EXPECT_NE(text.find(hostile.says), text.npos) << text.substr(0, 500);
    EXPECT_LT(text.size(), 1000u);
  }
}

TEST(SafetensorsMemory, SoDoesARefusedIndex) {
  TERN_NEEDS_PEAK_MEMORY();
  const Scratch scratch;
  const std::string path = scratch.path("model.safetensors.index.json");
  std::string index = R"({"weight_map":{)";
  const auto size = static_cast<std::size_t>(count_for(10'000'000, 99'999'000));
  index.reserve(size + 1000);
  for (std::size_t i = 0; index.size() < size; ++i) index += '"' + std::to_string(i) + R"(":"f",)";
  write_file(path, index + R"("w":"f"}})");
  index = {};
  const long before = reset_peak();
  const std::string text = error_of<FileError>([&] { load_state(path); });
  const auto file_size = static_cast<long>(std::filesystem::file_size(path));
  EXPECT_LT(peak_bytes() - before, 4 * file_size + (16 << 20));
  EXPECT_NE(text.find("which is missing"), text.npos) << text.substr(0, 500);
}

}  // namespace
}  // namespace tern
