#include <tern/serialization/atomic_file.h>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>
#include <vector>

#include "scratch.h"

namespace tern {
namespace {

using std::filesystem::create_symlink;
using std::filesystem::is_symlink;

const std::string kOld = "the old content";
const std::string kNew(100000, 'n');

void save(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

/// Counts all calls, records those that change something, and lets the n-th one fail.
class FaultyCalls final : public FileCalls {
 public:
  int open(const char* path, int flags, unsigned mode) override {
    return record("open", [&] { return FileCalls::open(path, flags, mode); });
  }
  int flock(int file, int operation) override { return FileCalls::flock(file, operation); }
  long write(int file, const void* data, std::size_t size) override {
    if (short_writes && size > 7) size = 7;
    return record("write", [&] { return FileCalls::write(file, data, size); });
  }
  int fsync(int file) override {
    return record("fsync", [&] { return FileCalls::fsync(file); });
  }
  int close(int file) override {
    // The descriptor is gone after a failed close, too.
    const int result = FileCalls::close(file);
    return record("close", [&] { return result; });
  }
  int rename(const char* from, const char* to) override {
    return record("rename", [&] {
      renamed = true;
      return FileCalls::rename(from, to);
    });
  }
  int unlink(const char* path) override { return FileCalls::unlink(path); }

  int fail_at = 0;  // 1 is the first call
  int error = 0;
  bool short_writes = false;
  bool renamed = false;
  std::vector<std::string> log;

 private:
  template <class Call>
  auto record(const char* name, const Call& call) -> decltype(call()) {
    log.push_back(name);
    if (static_cast<int>(log.size()) == fail_at) {
      errno = error;
      return -1;
    }
    return call();
  }
};

TEST(AtomicFile, WritesSyncsAndRenamesInThisOrder) {
  const Scratch scratch;
  FaultyCalls calls;
  {
    AtomicFile file(scratch.path(), &calls);
    file.write("a");
    file.write("b");
    EXPECT_FALSE(std::filesystem::exists(scratch.path()));
    file.commit();
  }
  // The content is durable before the name leads to it, and the name before commit returns. So at
  // a power failure after any of these calls, with whatever was not synced lost, the name shows
  // the old file or all of the new one.
  EXPECT_EQ(calls.log, (std::vector<std::string>{"open", "write", "write", "fsync", "open",
                                                 "close", "rename", "close", "fsync", "close"}));
  EXPECT_EQ(read_file(scratch.path()), "ab");
  EXPECT_EQ(scratch.count(), 1);
}

TEST(AtomicFile, AnyFailingCallLeavesTheOldFile) {
  for (const int error : {ENOSPC, EIO, EDQUOT, EACCES}) {
    for (int n = 1;; ++n) {
      const Scratch scratch;
      write_file(scratch.path(), kOld);
      FaultyCalls calls;
      calls.fail_at = n;
      calls.error = error;
      bool failed = false;
      try {
        AtomicFile file(scratch.path(), &calls);
        file.write(kNew);
        file.commit();
      } catch (const FileError& failure) {
        failed = true;
        EXPECT_NE(std::string(failure.what()).find(scratch.path()), std::string::npos);
        EXPECT_NE(std::string(failure.what()).find(std::generic_category().message(error)),
                  std::string::npos)
            << failure.what();
      }
      EXPECT_TRUE(read_file(scratch.path()) == (calls.renamed ? kNew : kOld)) << "call " << n;
      EXPECT_EQ(scratch.count(), 1) << "a sibling was left after call " << n;
      if (static_cast<int>(calls.log.size()) < n) break;
      // Closing the lock, and the folder when all is durable, may fail unnoticed.
      EXPECT_TRUE(failed || n == 7 || n == 9) << "call " << n;
    }
  }
}

TEST(AtomicFile, GoesOnAfterInterruptions) {
  for (int n = 1; n <= 9; ++n) {
    const Scratch scratch;
    FaultyCalls calls;
    calls.fail_at = n;
    calls.error = EINTR;
    AtomicFile file(scratch.path(), &calls);
    file.write(kNew);
    file.commit();
    EXPECT_TRUE(read_file(scratch.path()) == kNew) << "call " << n;
  }
}

TEST(AtomicFile, GoesOnAfterShortWrites) {
  const Scratch scratch;
  FaultyCalls calls;
  calls.short_writes = true;
  AtomicFile file(scratch.path(), &calls);
  file.write(kNew);
  file.commit();
  EXPECT_TRUE(read_file(scratch.path()) == kNew);
}

TEST(AtomicFile, WithoutCommitNothingHappens) {
  const Scratch scratch;
  write_file(scratch.path(), kOld);
  {
    AtomicFile file(scratch.path());
    file.write(kNew);
  }
  EXPECT_TRUE(read_file(scratch.path()) == kOld);
  EXPECT_EQ(scratch.count(), 1);
}

TEST(AtomicFile, KeepsPermissions) {
  const Scratch scratch;
  write_file(scratch.path(), kOld);
  ::chmod(scratch.path().c_str(), 0640);
  save(scratch.path(), kNew);
  struct stat facts;
  ASSERT_EQ(::stat(scratch.path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640u);
}

TEST(AtomicFile, WritesThroughSymbolicLinks) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("data"));
  write_file(scratch.path("data/real"), kOld);
  create_symlink("data/real", scratch.path("one"));
  create_symlink("one", scratch.path("two"));
  save(scratch.path("two"), kNew);
  EXPECT_TRUE(is_symlink(scratch.path("two")));
  EXPECT_TRUE(is_symlink(scratch.path("one")));
  EXPECT_TRUE(read_file(scratch.path("data/real")) == kNew);

  create_symlink("data/new", scratch.path("dangling"));
  save(scratch.path("dangling"), kNew);
  EXPECT_TRUE(read_file(scratch.path("data/new")) == kNew);

  create_symlink("loop", scratch.path("loop"));
  EXPECT_THROW(save(scratch.path("loop"), kNew), FileError);
}

TEST(AtomicFile, RefusesWhatCannotBeReplaced) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("folder"));
  EXPECT_EQ(text_of_error<FileError>([&] { save(scratch.path("folder"), kNew); }),
            "save: '" + scratch.path("folder") + "' is a folder");
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(text_of_error<FileError>([&] { save(scratch.path("pipe"), kNew); }),
            "save: '" + scratch.path("pipe") + "' is no regular file");
  EXPECT_THROW(save("/dev/null", kNew), FileError);
  EXPECT_EQ(text_of_error<FileError>([&] { save(scratch.path("missing/file"), kNew); }),
            "save: '" + scratch.path("missing/file") + "': cannot create a file in the folder '" +
                scratch.path("missing/") + "': No such file or directory");
  EXPECT_THROW(save("", kNew), FileError);
}

TEST(AtomicFile, ReportsAFolderThatCannotBeWritten) {
  const Scratch scratch;
  write_file(scratch.path(), kOld);
  ::chmod(scratch.folder().c_str(), 0555);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Root may write everywhere, so somebody else has to try.
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
    try {
      save(scratch.path(), kNew);
    } catch (const FileError& error) {
      const bool says_why = std::string(error.what()).ends_with("Permission denied");
      ::_exit(says_why ? 7 : 2);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(scratch.folder().c_str(), 0700);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_TRUE(read_file(scratch.path()) == kOld);
}

TEST(AtomicFile, TakesTheLongestNameAndRelativePaths) {
  const Scratch scratch;
  const std::string longest(255, 'x');
  save(scratch.path(longest), kNew);
  EXPECT_TRUE(read_file(scratch.path(longest)) == kNew);

  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.folder());
  save("relative", kNew);
  std::filesystem::current_path(before);
  EXPECT_TRUE(read_file(scratch.path("relative")) == kNew);
}

TEST(AtomicFile, SweepsLeftoversButNotTheSiblingsOfOthers) {
  const Scratch scratch;
  write_file(scratch.path(".tern-1-2-3.tmp"), "left by a crash");
  write_file(scratch.path(".tern-other"), "not ours");
  AtomicFile open_one(scratch.path("a"));
  open_one.write("a");
  save(scratch.path("b"), "b");
  EXPECT_FALSE(std::filesystem::exists(scratch.path(".tern-1-2-3.tmp")));
  EXPECT_TRUE(std::filesystem::exists(scratch.path(".tern-other")));
  open_one.commit();
  EXPECT_EQ(read_file(scratch.path("a")), "a");
  EXPECT_EQ(scratch.count(), 3);
}

TEST(AtomicFile, StopsAtTheFileSizeLimit) {
  const Scratch scratch;
  write_file(scratch.path(), kOld);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      save(scratch.path(), kNew);
    } catch (const FileError&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_TRUE(read_file(scratch.path()) == kOld);
  EXPECT_EQ(scratch.count(), 1);
}

TEST(AtomicFile, AKillAtAnyTimeLeavesAWholeFile) {
  const Scratch scratch;
  // Each version says how long it is and what it is made of, so a mix would show.
  const auto version = [](int i) {
    const std::string digit(1, static_cast<char>('0' + i % 10));
    std::string text = digit;
    for (int k = 0; k < 300000 + i % 7 * 40000; ++k) text += digit;
    return text;
  };
  std::vector<std::string> versions;
  for (int i = 0; i < 10; ++i) versions.push_back(version(i));
  save(scratch.path(), versions[0]);
  const long kills = count_for(50, 2000);
  for (long i = 0; i < kills; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (std::size_t k = 0;; ++k) save(scratch.path(), versions[k % 10]);
    }
    ::usleep(static_cast<useconds_t>(500 + i * 7919 % 15000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string now = read_file(scratch.path());
    ASSERT_TRUE(std::ranges::find(versions, now) != versions.end()) << "after kill " << i;
    ASSERT_LE(scratch.count(), 2) << "leftovers pile up";
  }
  save(scratch.path(), kNew);
  EXPECT_EQ(scratch.count(), 1);
}

TEST(AtomicFile, ManyWritersOfOneFileNeverMix) {
  const Scratch scratch;
  const long saves = count_for(20, 1000);
  std::vector<pid_t> children;
  for (const char letter : {'a', 'b', 'c'}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int status = 0;
      try {
        std::thread other([&] {
          for (long i = 0; i < saves; ++i) save(scratch.path("other"), std::string(1000, letter));
        });
        for (long i = 0; i < saves; ++i) save(scratch.path(), std::string(60000, letter));
        other.join();
      } catch (const std::exception&) {
        status = 1;
      }
      ::_exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string now = read_file(scratch.path());
  EXPECT_TRUE(now == std::string(60000, now[0]));
  EXPECT_EQ(scratch.count(), 2);
}

}  // namespace
}  // namespace tern
