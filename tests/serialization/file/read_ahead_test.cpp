#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "serialization/peak_memory.h"
#include "serialization/scratch.h"

namespace tern {
namespace {

/// A file of 32 MB that the cache of the system does not have.
class ReadAhead : public ::testing::Test {
 protected:
  void SetUp() override {
    State state;
    state.insert("x", arange(std::int64_t{8} << 20).to(kFloat));
    save_state(state, path_);
    const int file = ::open(path_.c_str(), O_RDONLY);
    ASSERT_EQ(::fsync(file), 0);
    ASSERT_EQ(::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
    ::close(file);
  }
  static bool can_read_ahead() {
#ifdef MADV_POPULATE_READ
    void* const page = ::mmap(nullptr, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool can = ::madvise(page, 1, MADV_POPULATE_READ) == 0;
    ::munmap(page, 1);
    return can;
#else
    return false;
#endif
  }
  /// The share of the file that is in the cache.
  double cached() const {
    const int file = ::open(path_.c_str(), O_RDONLY);
    const auto size = static_cast<std::size_t>(::lseek(file, 0, SEEK_END));
    void* const pages = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    const auto page_size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> is_cached((size + page_size - 1) / page_size);
    const bool is_known = ::mincore(pages, size, is_cached.data()) == 0;
    ::munmap(pages, size);
    if (!is_known) return 1;
    const auto count = std::count_if(is_cached.begin(), is_cached.end(),
                                     [](unsigned char page) { return (page & 1) != 0; });
    return static_cast<double>(count) / static_cast<double>(is_cached.size());
  }
  State load(bool read_ahead) const {
    return load_state(path_, {.map = true, .read_ahead = read_ahead});
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("x.safetensors");
};

TEST_F(ReadAhead, FillsTheCacheAndNotTheProcess) {
  if (!can_read_ahead()) GTEST_SKIP() << "needs MADV_POPULATE_READ of Linux 5.14";
  if (cached() > 0.5) GTEST_SKIP() << "this file system keeps the file in the cache";
  {
    const State state = load(false);
    EXPECT_LT(cached(), 0.75);
  }
  const State state = load(true);
  for (int i = 0; i < 1000 && cached() < 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(cached(), 1);
  const long before = file_bytes();
  EXPECT_EQ(state["x"].tensor()[8'000'000].item<float>(), 8'000'000);
  EXPECT_LT(file_bytes() - before, 4 << 20);
}

TEST_F(ReadAhead, StopsWithTheTensors) {
  for (int i = 0; i < 20; ++i) {
    const State state = load(true);
    EXPECT_EQ(state["x"].tensor()[i].item<float>(), static_cast<float>(i));
  }
  EXPECT_TRUE(load(true)["x"].tensor().equal(arange(std::int64_t{8} << 20).to(kFloat)));
}

TEST_F(ReadAhead, EndsInAChildThatDoesNotHaveTheThread) {
  State state = load(true);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);  // a hang ends the test with a signal
    state = State();
    ::_exit(7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace tern
