#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/linear.h>
#include <tern/serialization/state_file.h>

#include "scratch.h"
#include "state_formats.h"

// Two tensors of a state that share memory: views of every kind, and the same view twice.

namespace tern {
namespace {

/// Two views of one storage. `is_tie` says that they are one tensor: the same storage, offset,
/// dtype, sizes and strides.
struct TensorPair {
  const char* name;
  Tensor a, b;
  bool is_tie = false;
};

std::vector<TensorPair> aliased_pairs() {
  const Tensor square = arange(9, kFloat).reshape({3, 3});
  const Tensor row = arange(4, kLong), one = arange(6).reshape({1, 6});
  const Tensor cube = arange(8, kDouble).reshape({2, 2, 2});
  return {
      {"itself", square, square, true},
      {"another handle", square, square.detach(), true},
      {"a full slice", square, square.slice(0, 0, 3), true},
      {"there and back", square, square.t().t(), true},
      {"a view of the same sizes", square, square.view({9}).view({3, 3}), true},
      {"the transpose of a square", square, square.t()},
      {"two transposes", square.t(), square.t(), true},
      {"two permutations of a cube", cube.transpose(0, 1), cube.transpose(0, 2)},
      {"a permutation of a cube", cube, cube.permute({1, 2, 0})},
      {"rows of one size", square[0], square[1]},
      {"a row and a column", square[0], square.select(1, 0)},
      {"the same row", square[1], square[1], true},
      {"a slice that begins later", row.slice(0, 0, 3), row.slice(0, 1, 4)},
      {"a slice of every second", row.slice(0, 0, 2), row.slice(0, 0, 4, 2)},
      {"overlapping slices", square.slice(0, 0, 2), square.slice(0, 1, 3)},
      {"other sizes", one, one.view({6})},
      {"a dimension of 1", one, one.view({6, 1})},
      {"a scalar", square[0][0], square.slice(0, 0, 1).slice(1, 0, 1)},
      {"scalars", square[0][0], square[0][1]},
      {"expanded", square[0], square[0].expand({3, 3})},
      {"expanded over other dimensions", square[0].expand({3, 3}), square[0].expand({3, 3}).t()},
      {"expanded twice", square[0].expand({3, 3}), square[0].expand({3, 3}), true},
      {"windows", row.unfold(0, 2, 1), row.unfold(0, 2, 2)},
      {"empty", square.slice(0, 0, 0), square.slice(0, 0, 0)},
      {"empty at the end", square, square.slice(0, 3, 3)},
  };
}

class Aliases : public ::testing::TestWithParam<const char*> {};

TEST_P(Aliases, KeepTheirNumbersAndTies) {
  const Scratch scratch;
  const std::string path = scratch.path(std::string("x") + GetParam());
  const std::string format = GetParam();
  for (const TensorPair& pair : aliased_pairs()) {
    for (const bool swapped : {false, true}) {
      State state;
      state.insert("a", swapped ? pair.b : pair.a);
      state.insert("b", swapped ? pair.a : pair.b);
      save(state, path, save_options(format));
      const State loaded = load_state(path);
      EXPECT_TRUE(identical(loaded, state)) << pair.name;
      const Tensor a = loaded["a"], b = loaded["b"];
      // .pt keeps every shared storage, safetensors only ties, and the others nothing.
      const bool keeps_ties = format.ends_with(".safetensors") && pair.is_tie;
      const bool shares = a.self().storage.get() == b.self().storage.get();
      EXPECT_EQ(shares, format == ".pt" || keeps_ties) << pair.name;
      if (format == ".pt") {
        EXPECT_EQ(a.strides(), state["a"].tensor().strides()) << pair.name;
        EXPECT_EQ(b.storage_offset() - a.storage_offset(),
                  state["b"].tensor().storage_offset() - state["a"].tensor().storage_offset())
            << pair.name;
      }
    }
  }
}

// The smallest name keeps the elements, wherever it stands.
TEST_P(Aliases, ManyOfThemInOneState) {
  const Scratch scratch;
  const std::string path = scratch.path(std::string("x") + GetParam());
  State state, inner;
  int number = 0;
  for (const TensorPair& pair : aliased_pairs()) {
    const std::string name = std::to_string(number++ * 7 % 25);
    state.insert("b" + name, pair.a);
    inner.insert("c" + name, pair.b);
    state.insert("a" + name, pair.b);
  }
  state.insert("inner", inner);
  state.insert("list", State::list({state["b0"], state["b7"], 3}));
  save(state, path, save_options(GetParam()));
  EXPECT_TRUE(identical(load_state(path), state));
}

TEST_P(Aliases, ATiedModelStaysTied) {
  const Scratch scratch;
  const std::string path = scratch.path(std::string("x") + GetParam());
  const auto make = [](bool tied) {
    nn::Linear encoder(3, 3), decoder(3, 3);
    if (tied) decoder->replace_parameter("weight", encoder->weight);
    return nn::Sequential(encoder, decoder);
  };
  auto net = make(true), other = make(true), untied = make(false);
  save(net, path, save_options(GetParam()));
  load(other, path);
  load(untied, path);
  EXPECT_TRUE(identical(other->state_dict(), net->state_dict()));
  EXPECT_TRUE(identical(untied->state_dict(), net->state_dict()));
  // Loaded values are copies: a change of one tensor leaves the other alone where nothing is tied.
  const NoGradGuard no_grad;
  untied->parameters()[0].add_(1);
  EXPECT_FALSE(identical(untied->parameters()[0], untied->parameters()[2]));
}

INSTANTIATE_TEST_SUITE_P(, Aliases, ::testing::ValuesIn(kStateFormats), format_name);
INSTANTIATE_TEST_SUITE_P(InSeveralFiles, Aliases, ::testing::Values(kSharded), format_name);

}  // namespace
}  // namespace tern
