#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include <tern/core/distributed/detail/world.h>

#include "distributed/ranks.h"

// Ranks that do not agree, that are late or that have ended.

namespace tern::testing {
namespace {

/// Every rank gets an error with the parts, and the group works afterwards.
void expect_mismatch(const std::function<void(ProcessGroup&)>& call,
                     const std::vector<std::string>& parts) {
  on_ranks(3, [&](ProcessGroup& group) {
    const std::string text = error_of([&] { call(group); });
    EXPECT_TRUE(text.starts_with("the ranks call different collectives: rank 0 calls ")) << text;
    for (const std::string& part : parts) EXPECT_TRUE(contains(text, part)) << text;
    const Tensor x = ones({1});
    group.all_reduce(x);
    EXPECT_EQ(x.item<int>(), group.size());
  });
}

TEST(Mismatch, NamesBothValuesAndPlaces) {
  expect_mismatch([](ProcessGroup& group) { group.all_reduce(ones({group.rank() == 1 ? 4 : 3})); },
                  {"rank 0 calls all_reduce(sum) of float32 [3] at errors_test.cpp:",
                   "rank 1 calls all_reduce(sum) of float32 [4] at errors_test.cpp:"});
  expect_mismatch(
      [](ProcessGroup& group) { group.all_reduce(ones({3}, group.rank() == 1 ? kInt : kFloat)); },
      {"rank 0 calls all_reduce(sum) of float32 [3]", "rank 1 calls all_reduce(sum) of int32 [3]"});
  expect_mismatch(
      [](ProcessGroup& group) {
        group.all_reduce(ones({3}), group.rank() == 1 ? ReduceOp::kMax : ReduceOp::kMean);
      },
      {"rank 0 calls all_reduce(mean)", "rank 1 calls all_reduce(max)"});
  expect_mismatch([](ProcessGroup& group) { group.broadcast(ones({3}), group.rank() == 1); },
                  {"broadcast from rank 0 of float32 [3]", "broadcast from rank 1 of float32 [3]"});
  expect_mismatch(
      [](ProcessGroup& group) {
        if (group.rank() != 1) return group.barrier();
        group.all_reduce_async(ones({2, 3})).wait();
      },
      {"rank 0 calls barrier at errors_test.cpp:",
       "rank 1 calls all_reduce(sum) of float32 [2, 3] at errors_test.cpp:"});
}

TEST(Mismatch, ChangesNoTensor) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor x = full({group.rank() + 2}, 5.0);
    error_of([&] { group.all_reduce(x, ReduceOp::kMean); });
    EXPECT_TRUE(equal(x, full({group.rank() + 2}, 5.0)));
  });
}

TEST(Mismatch, OfSendAndRecv) {
  on_ranks(2, [](ProcessGroup& group) {
    if (group.rank() == 0) {
      group.send(ones({3}), 1);
      group.send(ones({2}), 1);
    } else if (group.rank() == 1) {
      const std::string text = error_of([&] { group.recv(ones({3}, kInt), 0); });
      EXPECT_TRUE(contains(text, "rank 1 calls recv from rank 0 of int32 [3] at errors_test.cpp:"))
          << text;
      EXPECT_TRUE(
          contains(text, "but rank 0 called send to rank 1 of float32 [3] at errors_test.cpp:"))
          << text;
      const Tensor x = zeros({2});
      group.recv(x, 0);
      EXPECT_TRUE(equal(x, ones({2})));
    }
    group.barrier();
  });
}

TEST(Timeout, NamesTheMissingRank) {
  on_ranks(3, [](ProcessGroup& group) {
    ProcessGroup other = group.split(0);
    other.set_timeout(0.3);
    if (other.rank() != 1) {
      const std::string text = error_of([&] { other.all_reduce(ones({3})); });
      EXPECT_TRUE(
          contains(text, "waited 0.3 s in all_reduce(sum) of float32 [3] at errors_test.cpp:"))
          << text;
      EXPECT_TRUE(contains(text, "for rank 1, which does not take part")) << text;
      EXPECT_TRUE(contains(error_of([&] { other.barrier(); }),
                           "the group cannot be used after an earlier error: rank "));
    } else {
      std::this_thread::sleep_for(std::chrono::seconds(1));  // it computes
    }
    group.barrier();
    if (other.rank() == 1) {
      EXPECT_FALSE(error_of([&] { other.all_reduce(ones({3})); }).empty());
    }
  });
}

TEST(Timeout, NamesBothPlacesOfADeadlock) {
  if (!is_under_mpirun()) GTEST_SKIP() << "threads find it at once: see deadlock_test.cpp";
  on_ranks(2, [](ProcessGroup& group) {
    ProcessGroup other = group.split(0);
    other.set_timeout(0.3);
    const std::string text =
        error_of([&] { other.rank() == 1 ? other.recv(ones({2}), 0) : other.barrier(); });
    EXPECT_TRUE(contains(text, "recv from rank 0 of float32 [2] at errors_test.cpp:")) << text;
    EXPECT_TRUE(contains(text, "barrier at errors_test.cpp:")) << text;
  });
}

TEST(Run, ThrowsTheFirstErrorAndEndsTheOthers) {
  TERN_NEEDS_THREADS();
  EXPECT_EQ(error_of<std::runtime_error>([&] {
              distributed::run(3, [&](ProcessGroup& group) {
                if (group.rank() == 2) throw std::runtime_error("no data");
                group.barrier();
              });
            }),
            "no data");
  const std::string ended = error_of([&] {
    distributed::run(2, [](ProcessGroup& group) {
      if (group.rank() == 0) group.barrier();
    });
  });
  EXPECT_TRUE(contains(ended, "rank 0 in barrier at errors_test.cpp:")) << ended;
  EXPECT_TRUE(contains(ended, ": rank 1 has ended")) << ended;
  EXPECT_EQ(error_of([] { distributed::run(0, [](ProcessGroup&) {}); }),
            "run: needs at least one rank, got 0");
}

TEST(Run, IsTheGroupOfItsThreads) {
  TERN_NEEDS_THREADS();
  EXPECT_EQ(distributed::init_process_group().size(), 1);
  distributed::run(3, [](ProcessGroup& group) {
    const ProcessGroup same = distributed::init_process_group();
    EXPECT_EQ(same.rank(), group.rank());
    EXPECT_EQ(same.size(), 3);
  });
  EXPECT_EQ(distributed::init_process_group().size(), 1);
}

TEST(Arguments, AreChecked) {
  const ProcessGroup group;
  const Tensor x = ones({3}), whole = ones({4}, kInt);
  EXPECT_EQ(error_of([&] { group.all_reduce(Tensor()); }), "all_reduce: got an undefined tensor");
  EXPECT_EQ(error_of<DTypeError>([&] { group.all_reduce(whole, ReduceOp::kMean); }),
            "all_reduce: the mean needs a floating point dtype, got Int");
  EXPECT_EQ(error_of<DTypeError>([&] { group.all_gather(whole, x); }),
            "all_gather: output and input must have one dtype, got Int and Float");
  EXPECT_EQ(error_of<ShapeError>([&] { group.all_gather(ones({4}), x); }),
            "all_gather: output must have 1 times the elements of input, got sizes [4] and [3]");
  EXPECT_EQ(error_of<IndexError>([&] { group.broadcast(x, 1); }),
            "broadcast: rank 1 is not in a group of size 1");
  EXPECT_EQ(error_of([&] { group.send(x, 0); }), "send: rank 0 is this rank itself");
  EXPECT_EQ(error_of([&] {
              group.broadcast(x.expand({2, 3}));
            }),
            "broadcast: elements of the output share memory; clone() it");
  EXPECT_EQ(error_of([&] { group.split(-1); }), "split: the color must not be below 0, got -1");
  EXPECT_EQ(error_of([&] { ProcessGroup().set_timeout(0); }),
            "set_timeout: seconds must be above 0, got 0");
}

/// Sets variables for a scope.
class Variables {
 public:
  Variables(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) {
      setenv(name, value, 1);
      names_.push_back(name);
    }
  }
  ~Variables() {
    for (const char* name : names_) unsetenv(name);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::vector<const char*> names_;
};

TEST(Launch, IsReadFromTheEnvironment) {
  TERN_NEEDS_THREADS();
  using distributed::detail::launch_of_environment;
  EXPECT_EQ(launch_of_environment().variable, nullptr);
  {
    const Variables variables = {{"OMPI_COMM_WORLD_SIZE", "4"}};
    EXPECT_EQ(launch_of_environment().size, 4);
  }
  {
    // A script of sbatch has these, too.
    const Variables variables = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};
    EXPECT_EQ(launch_of_environment().variable, nullptr);
  }
  const Variables variables = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "localhost"}};
  EXPECT_EQ(error_of([] { launch_of_environment(); }),
            "init_process_group: RANK and WORLD_SIZE=2 are set, as torchrun does, but there is no "
            "MPI job; start the program by mpirun -np 2");
}

TEST(Launch, SaysWhatIsMissing) {
  TERN_NEEDS_THREADS();
  const std::string text = error_of([] {
    distributed::detail::start_mpi({4, "OMPI_COMM_WORLD_SIZE"}, {"/nowhere", "/else"});
  });
  EXPECT_EQ(text,
            "this program was started by mpirun (OMPI_COMM_WORLD_SIZE=4), but libtern_mpi.so was "
            "not found in /nowhere, /else (Debian: apt-get install libopenmpi-dev openmpi-bin; "
            "tern's plugin is built where CMake finds MPI)");
}

}  // namespace
}  // namespace tern::testing
