#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"

// Files that Python wrote with `json.dump({k: v.tolist() for k, v in net.state_dict().items()}, f)`
// (tests/golden/serialization/json/state_files.py), and what PyTorch computes with them.

namespace tern {
namespace {

nn::Sequential make_net() {
  return nn::Sequential(nn::Linear(4, 3), nn::BatchNorm1d(3), nn::ReLU(), nn::Linear(3, 2));
}

TEST(JsonPython, ANetworkAnswersAsItDidThere) {
  const NoGradGuard no_grad;
  const State run = load_state(kGoldenFolder + "json/net_run.json");
  auto net = make_net();
  load(net, kGoldenFolder + "json/net.json");
  net->eval();
  const Tensor input = run["input"];
  EXPECT_TRUE(net->forward(input).allclose(run["output"], 1e-6, 1e-6));
  net->to(kDouble);
  EXPECT_TRUE(net->forward(input.to(kDouble)).allclose(run["output_double"], 1e-12, 1e-12));
}

TEST(JsonPython, DtypesComeBack) {
  const State state = load_state(kGoldenFolder + "json/net.json");
  EXPECT_EQ(state["0.weight"].tensor().dtype(), kFloat);
  EXPECT_EQ(state["1.num_batches_tracked"].tensor().dtype(), kLong);
  EXPECT_EQ(state["1.num_batches_tracked"].tensor().dim(), 0);
  EXPECT_EQ(load_state(kGoldenFolder + "json/net_run.json")["output_double"].tensor().dtype(),
            kDouble);
}

TEST(JsonPython, WhatWasReadIsWrittenAgain) {
  const Scratch scratch;
  auto net = make_net();
  load(net, kGoldenFolder + "json/net.json");
  save(net, scratch.path());
  EXPECT_TRUE(identical(load_state(scratch.path()), load_state(kGoldenFolder + "json/net.json")));
}

// --- Without dtypes, the module's count ----------------------------------------------------------

struct TableImpl : nn::Module {
  explicit TableImpl(ScalarType dtype) {
    weight = register_buffer("weight", zeros({1, 2}, dtype));
    bias = register_buffer("bias", zeros({1}, dtype));
  }
  Tensor weight, bias;
};
TERN_MODULE(Table);

class PlainJson : public ::testing::Test {
 protected:
  /// Loads a file with these values of `weight` and `bias`.
  Table loaded(ScalarType dtype, const std::string& weight, const std::string& bias = "[1]") {
    write_file(scratch_.path(), "{\"weight\": " + weight + ", \"bias\": " + bias + "}\n");
    Table table(dtype);
    load(table, scratch_.path());
    EXPECT_EQ(table->weight.dtype(), dtype);
    return table;
  }
  const Scratch scratch_;
};

TEST_F(PlainJson, TakesTheDtypeOfTheModule) {
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    for (const char* weight : {"[[0.1, 0.25]]", "[[1, 0.25]]", "[[0.5, 2]]", "[[3, 4]]"}) {
      const Table table = loaded(dtype, weight);
      EXPECT_EQ(table->bias.item<double>(), 1);
    }
    EXPECT_TRUE(
        loaded(dtype, "[[0.1, 0.25]]")->weight.equal(tensor({{0.1, 0.25}}, kDouble).to(dtype)));
  }
#define TERN_DTYPE(name, type, number, file_name, python_name, category)                          \
  EXPECT_TRUE(                                                                                    \
      loaded(ScalarType::name, "[[0, 1]]")->weight.equal(tensor({{0, 1}}).to(ScalarType::name))); \
  EXPECT_TRUE(loaded(ScalarType::name, "[[1.0, 0.0]]", "[true]")                                  \
                  ->weight.equal(tensor({{1, 0}}).to(ScalarType::name)));
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  EXPECT_TRUE(std::isinf(loaded(kHalf, "[[\"Infinity\", 1]]")->weight[0][0].item<double>()));
  EXPECT_EQ(loaded(kFloat, "[[1e-50, 1]]")->weight[0][0].item<float>(), 0);
}

TEST_F(PlainJson, ButNotNumbersThatTheDtypeCannotHold) {
  const std::tuple<ScalarType, const char*> cases[] = {
      {kLong, "[[0.5, 1]]"},   {kByte, "[[300, 1]]"},       {kByte, "[[-1, 1]]"},
      {kChar, "[[128, 1]]"},   {kInt, "[[2147483648, 1]]"}, {kBool, "[[2, 1]]"},
      {kBool, "[[0.5, 1]]"},   {kLong, "[[\"NaN\", 1]]"},   {kHalf, "[[70000, 1]]"},
      {kFloat, "[[1e39, 1]]"}, {kHalf, "[[1e6, 0.5]]"},     {kLong, "[[1e30, 1]]"}};
  for (const auto& [dtype, weight] : cases) {
    const std::string text = error_of<FileError>([&] { loaded(dtype, weight); });
    EXPECT_NE(
        text.find(std::string("dtype mismatch for weight: the file names no dtype, and torch.") +
                  dtype_info(dtype).python_name +
                  ", the dtype in current model, cannot hold its numbers."),
        text.npos)
        << weight << ' ' << text;
  }
}

TEST_F(PlainJson, TheFullFormStaysStrict) {
  write_file(scratch_.path(), R"({"format": "tern.state_dict", "version": 1, "tensors": {
      "weight": {"dtype": "F32", "shape": [1, 2], "data": [[0.5, 0.25]]},
      "bias": {"dtype": "F64", "shape": [1], "data": [1]}}})");
  Table table(kDouble);
  const std::string text = error_of<FileError>([&] { load(table, scratch_.path()); });
  EXPECT_NE(text.find("dtype mismatch for weight"), text.npos) << text;
}

TEST_F(PlainJson, KeepsThisThroughSelections) {
  write_file(scratch_.path(), R"({"net.weight": [[0.1, 0.25]], "net.bias": [1], "lr": [3]})");
  const State state = strip_prefix(select_keys(load_state(scratch_.path()), "net.*"), "net.");
  Table table(kDouble);
  table->load_state_dict(rename_keys(state, "*", "*"));
  EXPECT_TRUE(table->weight.equal(tensor({{0.1, 0.25}}, kDouble)));
  EXPECT_TRUE(state["weight"].is_untyped());
  EXPECT_FALSE(State(state["weight"].tensor()).is_untyped());
}

}  // namespace
}  // namespace tern
