#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/kernels/slots.h>
#include <tern/tern.h>

// One record per op; the generic suites in this folder run every record. A new op adds its record
// to the file of its family in cases/, and nothing else.

namespace tern::testing {

/// One tensor argument: random numbers in [low, high), or given integers.
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
  std::string op = {};    // the op that the record is about, unless it is called `name`
  std::string node = {};  // the gradient's name; empty when there is none
  OpFunction function = {};
  std::vector<Sample> samples = {};
  OpFunction in_place = {};  // changes its first argument; empty when there is no such form
  std::vector<ScalarType> dtypes = {kFloat, kDouble};  // dtypes of the floating inputs
  std::vector<Rejection> rejections = {};
  bool mixes_devices = false;  // tensors may come from two devices (copies)
  bool numbers_join = true;    // a 0-d tensor on the CPU may join those of a GPU
  bool twice_differentiable = true;
  double tolerance = 1e-5;                   // float32 against the oracle
  std::optional<kernels::Slot> kernel = {};  // a slot that the backend of CUDA may lack
};

inline void PrintTo(const OpCase& op, std::ostream* out) { *out << op.name; }

// Shapes that every elementwise op meets: ordinary, 0-d, empty, a single element, three dimensions.
std::vector<Sample> unary_samples(double low = -2, double high = 2);
// The same, and broadcasting in both directions.
std::vector<Sample> binary_samples(double low = -2, double high = 2);

// One list per file of cases/.
std::vector<OpCase> unary_cases();
std::vector<OpCase> arithmetic_cases();
std::vector<OpCase> select_cases();
std::vector<OpCase> reduce_cases();
std::vector<OpCase> normalize_cases();
std::vector<OpCase> view_cases();
std::vector<OpCase> matmul_cases();
std::vector<OpCase> index_cases();
std::vector<OpCase> copy_cases();
std::vector<OpCase> loss_cases();
std::vector<OpCase> linalg_cases();

/// Returns all records.
const std::vector<OpCase>& all_cases();
/// Returns the records for which `holds` returns true.
std::vector<OpCase> cases_where(const std::function<bool(const OpCase&)>& holds);

/// Returns the names of all public ops, from the headers and the lists of methods.
const std::set<std::string>& public_ops();
/// Returns the names and reasons of a list of exceptions under tests/, one "name: reason" per line.
std::map<std::string, std::string> exceptions_in(const std::string& file);
/// Returns the op of a record: its `op`, or the longest public op with which its name begins.
std::string op_of(const OpCase& op);

/// Returns whether the backend of CUDA, simulated or not, has the kernel that a record needs.
bool has_kernel(const OpCase& op);

/// A test that runs a record on all devices. Skips a record whose kernel the CUDA backend lacks.
class OpCaseTest : public ::testing::TestWithParam<OpCase> {
 protected:
  void SetUp() override {
    if (has_kernel(GetParam())) return;
    GTEST_SKIP() << "the backend of cuda has no " << kernels::slot_name(*GetParam().kernel)
                 << " kernel";
  }
};

/// The memory layout of an argument.
enum class Layout { kContiguous, kTransposed, kGaps };

/// Returns the arguments of a sample on the CPU, the floating ones in `dtype`. The same seed gives
/// the same numbers in every layout.
std::vector<Tensor> make_inputs(const Sample& sample, ScalarType dtype, Layout layout,
                                std::uint64_t seed = 7);
/// Returns new leaves that require grad where the input is differentiable.
std::vector<Tensor> require_grad(const std::vector<Tensor>& inputs, const Sample& sample);
std::vector<Tensor> to_device(const std::vector<Tensor>& inputs, Device device);
std::string describe(const Sample& sample, Layout layout);
/// Returns where the first difference is, or an empty text if all elements agree.
std::string difference(const Tensor& actual, const Tensor& expected, double tolerance);

}  // namespace tern::testing
