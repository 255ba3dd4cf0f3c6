#include "differential/program.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace tern::testing::differential {
namespace {

struct Found {
  std::string what, text;
};
using Finding = std::optional<Found>;

template <class A, class B>
Finding differ(const char* what, const A& expected, const B& actual) {
  return Found{what, "PyTorch " + Json(expected).dump() + ", tern " + Json(actual).dump()};
}

std::string shown(double value) {
  std::ostringstream out;
  out << std::setprecision(9) << value;
  return out.str();
}

/// How far an element may be from the expected one: `absolute`, and `relative` to the element. 0
/// and 0 require the same number and the same sign of zero.
struct Tolerance {
  double absolute, relative;

  bool holds(double wanted, double value) const {
    if (absolute == 0 && relative == 0) {
      return wanted == value && std::signbit(wanted) == std::signbit(value);
    }
    const double off = std::abs(wanted - value);
    return wanted == value || (std::isfinite(off) && off <= absolute + relative * std::abs(wanted));
  }
};

Finding compare_values(const Json& expected, const Tensor& tensor, const Tolerance& tolerance) {
  const Tensor host = tensor.detach().cpu();
  const auto element = [&](std::size_t i, const auto& value, const Json& wanted) {
    return Found{"values", "element " + std::to_string(i) + ": PyTorch " + wanted.dump() +
                               ", tern " + Json(value).dump()};
  };
  if (!tensor.is_floating_point()) {
    const std::vector<std::int64_t> values = host.to(kLong).to_vector<std::int64_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != read_integer(expected.at(i))) {
        return element(i, values[i], expected[i]);
      }
    }
    return std::nullopt;
  }
  const std::vector<double> values = host.to(kDouble).to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = read_double(expected.at(i)), value = values[i];
    if (std::isnan(wanted) && std::isnan(value)) continue;
    if (!tolerance.holds(wanted, value)) {
      return Found{std::isfinite(value) == std::isfinite(wanted) && wanted != value ? "values"
                   : wanted == value                                                ? "sign of 0"
                                                                                    : "finite",
                   "element " + std::to_string(i) + ": PyTorch " + expected[i].dump() + ", tern " +
                       shown(value)};
    }
  }
  return std::nullopt;
}

std::string flags_of(const Tensor& tensor) {
  std::string flags;
  if (tensor.requires_grad()) flags += 'r';
  if (tensor.is_leaf()) flags += 'l';
  if (tensor.is_view()) flags += 'v';
  return flags;
}

/// Compares a tensor with PyTorch's description of it.
Finding compare(const Json& expected, const Tensor& tensor, const RunOptions& options) {
  if (expected.is_null() != !tensor.defined()) {
    return Found{"defined", expected.is_null() ? "PyTorch None, tern a tensor"
                                               : "PyTorch a tensor, tern an undefined one"};
  }
  if (!tensor.defined()) return std::nullopt;
  const std::string dtype = dtype_info(tensor.dtype()).python_name;
  if (expected.at("d") != dtype) return differ("dtype", expected["d"], dtype);
  const Json sizes = tensor.sizes().vec();
  if (expected.at("s") != sizes) return differ("sizes", expected["s"], sizes);
  if (expected.contains("t")) {
    const Json strides = tensor.strides().vec();
    for (std::size_t i = 0; i < strides.size(); ++i) {
      // The stride of a dimension without a second element is meaningless.
      if (tensor.numel() > 0 && sizes[i] > 1 && strides[i] != expected["t"][i]) {
        return differ("strides", expected["t"], strides);
      }
    }
  }
  if (expected.contains("f")) {
    std::string flags = expected["f"];
    const bool hidden = flags.ends_with('h');  // a view of a tensor that the program cannot access
    if (hidden) flags.pop_back();
    const std::string actual = flags_of(tensor);
    if (actual != flags && !(hidden && actual == flags + "v")) {
      return differ("flags", flags, actual);
    }
  }
  if (expected.contains("q") && expected["q"] != tensor.requires_grad()) {
    return differ("requires_grad", expected["q"], tensor.requires_grad());
  }
  if (options.names && expected.contains("g")) {
    const std::string name = tensor.grad_fn() ? tensor.grad_fn()->name() : "";
    if (expected["g"] != name) return differ("name", expected["g"], name);
  }
  if (!expected.contains("x")) return std::nullopt;
  return compare_values(expected["x"], tensor,
                        {expected.value("tol", 0.0), expected.value("rel", 0.0)});
}

/// The result of one step: the kind of error and its text, or the results.
struct Outcome {
  std::string error, text;
  Tensors results;
};

Outcome run_step(const Json& step, const Form& form, Variables& variables) {
  try {
    Outcome outcome{"", "", form.call(step.at("a"), variables)};
    // A device reports some errors only when it is waited for.
    if (get_default_device().is_cuda()) cuda::synchronize();
    return outcome;
  } catch (const IndexError& error) {
    return {"index", error.what(), {}};
  } catch (const NotImplementedError& error) {
    return {"not implemented", error.what(), {}};
  } catch (const Error& error) {
    return {"error", error.what(), {}};
  }
}

Finding check_step(const Json& step, Variables& variables, const RunOptions& options) {
  const Form& form = all_forms().at(step.at("f").get<std::string>());
  Outcome outcome = run_step(step, form, variables);
  const bool raises = step.contains("e");
  if (raises && outcome.error.empty()) {
    return Found{"does not raise", "PyTorch raises " + step["e"].get<std::string>() + ": " +
                                       step.value("text", "") + ", tern does not"};
  }
  if (!outcome.error.empty()) {
    if (!raises) return Found{"raises", "PyTorch does not, tern raises: " + outcome.text};
    // IndexError is an Error, too, but where PyTorch throws it a program may catch it.
    if (step["e"] == "index" && outcome.error != "index") {
      return Found{"kind of error", "PyTorch " + step["e"].get<std::string>() + ": " +
                                        step.value("text", "") + ", tern " + outcome.error + ": " +
                                        outcome.text};
    }
    return std::nullopt;
  }
  const Json& expected = step.at("r");
  if (form.in_place) {
    return compare(expected.at(0), variables.at(step["a"][0].get<int>()), options);
  }
  if (expected.size() != outcome.results.size()) {
    return differ("number of results", expected.size(), outcome.results.size());
  }
  const Json& numbers = step.at("o");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (Finding found = compare(expected[i], outcome.results[i], options)) return found;
    if (outcome.results[i].defined()) variables[numbers.at(i).get<int>()] = outcome.results[i];
  }
  return std::nullopt;
}

/// Compares the values and gradients of all tensors, which show the effects of in-place ops and
/// backward.
Finding check_end(const Json& end, const Variables& variables, const RunOptions& options) {
  for (const auto& [number, expected] : end.items()) {
    const Tensor& tensor = variables.at(std::stoi(number));
    const auto named = [&, number = number](Finding found, const char* part) {
      found->what = std::string("end ") + part + found->what;
      found->text = "v" + number + ": " + found->text;
      return found;
    };
    if (Finding found = compare(expected.at("v"), tensor, options)) return named(found, "");
    const Tensor grad = tensor.is_leaf() || tensor.retains_grad() ? tensor.grad() : Tensor();
    if (Finding found = compare(expected.at("g"), grad, options)) return named(found, "grad ");
  }
  return std::nullopt;
}

// Clears gradients at the end: a gradient made with create_graph refers to its leaf, so the two
// keep each other alive.
struct ClearedGradients {
  Variables& variables;
  ~ClearedGradients() {
    for (const auto& [number, tensor] : variables) {
      if (tensor.defined()) tensor.mutable_grad().reset();
    }
  }
};

}  // namespace

std::optional<Difference> run_program(const Json& program, const RunOptions& options) {
  const AutoGradMode grad_mode(true);  // a program may leave it disabled
  Variables variables;
  const ClearedGradients cleared{variables};
  const Json& steps = program.at("steps");
  std::size_t i = 0;
  const auto difference = [&](const Found& found) { return Difference{i, found.what, found.text}; };
  try {
    for (; i < steps.size(); ++i) {
      if (const Finding found = check_step(steps[i], variables, options)) return difference(*found);
    }
    if (const Finding found = check_end(program.at("end"), variables, options)) {
      return difference(*found);
    }
  } catch (const std::exception& error) {
    return difference({"exception", error.what()});
  }
  return std::nullopt;
}

}  // namespace tern::testing::differential
