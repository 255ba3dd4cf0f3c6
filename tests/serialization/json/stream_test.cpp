#include <gtest/gtest.h>

#include <numeric>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "sanitizer.h"
#include "serialization/peak_memory.h"
#include "serialization/scratch.h"

// The reader sees a file through a window: where its border falls must not matter, and memory must
// not grow with the file.

namespace tern {
namespace {

constexpr std::size_t kWindow = 1 << 18;

std::string file_of(const std::string& tensors) {
  return R"({"format": "tern.state_dict", "version": 1, "tensors": {)" + tensors + "}}";
}

TEST(JsonStream, TheBorderOfTheWindowMayFallAnywhere) {
  const Scratch scratch;
  const std::string early =
      R"("\u00e9": {"shape": [2, 2], "dtype": "F32", "data": [[0.125, -1e-08], ["NaN", 3]]},)"
      R"("b": {"dtype": "BOOL", "shape": [2], "data": [true, false]},)";
  const std::string late =
      R"("late": {"data": [[12345.678], [-0.0]], "shape": [2, 1], "dtype": "F64"},)"
      R"("coded": {"encoding": "base64", "data": "AACAPwAAAEA=", "dtype": "F32", "shape": [2]})";
  const std::string state =
      R"("version": 2, "state": {"\u00e9": {"$tensor": "\u00e9"}, "n": [-1.25, 12, "a\"b", true],)"
      R"("b": {"$tensor": "b"}, "late": {"$tensor": "late"}, "coded": {"$tensor": "coded"}})";
  std::string text = file_of(early + late);
  text.replace(text.find("\"version\": 1"), 12, state);
  const State expected = [&] {
    write_file(scratch.path(), text);
    return load_state(scratch.path());
  }();
  const auto size = static_cast<long>(text.size());
  const long step = testing::has_sanitizer() ? 13 : count_for(3, 1);  // 13 divides no size
  // The window moves on when fewer than 4,096 bytes are left in it.
  for (const long border : {static_cast<long>(kWindow) - 4096, static_cast<long>(kWindow)}) {
    for (long space = border - size; space < border + 8; space += step) {
      write_file(scratch.path(), std::string(static_cast<std::size_t>(space), ' ') + text);
      ASSERT_TRUE(identical(load_state(scratch.path()), expected)) << space << " spaces";
    }
  }
}

TEST(JsonStream, TensorsLongerThanTheWindow) {
  const Scratch scratch;
  manual_seed(1);
  State state;
  state.insert("a", randn({500, 300}));
  state.insert("b", randn({100000}, kDouble));
  for (const bool base64 : {false, true}) {
    SaveOptions options;
    options.base64 = base64;
    save(state, scratch.path(), options);
    const std::string text = read_file(scratch.path());
    ASSERT_GT(text.size(), 4 * kWindow);
    EXPECT_TRUE(identical(load_state(scratch.path()), state));
    // "data" before the rest, as a file of another program may have it.
    std::string turned = file_of("");
    for (const std::string name : {"b", "a"}) {
      std::size_t begin = text.find("\"" + name + "\": {") + name.size() + 5;
      const std::size_t data = text.find("\"data\"", begin), end = text.find('}', data);
      turned.insert(turned.size() - 2, (name == "a" ? ", \"" : "\"") + name + "\": {" +
                                           text.substr(data, end - data) + ", " +
                                           text.substr(begin, data - 2 - begin) + "}");
    }
    write_file(scratch.path(), turned);
    const State loaded = load_state(scratch.path());
    EXPECT_TRUE(identical(loaded["a"], state["a"]) && identical(loaded["b"], state["b"]));
  }
}

TEST(JsonStream, ThePlainFormLongerThanTheWindow) {
  const Scratch scratch;
  std::string floats = "0.5", doubles = "0.5";
  for (int i = 1; i < 60000; ++i) {
    floats += ", " + std::to_string(i % 1000) + ".25";
    doubles += ", 0." + std::to_string(i);
  }
  write_file(scratch.path(), "{\"f\": [" + floats + "], \"d\": [" + doubles + "]}");
  const State state = load_state(scratch.path());
  EXPECT_EQ(state["f"].tensor().dtype(), kFloat);
  EXPECT_EQ(state["f"].tensor().to_vector<float>()[59999], 999.25f);
  EXPECT_EQ(state["d"].tensor().dtype(), kDouble);
  EXPECT_EQ(state["d"].tensor().to_vector<double>()[59999], 0.59999);
  EXPECT_EQ(state["d"].tensor().numel(), 60000);
}

TEST(JsonStream, ErrorsFarBehindSayWhere) {
  const Scratch scratch;
  std::string text = "{\n";
  for (int i = 0; i < 20000; ++i) text += "\"k" + std::to_string(i) + "\": [1.5, 2.5],\n";
  write_file(scratch.path(), text + "  \"bad\": [1.5, x]}");
  EXPECT_EQ(error_of<FileError>([&] { load_state(scratch.path()); }),
            "load: '" + scratch.path() +
                "', line 20002, column 16: tensor 'bad': data[1]: expected a number, found 'x'");
}

TEST(JsonStream, LongNumbers) {
  const Scratch scratch;
  const auto number = [&](std::size_t digits) {
    write_file(scratch.path(), "{\"w\": [1.5, 0." + std::string(digits, '1') + "]}");
  };
  number(4000);
  EXPECT_EQ(load_state(scratch.path())["w"].tensor().to_vector<double>()[1], 1. / 9);
  number(2 * kWindow);
  EXPECT_THROW(load_state(scratch.path()), FileError);
  const std::string letters(2 * kWindow, 'a');
  write_file(scratch.path(), "{\"w\": [" + letters + "]}");
  EXPECT_THROW(load_state(scratch.path()), FileError);
  write_file(scratch.path(), "{\"w\": [\"" + letters + "\"]}");
  EXPECT_THROW(load_state(scratch.path()), FileError);
  write_file(scratch.path(), "{\"w\": [\"" + letters);
  EXPECT_THROW(load_state(scratch.path()), FileError);
}

TEST(JsonStream, MemoryIsThatOfTheTensorsAndALittle) {
  TERN_NEEDS_PEAK_MEMORY();
  const Scratch scratch;
  const std::int64_t rows = count_for(12, 128);  // of a MiB each
  constexpr std::int64_t kSlack = 16 << 20;
  State state;
  state.insert("w", full({rows, 1 << 18}, 0.1234567));
  for (const bool base64 : {false, true}) {
    SaveOptions options;
    options.base64 = base64;
    for (const bool loading : {false, true}) {
      const long before = reset_peak();
      if (loading) {
        EXPECT_TRUE(identical(load_state(scratch.path()), state));
      } else {
        save(state, scratch.path(), options);
      }
      EXPECT_LT(peak_bytes() - before, (loading ? rows << 20 : 0) + kSlack)
          << (loading ? "load" : "save") << (base64 ? " in base64" : "");
    }
  }
}

}  // namespace
}  // namespace tern
