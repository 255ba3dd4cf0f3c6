#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/allocator.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/state_file.h>

#include "serialization/safetensors/bytes.h"
#include "serialization/scratch.h"

// Parts of a file, and tensors that view a mapping of it.

namespace tern {
namespace {

class SafetensorsFileTest : public ::testing::Test {
 protected:
  SafetensorsFileTest() {
    state_.insert("w", arange(6, kFloat).reshape({2, 3}));
    state_.insert("n", tensor(std::int64_t{7}));
    state_.insert("none", zeros({0, 2}));
    state_.insert("mask", tensor({true, false, true}));
    save(state_, path_);
  }
  static LoadFileOptions mapped() {
    LoadFileOptions options;
    options.map = true;
    return options;
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("state.safetensors");
  State state_;
};

TEST_F(SafetensorsFileTest, ListsAndReadsTensorByTensor) {
  for (const LoadFileOptions& options : {LoadFileOptions(), mapped()}) {
    SafetensorsFile opened(path_, options);
    const SafetensorsFile file = std::move(opened);
    ASSERT_EQ(file.entries().size(), 4u);
    EXPECT_EQ(file.entries()[0].name, "w");
    EXPECT_EQ(file.entries()[0].dtype, "F32");
    EXPECT_EQ(IntArrayRef(file.entries()[0].shape), IntArrayRef({2, 3}));
    EXPECT_EQ(file.entries()[0].end - file.entries()[0].begin, 24u);
    EXPECT_EQ(file.find("n")->dtype, "I64");
    EXPECT_EQ(file.find("x"), nullptr);
    for (const auto& [key, value] : state_) EXPECT_TRUE(identical(file.read(key), value)) << key;
    EXPECT_EQ(error_of<IndexError>([&] { file.read("x"); }),
              "load: '" + path_ + "' has no tensor 'x'");
  }
}

TEST_F(SafetensorsFileTest, TensorsOutliveTheFile) {
  Tensor tensor;
  {
    const SafetensorsFile file(path_, mapped());
    tensor = file.read("w");
  }
  std::filesystem::remove(path_);
  EXPECT_TRUE(identical(tensor, state_["w"]));
}

TEST_F(SafetensorsFileTest, WritingToAMappedTensorChangesNoFile) {
  const std::string bytes = read_file(path_);
  const State state = load_state(path_, mapped());
  EXPECT_TRUE(identical(state, state_));
  state["w"].tensor().fill_(5);
  EXPECT_TRUE(state["w"].tensor().equal(full({2, 3}, 5.f)));
  EXPECT_EQ(state["n"].tensor()._version(), 0);
  EXPECT_EQ(read_file(path_), bytes);
  EXPECT_TRUE(identical(load_state(path_, mapped()), state_));
}

TEST_F(SafetensorsFileTest, SavingOverTheMappedFileKeepsTheTensors) {
  const State state = load_state(path_, mapped());
  State other = state;
  other.set("w", zeros({2, 3}));
  save(other, path_);
  EXPECT_TRUE(identical(state, state_));
  save(state, path_);
  EXPECT_TRUE(identical(load_state(path_), state_));
}

TEST_F(SafetensorsFileTest, AModelLoadsFromAMapping) {
  Tensor w = zeros({2, 3});
  w.copy_(load_state(path_, mapped())["w"].tensor());
  EXPECT_TRUE(identical(w, state_["w"]));
}

TEST_F(SafetensorsFileTest, TensorsOfADeviceAreSavedLikeOthers) {
  const Tensor w = state_["w"].tensor().to(Device("cuda:1"));
  State state;
  state.insert("w", w);
  state.insert("transposed", w.t());
  state.insert("tied", w.detach());
  save(state, path_);
  const State back = load_state(path_);
  EXPECT_TRUE(back["w"].tensor().is_cpu());
  EXPECT_TRUE(back["w"].tensor().is_same(back["tied"].tensor()));
  for (const auto& [key, value] : state) EXPECT_TRUE(identical(back[key], value)) << key;
}

/// The most memory for tensors during `work`, above what there was before.
template <class Work>
std::int64_t peak_of(const Work& work) {
  Allocator& allocator = detail::allocator_of(DeviceType::CPU);
  const std::int64_t before = allocator.stats(0).live_bytes;
  allocator.reset_peak(0);
  work();
  return allocator.stats(0).peak_bytes - before;
}

TEST_F(SafetensorsFileTest, TakesTheMemoryOfOneTensorOrOfNone) {
  constexpr std::int64_t kBytes = 4 << 20;
  State state;
  for (const char* name : {"a", "b", "c", "d"}) {
    state.insert(name, rand({1024}).expand({1024, 1024}));  // no memory before it is written
  }
  EXPECT_LE(peak_of([&] { save(state, path_); }), kBytes + kBytes / 8);
  EXPECT_LE(peak_of([&] {
              const SafetensorsFile file(path_);
              for (const SafetensorsEntry& entry : file.entries()) file.read(entry.name);
            }),
            kBytes + kBytes / 8);
  EXPECT_LE(peak_of([&] { load_state(path_, mapped()); }), kBytes / 8);
}

TEST_F(SafetensorsFileTest, OtherFormatsIgnoreTheMapping) {
  const std::string path = scratch_.path("state.json");
  save(state_, path);
  EXPECT_TRUE(identical(load_state(path, mapped()), state_));
}

TEST_F(SafetensorsFileTest, NamesOtherFormats) {
  const std::string path = scratch_.path("state.json");
  save(state_, path);
  EXPECT_EQ(error_of<FileError>([&] { SafetensorsFile{path}; }),
            "load: '" + path + "' is in the format JSON, not safetensors");
  write_file(path_, "");
  EXPECT_EQ(error_of<FileError>([&] { SafetensorsFile{path_}; }),
            "load: '" + path_ + "' is empty, not safetensors");
}

TEST_F(SafetensorsFileTest, ListsDtypesThatTernDoesNotHave) {
  write_file(path_, safetensors_bytes("{\"a\":" + entry_text("F8_E8M0", "[3]", "[0,3]") +
                                          ",\"b\":" + entry_text("F4", "[2,1]", "[3,4]") +
                                          ",\"c\":" + entry_text("BOOL", "[1]", "[4,5]") + "}",
                                      5));
  const SafetensorsFile file(path_);
  EXPECT_EQ(file.find("a")->dtype, "F8_E8M0");
  EXPECT_EQ(file.find("b")->dtype, "F4");
  EXPECT_FALSE(file.read("c").item<bool>());
  EXPECT_THROW(file.read("a"), FileError);
  EXPECT_THROW(load_state(path_), FileError);
}

}  // namespace
}  // namespace tern
