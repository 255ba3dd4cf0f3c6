#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/tern.h>
#include <nlohmann/json.hpp>

// One form of a call for random programs: its Python, its C++, and the kinds of its arguments,
// which come from the parameters of a function. Python runs the text, and the generator draws
// arguments of these kinds. The forms of an op are in its record (tests/ops/op_case.h):
//
//   {"cpp": "a.add(b, c)", "python": "a.add(b, alpha=c)", "parameters": "T a, T b, S c"}
//
// `make generate` writes the lines TERN_FORM of them.

namespace tern::testing::differential {

using Json = nlohmann::json;
/// The tensors of a running program by number.
using Variables = std::map<int, Tensor>;

// Kinds of arguments, so that the generator can draw valid arguments. Others are bool, double,
// ScalarType, std::string, Reduction, Tensors and std::optional of a kind. A first parameter
// `Tensor& a` is changed in place.
using T = const Tensor&;
using S = const Scalar&;
using Int = std::int64_t;  // any number
struct Dim {               // a dimension of the first tensor
  std::int64_t value;
  operator std::int64_t() const { return value; }
};
struct Index : Dim {};                       // a position in a dimension
struct Dims : std::vector<std::int64_t> {};  // several dimensions
struct Sizes : std::vector<std::int64_t> {};
struct Ints : std::vector<std::int64_t> {};
struct Mask : Tensor {};     // of bool
struct Indices : Tensor {};  // of int64
struct MaybeTensor : Tensor {};
using Tensors = std::vector<Tensor>;
using MaybeInt = std::optional<StrictInt>;  // what slice() and as_strided() take
struct Values {                             // the elements of a tensor
  Json list;
};

template <class Kind>
struct Argument;

inline double read_double(const Json& json) {
  return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
}

inline std::int64_t read_integer(const Json& json) {
  return json.is_boolean() ? json.get<bool>() : json.get<std::int64_t>();
}

inline Scalar read_number(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return read_double(json);
}

inline ScalarType read_dtype(const Json& json) {
  for (const ScalarType dtype :
       {kFloat, kDouble, kLong, kBool, kHalf, kBFloat16, kInt, kShort, kChar, kByte}) {
    if (json == dtype_info(dtype).python_name) return dtype;
  }
  throw std::invalid_argument("no dtype: " + json.dump());
}

template <class Vector>
Vector read_integers(const Json& json) {
  Vector result;
  for (const Json& number : json) result.push_back(number.get<std::int64_t>());
  return result;
}

#define TERN_ARGUMENT(type, text, expression)                                                    \
  template <>                                                                                    \
  struct Argument<type> {                                                                        \
    static std::string name() { return text; }                                                   \
    static type read([[maybe_unused]] const Json& json, [[maybe_unused]] Variables& variables) { \
      return expression;                                                                         \
    }                                                                                            \
  };
TERN_ARGUMENT(Tensor, "tensor", variables.at(json.get<int>()))
TERN_ARGUMENT(Mask, "mask", {variables.at(json.get<int>())})
TERN_ARGUMENT(Indices, "indices", {variables.at(json.get<int>())})
TERN_ARGUMENT(MaybeTensor, "tensor?", {json.is_null() ? Tensor() : variables.at(json.get<int>())})
TERN_ARGUMENT(Scalar, "number", read_number(json))
TERN_ARGUMENT(std::int64_t, "int", json.get<std::int64_t>())
TERN_ARGUMENT(Dim, "dim", {json.get<std::int64_t>()})
TERN_ARGUMENT(Index, "index", {{json.get<std::int64_t>()}})
TERN_ARGUMENT(Dims, "dims", read_integers<Dims>(json))
TERN_ARGUMENT(Sizes, "sizes", read_integers<Sizes>(json))
TERN_ARGUMENT(Ints, "ints", read_integers<Ints>(json))
TERN_ARGUMENT(bool, "bool", json.get<bool>())
TERN_ARGUMENT(double, "double", read_double(json))
TERN_ARGUMENT(ScalarType, "dtype", read_dtype(json))
TERN_ARGUMENT(std::string, "text", json.get<std::string>())
TERN_ARGUMENT(Values, "values", {json})
TERN_ARGUMENT(Reduction, "reduction", json == "none" ? kNone : json == "mean" ? kMean : kSum)
#undef TERN_ARGUMENT

template <>
struct Argument<Tensors> {
  static std::string name() { return "tensors"; }
  static Tensors read(const Json& json, Variables& variables) {
    Tensors tensors;
    for (const Json& number : json) tensors.push_back(variables.at(number.get<int>()));
    return tensors;
  }
};

template <class Kind>
struct Argument<std::optional<Kind>> {
  static std::string name() { return Argument<Kind>::name() + "?"; }
  static std::optional<Kind> read(const Json& json, Variables& variables) {
    if (json.is_null()) return std::nullopt;
    return Argument<Kind>::read(json, variables);
  }
};

// Converts results to tensors.
inline Tensors as_tensors(Tensor tensor) { return {std::move(tensor)}; }
inline Tensors as_tensors(Tensors tensors) { return tensors; }
template <class... Results>
Tensors as_tensors(const std::tuple<Results...>& results) {
  return std::apply([](const auto&... each) { return Tensors{each...}; }, results);
}
inline Tensors as_tensors(const std::tuple<Tensor, Tensor, Tensor>& three) {
  return {std::get<0>(three), std::get<1>(three), std::get<2>(three)};
}
inline Tensors as_tensors(const Scalar& number) {
  const NoGradGuard no_grad;
  return {tern::full({}, number, number.is_floating_point() ? kDouble : number.dtype())};
}
inline Tensors as_tensors(bool value) { return as_tensors(Scalar(value)); }

struct Form {
  std::string python, cpp;
  std::vector<std::string> kinds;
  /// The first argument is changed, and there is no result.
  bool in_place;
  std::function<Tensors(const Json& arguments, Variables& variables)> call;
};

template <class... Kinds, std::size_t... I>
std::tuple<Kinds...> read_arguments(const Json& json, Variables& variables,
                                    std::index_sequence<I...>) {
  return {Argument<Kinds>::read(json.at(I), variables)...};
}

template <class Result, class... Args>
Form make_form(const char* python, const char* cpp, Result (*call)(Args...)) {
  constexpr bool kInPlace =
      std::is_same_v<std::tuple_element_t<0, std::tuple<Args..., void>>, Tensor&>;
  const auto run = [call](const Json& json, Variables& variables) -> Tensors {
    auto arguments =
        read_arguments<std::decay_t<Args>...>(json, variables, std::index_sequence_for<Args...>());
    if constexpr (kInPlace || std::is_void_v<Result>) {
      std::apply(call, arguments);
      return {};
    } else {
      return as_tensors(std::apply(call, arguments));
    }
  };
  return {python, cpp, {Argument<std::decay_t<Args>>::name()...}, kInPlace, run};
}

/// Makes a form of its Python, its parameters in parentheses, and its C++.
// clang-format off
#define TERN_FORM(python, parameters, ...) make_form(python, #__VA_ARGS__, +[] parameters { return __VA_ARGS__; })
// clang-format on

/// Adds forms to all_forms(). Returns true.
bool add_forms(const std::vector<Form>& forms);
/// Returns all forms by their Python text.
const std::map<std::string, Form>& all_forms();
/// Returns the name of the op that a form calls: sum of "a.sum(b, keepdim=c)".
std::string op_name(const Form& form);

}  // namespace tern::testing::differential
