#pragma once

#include <istream>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ops/op_case.h"

// What the code of records may use beside tern. tests/ops/golden.py has a twin of each function.

namespace tern::testing {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The code of one case, as `make generate` takes it from its record.
struct RecordFunctions {
  const char* file;  // under tests/ops/cases
  const char* name;
  const char* cpp;  // the text of `function`
  Tensor (*function)(const std::vector<Tensor>& in);
  const char* in_place_cpp = "";
  Tensor (*in_place)(const std::vector<Tensor>& in) = nullptr;  // null if there is no such form
  // Writes to the tensor. Null if `cpp` is not one call of an op with such a form.
  Tensor (*out)(Tensor& out, const std::vector<Tensor>& in) = nullptr;
};

// The fields of RecordFunctions for code with the arguments a, b, c, .. Only a form in place may
// change its first argument.
// clang-format off
#define TERN_CALL(...) #__VA_ARGS__, TERN_FUNCTION((const std::vector<Tensor>& in), const Tensor&, __VA_ARGS__)
#define TERN_IN_PLACE(...) #__VA_ARGS__, TERN_FUNCTION((const std::vector<Tensor>& in), Tensor, __VA_ARGS__)
#define TERN_NOT_IN_PLACE "", nullptr
#define TERN_OUT(...) TERN_FUNCTION((Tensor& out, const std::vector<Tensor>& in), const Tensor&, __VA_ARGS__)
#define TERN_FUNCTION(parameters, First, ...) \
  [] parameters -> Tensor { \
    [[maybe_unused]] First a = argument(in, 0); \
    [[maybe_unused]] const Tensor &b = argument(in, 1), &c = argument(in, 2), &d = argument(in, 3); \
    [[maybe_unused]] const Tensor &e = argument(in, 4), &f = argument(in, 5), &g = argument(in, 6); \
    return __VA_ARGS__; \
  }
// clang-format on

/// Returns an argument; an undefined tensor if the sample has fewer.
const Tensor& argument(const std::vector<Tensor>& in, std::size_t index);

/// Makes functions known to all_cases(). Returns true.
bool add_functions(const std::vector<RecordFunctions>& functions);

/// The functions by file and name of the case.
using FunctionTable = std::map<std::pair<std::string, std::string>, RecordFunctions>;

/// Adds the cases of the record `in` to `cases` and erases their functions from `functions`. Throws
/// Error with file and field if the record is wrong.
void read_record(const std::string& file, std::istream& in, FunctionTable* functions,
                 std::vector<OpCase>* cases);

/// Returns one of several results.
template <class... Results>
Tensor first(const std::tuple<Results...>& results) {
  return std::get<0>(results);
}
template <class... Results>
Tensor second(const std::tuple<Results...>& results) {
  return std::get<1>(results);
}

template <class... Results>
Tensor third(const std::tuple<Results...>& results) {
  return std::get<2>(results);
}

/// Returns the second piece. Tests of errors also cut tensors that give one piece only.
inline Tensor second(const std::vector<Tensor>& pieces) {
  return pieces.size() > 1 ? pieces[1] : pieces[0];
}

/// Returns the tensor without history.
inline Tensor constant(const Tensor& x) { return x.defined() ? x.detach() : x; }

/// Returns symmetric positive definite matrices made of square ones; wrong arguments stay as they
/// are.
inline Tensor positive_definite(const Tensor& x) {
  if (!x.defined() || x.dim() < 2 || x.size(-1) != x.size(-2)) return x;
  if (x.dtype() != kFloat && x.dtype() != kDouble) return x;
  return x.matmul(x.mT()) + eye(x.size(-1), x.options()) * x.size(-1);
}

}  // namespace tern::testing
