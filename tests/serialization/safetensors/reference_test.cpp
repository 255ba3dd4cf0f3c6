#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"

// Files of the reference library, written by
// tests/golden/serialization/safetensors/safetensors_files.py.

namespace tern {
namespace {

State reference_state() {
  const Tensor values = arange(-3, 3, kLong);
  State state;
  state.insert("a.long", values * (std::int64_t{1} << 40));
  state.insert("b.double", values.to(kDouble) / 7);
  state.insert("c.float", (values.to(kFloat) / 7).reshape({2, 3}));
  state.insert("d.bool", values > 0);
  state.insert("e.bool", ones({}, kBool));
  state.insert("f.bool", zeros({2, 0, 3}, kBool));
  return state;
}

TEST(SafetensorsReference, ItsFileIsRead) {
  EXPECT_TRUE(identical(load_state(kGoldenFolder + "safetensors/reference.safetensors"),
                        reference_state()));
}

TEST(SafetensorsReference, TheSameStateGivesTheSameBytes) {
  const Scratch scratch;
  const std::string path = scratch.path("state.safetensors");
  save(reference_state(), path);
  EXPECT_EQ(read_file(path), read_file(kGoldenFolder + "safetensors/reference.safetensors"));
}

TEST(SafetensorsReference, TiedTensorsOfSaveModel) {
  const State state = load_state(kGoldenFolder + "safetensors/tied.safetensors");
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"decoder.weight", "encoder.weight"}));
  EXPECT_TRUE(state["encoder.weight"].tensor().is_same(state["decoder.weight"].tensor()));
  EXPECT_TRUE(state["encoder.weight"].tensor().equal(arange(9, kFloat).reshape({3, 3})));
}

TEST(SafetensorsReference, EveryDtypeIsListedAndEachOfOursRead) {
  const SafetensorsFile file(kGoldenFolder + "safetensors/dtypes.safetensors");
  EXPECT_EQ(file.entries().size(), 16u);
  std::size_t read = 0;
#define TERN_DTYPE(name, type, number, file_name, python_name, category)     \
  {                                                                          \
    const Tensor expected = arange(4, kLong).to(ScalarType::name);           \
    EXPECT_EQ(file.find(python_name)->dtype, file_name);                     \
    EXPECT_TRUE(identical(file.read(python_name), expected)) << python_name; \
    ++read;                                                                  \
  }
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  EXPECT_GE(read, 4u);
  const std::string path = kGoldenFolder + "safetensors/dtypes.safetensors";
  const std::string start = "load: '" + path + "': tensor 'uint64': dtype U64 is not supported";
  const auto text = error_of<FileError>([&] { file.read("uint64"); });
  EXPECT_EQ(text.substr(0, start.size()), start);
  EXPECT_THROW(load_state(path), FileError);
}

}  // namespace
}  // namespace tern
