#include <gtest/gtest.h>

#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/serialization/gguf.h>
#include <tern/serialization/state_file.h>

#include "golden/golden.h"
#include "serialization/gguf/builder.h"
#include "serialization/peak_memory.h"
#include "serialization/scratch.h"

// A tiny Llama model as transformers reads it: tests/golden/serialization/gguf/files.py.

namespace tern {
namespace {

const std::string kLlama = kGoldenFolder + "gguf/llama.gguf";

TEST(GgufLlamaTest, HasTheConfigOfTransformers) {
  const GgufFile file(kLlama);
  const State config = GgufLlama(file).config();
  const nlohmann::json& expected = testing::golden("serialization/gguf/llama");
  EXPECT_EQ(expected.size(), 15u);
  for (const auto& [key, value] : expected.items()) {
    ASSERT_TRUE(config.contains(key)) << key;
    const State& found = config[key];
    EXPECT_EQ(found.is_int(), value.is_number_integer()) << key;
    if (value.is_string()) {
      EXPECT_EQ(found.string(), value.get<std::string>()) << key;
    } else if (value.is_boolean()) {
      EXPECT_EQ(found.to<bool>(), value) << key;
    } else {  // transformers gives 1e-5 as the float32 that the file has
      EXPECT_EQ(found.to<float>(), value.get<float>()) << key;
    }
  }
  EXPECT_EQ(config.get<double>("rms_norm_eps"), 1e-5);
  EXPECT_EQ(config.get<double>("rope_theta"), 50000);
  EXPECT_EQ(config["architectures"][0].string(), "LlamaForCausalLM");
  EXPECT_FALSE(config.contains("rope_scaling"));
  EXPECT_FALSE(config.contains("pad_token_id"));
  EXPECT_FALSE(config.get<bool>("attention_bias"));
}

TEST(GgufLlamaTest, HasTheTensorsOfTransformers) {
  const State expected = load_state(kGoldenFolder + "gguf/llama.safetensors");
  for (const bool map : {false, true}) {
    const GgufFile file(kLlama, {.map = map});
    const GgufLlama llama(file);
    ASSERT_EQ(llama.names().size(), expected.size());
    for (const GgufLlamaName& name : llama.names()) {
      EXPECT_TRUE(identical(llama.read(name.name), expected[name.name])) << name.name;
      EXPECT_EQ(llama.read(name.name, kBFloat16).dtype(), kBFloat16);
    }
  }
}

TEST(GgufLlamaTest, HasTheBlocksInTheSameOrder) {
  const GgufFile file(kLlama);
  const GgufLlama llama(file);
  int permuted = 0;
  for (const GgufLlamaName& name : llama.names()) {
    if (!file.find(name.gguf_name)->blocks) continue;
    const GgufBlocks blocks = llama.read_blocks(name.name);
    const Tensor expected = llama.read(name.name), values = empty_like(expected);
    ASSERT_TRUE(blocks.bytes.is_contiguous());
    dequantize_blocks(blocks.format, static_cast<const std::byte*>(blocks.bytes.data_ptr()),
                      values.numel() / elements_of_block(blocks.format), values.data_ptr<float>());
    EXPECT_TRUE(identical(values, expected)) << name.name;
    EXPECT_EQ(IntArrayRef(blocks.shape), expected.sizes());
    permuted += name.heads != 0;
    EXPECT_EQ(name.heads, name.name.ends_with("q_proj.weight")   ? 2
                          : name.name.ends_with("k_proj.weight") ? 1
                                                                 : 0);
  }
  EXPECT_EQ(permuted, 4);
  EXPECT_THROW(llama.read("token_embd.weight"), IndexError);
  EXPECT_THROW(llama.read_blocks("model.norm.weight"), FileError);
}

/// A file of the architecture with one layer and no tensors but the embedding and `entries`.
class GgufLlamaFiles : public ::testing::Test {
 protected:
  static std::string number(const std::string& key, std::uint32_t value) {
    return gguf_key(key, 4, gguf_bytes(value));
  }
  static std::string floating(const std::string& key, float value) {
    return gguf_key(key, 6, gguf_bytes(value));
  }
  void SetUp() override {
    bytes_.keys = {gguf_key("general.architecture", 8, gguf_string("llama")),
                   number("llama.block_count", 1),
                   number("llama.embedding_length", 8),
                   gguf_key("llama.attention.head_count", 10, gguf_bytes<std::uint64_t>(2)),
                   number("llama.feed_forward_length", 4),
                   number("llama.context_length", 16),
                   floating("llama.attention.layer_norm_rms_epsilon", 1e-6F)};
    bytes_.entries = {gguf_entry("token_embd.weight", {8, 1}, 0, 0)};
    bytes_.data = 32;
  }
  GgufFile file() const {
    write_file(path_, bytes_.str());
    return GgufFile(path_);
  }
  void expect_refused(const std::string& says) const {
    const GgufFile opened = file();
    EXPECT_EQ(error_of<FileError>([&] { GgufLlama{opened}; }), "load: '" + path_ + "': " + says);
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("x.gguf");
  GgufBytes bytes_;
};

TEST_F(GgufLlamaFiles, TakeDefaults) {
  bytes_.entries.push_back(gguf_entry("output.weight", {8, 1}, 0, 32));
  bytes_.entries.push_back(gguf_entry("blk.0.attn_q.bias", {8}, 0, 64));
  bytes_.data = 96;
  const GgufFile opened = file();
  const GgufLlama llama(opened);
  EXPECT_EQ(llama.config().get<int>("num_key_value_heads"), 2);
  EXPECT_EQ(llama.config().get<int>("head_dim"), 4);
  EXPECT_EQ(llama.config().get<double>("rope_theta"), 10000);
  EXPECT_FALSE(llama.config().get<bool>("tie_word_embeddings"));
  EXPECT_TRUE(llama.config().get<bool>("attention_bias"));
  EXPECT_EQ(llama.names()[1].name, "lm_head.weight");
  EXPECT_EQ(llama.names()[2].name, "model.layers.0.self_attn.q_proj.bias");
  EXPECT_EQ(llama.read(llama.names()[2].name).dim(), 1);
}

TEST_F(GgufLlamaFiles, ThatAreNone) {
  bytes_.keys[0] = gguf_key("general.architecture", 8, gguf_string("qwen2"));
  expect_refused("the architecture is 'qwen2', expected 'llama'");
  SetUp();
  bytes_.keys.erase(bytes_.keys.begin() + 1);
  expect_refused("the key 'llama.block_count' is missing");
  SetUp();
  bytes_.keys[3] = floating("llama.attention.head_count", 2);
  expect_refused("key 'llama.attention.head_count': expected an integer, found a floating number");
  SetUp();
  bytes_.keys[3] = number("llama.attention.head_count", 0);
  expect_refused("key 'llama.attention.head_count' is 0, expected at least 1");
  SetUp();
  bytes_.keys[6] = floating("llama.attention.layer_norm_rms_epsilon", NAN);
  expect_refused("key 'llama.attention.layer_norm_rms_epsilon' is nan, expected a finite number");
  SetUp();
  bytes_.entries = {gguf_entry("token_embd.weight", {8}, 0, 0)};
  expect_refused("the tensor 'token_embd.weight' is missing or has not 2 dimensions");
}

TEST_F(GgufLlamaFiles, WithTensorsOfNoLlama) {
  for (const char* const name :
       {"blk.0.ffn_gate_exps.weight", "blk.1.attn_q.weight", "blk.00.attn_q.weight", "blk.0",
        "blk.", "blk.0.attn_q", "blk.0.weight", "blk.0.attn_q.scale", "token_embd"}) {
    SetUp();
    bytes_.entries.push_back(gguf_entry(name, {0}, 0, 32));
    expect_refused(std::string("tensor '") + name + "' is not of a Llama model with 1 layers");
  }
}

TEST_F(GgufLlamaFiles, WithRowsThatDoNotFitTheHeads) {
  bytes_.entries.push_back(gguf_entry("blk.0.attn_q.weight", {1, 6}, 0, 32));
  bytes_.data = 64;
  const GgufFile opened = file();
  EXPECT_EQ(error_of<FileError>(
                [&] { GgufLlama(opened).read("model.layers.0.self_attn.q_proj.weight"); }),
            "load: '" + path_ +
                "': tensor 'blk.0.attn_q.weight': shape [6, 1] is no even number of rows for 2 "
                "heads");
}

TEST_F(GgufLlamaFiles, GiveRowsInAnotherOrderWithoutPagesOfTheMapping) {
  if (file_bytes() == 0) GTEST_SKIP() << "needs RssFile of /proc/self/status";
  constexpr std::int64_t kRows = 1 << 13, kColumns = 1 << 10, kBytes = 2 * kRows * kColumns;
  bytes_.entries.push_back(gguf_entry("blk.0.attn_q.weight", {kColumns, kRows}, 1, 32));
  bytes_.data = 32 + kBytes;
  write_file(path_, bytes_.str());
  const GgufFile opened(path_, {.map = true});
  const GgufLlama llama(opened);
  const long before = file_bytes();
  const Tensor rows = llama.read("model.layers.0.self_attn.q_proj.weight");
  EXPECT_LT(file_bytes() - before, kBytes / 4);
  const Tensor view = opened.read("blk.0.attn_q.weight");
  EXPECT_TRUE(rows.equal(view));  // zeros
  EXPECT_GT(file_bytes() - before, kBytes / 4 * 3);
}

TEST_F(GgufLlamaFiles, WithStretchedWavelengths) {
  bytes_.keys.push_back(gguf_key("llama.rope.scaling.type", 8, gguf_string("linear")));
  bytes_.keys.push_back(floating("llama.rope.scaling.factor", 2.5F));
  const GgufFile opened = file();
  const GgufLlama llama(opened);
  const State& scaling = llama.config()["rope_scaling"];
  EXPECT_EQ(scaling["rope_type"].string(), "linear");
  EXPECT_EQ(scaling.get<double>("factor"), 2.5);
}

TEST_F(GgufLlamaFiles, OfLlama3HaveDivisors) {
  bytes_.keys.push_back(floating("llama.rope.freq_base", 500000));
  bytes_.keys.push_back(number("llama.rope.dimension_count", 64));
  bytes_.entries.push_back(gguf_entry("rope_freqs.weight", {32}, 0, 32));
  bytes_.data = 32 + 128;
  std::vector<float> divisors;
  for (int i = 0; i < 32; ++i) {
    // Of Llama 3's paper: short wavelengths stay, long ones are 8 times as long.
    const double wavelength = 2 * 3.14159265358979 * std::pow(500000.0, i / 32.0);
    const double smooth = (8192 / wavelength - 1) / 3;
    divisors.push_back(static_cast<float>(wavelength < 2048   ? 1
                                          : wavelength > 8192 ? 8
                                                              : 1 / ((1 - smooth) / 8 + smooth)));
  }
  const auto write = [&] {
    std::string bytes = bytes_.str();
    bytes.replace(bytes.size() - 128, 128,
                  std::string(reinterpret_cast<const char*>(divisors.data()), 128));
    write_file(path_, bytes);
  };
  write();
  const GgufFile opened(path_);
  const GgufLlama llama(opened);
  const State& scaling = llama.config()["rope_scaling"];
  EXPECT_EQ(scaling["rope_type"].string(), "llama3");
  EXPECT_EQ(scaling.get<double>("factor"), 8);
  EXPECT_EQ(scaling.get<double>("low_freq_factor"), 1);
  EXPECT_EQ(scaling.get<double>("high_freq_factor"), 4);
  EXPECT_EQ(scaling.get<int>("original_max_position_embeddings"), 8192);
  EXPECT_EQ(llama.names().size(), 1u);  // Hugging Face's model has no such tensor
  divisors[10] = 2;
  write();
  const GgufFile other(path_);
  EXPECT_EQ(error_of<FileError>([&] { GgufLlama{other}; }),
            "load: '" + path_ +
                "': tensor 'rope_freqs.weight': element 10 is 2, expected 1 as in Llama 3");
}

}  // namespace
}  // namespace tern
