#include <gtest/gtest.h>

#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"
#include "serialization/zip/builder.h"

// .npy and .npz: files of NumPy (tests/golden/serialization/numpy/array_files.py) and round trips.

namespace tern {
namespace {

void check_arrays(const State& state) {
  EXPECT_EQ(state.keys(),
            (std::vector<std::string>{"special", "layer.weight", "count", "mask", "empty"}));
  const auto special = state["special"].tensor().to_vector<float>();
  EXPECT_TRUE(special[0] == 0 && !std::signbit(special[0]));
  EXPECT_TRUE(special[1] == 0 && std::signbit(special[1]));
  EXPECT_EQ(special[2], 1e-45f);
  EXPECT_TRUE(std::isnan(special[3]));
  EXPECT_TRUE(std::isinf(special[4]));
  EXPECT_EQ(special[5], 3.1415927f);
  const Tensor weight = state["layer.weight"];
  EXPECT_EQ(weight.sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(weight.to_vector<double>()[5], 5.0 / 3);
  EXPECT_EQ(state["count"].tensor().dim(), 0);
  EXPECT_EQ(state["count"].tensor().item<std::int64_t>(), 9007199254740993);
  EXPECT_TRUE(state["mask"].tensor().equal(tensor({true, false, true})));
  EXPECT_EQ(state["empty"].tensor().sizes(), IntArrayRef({2, 0, 3}));
}

TEST(NpzPython, Stored) { check_arrays(load_state(kGoldenFolder + "numpy/arrays.npz")); }

TEST(NpzPython, Deflated) {
  TERN_NEEDS_ZLIB();
  check_arrays(load_state(kGoldenFolder + "numpy/arrays_deflated.npz"));
}

TEST(NpzPython, DeflatedToAlmostNothing) {
  TERN_NEEDS_ZLIB();
  const State state = load_state(kGoldenFolder + "numpy/ones_deflated.npz");
  EXPECT_EQ(state.size(), 14u);
  for (const auto& [size, array] : state) {
    EXPECT_TRUE(array.tensor().equal(ones({std::stoll(size)}, kDouble))) << size;
  }
}

TEST(NpzPython, EveryDtype) {
  const State state = load_state(kGoldenFolder + "numpy/array_dtypes.npz");
#define TERN_DTYPE(name, type, number, file_name, python_name, category)                  \
  if (ScalarType::name != kBFloat16) {                                                    \
    EXPECT_TRUE(identical(state[python_name], tensor({0, 1, 100}).to(ScalarType::name))); \
  }
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
}

TEST(NpyPython, ColumnMajor) {
  Tensor array;
  load(array, kGoldenFolder + "numpy/fortran.npy");
  EXPECT_TRUE(array.equal(arange(24).reshape({2, 3, 4})));
}

TEST(NpyPython, BigEndian) {
  Tensor array;
  load(array, kGoldenFolder + "numpy/big_endian.npy");
  EXPECT_TRUE(array.equal(arange(6).reshape({2, 3}).to(kFloat) / 4));
}

TEST(NpzPython, EveryDtypeInBothByteOrdersAndLayouts) {
  const State state = load_state(kGoldenFolder + "numpy/array_orders.npz");
  const Tensor numbers = (arange(12) * 1000 - 5000).reshape({2, 3, 2});
  std::size_t count = 1;
#define TERN_DTYPE(name, type, number, file_name, python_name, category)     \
  for (const char* form : {" < C", " < F", " > C", " > F"}) {                \
    if (ScalarType::name == kBFloat16) break;                                \
    const std::string key = std::string(python_name) + form;                 \
    EXPECT_TRUE(identical(state[key], numbers.to(ScalarType::name))) << key; \
    ++count;                                                                 \
  }
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  EXPECT_TRUE(identical(state["float64 > 0"], tensor(-5000., kDouble)));
  EXPECT_EQ(state.size(), count);
}

TEST(NpyPython, Versions) {
  for (const char* version : {"1", "2", "3"}) {
    Tensor array;
    load(array, kGoldenFolder + "numpy/version_" + version + ".npy");
    EXPECT_TRUE(array.equal(tensor({0.f, 1.f, 2.f})));
  }
}

std::vector<Tensor> odd_tensors() {
  manual_seed(1);
  std::vector<Tensor> tensors = {
      randn({3, 4}),
      randn({2, 3, 4}).transpose(0, 2),
      randn({}),
      zeros({2, 0, 3}),
      randn({5}, kDouble).slice(0, 1, 4, 2),
      tensor({1, 2, 3}),
      tensor({true, false}),
      randn({1}).expand({2, 3}),
  };
#define TERN_DTYPE(name, type, number, file_name, python_name, category)   \
  if (ScalarType::name != kBool && std::string(python_name) != "bfloat16") \
    tensors.push_back(arange(5).to(ScalarType::name));
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return tensors;
}

TEST(NpyRoundTrip, OddTensors) {
  const Scratch scratch;
  for (const Tensor& saved : odd_tensors()) {
    save(saved, scratch.path("x.npy"));
    EXPECT_EQ(read_file(scratch.path("x.npy")).find('\n') % 64, 63u);
    EXPECT_TRUE(identical(load_state(scratch.path("x.npy")), saved)) << saved.dtype();
  }
}

TEST(NpzRoundTrip, TensorsByName) {
  const Scratch scratch;
  State state;
  for (const Tensor& saved : odd_tensors()) state.insert(std::to_string(state.size()), saved);
  save(state, scratch.path("x.npz"));
  EXPECT_EQ(read_file(scratch.path("x.npz")).find("tern.state"), std::string::npos);
  EXPECT_TRUE(identical(load_state(scratch.path("x.npz")), state));
}

TEST(NpzRoundTrip, ACheckpoint) {
  const Scratch scratch;
  State model;
  model.insert("fc.weight", randn({3, 2}));
  State state;
  state.insert("model", model);
  state.insert("losses", State::list({0.5, std::nan(""), State(nullptr), "text", 7, true}));
  save(state, scratch.path("x.npz"));
  EXPECT_TRUE(identical(load_state(scratch.path("x.npz")), state));
}

TEST(NpzRoundTrip, NothingAtAll) {
  const Scratch scratch;
  save(State(), scratch.path("x.npz"));
  EXPECT_TRUE(identical(load_state(scratch.path("x.npz")), State()));
}

// Python reads the header as a literal: (3) would be a number, not a tuple.
TEST(NpyWriter, ShapesAreTuples) {
  const Scratch scratch;
  const std::pair<DimVector, std::string> cases[] = {
      {{}, "()"}, {{3}, "(3,)"}, {{2, 3}, "(2, 3)"}, {{0}, "(0,)"}, {{1, 0, 2}, "(1, 0, 2)"}};
  for (const auto& [sizes, shape] : cases) {
    save(zeros(sizes), scratch.path("x.npy"));
    const std::string expected =
        "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    EXPECT_NE(read_file(scratch.path("x.npy")).find(expected), std::string::npos) << shape;
  }
}

TEST(NpyWriter, NoBfloat16) {
  const Scratch scratch;
  State state;
  state.insert("w", ones({2}, kBFloat16));
  const std::string text = error_of<FileError>([&] { save(state, scratch.path("x.npz")); });
  EXPECT_NE(text.find("tensor 'w': NumPy has no dtype bfloat16"), std::string::npos) << text;
  EXPECT_EQ(scratch.count(), 0);
}

TEST(NpyWriter, OnlyATensor) {
  const Scratch scratch;
  EXPECT_NE(error_of<FileError>([&] {
              save(State(), scratch.path("x.npy"));
            }).find("an .npy file stores one tensor, not a dictionary; use .npz"),
            std::string::npos);
  EXPECT_EQ(scratch.count(), 0);
}

}  // namespace
}  // namespace tern
