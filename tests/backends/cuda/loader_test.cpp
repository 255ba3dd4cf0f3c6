#include <tern/backends/cuda/host/loader.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include <tern/core/base/detail/plugin_library.h>
#include <tern/tern.h>

#include "backends/cuda/simulated.h"

namespace tern::cuda::detail {
namespace {

class Environment : public ::testing::Test {
 protected:
  void SetUp() override { unset(); }
  void TearDown() override {
    unset();
    setenv("TERN_SIMULATE_CUDA", "2", 1);
  }
  static void unset() {
    unsetenv("TERN_SIMULATE_CUDA");
    unsetenv("TERN_CUDA");
  }
};

TEST_F(Environment, AsksForRealDevicesUnlessToldOtherwise) {
  EXPECT_FALSE(request_from_environment().disabled);
  EXPECT_EQ(request_from_environment().simulated, 0);
}

TEST_F(Environment, TakesOneToSixteenSimulatedDevices) {
  for (const char* good : {"1", "2", "16"}) {
    setenv("TERN_SIMULATE_CUDA", good, 1);
    EXPECT_EQ(request_from_environment().simulated, std::stoi(good));
  }
  for (const char* bad : {"0", "17", "-1", "two", "2 ", " 2", "2.0", "99999999999"}) {
    setenv("TERN_SIMULATE_CUDA", bad, 1);
    EXPECT_EQ(error_of<DeviceError>(request_from_environment),
              std::string("TERN_SIMULATE_CUDA must be a number of devices from 1 to 16, got '") +
                  bad + "'");
  }
}

TEST_F(Environment, SwitchesCudaOff) {
  setenv("TERN_CUDA", "0", 1);
  EXPECT_TRUE(request_from_environment().disabled);
  setenv("TERN_CUDA", "no", 1);
  EXPECT_EQ(error_of<DeviceError>(request_from_environment), "TERN_CUDA must be 0 or 1, got 'no'");
}

TEST(Loader, SaysWhatWasNotFoundAndWhere) {
  const LoadedPlugin real = load_plugin({}, {"/nowhere", "/elsewhere"});
  EXPECT_EQ(real.plugin, nullptr);
  EXPECT_EQ(real.reason,
            "libtern_cuda.so was not found in /nowhere, /elsewhere (TERN_SIMULATE_CUDA=2 simulates "
            "two devices)");
  const LoadedPlugin simulated = load_plugin({false, 2}, {"/nowhere"});
  EXPECT_EQ(simulated.reason, "libtern_sim.so was not found in /nowhere");
  EXPECT_EQ(load_plugin({true, 0}, {}).reason, "TERN_CUDA=0 switches it off");
}

TEST(Loader, RefusesWhatIsNoPlugin) {
  const std::string folder = ::testing::TempDir() + "tern_loader_" + std::to_string(getpid());
  ASSERT_EQ(std::system(("mkdir -p " + folder).c_str()), 0);
  const std::string path = folder + "/libtern_cuda.so";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("not a library", file);
  std::fclose(file);
  const LoadedPlugin loaded = load_plugin({}, {folder});
  EXPECT_EQ(loaded.plugin, nullptr);
  EXPECT_NE(loaded.reason.find(path + " cannot be loaded: "), std::string::npos) << loaded.reason;
  std::remove(path.c_str());
  rmdir(folder.c_str());
}

TEST(Loader, RefusesAnotherBuildAndPassesReasonsOn) {
  kernels::Plugin plugin = *loaded_plugin().plugin;
  EXPECT_EQ(refusal(plugin), "");
  plugin.unavailable_reason = "Found no NVIDIA driver on your system.";
  EXPECT_EQ(refusal(plugin), "Found no NVIDIA driver on your system.");
  plugin.build_id ^= 1;
  EXPECT_EQ(refusal(plugin), "it was built for another build of tern; build both together");
}

TEST(Loader, SearchesTheFolderOfTheVersionAfterThatOfLibtern) {
  const std::vector<std::string> folders = tern::detail::plugin_folders();
  const std::string version =
      "/tern-" + std::to_string(TERN_VERSION_MAJOR) + "." + std::to_string(TERN_VERSION_MINOR);
  const std::size_t libtern = std::getenv("TERN_PLUGIN_PATH") == nullptr ? 0 : 1;
  ASSERT_GE(folders.size(), libtern + 2);
  EXPECT_EQ(folders[libtern + 1], folders[libtern] + version);
}

TEST(Loader, FindsTheSimulatorBesideLibtern) {
  TERN_NEEDS_SIMULATOR();
  ASSERT_TRUE(is_available()) << unavailable_reason();
  EXPECT_EQ(unavailable_reason(), "");
  EXPECT_STREQ(plugin().name, "simulator");
  EXPECT_EQ(device_count(), 2);
}

// Ends a child process with the result of a check.
void exit_if(bool good) { std::exit(good ? 0 : 1); }

// The driver's state does not survive a fork.
TEST(LoaderDeathTest, AForkedChildIsToldSo) {
  EXPECT_EXIT(
      {
        Tensor there = ones({2}, Device("cuda:1"));
        Tensor pinned = ones({2}).pin_memory();
        Event event;
        event.record();
        const pid_t child = fork();
        if (child == 0) {
          const std::string reason = unavailable_reason();
          bool good = !is_available() && device_count() == 0 &&
                      reason.find("Cannot re-initialize CUDA in forked subprocess") == 0;
          for (const std::function<void()>& use : std::initializer_list<std::function<void()>>{
                   [&] { there + 1; }, [&] { there.cpu(); }, [] { ones({2}, kCUDA); },
                   [] { ones({2}).to(0); }, [] { synchronize(); },
                   [] { ones({2}).pin_memory(); }}) {
            good = good && error_of<DeviceError>(use) == "CUDA is not available: " + reason;
          }
          manual_seed(1);
          good = good && ones({2}).add(1).sum().item<float>() == 4;
          there.reset();  // its memory cannot be freed
          pinned.reset();
          event = Event();
          _exit(good ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        exit_if(WIFEXITED(status) && WEXITSTATUS(status) == 0 && is_available() &&
                there.sum().item<float>() == 2);
      },
      ::testing::ExitedWithCode(0), "");
}

// Asking whether there is CUDA starts nothing, so loaders and launchers may fork afterwards.
TEST(LoaderDeathTest, AForkAfterAskingForCudaIsFree) {
  EXPECT_EXIT(
      {
        bool good = is_available() && device_count() == 2 && unavailable_reason().empty();
        manual_seed(1);
        tern::manual_seed(2);
        empty_cache();
        good = good && !is_current_stream_capturing();
        const pid_t child = fork();
        const Tensor there = full({2}, child == 0 ? 1.0 : 2.0, Device("cuda:1"));
        good =
            good && is_available() && (there + 1).sum().item<float>() == (child == 0 ? 4.0f : 6.0f);
        if (child == 0) _exit(good ? 0 : 1);
        int status = -1;
        waitpid(child, &status, 0);
        exit_if(good && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                there.sum().item<float>() == 4);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(LoaderDeathTest, WithoutCudaTheReasonIsTold) {
  EXPECT_EXIT(
      {
        setenv("TERN_CUDA", "0", 1);
        const std::string text = error_of<DeviceError>([] { synchronize(); });
        empty_cache();
        exit_if(!is_available() && device_count() == 0 &&
                text == "CUDA is not available: TERN_CUDA=0 switches it off");
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(LoaderDeathTest, AWrongNumberOfDevicesIsAnErrorAndStaysOne) {
  EXPECT_EXIT(
      {
        setenv("TERN_SIMULATE_CUDA", "many", 1);
        const bool first =
            error_of<DeviceError>(is_available).find("got 'many'") != std::string::npos;
        exit_if(first && error_of<DeviceError>(device_count).find("'many'") != std::string::npos);
      },
      ::testing::ExitedWithCode(0), "");
}

// PyTorch's interpretation of the variable, for four devices.
TEST(LoaderDeathTest, VisibleDevicesAreChosenAndRenumbered) {
  const std::pair<const char*, std::vector<int>> cases[] = {
      {"1,0", {1, 0}},
      {"3, 1,9,0", {3, 1}},
      {"0,-1,1", {0}},
      {"2,abc,1", {2}},
      {" 3 , 1 ", {3, 1}},
      {"1st,0", {1, 0}},
      {"0,,1", {0}},
      {"2", {2}},
      {"0,1,2,3", {0, 1, 2, 3}},
      {"-1", {}},
      {"abc", {}},
      {"1,1", {}},
      {",1", {}},
      {"7", {}},
      {"GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", {}}};
  for (const auto& [value, ordinals] : cases) {
    EXPECT_EXIT(
        {
          setenv("TERN_SIMULATE_CUDA", "4", 1);
          setenv("CUDA_VISIBLE_DEVICES", value, 1);
          bool good = device_count() == static_cast<int>(ordinals.size()) &&
                      is_available() == !ordinals.empty();
          for (int i = 0; i < device_count(); ++i) {
            good = good &&
                   get_device_name(i) == "Simulated CUDA device " +
                                             std::to_string(ordinals[static_cast<std::size_t>(i)]);
          }
          exit_if(good);
        },
        ::testing::ExitedWithCode(0), "")
        << value;
  }
}

TEST(LoaderDeathTest, NoVisibleDeviceMeansNotAvailable) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
        exit_if(!is_available() &&
                unavailable_reason().find("No CUDA GPUs are available") != std::string::npos);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(LoaderDeathTest, AWrongMemorySizeIsTheReason) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EXIT(
      {
        setenv("TERN_SIM_MEMORY", "4GB", 1);
        exit_if(unavailable_reason().find("TERN_SIM_MEMORY must be a number from 1 to") !=
                std::string::npos);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tern::cuda::detail
