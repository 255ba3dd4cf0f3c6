#include <torch/torch.h>
#include <c10d/ProcessGroupMPI.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>

#include <error_of.h>
#include <gtest/gtest.h>

// Programs with libtorch's process groups, on ranks that are threads.

namespace {

using tern::error_of;

void on_ranks(int size, const std::function<void(c10d::ProcessGroupMPI&)>& program) {
  tern::distributed::run(size, [&](tern::distributed::ProcessGroup&) {
    auto group = c10d::ProcessGroupMPI::createProcessGroupMPI();
    program(*group);
  });
}

std::vector<torch::Tensor> one(double value) { return {torch::full({2}, value)}; }

void expect_values(const torch::Tensor& tensor, double value) {
  EXPECT_TRUE(torch::equal(tensor, torch::full_like(tensor, value))) << tensor;
}

// The example of libtorch's documentation of distributed training in C++, in short.
TEST(CompatC10d, TrainsAsTheExampleDoes) {
  on_ranks(3, [](c10d::ProcessGroupMPI& pg) {
    torch::nn::Linear model(2, 1);
    torch::NoGradGuard no_grad;
    for (auto& parameter : model->parameters()) parameter.fill_(0.5);
    const int ranks = pg.getSize();
    {
      torch::AutoGradMode enabled(true);
      model->forward(torch::full({1, 2}, pg.getRank() + 1.0)).sum().backward();
    }
    for (auto& parameter : model->named_parameters()) {
      std::vector<torch::Tensor> gradients = {parameter.value().grad()};
      c10::intrusive_ptr<c10d::Work> work = pg.allreduce(gradients);
      try {
        work->wait();
      } catch (const std::exception&) {
        pg.abort();
      }
      EXPECT_TRUE(work->isCompleted() && work->isSuccess());
      parameter.value().grad().data() = parameter.value().grad().data() / ranks;
    }
    expect_values(model->weight.grad(), 2);
  });
}

TEST(CompatC10d, ReducesByEveryOperation) {
  on_ranks(3, [](c10d::ProcessGroupMPI& pg) {
    const auto reduced = [&](c10d::ReduceOp op, torch::Tensor tensor) {
      std::vector<torch::Tensor> tensors = {tensor};
      c10d::AllreduceOptions options;
      options.reduceOp = op;
      pg.allreduce(tensors, options)->wait();
      return tensor;
    };
    const double mine = pg.getRank() + 1;
    expect_values(reduced(c10d::ReduceOp::SUM, torch::full({2}, mine)), 6);
    expect_values(reduced(c10d::ReduceOp::AVG, torch::full({2}, mine)), 2);
    expect_values(reduced(c10d::ReduceOp::PRODUCT, torch::full({2}, mine)), 6);
    expect_values(reduced(c10d::ReduceOp::MIN, torch::full({2}, mine)), 1);
    expect_values(reduced(c10d::ReduceOp::MAX, torch::full({2}, mine)), 3);
    expect_values(reduced(c10d::ReduceOp::BAND, torch::full({2}, mine, torch::kInt)), 0);
    expect_values(reduced(c10d::ReduceOp::BOR, torch::full({2}, mine, torch::kInt)), 3);
    expect_values(reduced(c10d::ReduceOp::BXOR, torch::full({2}, mine, torch::kInt)), 0);
  });
}

TEST(CompatC10d, MovesTensors) {
  on_ranks(3, [](c10d::ProcessGroupMPI& pg) {
    const int rank = pg.getRank();
    auto x = one(rank);
    c10d::BroadcastOptions from_two;
    from_two.rootRank = 2;
    pg.broadcast(x, from_two)->wait();
    expect_values(x[0], 2);

    x = one(rank);
    c10d::ReduceOptions to_one;
    to_one.rootRank = 1;
    pg.reduce(x, to_one)->wait();
    expect_values(x[0], rank == 1 ? 3 : rank);

    auto input = one(rank);
    std::vector<std::vector<torch::Tensor>> lists = {{one(9)[0], one(9)[0], one(9)[0]}};
    pg.allgather(lists, input)->wait();
    for (int i = 0; i < 3; ++i) expect_values(lists[0][static_cast<std::size_t>(i)], i);

    std::vector<std::vector<torch::Tensor>> gathered;
    if (rank == 0) gathered = {{one(9)[0], one(9)[0], one(9)[0]}};
    pg.gather(gathered, input)->wait();
    if (rank == 0) expect_values(gathered[0][2], 2);
    std::vector<std::vector<torch::Tensor>> parts;
    if (rank == 0) parts = {{one(4)[0], one(5)[0], one(6)[0]}};
    pg.scatter(x, parts)->wait();
    expect_values(x[0], 4 + rank);

    lists = {{one(1)[0], one(2)[0], one(3)[0]}};
    pg.reduce_scatter(x, lists)->wait();
    expect_values(x[0], 3 * (rank + 1));

    // Rank r sends r + 1 rows to each.
    std::vector<int64_t> received = {1, 2, 3}, sent(3, rank + 1);
    auto from = torch::full({3 * (rank + 1), 2}, rank, torch::kFloat), to = torch::zeros({6, 2});
    pg.alltoall_base(to, from, received, sent)->wait();
    EXPECT_TRUE(torch::equal(to.select(1, 0), torch::tensor({0., 1., 1., 2., 2., 2.}))) << to;
    pg.barrier()->wait();
  });
}

TEST(CompatC10d, SendsWithTags) {
  on_ranks(2, [](c10d::ProcessGroupMPI& pg) {
    auto x = one(7);
    if (pg.getRank() == 0) {
      pg.send(x, 1, 3)->wait();
      pg.send(x, 1, 4)->wait();
    } else {
      x = one(0);
      pg.recv(x, 0, 3)->wait();
      expect_values(x[0], 7);
      EXPECT_EQ(error_of<c10::Error>([&] { pg.recv(x, 0, 5)->wait(); }),
                "recv: rank 0 sent tag 4, expected 5; messages arrive in the order in which they "
                "are sent");
    }
  });
}

TEST(CompatC10d, ErrorsNameTheCall) {
  on_ranks(2, [](c10d::ProcessGroupMPI& pg) {
    std::vector<torch::Tensor> x = {torch::zeros({pg.getRank() + 1})};
    auto work = pg.allreduce(x);
    const std::string text = error_of([&] { work->wait(); });
    EXPECT_NE(text.find("float32 [2] at c10d_test.cpp:"), std::string::npos) << text;
    EXPECT_FALSE(work->isSuccess());
    EXPECT_NE(work->exception(), nullptr);
    x.push_back(x[0]);
    EXPECT_EQ(error_of([&] { pg.allreduce(x); }), "allreduce: needs one tensor, got 2");
  });
}

TEST(CompatC10d, MakesGroupsOfSomeRanks) {
  on_ranks(3, [](c10d::ProcessGroupMPI& pg) {
    auto part = c10d::ProcessGroupMPI::createProcessGroupMPI({2, 0});
    EXPECT_EQ(static_cast<bool>(part), pg.getRank() != 1);
    if (part) {
      EXPECT_EQ(part->getSize(), 2);
      EXPECT_EQ(part->getRank(), pg.getRank() == 2 ? 0 : 1);
      EXPECT_EQ(part->getBackendName(), "mpi");
      c10::intrusive_ptr<c10d::Backend> base = part;
      EXPECT_EQ(base->getSize(), 2);
    }
  });
}

}  // namespace
