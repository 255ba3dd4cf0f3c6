#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/state_file.h>

#include "serialization/safetensors/bytes.h"
#include "serialization/scratch.h"

namespace tern {
namespace {

class SafetensorsRoundTrip : public ::testing::Test {
 protected:
  State round_trip(const State& state, const SaveOptions& options = {}) const {
    save(state, path_, options);
    return load_state(path_);
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("state.safetensors");
};

TEST_F(SafetensorsRoundTrip, WritesTheseBytes) {
  State state;
  state.insert("b", tensor({true, false, true}));
  state.insert("a", tensor({1.f, 2.f}));
  state.insert("n", tensor(std::int64_t{-1}));
  save(state, path_);
  // The entries in the order of the state, the data by falling alignment.
  const std::string header = R"({"__metadata__":{"format":"pt"},)"
                             R"("b":{"dtype":"BOOL","shape":[3],"data_offsets":[16,19]},)"
                             R"("a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
                             R"("n":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  const std::string data("\xff\xff\xff\xff\xff\xff\xff\xff\0\0\x80\x3f\0\0\0\x40\1\0\1", 19);
  EXPECT_EQ(read_file(path_), safetensors_bytes(padded, data));
  EXPECT_TRUE(identical(load_state(path_), state));
}

// Large elements first, whatever their names: then each element is aligned, also in a mapping.
TEST_F(SafetensorsRoundTrip, EveryElementIsAligned) {
  for (int extra = 0; extra < 16; ++extra) {
    State state;
    state.insert("a", tensor({true, false, true}));
    state.insert("b" + std::string(static_cast<std::size_t>(extra), 'x'), ones({3}, kShort));
    state.insert("c", ones({1}, kDouble));
    state.insert("d", ones({1}, kHalf));
    state.insert("e", ones({1}, kFloat));
    EXPECT_TRUE(identical(round_trip(state), state));
    const SafetensorsFile file(path_);
    for (const SafetensorsEntry& entry : file.entries()) {
      const std::size_t size = file.read(entry.name).element_size();
      EXPECT_EQ(entry.begin % size, 0u) << entry.name;
    }
    EXPECT_EQ(file.find("c")->begin % 8, 0u);
    EXPECT_EQ(file.find("c")->end, file.find("e")->begin);
  }
}

TEST_F(SafetensorsRoundTrip, EveryDtypeAndShape) {
  State state;
#define TERN_DTYPE(name, type, number, file_name, python_name, category)            \
  for (const DimVector& sizes : {DimVector{}, {0}, {3}, {2, 0, 5}, {2, 3, 1, 2}}) { \
    state.insert(#name + std::to_string(state.size()),                              \
                 ones(sizes, TensorOptions(ScalarType::name)));                     \
  }
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  EXPECT_TRUE(identical(round_trip(state), state));
}

TEST_F(SafetensorsRoundTrip, EveryBitOfUnusualNumbers) {
  using Float = std::numeric_limits<float>;
  using Double = std::numeric_limits<double>;
  State state;
  state.insert("float", tensor({0.f, -0.f, Float::denorm_min(), Float::infinity(),
                                -Float::infinity(), Float::quiet_NaN(), Float::lowest()}));
  state.insert("double", tensor({-0.0, Double::denorm_min(), Double::infinity(),
                                 -Double::quiet_NaN(), Double::max()}));
  state.insert("long", tensor({std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max()}));
  EXPECT_TRUE(identical(round_trip(state), state));
}

TEST_F(SafetensorsRoundTrip, ATreeAndNamesOfAllKinds) {
  State inner;
  inner.insert("w", ones({2}));
  State state;
  state.insert("model", inner);
  state.insert("epoch", 3);
  state.insert("list", State::list({"text", NAN, nullptr, zeros({1})}));
  EXPECT_TRUE(identical(round_trip(state), state));

  State names;
  for (const char* name : {"", "a.b", "\"quoted\\", "\xc3\xa4\xe2\x82\xac", "$tensor", "format"}) {
    names.insert(name, ones({1}));
  }
  names.insert(std::string("nul\0nul", 7), ones({1}));
  EXPECT_TRUE(identical(round_trip(names), names));

  EXPECT_TRUE(identical(round_trip(State()), State()));
  EXPECT_TRUE(identical(round_trip(ones({2, 2})), ones({2, 2})));
}

TEST_F(SafetensorsRoundTrip, StridedViewsAreStoredInRowMajorOrder) {
  const Tensor base = arange(24, kFloat).reshape({4, 6});
  State state;
  state.insert("transposed", base.t());
  state.insert("column", base.select(1, 2));
  state.insert("expanded", base.select(1, 0).unsqueeze(1).expand({4, 3}));
  const State back = round_trip(state);
  EXPECT_TRUE(identical(back, state));
  for (const auto& [key, value] : back) EXPECT_TRUE(value.tensor().is_contiguous()) << key;
}

TEST_F(SafetensorsRoundTrip, ParametersAreSavedWithoutHistory) {
  State state;
  state.insert("w", ones({2}).requires_grad_() * 2);
  const Tensor back = round_trip(state)["w"];
  EXPECT_FALSE(back.requires_grad());
  EXPECT_TRUE(back.equal(full({2}, 2.f)));
}

TEST_F(SafetensorsRoundTrip, TiedTensorsAreStoredOnceAndTiedAgain) {
  const Tensor shared = arange(6, kFloat).reshape({2, 3});
  State model;
  model.insert("encoder", shared);
  model.insert("decoder", shared.detach());  // another handle, the same elements
  model.insert("transposed", shared.t());
  model.insert("row", shared[1]);
  model.insert("none", zeros({0}));
  save(model, path_);
  const SafetensorsFile file(path_);
  EXPECT_EQ(file.entries().size(), 4u);
  EXPECT_EQ(file.find("encoder"), nullptr);  // the reference keeps the smallest name, too
  ASSERT_EQ(file.metadata().size(), 3u);     // the third is the order of the names
  EXPECT_EQ(file.metadata()[1], SafetensorsMetadata::value_type("encoder", "decoder"));
  const State back = load_state(path_);
  EXPECT_TRUE(identical(back, model)) << "also the order of the keys";
  EXPECT_TRUE(back["encoder"].tensor().is_same(back["decoder"].tensor()));
  EXPECT_FALSE(back["row"].tensor().is_alias_of(back["encoder"].tensor()));
  for (const auto& [key, value] : model) EXPECT_TRUE(identical(back[key], value)) << key;

  State checkpoint;
  checkpoint.insert("model", model);
  checkpoint.insert("again", shared);
  const State whole = round_trip(checkpoint);
  EXPECT_TRUE(identical(whole, checkpoint));
  EXPECT_TRUE(whole["again"].tensor().is_same(whole["model"]["decoder"].tensor()));
}

TEST_F(SafetensorsRoundTrip, TiedTensorsWithTheNamesOfMetadata) {
  const Tensor shared = ones({2});
  State state;
  for (const char* name : {"format", "tern.state", "a", "zz"}) state.insert(name, shared);
  const State back = round_trip(state);
  EXPECT_EQ(back.size(), 4u);
  for (const auto& [key, value] : state) EXPECT_TRUE(identical(back[key], value)) << key;
  EXPECT_TRUE(back["zz"].tensor().is_same(back["a"].tensor()));
}

TEST_F(SafetensorsRoundTrip, MetadataOfTheUser) {
  SaveOptions options;
  options.metadata = {{"author", "J\xc3\xb6rg"}, {"empty", ""}};
  State state;
  state.insert("w", ones({1}));
  EXPECT_TRUE(identical(round_trip(state, options), state));
  EXPECT_EQ(SafetensorsFile(path_).metadata(),
            (SafetensorsMetadata{{"format", "pt"}, {"author", "J\xc3\xb6rg"}, {"empty", ""}}));

  for (const SafetensorsMetadata& wrong : {SafetensorsMetadata{{"format", "np"}},
                                           {{"tern.state", ""}},
                                           {{"a", "1"}, {"a", "2"}},
                                           {{"v", "w"}},
                                           {{"w", "v"}},
                                           {{"v", "\xff"}}}) {
    options.metadata = wrong;
    EXPECT_THROW(save(state, path_, options), FileError) << wrong[0].first;
  }
}

TEST_F(SafetensorsRoundTrip, OptionsThatAFormatDoesNotHave) {
  SaveOptions metadata, shards, base64;
  metadata.metadata = {{"a", "1"}};
  shards.max_shard_size = 8;
  base64.base64 = true;
  const auto refused = [&](const char* suffix, const SaveOptions& options) {
    return error_of<FileError>([&] { save(ones({1}), scratch_.path("x") + suffix, options); });
  };
  for (const char* suffix : {".npz", ".npy", ".pt"}) {
    EXPECT_NE(refused(suffix, metadata).find(" does not support the option metadata"),
              std::string::npos);
  }
  for (const char* suffix : {".npz", ".pt", ".json"}) {
    EXPECT_NE(refused(suffix, shards).find(" does not support the option max_shard_size"),
              std::string::npos);
  }
  EXPECT_NE(refused(".safetensors", base64).find("safetensors does not support the option base64"),
            std::string::npos);

  std::vector<std::pair<std::string, std::string>> found;
  save(ones({1}), scratch_.path("x.json"), metadata);
  EXPECT_TRUE(identical(load_state(scratch_.path("x.json"), {.metadata = &found}), ones({1})));
  EXPECT_EQ(found, metadata.metadata);
}

TEST_F(SafetensorsRoundTrip, WhatCannotBeWrittenLeavesTheOldFile) {
  save(ones({1}), path_);
  const std::string old = read_file(path_);
  State reserved, not_utf8, diverged;
  reserved.insert("__metadata__", ones({1}));
  not_utf8.insert("\xff", ones({1}));
  diverged.insert("w", tensor({{1.f, 2.f}, {3.f, INFINITY}}));
  SaveOptions finite;
  finite.allow_non_finite = false;
  EXPECT_EQ(error_of<FileError>([&] { save(reserved, path_); }),
            "save: '" + path_ + "': in safetensors no tensor can have the name '__metadata__'");
  EXPECT_THROW(save(not_utf8, path_), FileError);
  EXPECT_EQ(
      error_of<FileError>([&] { save(diverged, path_, finite); }),
      "save: '" + path_ +
          "': tensor 'w': data[1][1] is Infinity, but SaveOptions::allow_non_finite is false");
  EXPECT_EQ(read_file(path_), old);
  EXPECT_EQ(scratch_.count(), 1);
}

}  // namespace
}  // namespace tern
