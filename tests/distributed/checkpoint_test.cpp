#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include <tern/serialization/detail/save_on_ranks.h>

#include "distributed/sharded_net.h"

// Checkpoints of several ranks: all ranks save, any number loads.

namespace tern::testing {
namespace {

using nn::parallel::WholeOn;

/// Fails, or kills the process, at the n-th sync of a file.
struct BrokenSync final : tern::detail::FileCalls {
  explicit BrokenSync(int which, bool kills = false) : fail_at(which), is_deadly(kills) {}
  int fsync(int) override {
    if (++count != fail_at) return 0;
    if (is_deadly) std::raise(SIGKILL);
    errno = EIO;
    return -1;
  }
  int fail_at, count = 0;
  bool is_deadly;
};

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

/// A folder that all ranks share: `run` gets a path in it.
void in_folder(const std::function<void(const std::string& folder)>& run) {
  if (const char* const job = std::getenv("PMIX_NAMESPACE")) {
    const std::string folder =
        ::testing::TempDir() + "tern-job-" + std::to_string(std::hash<std::string>()(job));
    std::filesystem::create_directories(folder);
    run(folder + "/");
    distributed::init_process_group().barrier();
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    distributed::init_process_group().barrier();
    return;
  }
  const std::string folder = ::testing::TempDir() + "tern-ranks-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  run(folder + "/");
  std::filesystem::remove_all(folder);
}

TEST(CheckpointOfRanks, IsWrittenByRankZeroWhereAllHaveIt) {
  in_folder([](const std::string& folder) {
    on_ranks(3, [&](ProcessGroup& group) {
      for (const char* name : {"net.json", "net.safetensors", "net.pt"}) {
        const ShardedNet net = make_net<ShardedNet>(static_cast<std::uint64_t>(50 * group.rank()));
        distributed::save_state(net->state_dict(), folder + name, group);
        const ShardedNet other = make_net<ShardedNet>(7);
        load(other, folder + name);
        const ShardedNet first = make_net<ShardedNet>(0);
        for (const auto& [key, tensor] : first->named_parameters()) {
          EXPECT_TRUE(equal(tensor, other->named_parameters()[key])) << name;
        }
      }
      const std::string text = error_of<FileError>([&] {
        distributed::save_state(make_net<ShardedNet>(0)->state_dict(), folder + "none/net.json",
                                group);
      });
      EXPECT_TRUE(contains(text, "rank 0: ")) << text;
      EXPECT_TRUE(contains(text, "none/")) << text;
      EXPECT_TRUE(contains(error_of<FileError>([&] {
                             State state;
                             state.insert(group.rank() == 1 ? "b" : "a", ones({2}));
                             distributed::save_state(state, folder + "net.json", group);
                           }),
                           "rank 1: its state has other tensors than that of rank 0"));
    });
  });
}

/// Trains with any number of ranks, from a checkpoint if there is one, and saves one.
class Training {
 public:
  Training(const ProcessGroup& group, const std::string& path)
      : group_(group),
        path_(path),
        net_(make_net<ShardedNet>(static_cast<std::uint64_t>(50 * group.rank()))),
        sharded_(fully_shard(net_, units_of(group, net_))),
        optimizer_(make_adam(net_->parameters())),
        sampler_(24, static_cast<std::size_t>(group.size()),
                 static_cast<std::size_t>(group.rank())) {}

  void load() {
    const State state = load_state(path_, {.map = true});
    sharded_.load_full_state_dict(state["model"]);
    sharded_.load_full_optimizer_state_dict(optimizer_, state["optimizer"]);
    sampler_.load_state_dict(state["sampler"]);
  }
  void save(tern::detail::FileCalls& calls = tern::detail::system_calls()) {
    State state;
    state.insert("model", sharded_.full_state_dict(WholeOn::kDivided));
    state.insert("optimizer", sharded_.full_optimizer_state_dict(optimizer_, WholeOn::kDivided));
    state.insert("sampler", sampler_.state_dict());
    tern::detail::save_on_ranks(state, path_, group_, {}, calls);
  }
  /// Steps with `examples` of all ranks.
  void step(std::size_t examples) {
    const auto indices = sampler_.next(examples / static_cast<std::size_t>(group_.size()));
    ASSERT_TRUE(indices.has_value());
    std::vector<Tensor> rows;
    for (const std::size_t i : *indices) rows.push_back(numbers({6}, 1000 + i));
    optimizer_.zero_grad();
    net_(stack(rows)).square().mean().backward();
    optimizer_.step();
  }
  State model() const { return sharded_.full_state_dict(); }

 private:
  const ProcessGroup& group_;
  std::string path_;
  ShardedNet net_;
  FSDPModule sharded_;
  optim::Adam optimizer_;
  data::samplers::PythonDistributedSampler sampler_;
};

void expect_close(const State& a, const State& b) {
  for (const auto& [name, value] : a) {
    EXPECT_LT(largest_difference(value.tensor(), b[name].tensor()), 1e-12) << name;
  }
}

TEST(CheckpointOfRanks, ContinuesWithAnotherNumberOfRanks) {
  TERN_NEEDS_THREADS();
  in_folder([](const std::string& folder) {
    const std::string path = folder + "net.safetensors";
    State expected;
    distributed::run(1, [&](ProcessGroup& group) {
      Training whole(group, path);
      for (int i = 0; i < 3; ++i) whole.step(6);
      expected = whole.model();
    });
    for (const int before : {1, 2, 3}) {
      distributed::run(before, [&](ProcessGroup& group) {
        Training run(group, path);
        run.step(6);
        run.save();
      });
      EXPECT_EQ(files_in(folder).size(), before == 1 ? 1 : static_cast<std::size_t>(before) + 1);
      for (const int after : {1, 2, 3}) {
        distributed::run(after, [&](ProcessGroup& group) {
          Training run(group, path);
          run.load();
          run.step(6);
          run.step(6);
          expect_close(run.model(), expected);
        });
      }
      // One process, without sharding.
      const ShardedNet net = make_net<ShardedNet>(3);
      net->load_state_dict(load_state(path)["model"]);
      auto optimizer = make_adam(net->parameters());
      optimizer.load_state_dict(load_state(path)["optimizer"]);
    }
  });
}

TEST(CheckpointOfRanks, ThatFailsLeavesTheOldOne) {
  in_folder([](const std::string& folder) {
    on_ranks(3, [&](ProcessGroup& group) {
      const std::string path = folder + "net.safetensors";
      Training run(group, path);
      run.step(12);
      run.save();
      group.barrier();
      const auto files = files_in(folder);
      const State old = load_state(path);
      run.step(12);
      for (int broken = 0; broken < group.size(); ++broken) {
        // The sync of a rank's own file; of the folder; of rank 0's index.
        for (const int which : {1, 2, 3}) {
          BrokenSync calls(group.rank() == broken ? which : 0);
          if (which == 3 && broken != 0) continue;
          const std::string text = error_of<FileError>([&] { run.save(calls); });
          EXPECT_TRUE(contains(text, "rank " + std::to_string(broken) + ": ")) << text;
          EXPECT_TRUE(contains(text, "sync")) << text;
          group.barrier();
          EXPECT_EQ(files_in(folder), files) << text;
          const State now = load_state(path);
          expect_close(now["model"], old["model"]);
          group.barrier();
        }
      }
      run.save();
      group.barrier();
      EXPECT_NE(files_in(folder), files);
      EXPECT_TRUE(contains(error_of<FileError>([&] {
                             State state;
                             state.insert("x", empty({2}, TensorOptions().device(kMeta)));
                             distributed::save_state(state, path, group);
                           }),
                           "tensor 'x' is on the device meta on all ranks"));
      State divided;
      divided.insert("a", empty({2}, TensorOptions().device(group.rank() == 0 ? kCPU : kMeta)));
      divided.insert("b", empty({2}, TensorOptions().device(group.rank() == 1 ? kCPU : kMeta)));
      EXPECT_TRUE(contains(error_of<FileError>([&] {
                             distributed::save_state(divided, folder + "net.json", group);
                           }),
                           "which only .safetensors files can be"));
    });
  });
}

TEST(CheckpointOfRanks, SweepsWhatKilledSavesLeft) {
  in_folder([](const std::string& folder) {
    on_ranks(2, [&](ProcessGroup& group) {
      const std::string path = folder + "net.safetensors";
      Training run(group, path);
      run.step(12);
      run.save();
      group.barrier();
      const auto count = files_in(folder).size();
      group.barrier();
      if (group.rank() == 0) {
        for (const std::string& name : files_in(folder)) {
          if (name.ends_with("index.json")) continue;
          std::filesystem::copy_file(folder + name, folder + "net.7" + name.substr(3));
        }
        std::ofstream(folder + "net.8-00001-of-00002.safetensors") << "not of tern";
        std::filesystem::copy_file(
            folder + "net-00001-of-0000" + std::to_string(group.size()) + ".safetensors",
            folder + "other-00001-of-00002.safetensors");
      }
      group.barrier();
      run.save();
      group.barrier();
      EXPECT_EQ(files_in(folder).size(), count + 2);
      EXPECT_TRUE(files_in(folder).contains("other-00001-of-00002.safetensors"));
      run.load();
    });
  });
}

// --- A killed rank -------------------------------------------------------------------------------

// Runs under mpirun, which KilledRank starts.
TEST(CheckpointOfRanks, Dies) {
  const char* const path = std::getenv("TERN_TEST_CHECKPOINT");
  if (path == nullptr) GTEST_SKIP() << "needs the test OfAKilledRankIsTheOldOne, which starts it";
  ProcessGroup group = distributed::init_process_group();
  Training run(group, path);
  run.step(12);
  run.save();
  run.step(12);
  BrokenSync calls(group.rank() == 1 ? std::atoi(std::getenv("TERN_TEST_SYNC")) : 0, true);
  run.save(calls);
}

TEST(CheckpointOfRanks, OfAKilledRankIsTheOldOne) {
  TERN_NEEDS_THREADS();
  if (std::getenv("TERN_TEST_MPIEXEC") == nullptr)
    GTEST_SKIP() << "needs mpirun, which ctest knows";
  in_folder([](const std::string& folder) {
    const std::string path = folder + "net.safetensors";
    State expected;
    distributed::run(2, [&](ProcessGroup& group) {
      Training run(group, folder + "expected.safetensors");
      run.step(12);
      const State state = run.model();
      if (group.rank() == 0) expected = state;
    });
    for (const char* which : {"1", "2"}) {
      const std::string command = "TERN_TEST_CHECKPOINT=" + path + " TERN_TEST_SYNC=" + which +
                                  ' ' + std::getenv("TERN_TEST_MPIEXEC") + " --timeout 60 -np 2 " +
                                  std::string(std::filesystem::read_symlink("/proc/self/exe")) +
                                  " --gtest_filter=*Dies > " + folder + "log 2>&1";
      EXPECT_NE(std::system(command.c_str()), 0);
      distributed::run(3, [&](ProcessGroup& group) {
        Training run(group, path);
        run.load();
        expect_close(run.model(), expected);
      });
    }
    // The next save removes what is left.
    distributed::run(2, [&](ProcessGroup& group) {
      Training run(group, path);
      run.load();
      run.save();
    });
    std::filesystem::remove(folder + "log");
    EXPECT_EQ(files_in(folder).size(), 3);
  });
}

}  // namespace
}  // namespace tern::testing
