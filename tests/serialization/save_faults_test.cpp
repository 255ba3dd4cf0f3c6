#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <system_error>

#include <tern/serialization/state_file.h>

#include "scratch.h"
#include "serialization/file/file_calls.h"
#include "state_formats.h"

// Saving while the system fails, in every format and in shards.

namespace tern {
namespace {

class SaveFaults : public ::testing::TestWithParam<const char*> {
 protected:
  SaveFaults() {
    save(old_state_, path_, save_options(GetParam()));
    old_files_ = scratch_.contents();
  }
  void restore() const {
    for (const auto& [name, bytes] : scratch_.contents()) {
      if (!old_files_.contains(name)) std::filesystem::remove(scratch_.path(name));
    }
    for (const auto& [name, bytes] : old_files_) write_file(scratch_.path(name), bytes);
  }
  /// Saves the new state with these calls; false for a FileError, whose text is checked.
  bool saves(FaultyCalls& calls) const {
    try {
      detail::save_state(new_state_, path_, save_options(GetParam()), calls);
      return true;
    } catch (const FileError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(scratch_.path("state")), std::string::npos) << text;
      // Without its lock a shard in the making is gone as a leftover when the next one begins.
      const int reason = calls.failed_call() == "flock" ? ENOENT : calls.error;
      EXPECT_NE(text.find(std::generic_category().message(reason)), std::string::npos) << text;
      return false;
    }
  }

  const State old_state_ = sample_state(1), new_state_ = sample_state(2, 128);
  const Scratch scratch_;
  const std::string path_ = scratch_.path("state") + GetParam();
  std::map<std::string, std::string> old_files_;
};

/// The formats of one file.
class SaveFileFaults : public SaveFaults {
 protected:
  const std::string old_bytes_ = read_file(path_);
};

TEST_P(SaveFaults, AnyFailingCallLeavesTheOldState) {
  for (const int error : {ENOSPC, EIO, EDQUOT, EACCES}) {
    for (std::size_t n = 1;; ++n) {
      restore();
      FaultyCalls calls;
      calls.fail_at = n;
      calls.error = error;
      const bool saved = saves(calls);
      if (!calls.failed()) break;
      const std::string& call = calls.failed_call();
      SCOPED_TRACE("call " + std::to_string(n) + ", " + call);
      // Not every system has locks, others may remove leftovers, and closing what is already
      // durable may fail unnoticed.
      const bool may_fail = call == "flock" || call == "open leftover" ||
                            (call == "close" && calls.log[n - 2] != "dup");
      EXPECT_TRUE(!saved || may_fail);
      const auto files = scratch_.contents();
      const bool kept = files == old_files_;
      // Only the last sync, that of the folder, and what is removed after it come too late for the
      // old state.
      EXPECT_NE(saved, kept || call == "fsync" || call == "unlink");
      if (!kept) {
        EXPECT_TRUE(identical(load_state(path_), new_state_));
      }
      // Shards of the old state may stay then, but no temporary.
      if (saved || !is_sharded(GetParam())) {
        EXPECT_EQ(files.size(), old_files_.size());
      }
      EXPECT_FALSE(files.begin()->first.starts_with(".tern-")) << "a temporary was left";
    }
  }
}

TEST_P(SaveFaults, GoesOnAfterInterruptionsAndShortWrites) {
  for (std::size_t n = 0;; ++n) {  // without a failure first
    restore();
    FaultyCalls calls;
    calls.fail_at = n;
    calls.error = EINTR;
    calls.short_writes = n == 0;
    EXPECT_TRUE(saves(calls)) << "call " << n;
    EXPECT_TRUE(identical(load_state(path_), new_state_)) << "call " << n;
    EXPECT_EQ(scratch_.contents().size(), old_files_.size());
    if (n > 0 && !calls.failed()) break;
  }
}

TEST_P(SaveFileFaults, WhatACrashLeftBehindNeverHindersASave) {
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

TEST_P(SaveFileFaults, APowerFailureShowsTheOldFileOrTheNewOne) {
  RecordingCalls calls;
  detail::save_state(sample_state(2, 256), path_, {}, calls);
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

TEST_P(SaveFileFaults, OverTheFileThatTheTensorsCameFrom) {
  LoadFileOptions options;
  for (const bool map : {false, true, false}) {
    options.map = map;
    const State state = load_state(path_, options);
    save(state, path_);
    EXPECT_TRUE(identical(state, old_state_));
    EXPECT_TRUE(identical(load_state(path_), old_state_));
  }
}

TEST_P(SaveFileFaults, TargetsOfEveryKind) {
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

TEST_P(SaveFaults, APathWithANulByteIsRefused) {
  const std::string path = scratch_.path("other") + '\0' + GetParam();
  const std::string text = "the path has a NUL byte after '" + scratch_.path("other") + "'";
  EXPECT_EQ(error_of<FileError>([&] { save(new_state_, path, save_options(GetParam())); }),
            "save: " + text);
  EXPECT_EQ(scratch_.contents(), old_files_);
  std::filesystem::copy(scratch_.path(old_files_.begin()->first), scratch_.path("other"));
  EXPECT_EQ(error_of<FileError>([&] { load_state(path); }), "load: " + text);
}

INSTANTIATE_TEST_SUITE_P(, SaveFaults, ::testing::ValuesIn(kStateFormats), format_name);
INSTANTIATE_TEST_SUITE_P(InSeveralFiles, SaveFaults, ::testing::Values(kSharded), format_name);
INSTANTIATE_TEST_SUITE_P(, SaveFileFaults, ::testing::ValuesIn(kStateFormats), format_name);

}  // namespace
}  // namespace tern
