#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <system_error>

#include <tern/serialization/state_file.h>

#include "file_calls.h"
#include "scratch.h"
#include "state_formats.h"

// Saving while the system fails, in every format.

namespace tern {
namespace {

class SaveFaults : public ::testing::TestWithParam<const char*> {
 protected:
  SaveFaults() {
    save(old_state_, path_);
    old_bytes_ = read_file(path_);
  }
  /// Saves the new state with these calls; false for a FileError, whose text is checked.
  bool saves(FaultyCalls& calls) const {
    SaveOptions options;
    options.calls = &calls;
    try {
      save(new_state_, path_, options);
      return true;
    } catch (const FileError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(path_), std::string::npos) << text;
      EXPECT_NE(text.find(std::generic_category().message(calls.error)), std::string::npos) << text;
      return false;
    }
  }

  const State old_state_ = sample_state(1), new_state_ = sample_state(2, 128);
  const Scratch scratch_;
  const std::string path_ = scratch_.path("state") + GetParam();
  std::string old_bytes_;
};

TEST_P(SaveFaults, AnyFailingCallLeavesTheOldFile) {
  for (const int error : {ENOSPC, EIO, EDQUOT, EACCES}) {
    for (std::size_t n = 1;; ++n) {
      write_file(path_, old_bytes_);
      FaultyCalls calls;
      calls.fail_at = n;
      calls.error = error;
      const bool saved = saves(calls);
      if (!calls.failed()) break;
      const std::string& call = calls.log[n - 1];
      SCOPED_TRACE("call " + std::to_string(n) + ", " + call);
      // Not every system has locks, and closing what is already durable may fail unnoticed.
      const bool may_fail = call == "flock" || (call == "close" && calls.renamed);
      EXPECT_TRUE(!saved || may_fail);
      // Only the last sync, that of the folder, comes too late for the old file.
      EXPECT_TRUE(saved || !calls.renamed || call == "fsync");
      if (calls.renamed) {
        EXPECT_TRUE(identical(load_state(path_), new_state_));
      } else {
        EXPECT_TRUE(read_file(path_) == old_bytes_);
      }
      EXPECT_EQ(scratch_.count(), 1) << "a temporary was left";
    }
  }
}

TEST_P(SaveFaults, GoesOnAfterInterruptionsAndShortWrites) {
  for (std::size_t n = 0;; ++n) {  // without a failure first
    write_file(path_, old_bytes_);
    FaultyCalls calls;
    calls.fail_at = n;
    calls.error = EINTR;
    calls.short_writes = n == 0;
    EXPECT_TRUE(saves(calls));
    EXPECT_TRUE(identical(load_state(path_), new_state_)) << "call " << n;
    EXPECT_EQ(scratch_.count(), 1);
    if (n > 0 && !calls.failed()) break;
  }
}

TEST_P(SaveFaults, WhatACrashLeftBehindNeverHindersASave) {
  const std::string leftover = scratch_.path(".tern-1-2-3.tmp");
  for (std::size_t n = 1; n <= 4; ++n) {  // open, lock, unlink and close the leftover
    write_file(leftover, "left by a crash");
    FaultyCalls calls;
    calls.fail_at = n;
    calls.error = EIO;
    EXPECT_TRUE(saves(calls));
    EXPECT_TRUE(identical(load_state(path_), new_state_));
    save(old_state_, path_);
    EXPECT_EQ(scratch_.count(), 1);
  }
}

/// The name that `path` has on a disk after a power failure, if the first `events` were asked for,
/// `renames` of the changes to the folder since its last sync got through, and of the bytes since a
/// file's last sync one part in `parts` of 2.
std::string after_power_failure(const std::vector<DiskEvent>& events, std::size_t count,
                                std::size_t folder_changes, std::size_t parts,
                                const std::string& path, const std::string& old_bytes) {
  struct File {
    std::string bytes;
    std::size_t synced = 0;
  };
  std::map<int, File> files{{-1, {old_bytes, old_bytes.size()}}};
  std::map<std::string, int> folder{{path, -1}};
  std::vector<const DiskEvent*> changes;  // of the folder, not synced
  const auto apply = [&](const DiskEvent& event) {
    if (event.kind == DiskEvent::kCreate) folder[event.name] = event.file;
    if (event.kind == DiskEvent::kUnlink) folder.erase(event.name);
    // A rename whose source was never seen cannot have got through.
    if (event.kind == DiskEvent::kRename && folder.contains(event.name)) {
      folder[event.new_name] = folder[event.name];
      folder.erase(event.name);
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    const DiskEvent& event = events[i];
    switch (event.kind) {
      case DiskEvent::kWrite:
        files[event.file].bytes += event.bytes;
        break;
      case DiskEvent::kSync:
        files[event.file].synced = files[event.file].bytes.size();
        break;
      case DiskEvent::kSyncFolder:
        for (const DiskEvent* change : changes) apply(*change);
        changes.clear();
        break;
      default:
        changes.push_back(&event);
    }
  }
  for (std::size_t i = 0; i < std::min(folder_changes, changes.size()); ++i) apply(*changes[i]);
  const auto found = folder.find(path);
  if (found == folder.end()) return "nothing";
  const File& file = files[found->second];
  return file.bytes.substr(0, file.synced + (file.bytes.size() - file.synced) * parts / 2);
}

TEST_P(SaveFaults, APowerFailureShowsTheOldFileOrTheNewOne) {
  RecordingCalls calls;
  SaveOptions options;
  options.calls = &calls;
  save(sample_state(2, 256), path_, options);
  const std::string new_bytes = read_file(path_);
  std::size_t states = 0;
  bool durable = false;
  for (std::size_t count = 0; count <= calls.events.size(); ++count) {
    for (std::size_t changes = 0; changes <= 3; ++changes) {
      for (std::size_t parts = 0; parts <= 2; ++parts) {
        const std::string now =
            after_power_failure(calls.events, count, changes, parts, path_, old_bytes_);
        durable = now == new_bytes;
        ASSERT_TRUE(durable || (now == old_bytes_ && count < calls.events.size()))
            << "after event " << count << ", " << changes << ", " << parts;
        ++states;
      }
    }
  }
  EXPECT_TRUE(durable);
  EXPECT_GE(states, 60u);
}

TEST_P(SaveFaults, OverTheFileThatTheTensorsCameFrom) {
  LoadFileOptions options;
  for (const bool map : {false, true, false}) {
    options.map = map;
    const State state = load_state(path_, options);
    save(state, path_);
    EXPECT_TRUE(identical(state, old_state_));
    EXPECT_TRUE(identical(load_state(path_), old_state_));
  }
}

TEST_P(SaveFaults, TargetsOfEveryKind) {
  const std::string suffix = GetParam();
  const std::string longest(255 - suffix.size(), 'x');
  save(new_state_, scratch_.path(longest + suffix));
  EXPECT_TRUE(identical(load_state(scratch_.path(longest + suffix)), new_state_));
  EXPECT_THROW(save(new_state_, scratch_.path(longest + "x" + suffix)), FileError);
  EXPECT_THROW(save(new_state_, scratch_.path("missing/state" + suffix)), FileError);
  std::filesystem::create_directory(scratch_.path("folder" + suffix));
  EXPECT_THROW(save(new_state_, scratch_.path("folder" + suffix)), FileError);
  EXPECT_EQ(scratch_.count(), 3);
  std::filesystem::create_symlink("state" + suffix, scratch_.path("link" + suffix));
  save(new_state_, scratch_.path("link" + suffix));
  EXPECT_TRUE(std::filesystem::is_symlink(scratch_.path("link" + suffix)));
  EXPECT_TRUE(identical(load_state(path_), new_state_));
}

INSTANTIATE_TEST_SUITE_P(, SaveFaults, ::testing::ValuesIn(kStateFormats), format_name);

}  // namespace
}  // namespace tern
