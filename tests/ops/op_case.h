#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json_fwd.hpp>

#include <tern/core/kernels/slots.h>
#include <tern/tern.h>

// One record per op, cases/FAMILY/OP.json, holds all that the generic tests need to know of the op:
//
//   {
//     "op": "sum",
//     "forms": [
//       {"cpp": "a.sum(b, c)", "parameters": "T a, const Dims& b, bool c"}
//     ],
//     "cases": [
//       {
//         "name": "sum_dim",
//         "cpp": "a.sum(1)",
//         "node": "SumBackward1",
//         "samples": ["matrices", [[3, 0]], [[0, 3]]],
//         "rejections": [{"sample": [[2]], "text": "Dimension out of range"}],
//         "golden": [{"inputs": "matrix"}]
//       }
//     ]
//   }
//
// A form is a call for random programs (tests/differential/form.h; "traits" and "sampler" of the
// record help to draw and to compare them, tests/differential/traits.py). A case is a call with
// samples: the suites in this folder run it, and compare it with PyTorch's numbers in "golden". The
// arguments are a, b, c, .. in both. "python" is the same call in Python, where its text differs;
// golden.py runs it and fills in the numbers. The other fields of a case are those of OpCase, in
// any order, and "comment". `make generate` writes the C++ into generated/; record_functions.h
// holds what that code may use beside tern.

namespace tern::testing {

/// One tensor argument: random numbers in [low, high), or given integers. In a record it is a
/// shape, [3, 4], or {"sizes": [3, 4], "range": [low, high], "dtype": "int64", "integers": [..],
/// "requires_grad": false}.
struct Input {
  std::vector<std::int64_t> sizes = {};
  double low = -2, high = 2;
  ScalarType dtype = kDouble;
  std::vector<std::int64_t> integers = {};  // the elements, when not empty

  bool requires_grad = true;  // for a floating dtype

  bool is_floating() const { return is_floating_point(dtype); }
  bool is_differentiable() const { return is_floating() && requires_grad; }
};

/// The arguments of one call.
using Sample = std::vector<Input>;
using OpFunction = std::function<Tensor(const std::vector<Tensor>&)>;

/// A call that must fail, and the text that its message must contain.
struct Rejection {
  Sample sample;
  std::string text;
  /// The text on a GPU, which does not read its data before it starts; "" for no error.
  std::optional<std::string> gpu_text = std::nullopt;
};

struct OpCase {
  std::string name;
  std::string op = {};             // the op of the record
  std::string node = {};           // the gradient's name; empty when there is none
  std::string in_place_node = {};  // that of the form in place, if it is another
  OpFunction function = {};        // "cpp"
  // A list of samples and of sets: "unary", {"binary": [low, high]} and others in records.cpp.
  std::vector<Sample> samples = {};
  OpFunction in_place = {};  // changes its first argument; empty when there is no such form
  // Writes to its first argument; empty when there is no such form.
  std::function<Tensor(Tensor& out, const std::vector<Tensor>&)> out = {};
  std::vector<ScalarType> dtypes = {kFloat, kDouble};  // dtypes of the floating inputs
  std::vector<Rejection> rejections = {};
  bool mixes_devices = false;  // tensors may come from two devices (copies)
  bool numbers_join = true;    // a 0-d tensor on the CPU may join those of a GPU
  bool meta = true;          // false: the result's shape depends on elements, so meta tensors throw
  bool second_order = true;  // false: the gradient has no derivative, as in PyTorch
  double tolerance = 1e-5;   // float32 against the oracle
  double golden_factor =
      1;  // multiplies the tolerance of PyTorch's numbers, for ill-conditioned ops
  bool other_node = false;                   // PyTorch's last node is another view or product
  std::optional<kernels::Slot> kernel = {};  // a slot that the backend of CUDA may lack
  std::set<std::size_t> optional = {};       // arguments that may be undefined, by number
  // Ops that the function calls on its arguments before the op: an error may name them.
  std::set<std::string> calls_before = {};
  std::shared_ptr<const nlohmann::json> golden = {};  // PyTorch's numbers, see golden.py
};

inline void PrintTo(const OpCase& op, std::ostream* out) { *out << op.name; }

/// Returns the cases of all records that can be read.
const std::vector<OpCase>& all_cases();
/// Returns what is wrong with the other records, each text with file and field.
const std::vector<std::string>& record_problems();
/// Returns the cases for which `holds` returns true.
std::vector<OpCase> cases_where(const std::function<bool(const OpCase&)>& holds);

/// Returns the names of all public ops, from the headers and the lists of methods.
const std::set<std::string>& public_ops();
/// Returns the names and reasons of a list of exceptions under tests/, one "name: reason" per line.
std::map<std::string, std::string> exceptions_in(const std::string& file);
/// Returns whether the backend of CUDA, simulated or not, has the kernel that a record needs.
bool has_kernel(const OpCase& op);
/// Returns the reason to skip a record whose kernel the backend lacks.
std::string lacks_kernel(const OpCase& op);

/// A test that runs a record on all devices. Skips a record whose kernel the CUDA backend lacks.
class OpCaseTest : public ::testing::TestWithParam<OpCase> {
 protected:
  void SetUp() override {
    if (!has_kernel(GetParam())) GTEST_SKIP() << lacks_kernel(GetParam());
  }
};

/// The memory layout of an argument.
enum class Layout { kContiguous, kTransposed, kGaps };

/// Returns the arguments of a sample on the CPU, the floating ones in `dtype`. The same seed gives
/// the same numbers in every layout.
std::vector<Tensor> make_inputs(const Sample& sample, ScalarType dtype, Layout layout,
                                std::uint64_t seed = 7);
/// Returns the tensor in a layout. Tensors of one layout may share their elements with `dense`.
Tensor laid_out(const Tensor& dense, Layout layout);
/// Returns new leaves that require grad where the input is differentiable.
std::vector<Tensor> require_grad(const std::vector<Tensor>& inputs, const Sample& sample);
std::vector<Tensor> to_device(const std::vector<Tensor>& inputs, Device device);
std::string describe(const Sample& sample, Layout layout);
/// Returns where the first difference is, or an empty text if all elements agree. `tolerance` is
/// relative to the element, and to 1, because larger terms of a small result may cancel out.
std::string difference(const Tensor& actual, const Tensor& expected, double tolerance);

}  // namespace tern::testing
