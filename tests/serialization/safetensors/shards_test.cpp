#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>

#include <tern/core/ops/ops.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/state_file.h>

#include "serialization/file/file_calls.h"
#include "serialization/json/reject.h"
#include "serialization/safetensors/bytes.h"
#include "serialization/scratch.h"

// States in several files with an index.

namespace tern {
namespace {

class SafetensorsShards : public ::testing::Test {
 protected:
  SafetensorsShards() {
    state_.insert("d", arange(4, kFloat));      // 16 bytes
    state_.insert("a", arange(2, kDouble));     // 16
    state_.insert("b", arange(10, kLong));      // 80
    state_.insert("c", tensor({true, false}));  // 2
    state_.insert("e", zeros({0}));
    options_.max_shard_size = 32;
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.folder())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  /// Replaces a part of the index and expects an error with `part` in its text.
  void rejects(const std::string& index, const std::string& part) const {
    write_file(index_, index);
    const auto message = error_of<FileError>([&] { load_state(index_); });
    EXPECT_NE(message.find(part), std::string::npos) << message << "\n  not: " << part;
    EXPECT_EQ(message.find("load: "), 0u) << message;
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("model.safetensors");
  const std::string index_ = path_ + ".index.json";
  State state_;
  SaveOptions options_;
};

TEST_F(SafetensorsShards, NamesAndIndexAsHuggingFaceWritesThem) {
  save(state_, path_, options_);
  EXPECT_EQ(names(), (std::set<std::string>{
                         "model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors",
                         "model-00003-of-00003.safetensors", "model.safetensors.index.json"}));
  const std::string text = read_file(index_);
  EXPECT_NE(text.find("\"total_size\": 114,"), std::string::npos) << text;
  EXPECT_NE(text.find("  \"weight_map\": {\n    \"d\": \"model-00001-of-00003.safetensors\",\n"),
            std::string::npos)
      << text;
  // The file, which is not there, its index, and the folder all stand for the state.
  for (const std::string& path : {path_, index_, scratch_.folder(), scratch_.folder() + "/"}) {
    for (const bool map : {false, true}) {
      LoadFileOptions options;
      options.map = map;
      EXPECT_TRUE(identical(load_state(path, options), state_)) << path;
    }
  }
}

TEST_F(SafetensorsShards, ATreeTiesAndMetadata) {
  const Tensor shared = ones({3});
  state_.insert("tied 1", shared);
  state_.insert("tied 2", shared);
  State checkpoint;
  checkpoint.insert("model", state_);
  checkpoint.insert("epoch", 4);
  options_.metadata = {{"author", "somebody"}};
  save(checkpoint, path_, options_);
  const State back = load_state(path_);
  EXPECT_TRUE(identical(back, checkpoint));
  EXPECT_TRUE(back["model"]["tied 1"].tensor().is_same(back["model"]["tied 2"].tensor()));
  EXPECT_NE(read_file(index_).find("\"author\": \"somebody\""), std::string::npos);
}

TEST_F(SafetensorsShards, OneFileWhenItIsSmallEnough) {
  save(state_, path_, options_);
  options_.max_shard_size = 1000;
  save(state_, path_, options_);
  EXPECT_EQ(names(), std::set<std::string>{"model.safetensors"});
  EXPECT_TRUE(identical(load_state(scratch_.folder()), state_));
}

// 16 + 16 + 80 + 2 + 0 bytes, in this order: the number of files for each largest size.
TEST_F(SafetensorsShards, OfTheLargestSizeAndOneByteLess) {
  const std::pair<std::uint64_t, std::size_t> cases[] = {
      {1, 5},   {2, 4},   {15, 4},  {16, 4},  {31, 4},
      {32, 3},  {81, 3},  {82, 2},  {97, 2},  {98, 2},
      {111, 2}, {112, 2}, {113, 2}, {114, 1}, {std::uint64_t(-1), 1}};
  for (const auto& [size, count] : cases) {
    options_.max_shard_size = size;
    save(state_, path_, options_);
    EXPECT_EQ(names().size(), count == 1 ? 1 : count + 1) << size;
    EXPECT_TRUE(identical(load_state(path_), state_)) << size;
    if (count > 1) {
      EXPECT_NE(read_file(index_).find("\"total_size\": 114,"), std::string::npos) << size;
    }
  }
}

TEST_F(SafetensorsShards, EachStringOfTheirMetadataOnce) {
  const auto entry = entry_text("U8", "[1]", "[0,1]");
  for (const std::string name : {"a", "b"}) {
    write_file(scratch_.path(name + ".safetensors"),
               safetensors_bytes("{\"__metadata__\":{\"author\":\"me\",\"file\":\"of " + name +
                                     "\"},\"" + name + "\":" + entry + "}",
                                 1));
  }
  write_file(index_, R"({"metadata": {"total_size": 2, "author": "me"},
                         "weight_map": {"a": "a.safetensors", "b": "b.safetensors"}})");
  std::vector<std::pair<std::string, std::string>> metadata;
  load_state(index_, {.metadata = &metadata});
  std::ranges::sort(metadata);
  EXPECT_EQ(metadata.size(), 2u);
  EXPECT_EQ(metadata[0], (std::pair<std::string, std::string>{"author", "me"}));
  EXPECT_EQ(metadata[1].first, "file");
}

TEST_F(SafetensorsShards, OneFileWhenNothingElseIsAskedFor) {
  save(state_, path_, options_);
  state_.set("c", full({2}, 7));
  save(state_, path_);
  EXPECT_EQ(names(), std::set<std::string>{"model.safetensors"});
  EXPECT_TRUE(identical(load_state(scratch_.folder()), state_));  // the index would come first
  options_.metadata = {{"total_size", "1"}};
  EXPECT_THROW(save(state_, path_, options_), FileError);
}

TEST_F(SafetensorsShards, SavingAgainReplacesTheOldFiles) {
  save(ones({2}), path_);
  for (int i = 0; i < 3; ++i) {
    state_.set("c", full({2}, i));
    save(state_, path_, options_);
    EXPECT_EQ(names().size(), 4u);
    EXPECT_TRUE(identical(load_state(path_), state_));
  }
  EXPECT_THROW(save(state_, index_), FileError);
  EXPECT_THROW(save(state_, scratch_.path("x.json"), options_), FileError);
}

TEST_F(SafetensorsShards, WhatWasReplacedStaysGoneAfterAPowerFailure) {
  save(state_, path_);
  for (const std::uint64_t size : {32, 1000}) {  // one file becomes several, and these one
    RecordingCalls calls;
    options_.max_shard_size = size;
    detail::save_state(state_, path_, options_, calls);
    EXPECT_EQ(calls.events.back().kind, DiskEvent::kSyncFolder);
  }
}

/// Forks at the first write.
struct ForkingCalls final : FileCalls {
  long write(int file, const void* data, std::size_t size) override {
    if (child < 0) child = ::fork();
    if (child == 0) {
      ::sleep(20);
      ::_exit(0);
    }
    return FileCalls::write(file, data, size);
  }
  pid_t child = -1;
};

TEST_F(SafetensorsShards, AChildForkedDuringASaveDoesNotHoldUpTheNext) {
  ForkingCalls calls;
  detail::save_state(state_, path_, options_, calls);
  save(state_, path_, options_);
  EXPECT_EQ(::waitpid(calls.child, nullptr, WNOHANG), 0) << "waited for the child";
  ::kill(calls.child, SIGKILL);
  ::waitpid(calls.child, nullptr, 0);
}

TEST_F(SafetensorsShards, FilesOfOthers) {
  // No metadata of tern, unknown fields, a file with an alias.
  const std::string a = safetensors_bytes(one_tensor("F32", "[1]", "[0,4]"), 4);
  write_file(scratch_.path("one.safetensors"), a);
  write_file(scratch_.path("two.safetensors"),
             safetensors_bytes(replaced(one_tensor("F32", "[1]", "[0,4]"), "{\"w\"",
                                        R"({"__metadata__":{"format":"pt","u":"v"},"v")"),
                               4));
  write_file(index_,
             R"({"extra": [1, {"a": []}], "metadata": {"total_size": 8.0, "x": {"y": [1]},)"
             R"("z": null}, "weight_map": {"w": "one.safetensors", "v": "two.safetensors"},)"
             R"("more": "text"})");
  const State state = load_state(scratch_.folder());
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"w", "v", "u"}));
}

TEST_F(SafetensorsShards, WhatAnIndexMayNotBe) {
  save(state_, path_, options_);
  const std::string good = read_file(index_);
  const std::string shard = "model-00001-of-00003.safetensors";
  rejects("", "is empty");
  rejects("{", "index: byte ");
  rejects("[]", "index: expected an object, found a list");
  rejects("{}", "index: missing key 'weight_map'");
  rejects(R"({"weight_map": []})", "'weight_map': expected an object, found a list");
  rejects(R"({"weight_map": {"d": 1}})", "tensor 'd': expected a file name, found a number");
  rejects(R"({"weight_map": {"d": {}}})", "tensor 'd': expected a file name");
  rejects(R"({"weight_map": {}, "weight_map": {}})", "'weight_map' appears twice");
  for (const char* name : {"", "..", "/etc/passwd", "../x.safetensors", "a/b", "a\\u0000b"}) {
    rejects(R"({"weight_map": {"d": ")" + std::string(name) + "\"}}", "is not a file name");
  }
  rejects(replaced(good, "\"d\":", "\"a\":"), "tensor 'a' appears twice");
  rejects(replaced(good, "\"d\":", "\"x\":"), "tensor 'x' is not in '" + shard);
  rejects(replaced(good, "    \"d\": \"" + shard + "\",\n", ""), "but the index has 4");
  rejects(replaced(good, shard, "none.safetensors"), "which is missing");
  rejects(good.substr(0, good.size() / 2), "index: byte ");
  rejects(good + "x", "index: byte ");
  rejects(std::string("{\"weight_map\":") + std::string(100'000, '['), "'weight_map': expected");
  rejects("{\"x\":" + std::string(100'000, '['), "'x': nested deeper than 100");
  rejects(R"({"metadata": {"x": )" + std::string(100'000, '['), "'x': nested deeper than 100");
  write_file(index_, good);
  EXPECT_TRUE(identical(load_state(index_), state_));

  // A file of another save, a damaged one, none.
  const Scratch elsewhere;
  save(state_, elsewhere.path("model.safetensors"), options_);
  write_file(scratch_.path(shard), read_file(elsewhere.path(shard)));
  rejects(good, "the index and '" + shard + "' were written by different saves");
  const std::string bytes = read_file(scratch_.path(shard));
  write_file(scratch_.path(shard), bytes.substr(0, bytes.size() - 1));
  rejects(good, shard + "': ");
  std::filesystem::remove(scratch_.path(shard));
  rejects(good, "which is missing");
}

TEST_F(SafetensorsShards, AMissingFileIsNamedWithItsIndex) {
  save(state_, path_, options_);
  std::filesystem::remove(scratch_.path("model-00002-of-00003.safetensors"));
  EXPECT_EQ(error_of<FileError>([&] { load_state(path_); }),
            "load: '" + index_ + "' lists 'model-00002-of-00003.safetensors', which is missing");
}

TEST_F(SafetensorsShards, AFolderWithoutAModel) {
  EXPECT_EQ(error_of<FileError>([&] { load_state(scratch_.folder()); }),
            "load: '" + scratch_.folder() +
                "' is a folder without model.safetensors.index.json or model.safetensors");
}

}  // namespace
}  // namespace tern
