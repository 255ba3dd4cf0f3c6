#include <dlfcn.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cuda/device/nccl/library.h>
#include <tern/backends/cuda/device/runtime/runtime.h>

#include <backends/cuda/emulator/emulator.h>
#include <backends/cuda/emulator/fake_runtime.h>

// The plugin's collectives on the replacement for NCCL.

namespace tern {
namespace {

using namespace cuda::device;

// Two devices of the fake runtime, each with a thread, a stream and four numbers.
class NcclCollectives : public ::testing::Test {
 protected:
  struct Rank {
    int number = 0;
    void* links = nullptr;
    void* stream = nullptr;
    float* numbers = nullptr;
    PluginStatus status;

    void run(Collective collective) { collective_run(links, &collective, stream, &status); }
  };

  void SetUp() override {
    set_device_counts({emulator::kFakeDevices, emulator::kFakeDevices});
    PluginStatus status;
    collective_id(&id_, &status);
    EXPECT_EQ(status.code, StatusCode::kOk) << status.message;
  }

  // Runs `program` on `connected` of two ranks.
  template <class Program>
  void on_ranks(const Program& program, int connected = 2, double seconds = 30) {
    std::vector<std::thread> threads;
    for (int number = 0; number < connected; ++number) {
      threads.emplace_back([&, number] {
        Rank rank;
        rank.number = number;
        rank.stream = stream_create(number, 0, &rank.status);
        rank.numbers = static_cast<float*>(allocate(number, sizeof(float) * 4, &rank.status));
        rank.links = collective_connect(number, &id_, number, 2, seconds, &rank.status);
        program(rank);
        if (rank.links != nullptr) collective_disconnect(rank.links);
        stream_destroy(rank.stream, &rank.status);
        release(number, rank.numbers, &rank.status);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  CollectiveId id_{};
};

TEST_F(NcclCollectives, AreQueuedBehindTheWorkOfTheStream) {
  on_ranks([](Rank& rank) {
    const std::array<float, 4> numbers = {1, 2, 3, static_cast<float>(rank.number)};
    copy(rank.numbers, rank.number, numbers.data(), kHostDevice, sizeof(numbers), rank.stream,
         &rank.status);
    rank.run({Collective::Kind::kAllReduce, rank.numbers, rank.numbers, 4, kFloat, Joining::kMean});
    std::array<float, 4> result{};
    copy(result.data(), kHostDevice, rank.numbers, rank.number, sizeof(result), rank.stream,
         &rank.status);
    stream_synchronize(rank.stream, &rank.status);
    EXPECT_EQ(rank.status.code, StatusCode::kOk) << rank.status.message;
    EXPECT_EQ(result, (std::array<float, 4>{1, 2, 3, 0.5F}));
  });
}

TEST_F(NcclCollectives, ARankThatDoesNotConnectIsATimeOut) {
  on_ranks(
      [](Rank& rank) {
        EXPECT_EQ(rank.links, nullptr);
        EXPECT_EQ(rank.status.code, StatusCode::kDeviceFault);
        EXPECT_STREQ(rank.status.message,
                     "NCCL error: the time-out ended before all ranks took part");
      },
      /*connected=*/1, /*seconds=*/0.01);
}

TEST_F(NcclCollectives, OneGPUShownAsSeveralHasNone) {
  set_device_counts({1, 4});
  PluginStatus status;
  EXPECT_EQ(has_collectives(&status), 0);
  EXPECT_TRUE(std::string(status.message).starts_with("TERN_CUDA_VIRTUAL_DEVICES "))
      << status.message;
  set_device_counts({4, 4});
  EXPECT_EQ(has_collectives(&status), 1);
}

TEST(NcclLibrary, AFileThatIsMissingOrNotNcclIsNotOpened) {
  for (const char* file : {"libmissing.so.2", "libc.so.6"}) {
    nccl::Library library;
    PluginStatus status;
    EXPECT_FALSE(nccl::open_library(file, &library, &status));
    EXPECT_EQ(status.code, StatusCode::kDeviceFault);
    EXPECT_TRUE(std::string(status.message).starts_with(std::string(file) + " cannot be used: "))
        << status.message;
  }
}

// The library that users have: it needs no GPU to be opened, and says what it misses.
TEST(NcclLibrary, OfNvidiaIsOpened) {
  constexpr const char* kFile = "libnccl.so.2";
  if (dlopen(kFile, RTLD_NOW | RTLD_LOCAL) == nullptr) GTEST_SKIP() << "there is no " << kFile;
  nccl::Library library;
  PluginStatus status;
  EXPECT_TRUE(nccl::open_library(kFile, &library, &status)) << status.message;
  EXPECT_STREQ(library.ncclGetErrorString(nccl::kSuccess), "no error");
}

}  // namespace
}  // namespace tern
