#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

  bool requires_grad = true;  // of a floating dtype

  bool is_floating() const { return is_floating_point(dtype); }
  bool is_differentiable() const { return is_floating() && requires_grad; }
};

/// The arguments of one call.
using Sample = std::vector<Input>;
using OpFunction = std::function<Tensor(const std::vector<Tensor>&)>;

/// A call that must fail, and what its message must hold.
struct Rejection {
  Sample sample;
  std::string text;
  /// On a GPU, which does not look at its data before it begins: another text, or "" for no error.
  std::optional<std::string> gpu_text = std::nullopt;
};

struct OpCase {
  std::string name;
  std::string op = {};    // the op that the record is about, where it is not called `name`
  std::string node = {};  // the gradient's name; empty when there is none
  OpFunction function = {};
  std::vector<Sample> samples = {};
  OpFunction in_place = {};  // works on its first argument; empty when there is no such form
  std::vector<ScalarType> dtypes = {kFloat, kDouble};  // of the floating inputs
  std::vector<Rejection> rejections = {};
  bool mixes_devices = false;  // tensors may come from two devices (copies)
  bool numbers_join = true;    // a 0-d tensor on the CPU may join those of a GPU
  bool twice_differentiable = true;
  double tolerance = 1e-5;  // float32 against the oracle
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

/// All of them.
const std::vector<OpCase>& all_cases();
/// The records that a suite has something to ask of.
std::vector<OpCase> cases_where(const std::function<bool(const OpCase&)>& holds);

/// The names of all public ops, from the headers, the .def lists and the lists of methods.
const std::set<std::string>& public_ops();
/// The names and reasons of a list of exceptions under tests/, one "name: reason" a line.
std::map<std::string, std::string> exceptions_in(const std::string& file);
/// The op that a record is about: its `op`, else the longest public op that its name begins with.
std::string op_of(const OpCase& op);

/// How the elements of an argument lie in memory.
enum class Layout { kContiguous, kTransposed, kGaps };

/// The arguments of a sample on the CPU; floating ones in `dtype`. The same seed gives the same
/// numbers in every layout.
std::vector<Tensor> make_inputs(const Sample& sample, ScalarType dtype, Layout layout,
                                std::uint64_t seed = 7);
/// Fresh leaves that require grad where the input is differentiable.
std::vector<Tensor> require_grad(const std::vector<Tensor>& inputs, const Sample& sample);
std::vector<Tensor> to_device(const std::vector<Tensor>& inputs, Device device);
std::string describe(const Sample& sample, Layout layout);
/// The place of the first difference, or an empty text when all elements agree.
std::string difference(const Tensor& actual, const Tensor& expected, double tolerance);

}  // namespace tern::testing
