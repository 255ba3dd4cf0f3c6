#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "differential/form.h"
#include "sanitizer.h"
#include "simulated_devices.h"
#include "source_folder.h"

// Runs the calls of sized_calls.jsonl, one JSON object per line, at many sizes:
//
//   {"f": "a.sum(b, c)", "t": ["L"], "a": [0, "dims", false], "long": true, "int": true}
//
// f is the form of the call (form.h). t are its tensors: shapes, in which "n" is the size, or "L"
// for each of kLayouts, or objects that say more (see make()). a are the arguments as in program.h;
// "n" is the size, "dim" and "dims" the dimension of the layout; the tensors alone if absent.
// "range" has the bounds of floating elements, [-2, 2] if absent, "constant" the tensors without
// gradient, "tol" a factor of the tolerance, "least" and "most" bounds of n, "dtypes" the floating
// dtypes, all if absent. "int": also of integers. "grad": false: without gradients. "nan": false:
// not with NaN and infinities. "dense": the first result is made contiguous. "long": also over very
// many elements, with the factor "long_tol".

namespace tern::testing::differential {
namespace {

struct DimLayout {
  Json shape;
  std::int64_t dim;
};
const std::vector<DimLayout>& layouts() {
  static const std::vector<DimLayout> all = {
      {{"n"}, 0}, {{5, "n"}, 1}, {{"n", 3}, 0}, {{2, "n", 2}, 1}, {{3, "n"}, 0}};
  return all;
}
constexpr std::size_t kLongLayouts = 4;  // the others have few elements along the dimension

/// One call in one layout and at one size.
struct SizedCall {
  Json line;
  DimLayout layout;
  std::int64_t n;

  bool has(const char* key) const { return line.contains(key); }
  std::string text() const {
    std::ostringstream out;
    out << line.dump() << " for n = " << n << " in " << layout.shape.dump();
    return out.str();
  }
  /// Returns `json` with numbers for the names.
  Json filled(const Json& json) const {
    if (json == "n") return n;
    if (json == "L") return filled(layout.shape);
    if (json == "dim") return layout.dim;
    if (json == "dims") return Json::array({layout.dim});
    if (!json.is_array()) return json;
    Json result = Json::array();
    for (const Json& element : json) result.push_back(filled(element));
    return result;
  }
};

std::vector<Json> lines() {
  std::ifstream in(source_folder() + "/tests/differential/sized_calls.jsonl");
  std::vector<Json> all;
  for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
  if (all.empty()) throw std::runtime_error("sized_calls.jsonl cannot be read");
  return all;
}

/// Calls visit(call) for each line and layout.
template <class Visit>
void for_each_call(std::int64_t n, std::size_t layout_count, const Visit& visit) {
  static const std::vector<Json> all = lines();
  for (const Json& line : all) {
    if (n < line.value("least", 1) || n > line.value("most", n)) continue;
    const bool has_layouts = std::find(line["t"].begin(), line["t"].end(), "L") != line["t"].end();
    for (std::size_t i = 0; i < (has_layouts ? layout_count : 1); ++i) {
      visit(SizedCall{line, layouts()[i], n});
    }
  }
}

bool runs_in(const SizedCall& call, ScalarType dtype) {
  if (!is_floating_point(dtype)) return call.has("int");
  if (!call.has("dtypes")) return true;
  const Json& names = call.line["dtypes"];
  return std::find(names.begin(), names.end(), dtype_info(dtype).python_name) != names.end();
}

/// Makes a tensor on the CPU. The same numbers in each dtype, as far as it holds them. An object
/// has a "shape" and may have a "range"; "below" for indices less than that; the "dtype" "bool",
/// with true elements of the probability "share", or "float16"; "sorted" for rows in order;
/// "diagonal" for a matrix with a large diagonal.
Tensor make(const SizedCall& call, const Json& spec, ScalarType dtype) {
  const Json object = spec.is_object() ? spec : Json{{"shape", spec}};
  const auto sizes = call.filled(object["shape"]).get<std::vector<std::int64_t>>();
  const auto range = object.value("range", call.line.value("range", std::vector<double>{-2, 2}));
  const Tensor unit = rand(sizes, kDouble);
  if (object.contains("below")) {
    return (unit * call.filled(object["below"]).get<double>()).to(kLong);
  }
  if (object.value("dtype", "") == "bool") return unit < object.value("share", 0.6);
  Tensor x = unit * (range[1] - range[0]) + range[0];
  if (!is_floating_point(dtype)) return (x * 20 + 60).to(dtype);
  if (object.value("dtype", "") == "float16") return x.to(kHalf);
  if (object.contains("sorted")) x = std::get<0>(x.sort());
  if (object.contains("diagonal"))
    x = x + 4 * eye(sizes[0], kDouble) * static_cast<double>(sizes[0]);
  return x.to(dtype);
}

Tensors make_inputs(const SizedCall& call, ScalarType dtype) {
  manual_seed(static_cast<std::uint64_t>(call.n));
  Tensors inputs;
  for (const Json& spec : call.line["t"]) inputs.push_back(make(call, spec, dtype));
  return inputs;
}

/// Returns the results, and the gradients of the inputs behind them.
Tensors results_of(const SizedCall& call, const Tensors& inputs, Device device,
                   std::optional<ScalarType> dtype) {
  const Json constant = call.line.value("constant", Json::array());
  Variables variables;
  Tensors leaves;
  Json arguments = Json::array();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor x = inputs[i].to(device);
    if (x.is_floating_point()) {
      if (dtype) x = x.to(*dtype);
      x = x.detach();
      const bool is_constant = std::find(constant.begin(), constant.end(), i) != constant.end();
      if (call.line.value("grad", true) && !is_constant) leaves.push_back(x.requires_grad_());
    }
    variables[static_cast<int>(i)] = x;
    arguments.push_back(i);
  }
  if (call.has("a")) arguments = call.filled(call.line["a"]);
  const Form& form = all_forms().at(call.line["f"].get<std::string>());
  Tensors results = form.call(arguments, variables);
  if (call.has("dense")) results[0] = results[0].contiguous();
  const auto out = std::find_if(results.begin(), results.end(),
                                [](const Tensor& t) { return t.requires_grad(); });
  if (out == results.end() || leaves.empty()) return results;
  const Tensor weights = (arange(out->numel(), kDouble) % 29 / 16 + 1).reshape(out->sizes());
  const Tensors grads = autograd::grad({*out}, leaves, {weights.to(device, out->dtype())},
                                       std::nullopt, false, /*allow_unused=*/true);
  for (const Tensor& grad : grads) {
    if (grad.defined()) results.push_back(grad);
  }
  return results;
}

/// Does the same; an error is a failure of the test.
Tensors run(const SizedCall& call, const Tensors& inputs, Device device,
            std::optional<ScalarType> dtype = std::nullopt) {
  try {
    return results_of(call, inputs, device, dtype);
  } catch (const std::exception& error) {
    ADD_FAILURE() << call.text() << ": " << error.what();
    return {};
  }
}

/// Returns what a result of the dtype may lose, relative to it and to the mean size of all.
double tolerance_of(ScalarType dtype) {
  return dtype == kDouble     ? 0x1p-50
         : dtype == kHalf     ? 0x1p-10
         : dtype == kBFloat16 ? 0x1p-7
                              : 0x1p-21;
}

/// Returns the worst difference, or an empty text.
std::string difference(const Tensor& actual, const Tensor& expected, double tolerance) {
  const NoGradGuard no_grad;
  if (actual.sizes() != expected.sizes()) return "sizes differ";
  if (expected.numel() == 0) return "";
  const Tensor a = actual.detach().cpu().to(kDouble).flatten();
  const Tensor e = expected.detach().cpu().to(kDouble).flatten(), is_finite = e.isfinite();
  const Tensor scale = e.abs() + where(is_finite, e, 0).abs().mean();
  const Tensor same = (a == e).logical_or(a.isnan().logical_and(e.isnan()));
  // In units of the tolerance; infinite where one is no number.
  const Tensor off = where(is_finite, (a - e).abs() / scale.clamp_min(1e-300) / tolerance,
                           std::numeric_limits<double>::infinity());
  const Tensor bad = where(same, 0, off.nan_to_num(1e300)) > 1;
  if (!bad.any().item<bool>()) return "";
  const Tensor at = where(same, 0, off.nan_to_num(1e300)).argmax();
  const auto i = at.item<std::int64_t>();
  std::ostringstream out;
  out.precision(17);
  out << "element " << i << " of " << expected.sizes() << " is " << a[i].item<double>() << ", not "
      << e[i].item<double>() << ": " << off[i].item<double>() << " times the tolerance";
  return out.str();
}

void expect_same(const SizedCall& call, const Tensors& actual, const Tensors& expected,
                 ScalarType dtype) {
  ASSERT_EQ(actual.size(), expected.size()) << call.text();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double tolerance = tolerance_of(dtype) * call.line.value("tol", 1.0);
    const std::string text = difference(actual[i], expected[i], tolerance);
    EXPECT_EQ(text, "") << "result " << i << " of " << call.text() << " in " << dtype;
  }
}

const Device kOracle("cuda:0");
constexpr std::int64_t kSizes[] = {1,   7,   8,   9,   15,  16,  17,  31,  33,  63,   64,   65,
                                   127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
constexpr ScalarType kDtypes[] = {kFloat, kDouble, kHalf, kBFloat16, kLong,
                                  kInt,   kShort,  kChar, kByte};

bool full_count() { return std::getenv("TERN_TEST_FULL") != nullptr; }

class SizedCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    threads_ = get_num_threads();
    set_num_threads(3);
  }
  void TearDown() override { set_num_threads(threads_); }

 private:
  int threads_ = 1;
};

// The last vector, row or block of a kernel may be a partial one. float32 at each size, the other
// dtypes at a part of them. Under a sanitizer, which looks for reads outside of the memory, large
// sizes take turns, too.
TEST_F(SizedCalls, EqualTheOracleAroundVectorsAndBlocks) {
  TERN_NEEDS_SIMULATOR();
  std::size_t turn = 0;
  for (const std::int64_t n : kSizes) {
    for_each_call(n, layouts().size(), [&](const SizedCall& call) {
      for (const ScalarType dtype : kDtypes) {
        if (!runs_in(call, dtype)) continue;
        const bool takes_turns = dtype != kFloat || (testing::has_sanitizer() && n > 65);
        if (takes_turns && ++turn % 8 != 0 && !full_count()) continue;
        const Tensors inputs = make_inputs(call, dtype);
        expect_same(call, run(call, inputs, kCPU), run(call, inputs, kOracle), dtype);
      }
    });
  }
}

// Reductions, comparisons and distances pass on NaN and infinities from every place.
TEST_F(SizedCalls, EqualTheOracleWithNaNAndInfinities) {
  TERN_NEEDS_SIMULATOR();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double numbers[] = {std::numeric_limits<double>::quiet_NaN(), kInfinite, -kInfinite};
  std::size_t turn = 0;
  for (const std::int64_t n : {1, 9, 17, 64, 257}) {
    if (testing::has_sanitizer() && n != 9 && n != 64) continue;  // which looks at memory alone
    for_each_call(n, layouts().size(), [&](const SizedCall& call) {
      const bool takes_all = call.line.value("nan", true);
      for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
        if (!takes_all || !runs_in(call, dtype)) continue;
        if (dtype != kFloat && ++turn % 8 != 0) continue;
        const Tensors inputs = make_inputs(call, dtype);
        Tensor flat = inputs[0].view({-1});
        if (!flat.is_floating_point() || flat.numel() == 0) continue;
        for (const std::int64_t place :
             std::set<std::int64_t>{0, flat.numel() / 2, flat.numel() - 1}) {
          const Tensor before = flat[place].clone();
          flat[place].fill_(numbers[++turn % 3]);
          expect_same(call, run(call, inputs, kCPU), run(call, inputs, kOracle), dtype);
          flat[place].copy_(before);
        }
      }
    });
  }
}

// Sums and products over many elements lose no more than the last digits of their dtype. Sanitizers
// change no digits.
TEST_F(SizedCalls, KeepDigitsOverManyElements) {
  const bool is_brief = testing::has_sanitizer();
  const std::int64_t count = is_brief ? 1009 : 50021;
  for_each_call(full_count() ? 300007 : count, kLongLayouts, [&](const SizedCall& each) {
    SizedCall call = each;
    const double tolerance = call.line.value("long_tol", call.line.value("tol", 1.0));
    // Numbers of one sign, whose sum has about the size of the sum of their sizes.
    if (!call.has("range")) call.line["range"] = {0.5, 1.5};
    for (const ScalarType dtype : {kFloat, kHalf, kBFloat16}) {
      if (!each.has("long") || !runs_in(call, dtype)) continue;
      if (dtype == kHalf) {  // a sum of more would be infinite, and a share of it denormal
        call.n = is_brief ? count : 10007;
        call.line["tol"] = tolerance * 8;
      } else {
        call.n = each.n;
        call.line["tol"] = tolerance;
      }
      const Tensors inputs = make_inputs(call, dtype);
      expect_same(call, run(call, inputs, kCPU), run(call, inputs, kCPU, kDouble), dtype);
    }
  });
}

}  // namespace
}  // namespace tern::testing::differential
