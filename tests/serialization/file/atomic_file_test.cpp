#include <tern/serialization/file/detail/atomic_file.h>

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

#include "serialization/file/file_calls.h"
#include "serialization/scratch.h"

namespace tern {
namespace {

using detail::AtomicFile;
using std::filesystem::create_symlink;
using std::filesystem::is_symlink;

const std::string kOld = "the old content";
const std::string kNew(100000, 'n');

void write_atomically(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

TEST(AtomicFile, WritesSyncsAndRenamesInThisOrder) {
  const Scratch scratch;
  FaultyCalls calls;
  {
    AtomicFile file(scratch.path(), calls);
    file.write("a");
    file.write("b");
    EXPECT_FALSE(std::filesystem::exists(scratch.path()));
    file.commit();
  }
  // The content is durable before the name leads to it, and the name before commit returns. So at
  // a power failure after any of these calls, with whatever was not synced lost, the name shows
  // the old file or all of the new one.
  EXPECT_EQ(calls.log,
            (std::vector<std::string>{"open", "flock", "write", "write", "fsync", "open", "dup",
                                      "close", "rename", "close", "fsync", "close"}));
  EXPECT_EQ(read_file(scratch.path()), "ab");
  EXPECT_EQ(scratch.count(), 1);
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
  write_atomically(scratch.path(), kNew);
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
  write_atomically(scratch.path("two"), kNew);
  EXPECT_TRUE(is_symlink(scratch.path("two")));
  EXPECT_TRUE(is_symlink(scratch.path("one")));
  EXPECT_TRUE(read_file(scratch.path("data/real")) == kNew);

  create_symlink("data/new", scratch.path("dangling"));
  write_atomically(scratch.path("dangling"), kNew);
  EXPECT_TRUE(read_file(scratch.path("data/new")) == kNew);

  create_symlink("loop", scratch.path("loop"));
  EXPECT_THROW(write_atomically(scratch.path("loop"), kNew), FileError);
}

TEST(AtomicFile, RefusesWhatCannotBeReplaced) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("folder"));
  EXPECT_EQ(error_of<FileError>([&] { write_atomically(scratch.path("folder"), kNew); }),
            "save: '" + scratch.path("folder") + "' is a folder");
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of<FileError>([&] { write_atomically(scratch.path("pipe"), kNew); }),
            "save: '" + scratch.path("pipe") + "' is not a regular file");
  EXPECT_THROW(write_atomically("/dev/null", kNew), FileError);
  EXPECT_EQ(error_of<FileError>([&] { write_atomically(scratch.path("missing/file"), kNew); }),
            "save: '" + scratch.path("missing/file") + "': cannot create a file in the folder '" +
                scratch.path("missing/") + "': No such file or directory");
  EXPECT_THROW(write_atomically("", kNew), FileError);
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
      write_atomically(scratch.path(), kNew);
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
  write_atomically(scratch.path(longest), kNew);
  EXPECT_TRUE(read_file(scratch.path(longest)) == kNew);

  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.folder());
  write_atomically("relative", kNew);
  std::filesystem::current_path(before);
  EXPECT_TRUE(read_file(scratch.path("relative")) == kNew);
}

TEST(AtomicFile, SweepsLeftoversButNotTheSiblingsOfOthers) {
  const Scratch scratch;
  write_file(scratch.path(".tern-1-2-3.tmp"), "left by a crash");
  write_file(scratch.path(".tern-other"), "not ours");
  AtomicFile open_one(scratch.path("a"));
  open_one.write("a");
  write_atomically(scratch.path("b"), "b");
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
      write_atomically(scratch.path(), kNew);
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
          for (long i = 0; i < saves; ++i)
            write_atomically(scratch.path("other"), std::string(1000, letter));
        });
        for (long i = 0; i < saves; ++i)
          write_atomically(scratch.path(), std::string(60000, letter));
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
