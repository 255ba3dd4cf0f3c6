#pragma once

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/serialization/detail/save_state.h>

namespace tern {

using detail::FileCalls;

/// Records the names of all calls and lets the n-th one fail. Does not wait for the disk.
class FaultyCalls final : public FileCalls {
 public:
  int open(const char* path, int flags, unsigned mode) override {
    const char* const name = flags & O_NOFOLLOW ? "open leftover" : "open";
    EXPECT_NE(flags & O_CLOEXEC, 0) << path << ": no child may inherit it";
    return record(name, [&] { return FileCalls::open(path, flags, mode); });
  }
  int flock(int file, int operation) override {
    return record("flock", [&] { return FileCalls::flock(file, operation); });
  }
  long write(int file, const void* data, std::size_t size) override {
    if (short_writes) size = std::min(size, 1 + log.size() * 37 % 500);
    return record("write", [&] { return FileCalls::write(file, data, size); });
  }
  int dup(int file) override {
    return record("dup", [&] { return FileCalls::dup(file); });
  }
  int fsync(int) override {
    return record("fsync", [] { return 0; });
  }
  int close(int file) override {
    // The descriptor is gone after a failed close, too.
    const int result = FileCalls::close(file);
    return record("close", [&] { return result; });
  }
  int rename(const char* from, const char* to) override {
    return record("rename", [&] { return FileCalls::rename(from, to); });
  }
  int unlink(const char* path) override {
    return record("unlink", [&] { return FileCalls::unlink(path); });
  }

  bool failed() const { return fail_at > 0 && log.size() >= fail_at; }
  const std::string& failed_call() const { return log.at(fail_at - 1); }

  std::size_t fail_at = 0;  // 1 is the first call
  int error = 0;
  bool short_writes = false;
  std::vector<std::string> log;

 private:
  template <class Call>
  auto record(const char* name, const Call& call) -> decltype(call()) {
    log.push_back(name);
    if (log.size() == fail_at) {
      errno = error;
      return -1;
    }
    return call();
  }
};

/// Does not wait for the disk: where only the content matters.
struct UnsyncedCalls final : FileCalls {
  int fsync(int) override { return 0; }
};

/// What a disk was asked to do. A number of an event's file means the same file from one open or
/// rename to the next.
struct DiskEvent {
  enum Kind { kCreate, kWrite, kSync, kSyncFolder, kRename, kUnlink } kind;
  int file = 0;
  std::string name, new_name;
  std::string bytes;
};

/// Makes the calls and records what they ask of the disk.
class RecordingCalls final : public FileCalls {
 public:
  int open(const char* path, int flags, unsigned mode) override {
    const int file = FileCalls::open(path, flags, mode);
    if (flags & O_CREAT) {
      files_[file] = static_cast<int>(events.size());
      events.push_back({DiskEvent::kCreate, files_[file], path, {}, {}});
    }
    return file;
  }
  int dup(int file) override {
    const int copy = FileCalls::dup(file);
    files_[copy] = files_.at(file);
    return copy;
  }
  int close(int file) override {
    files_.erase(file);
    return FileCalls::close(file);
  }
  long write(int file, const void* data, std::size_t size) override {
    const long done = FileCalls::write(file, data, size);
    events.push_back({DiskEvent::kWrite,
                      files_.at(file),
                      {},
                      {},
                      std::string(static_cast<const char*>(data), static_cast<std::size_t>(done))});
    return done;
  }
  int fsync(int file) override {
    const auto found = files_.find(file);
    if (found == files_.end()) {
      events.push_back({DiskEvent::kSyncFolder, 0, {}, {}, {}});
    } else {
      events.push_back({DiskEvent::kSync, found->second, {}, {}, {}});
    }
    return FileCalls::fsync(file);
  }
  int rename(const char* from, const char* to) override {
    events.push_back({DiskEvent::kRename, 0, from, to, {}});
    return FileCalls::rename(from, to);
  }
  int unlink(const char* path) override {
    events.push_back({DiskEvent::kUnlink, 0, path, {}, {}});
    return FileCalls::unlink(path);
  }

  std::vector<DiskEvent> events;

 private:
  std::map<int, int> files_;  // by descriptor
};

}  // namespace tern
