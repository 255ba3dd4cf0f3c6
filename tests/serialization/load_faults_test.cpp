#include <gtest/gtest.h>

#include <functional>
#include <system_error>

#include <tern/serialization/safetensors.h>

#include "read_faults.h"
#include "scratch.h"
#include "state_formats.h"
#include "zip/builder.h"

// Loading while the system fails: every read of every reader, one at a time.

namespace tern {
namespace {

/// A reader, and the file that it reads.
struct LoadCase {
  const char* name;
  /// Makes the file, or returns one of Python's.
  std::function<std::string(const Scratch&)> make;
  std::function<State(const std::string&)> load = [](const std::string& path) {
    return load_state(path);
  };
};

LoadCase saved_case(const char* name, const char* file, const SaveOptions& options = {}) {
  return {name, [file, options](const Scratch& scratch) {
            save(sample_state(1, 32), scratch.path(file), options);
            return scratch.path(file);
          }};
}

LoadCase golden_case(const char* name, const char* file) {
  return {name, [file](const Scratch&) { return kGoldenFolder + file; }};
}

std::vector<LoadCase> load_cases() {
  LoadCase entries = saved_case("one_by_one", "a.safetensors");
  entries.load = [](const std::string& path) {
    const SafetensorsFile file(path);
    State state;
    for (const SafetensorsEntry& entry : file.entries()) {
      state.insert(entry.name, file.read(entry.name));
    }
    return state;
  };
  LoadCase mapped = saved_case("mapped", "a.safetensors");
  mapped.load = [](const std::string& path) { return load_state(path, {.map = true}); };
  return {saved_case("json", "a.json"),
          saved_case("base64", "a.json", {.base64 = true}),
          saved_case("npz", "a.npz"),
          saved_case("pt", "a.pt"),
          saved_case("safetensors", "a.safetensors"),
          saved_case("shards", "a.safetensors", {.max_shard_size = 512}),
          golden_case("npy", "numpy/fortran.npy"),
          golden_case("big_endian", "numpy/big_endian.npy"),
          golden_case("deflated", "numpy/arrays_deflated.npz"),
          golden_case("json_of_python", "json/net.json"),
          golden_case("old_pickle", "torch/torch_odd_old.pth"),
          entries,
          mapped};
}

class LoadFaults : public ::testing::TestWithParam<LoadCase> {
 protected:
  void SetUp() override {
    if (GetParam().name == std::string("deflated")) TERN_NEEDS_ZLIB();
    path_ = GetParam().make(scratch_);
    good_ = GetParam().load(path_);
  }
  /// Lets read number `call` fail. Returns false after the last read.
  bool fail(ReadFault fault) {
    SCOPED_TRACE("read " + std::to_string(fault.call));
    const ReadFaults faults(fault);
    try {
      const State state = GetParam().load(path_);
      // No read failed, or an interruption was repeated.
      EXPECT_TRUE(fault.kind == ReadFault::kInterrupt || faults.calls() < fault.call);
      EXPECT_TRUE(identical(state, good_));
    } catch (const FileError& error) {
      EXPECT_NE(fault.kind, ReadFault::kInterrupt);
      const std::string text = error.what();
      const std::string reason = fault.kind == ReadFault::kEnd
                                     ? "became shorter while it was read"
                                     : std::generic_category().message(EIO);
      EXPECT_NE(text.find(reason), text.npos) << text;
      EXPECT_TRUE(text.find(path_) != text.npos || text.find(scratch_.folder()) != text.npos)
          << text;
    }
    return faults.calls() >= fault.call;
  }

  const Scratch scratch_;
  std::string path_;
  State good_;
};

TEST_P(LoadFaults, AnyReadThatFailsIsAnError) {
  for (const auto kind : {ReadFault::kError, ReadFault::kEnd, ReadFault::kInterrupt}) {
    long call = 1;
    while (fail({kind, call}) && !HasFailure()) ++call;
    EXPECT_GT(call, 2);
  }
}

TEST_P(LoadFaults, ShortReadsGoOn) {
  const ReadFaults faults({ReadFault::kShort});
  EXPECT_TRUE(identical(GetParam().load(path_), good_));
}

INSTANTIATE_TEST_SUITE_P(, LoadFaults, ::testing::ValuesIn(load_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

// Several threads read a large file; an error of one of them is enough.
TEST(LoadFaultsOfThreads, AnyReadThatFailsIsAnError) {
  const Scratch scratch;
  const std::string path = scratch.path("a.safetensors");
  State state;
  state.insert("large", rand({9 << 20}));
  state.insert("small", ones({3}));
  save(state, path);
  for (long call = 1; call < 100; ++call) {
    const ReadFaults faults({ReadFault::kError, call});
    bool failed = false;
    try {
      load_state(path);
    } catch (const FileError&) {
      failed = true;
    }
    EXPECT_EQ(failed, faults.calls() >= call) << "read " << call;
    if (!failed) break;
  }
}

}  // namespace
}  // namespace tern
