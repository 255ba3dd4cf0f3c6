#include <torch/torch.h>

#include <string>
#include <vector>

#include "bench.h"

// Every op in three sizes (small, middle, large) and every layout, without gradients. A line is
// named "op, [dtype,] layout, size".

namespace {

using torch::Tensor;
namespace F = torch::nn::functional;

struct Size {
  const char* name;
  std::int64_t rows, columns;
};
constexpr Size kSizes[] = {{"8 x 8", 8, 8}, {"128 x 784", 128, 784}, {"1024 x 1024", 1024, 1024}};

template <class Fn>
void report(const std::string& op, const std::string& layout, const Size& size, const Fn& fn) {
  // Shorter than in other benchmarks, because there are many lines.
  const std::string name = op + ", " + layout + ", " + size.name;
  bench::report(name.c_str(), fn, {.turn_ns = 2e6, .turns = 5});
}

// A matrix of one size in several layouts. A strided matrix takes every other element of its rows.
struct Layouts {
  Tensor contiguous, transposed, strided;
};

template <class Make>
Layouts layouts(const Size& size, const Make& make) {
  return {make(size.rows, size.columns), make(size.columns, size.rows).t(),
          make(size.rows, 2 * size.columns).slice(1, 0, 2 * size.columns, 2)};
}

Tensor normal(std::int64_t rows, std::int64_t columns) { return torch::randn({rows, columns}); }
Tensor positive(std::int64_t rows, std::int64_t columns) {
  return torch::rand({rows, columns}) + 0.125;
}

// --- One input -----------------------------------------------------------------------------------

struct UnaryOp {
  const char* name;
  Tensor (*run)(const Tensor&);
};

const UnaryOp kAnyDomain[] = {
    {"neg", [](const Tensor& x) { return torch::neg(x); }},
    {"abs", [](const Tensor& x) { return torch::abs(x); }},
    {"sign", [](const Tensor& x) { return torch::sign(x); }},
    {"square", [](const Tensor& x) { return torch::square(x); }},
    {"floor", [](const Tensor& x) { return torch::floor(x); }},
    {"ceil", [](const Tensor& x) { return torch::ceil(x); }},
    {"round", [](const Tensor& x) { return torch::round(x); }},
    {"trunc", [](const Tensor& x) { return torch::trunc(x); }},
    {"relu", [](const Tensor& x) { return torch::relu(x); }},
    {"exp", [](const Tensor& x) { return torch::exp(x); }},
    {"expm1", [](const Tensor& x) { return torch::expm1(x); }},
    {"sin", [](const Tensor& x) { return torch::sin(x); }},
    {"cos", [](const Tensor& x) { return torch::cos(x); }},
    {"tanh", [](const Tensor& x) { return torch::tanh(x); }},
    {"sigmoid", [](const Tensor& x) { return torch::sigmoid(x); }},
    {"reciprocal", [](const Tensor& x) { return torch::reciprocal(x); }},
    {"isnan", [](const Tensor& x) { return torch::isnan(x); }},
    {"isinf", [](const Tensor& x) { return torch::isinf(x); }},
    {"isfinite", [](const Tensor& x) { return torch::isfinite(x); }},
    {"logical_not", [](const Tensor& x) { return torch::logical_not(x); }},
    {"add a number", [](const Tensor& x) { return x + 2.5; }},
    {"mul by a number", [](const Tensor& x) { return x * 2.5; }},
    {"div by a number", [](const Tensor& x) { return x / 2.5; }},
    {"number minus", [](const Tensor& x) { return 1 - x; }},
    {"remainder by a number", [](const Tensor& x) { return torch::remainder(x, 0.7); }},
    {"pow 2", [](const Tensor& x) { return torch::pow(x, 2); }},
    {"pow 3", [](const Tensor& x) { return torch::pow(x, 3); }},
    {"compare with a number", [](const Tensor& x) { return x > 0.5; }},
    {"clamp", [](const Tensor& x) { return torch::clamp(x, -0.5, 0.5); }},
    {"clamp_min", [](const Tensor& x) { return torch::clamp_min(x, 0.5); }},
    {"clone", [](const Tensor& x) { return x.clone(); }},
    {"copy in rows", [](const Tensor& x) { return torch::empty(x.sizes()).copy_(x); }},
    {"to float64", [](const Tensor& x) { return x.to(torch::kDouble); }},
    {"to int64", [](const Tensor& x) { return x.to(torch::kLong); }},
    {"to bool", [](const Tensor& x) { return x.to(torch::kBool); }},
    {"sum", [](const Tensor& x) { return x.sum(); }},
    {"sum of columns", [](const Tensor& x) { return x.sum(0); }},
    {"sum of rows", [](const Tensor& x) { return x.sum(1); }},
    {"mean", [](const Tensor& x) { return x.mean(); }},
    {"mean of columns", [](const Tensor& x) { return x.mean(0); }},
    {"mean of rows", [](const Tensor& x) { return x.mean(1); }},
    {"prod", [](const Tensor& x) { return x.prod(); }},
    {"prod of rows", [](const Tensor& x) { return x.prod(1); }},
    {"var", [](const Tensor& x) { return x.var(); }},
    {"var of columns", [](const Tensor& x) { return x.var({0}, true); }},
    {"var of rows", [](const Tensor& x) { return x.var({1}, true); }},
    {"std of rows", [](const Tensor& x) { return x.std({1}, true); }},
    {"norm", [](const Tensor& x) { return x.norm(); }},
    {"norm of rows", [](const Tensor& x) { return x.norm(2, {1}); }},
    {"max", [](const Tensor& x) { return x.max(); }},
    {"max of columns", [](const Tensor& x) { return std::get<0>(x.max(0)); }},
    {"max of rows", [](const Tensor& x) { return std::get<0>(x.max(1)); }},
    {"amax of columns", [](const Tensor& x) { return x.amax({0}); }},
    {"amin of rows", [](const Tensor& x) { return x.amin({1}); }},
    {"argmax", [](const Tensor& x) { return x.argmax(); }},
    {"argmax of columns", [](const Tensor& x) { return x.argmax(0); }},
    {"argmin of rows", [](const Tensor& x) { return x.argmin(1); }},
    {"any of rows", [](const Tensor& x) { return x.any(1); }},
    {"all", [](const Tensor& x) { return x.all(); }},
    {"softmax of rows", [](const Tensor& x) { return torch::softmax(x, 1); }},
    {"softmax of columns", [](const Tensor& x) { return torch::softmax(x, 0); }},
    {"log_softmax of rows", [](const Tensor& x) { return torch::log_softmax(x, 1); }},
    {"log_softmax of columns", [](const Tensor& x) { return torch::log_softmax(x, 0); }},
};

const UnaryOp kPositive[] = {
    {"log", [](const Tensor& x) { return torch::log(x); }},
    {"log1p", [](const Tensor& x) { return torch::log1p(x); }},
    {"sqrt", [](const Tensor& x) { return torch::sqrt(x); }},
    {"rsqrt", [](const Tensor& x) { return torch::rsqrt(x); }},
    {"pow 0.5", [](const Tensor& x) { return torch::pow(x, 0.5); }},
    {"pow 2.5", [](const Tensor& x) { return torch::pow(x, 2.5); }},
    {"2.5 to the power", [](const Tensor& x) { return torch::pow(2.5, x); }},
};

void unary(const std::string& name, const UnaryOp& op, const Layouts& x, const Size& size) {
  report(name, "contiguous", size, [&] { op.run(x.contiguous); });
  report(name, "transposed", size, [&] { op.run(x.transposed); });
  report(name, "strided", size, [&] { op.run(x.strided); });
}

// --- Two and three inputs ------------------------------------------------------------------------

struct BinaryOp {
  const char* name;
  Tensor (*run)(const Tensor&, const Tensor&);
};

const BinaryOp kBinary[] = {
    {"add", [](const Tensor& x, const Tensor& y) { return x + y; }},
    {"sub", [](const Tensor& x, const Tensor& y) { return x - y; }},
    {"mul", [](const Tensor& x, const Tensor& y) { return x * y; }},
    {"div", [](const Tensor& x, const Tensor& y) { return x / y; }},
    {"add scaled", [](const Tensor& x, const Tensor& y) { return torch::add(x, y, 0.3); }},
    {"maximum", [](const Tensor& x, const Tensor& y) { return torch::maximum(x, y); }},
    {"minimum", [](const Tensor& x, const Tensor& y) { return torch::minimum(x, y); }},
    {"remainder", [](const Tensor& x, const Tensor& y) { return torch::remainder(x, y); }},
    {"eq", [](const Tensor& x, const Tensor& y) { return x == y; }},
    {"ne", [](const Tensor& x, const Tensor& y) { return x != y; }},
    {"lt", [](const Tensor& x, const Tensor& y) { return x < y; }},
    {"le", [](const Tensor& x, const Tensor& y) { return x <= y; }},
    {"gt", [](const Tensor& x, const Tensor& y) { return x > y; }},
    {"ge", [](const Tensor& x, const Tensor& y) { return x >= y; }},
    {"logical_and", [](const Tensor& x, const Tensor& y) { return torch::logical_and(x, y); }},
    {"isclose", [](const Tensor& x, const Tensor& y) { return torch::isclose(x, y); }},
    {"addcmul", [](const Tensor& x, const Tensor& y) { return torch::addcmul(x, x, y, 0.5); }},
    {"add_", [](const Tensor& x, const Tensor& y) { return Tensor(x).add_(y, 1e-9); }},
    {"copy_", [](const Tensor& x, const Tensor& y) { return Tensor(x).copy_(y); }},
};

// These ops need operands of the same size.
const BinaryOp kSameSize[] = {
    {"lerp", [](const Tensor& x, const Tensor& y) { return torch::lerp(x, y, 0.3); }},
    {"mse_loss", [](const Tensor& x, const Tensor& y) { return F::mse_loss(x, y); }},
    // clang-format off
    {"cat of rows", [](const Tensor& x, const Tensor& y) { return torch::cat({x, y}, 0); }},
    {"cat of columns", [](const Tensor& x, const Tensor& y) { return torch::cat({x, y}, 1); }},
    {"stack", [](const Tensor& x, const Tensor& y) { return torch::stack({x, y}); }},
    {"stack at the end", [](const Tensor& x, const Tensor& y) { return torch::stack({x, y}, 2); }},
    // clang-format on
};

const BinaryOp kPositiveBinary[] = {
    {"pow", [](const Tensor& x, const Tensor& y) { return torch::pow(x, y); }},
};

// Both operands are in [0, 1].
const BinaryOp kProbabilities[] = {
    {"binary_cross_entropy",
     [](const Tensor& x, const Tensor& y) { return F::binary_cross_entropy(x, y); }},
    {"binary_cross_entropy_with_logits",
     [](const Tensor& x, const Tensor& y) { return F::binary_cross_entropy_with_logits(x, y); }},
};

const BinaryOp kIntegers[] = {
    {"add", [](const Tensor& x, const Tensor& y) { return x + y; }},
    {"mul", [](const Tensor& x, const Tensor& y) { return x * y; }},
    {"remainder", [](const Tensor& x, const Tensor& y) { return torch::remainder(x, y); }},
    {"maximum", [](const Tensor& x, const Tensor& y) { return torch::maximum(x, y); }},
    {"eq", [](const Tensor& x, const Tensor& y) { return x == y; }},
    {"lt", [](const Tensor& x, const Tensor& y) { return x < y; }},
};

const BinaryOp kTruths[] = {
    {"eq", [](const Tensor& x, const Tensor& y) { return x == y; }},
    {"logical_and", [](const Tensor& x, const Tensor& y) { return torch::logical_and(x, y); }},
    {"logical_or", [](const Tensor& x, const Tensor& y) { return torch::logical_or(x, y); }},
    {"logical_xor", [](const Tensor& x, const Tensor& y) { return torch::logical_xor(x, y); }},
};

void same_size(const std::string& name, const BinaryOp& op, const Layouts& x, const Tensor& y,
               const Size& size) {
  report(name, "contiguous", size, [&] { op.run(x.contiguous, y); });
  report(name, "transposed", size, [&] { op.run(x.transposed, y); });
  report(name, "strided", size, [&] { op.run(x.strided, y); });
}

void binary(const std::string& name, const BinaryOp& op, const Layouts& x, const Tensor& y,
            const Size& size) {
  same_size(name, op, x, y, size);
  const Tensor row = y.slice(0, 0, 1).contiguous(), column = y.slice(1, 0, 1).contiguous();
  report(name, "row", size, [&] { op.run(x.contiguous, row); });
  report(name, "column", size, [&] { op.run(x.contiguous, column); });
}

// --- Other dtypes --------------------------------------------------------------------------------

const UnaryOp kDoubles[] = {
    {"exp", [](const Tensor& x) { return torch::exp(x); }},
    {"sigmoid", [](const Tensor& x) { return torch::sigmoid(x); }},
    {"tanh", [](const Tensor& x) { return torch::tanh(x); }},
    {"sin", [](const Tensor& x) { return torch::sin(x); }},
    {"sqrt", [](const Tensor& x) { return torch::sqrt(torch::abs(x)); }},
    {"mul by a number", [](const Tensor& x) { return x * 2.5; }},
    {"to float32", [](const Tensor& x) { return x.to(torch::kFloat); }},
    {"sum", [](const Tensor& x) { return x.sum(); }},
    {"sum of rows", [](const Tensor& x) { return x.sum(1); }},
    {"max of columns", [](const Tensor& x) { return std::get<0>(x.max(0)); }},
    {"log_softmax of rows", [](const Tensor& x) { return torch::log_softmax(x, 1); }},
};

const UnaryOp kLongs[] = {
    {"neg", [](const Tensor& x) { return torch::neg(x); }},
    {"abs", [](const Tensor& x) { return torch::abs(x); }},
    {"mul by a number", [](const Tensor& x) { return x * 3; }},
    {"compare with a number", [](const Tensor& x) { return x > 3; }},
    {"to float32", [](const Tensor& x) { return x.to(torch::kFloat); }},
    {"to bool", [](const Tensor& x) { return x.to(torch::kBool); }},
    {"sum", [](const Tensor& x) { return x.sum(); }},
    {"sum of columns", [](const Tensor& x) { return x.sum(0); }},
    {"max of rows", [](const Tensor& x) { return std::get<0>(x.max(1)); }},
    {"argmax of rows", [](const Tensor& x) { return x.argmax(1); }},
};

const UnaryOp kBools[] = {
    {"logical_not", [](const Tensor& x) { return torch::logical_not(x); }},
    {"clone", [](const Tensor& x) { return x.clone(); }},
    {"to float32", [](const Tensor& x) { return x.to(torch::kFloat); }},
    {"to int64", [](const Tensor& x) { return x.to(torch::kLong); }},
    {"sum", [](const Tensor& x) { return x.sum(); }},
    {"sum of rows", [](const Tensor& x) { return x.sum(1); }},
    {"any", [](const Tensor& x) { return x.any(); }},
    {"all of rows", [](const Tensor& x) { return x.all(1); }},
    {"all of columns", [](const Tensor& x) { return x.all(0); }},
};

Tensor wide(std::int64_t rows, std::int64_t columns) {
  return torch::randn({rows, columns}, torch::kDouble);
}
Tensor integers(std::int64_t rows, std::int64_t columns) {
  return torch::randint(1, 100, {rows, columns}, torch::kLong);
}
Tensor truths(std::int64_t rows, std::int64_t columns) {
  return torch::randint(0, 2, {rows, columns}, torch::kBool);
}

void other_dtypes(const Size& size) {
  const Layouts d = layouts(size, wide), i = layouts(size, integers), b = layouts(size, truths);
  const Tensor other_d = wide(size.rows, size.columns), other_i = integers(size.rows, size.columns),
               other_b = truths(size.rows, size.columns);
  for (const UnaryOp& op : kDoubles) unary(std::string(op.name) + ", float64", op, d, size);
  for (const UnaryOp& op : kLongs) unary(std::string(op.name) + ", int64", op, i, size);
  for (const UnaryOp& op : kBools) unary(std::string(op.name) + ", bool", op, b, size);
  for (const BinaryOp& op : {kBinary[0], kBinary[3], kBinary[5], kBinary[10]}) {
    binary(std::string(op.name) + ", float64", op, d, other_d, size);
  }
  for (const BinaryOp& op : kIntegers) {
    binary(std::string(op.name) + ", int64", op, i, other_i, size);
  }
  for (const BinaryOp& op : kTruths) binary(std::string(op.name) + ", bool", op, b, other_b, size);
}

// --- Choosing, filling, indexing, drawing, products ----------------------------------------------

void choosing(const Layouts& x, const Tensor& y, const Size& size) {
  const Layouts mask{x.contiguous > 0, x.transposed > 0, x.strided > 0};
  const auto each = [&](const char* name, auto run) {
    report(name, "contiguous", size, [&] { run(x.contiguous, mask.contiguous); });
    report(name, "transposed", size, [&] { run(x.transposed, mask.transposed); });
    report(name, "strided", size, [&] { run(x.strided, mask.strided); });
  };
  each("where", [&](const Tensor& a, const Tensor& m) { return torch::where(m, a, y); });
  each("where of a number", [](const Tensor& a, const Tensor& m) { return torch::where(m, a, 0); });
  each("masked_fill", [](const Tensor& a, const Tensor& m) { return a.masked_fill(m, 2); });
}

void filling(const Layouts& kept, const Size& size) {
  const Layouts x{kept.contiguous.clone(), kept.transposed.clone(), kept.strided};
  const auto each = [&](const char* name, auto run) {
    report(name, "contiguous", size, [&] { run(x.contiguous); });
    report(name, "transposed", size, [&] { run(x.transposed); });
    report(name, "strided", size, [&] { run(x.strided); });
  };
  each("fill_", [](Tensor t) { t.fill_(0.5); });
  each("zero_", [](Tensor t) { t.zero_(); });
  each("relu_", [](Tensor t) { t.relu_(); });
  each("clamp_", [](Tensor t) { t.clamp_(0.25, 0.75); });
  each("uniform_", [](Tensor t) { t.uniform_(); });
  each("normal_", [](Tensor t) { t.normal_(); });
  each("bernoulli_", [](Tensor t) { t.bernoulli_(0.3); });
  const std::int64_t rows = size.rows, columns = size.columns, n = rows * columns;
  const auto fresh = [&](const char* name, auto run) { report(name, "fresh", size, run); };
  fresh("zeros", [&] { return torch::zeros({rows, columns}); });
  fresh("full", [&] { return torch::full({rows, columns}, 0.5); });
  fresh("ones_like", [&] { return torch::ones_like(x.contiguous); });
  fresh("eye", [&] { return torch::eye(rows, columns); });
  fresh("arange", [&] { return torch::arange(n); });
  fresh("arange of floats", [&] { return torch::arange(0.0, static_cast<double>(n)); });
  fresh("linspace", [&] { return torch::linspace(0, 1, n); });
  fresh("rand", [&] { return torch::rand({rows, columns}); });
  fresh("randn", [&] { return torch::randn({rows, columns}); });
  fresh("randint", [&] { return torch::randint(0, 10, {rows, columns}, torch::kLong); });
  fresh("randperm", [&] { return torch::randperm(n, torch::kLong); });
  fresh("bernoulli", [&] { return torch::bernoulli(x.contiguous.clamp(0, 1)); });
  fresh("dropout", [&] { return F::dropout(x.contiguous, F::DropoutFuncOptions().p(0.3)); });
}

void indexing(const Layouts& x, const Size& size) {
  const std::int64_t rows = size.rows, columns = size.columns;
  const Tensor some_rows = torch::randint(0, rows, {rows}, torch::kLong);
  const Tensor some_columns = torch::randint(0, columns, {columns}, torch::kLong);
  const Tensor row_of = torch::randint(0, rows, {rows, columns}, torch::kLong);
  const Tensor column_of = torch::randint(0, columns, {rows, columns}, torch::kLong);
  const Tensor y = x.contiguous.clone();
  const Tensor target = torch::randint(0, columns, {rows}, torch::kLong);
  const auto each = [&](const char* name, auto run) {
    report(name, "contiguous", size, [&] { run(x.contiguous); });
    report(name, "transposed", size, [&] { run(x.transposed); });
    report(name, "strided", size, [&] { run(x.strided); });
  };
  each("index_select of rows", [&](const Tensor& t) { t.index_select(0, some_rows); });
  each("index_select of columns", [&](const Tensor& t) { t.index_select(1, some_columns); });
  each("index_add of rows", [&](const Tensor& t) { t.index_add(0, some_rows, y); });
  each("index_add of columns", [&](const Tensor& t) { t.index_add(1, some_columns, y); });
  each("gather of rows", [&](const Tensor& t) { t.gather(0, row_of); });
  each("gather of columns", [&](const Tensor& t) { t.gather(1, column_of); });
  each("scatter_add of rows", [&](const Tensor& t) { t.scatter_add(0, row_of, y); });
  each("scatter_add of columns", [&](const Tensor& t) { t.scatter_add(1, column_of, y); });
  each("nll_loss", [&](const Tensor& t) { F::nll_loss(t, target); });
  each("cross_entropy", [&](const Tensor& t) { F::cross_entropy(t, target); });
}

void products(const Layouts& x, const Tensor& y, const Size& size) {
  const Tensor vector = torch::randn({size.columns}), flat = x.contiguous.reshape({-1});
  const Tensor square = torch::randn({size.columns, 64}), batch = torch::randn({8, 16, 64});
  const auto each = [&](const char* name, auto run) {
    report(name, "contiguous", size, [&] { run(x.contiguous); });
    report(name, "transposed", size, [&] { run(x.transposed); });
    report(name, "strided", size, [&] { run(x.strided); });
  };
  each("matmul by 64 columns", [&](const Tensor& t) { t.matmul(square); });
  each("addmm by 64 columns", [&](const Tensor& t) { torch::addmm(square[0], t, square); });
  each("mv", [&](const Tensor& t) { t.mv(vector); });
  each("bmm", [&](const Tensor& t) {
    const Tensor a = t.slice(1, 0, 8).unsqueeze(0);
    a.expand({4, -1, -1}).bmm(batch.slice(0, 0, 4).slice(1, 0, 8));
  });
  report("dot", "contiguous", size, [&] { flat.dot(y.reshape({-1})); });
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  torch::manual_seed(0);
  const torch::NoGradGuard no_grad;
  for (const Size& size : kSizes) {
    const Layouts x = layouts(size, normal), p = layouts(size, positive);
    const Layouts unit{p.contiguous - 0.125, p.transposed - 0.125, Tensor(p.strided).sub_(0.125)};
    const Tensor y = normal(size.rows, size.columns), q = positive(size.rows, size.columns);
    for (const UnaryOp& op : kAnyDomain) unary(op.name, op, x, size);
    for (const UnaryOp& op : kPositive) unary(op.name, op, p, size);
    for (const BinaryOp& op : kBinary) binary(op.name, op, x, y, size);
    for (const BinaryOp& op : kSameSize) same_size(op.name, op, x, y, size);
    for (const BinaryOp& op : kPositiveBinary) binary(op.name, op, p, q, size);
    for (const BinaryOp& op : kProbabilities) same_size(op.name, op, unit, q - 0.125, size);
    choosing(x, y, size);
    filling(x, size);
    indexing(x, size);
    products(x, y, size);
    other_dtypes(size);
  }
}
