#include "every_op.h"

// Every op in three sizes (small, middle, large) and every layout, without gradients. A line is
// named "op, [dtype,] layout, size". Float32 has all lines; float64, int64 and bool have those
// whose kernels differ; the six other dtypes have all that the library offers, in fewer layouts.

namespace {

using namespace every_op;

// --- Other dtypes --------------------------------------------------------------------------------

const BinaryOp kIntegers[] = {
    {"add", [](const Tensor& x, const Tensor& y) { return x + y; }},
    {"mul", [](const Tensor& x, const Tensor& y) { return x * y; }},
    {"remainder", [](const Tensor& x, const Tensor& y) { return torch::remainder(x, y); }},
    {"fmod", [](const Tensor& x, const Tensor& y) { return torch::fmod(x, y); }},
    {"div floor", [](const Tensor& x, const Tensor& y) { return torch::div(x, y, "floor"); }},
    {"gcd", [](const Tensor& x, const Tensor& y) { return torch::gcd(x, y); }},
    {"lcm", [](const Tensor& x, const Tensor& y) { return torch::lcm(x, y); }},
    {"left shift",
     [](const Tensor& x, const Tensor& y) { return torch::bitwise_left_shift(x, y); }},
    {"right shift",
     [](const Tensor& x, const Tensor& y) { return torch::bitwise_right_shift(x, y); }},
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
  each("exponential_", [](Tensor t) { t.exponential_(); });
  each("cauchy_", [](Tensor t) { t.cauchy_(); });
  each("log_normal_", [](Tensor t) { t.log_normal_(); });
  each("geometric_", [](Tensor t) { t.geometric_(0.3); });
}

void creating(torch::ScalarType dtype, const Size& size) {
  const std::int64_t rows = size.rows, columns = size.columns, n = rows * columns;
  const auto fresh = [&](const char* name, auto run) { report(name, "fresh", size, run); };
  fresh("zeros", [&] { return torch::zeros({rows, columns}, dtype); });
  fresh("full", [&] { return torch::full({rows, columns}, 0.5, dtype); });
  fresh("eye", [&] { return torch::eye(rows, columns, dtype); });
  fresh("arange of floats", [&] { return torch::arange(0.0, static_cast<double>(n), dtype); });
  fresh("linspace", [&] { return torch::linspace(0, 1, n, dtype); });
  fresh("rand", [&] { return torch::rand({rows, columns}, dtype); });
  fresh("randn", [&] { return torch::randn({rows, columns}, dtype); });
}

void creating_integers(torch::ScalarType dtype, const Size& size) {
  const std::int64_t rows = size.rows, columns = size.columns, n = rows * columns;
  const auto fresh = [&](const char* name, auto run) { report(name, "fresh", size, run); };
  fresh("arange", [&] { return torch::arange(n, dtype); });
  fresh("randint", [&] { return torch::randint(0, 10, {rows, columns}, dtype); });
  fresh("randperm", [&] { return torch::randperm(n, dtype); });
}

void creating_like(const Tensor& x, const Size& size) {
  const auto fresh = [&](const char* name, auto run) { report(name, "fresh", size, run); };
  fresh("ones_like", [&] { return torch::ones_like(x); });
  fresh("bernoulli", [&] { return torch::bernoulli(x.clamp(0, 1)); });
  const Tensor p = x.clamp(0, 1) * 0.75 + 0.125;
  fresh("normal of tensors", [&] { return at::normal(x, p); });
  fresh("poisson", [&] { return torch::poisson(p * 8); });
  fresh("binomial", [&] { return torch::binomial(torch::full_like(p, 20), p); });
  fresh("multinomial", [&] { return torch::multinomial(p, 1); });
  fresh("multinomial, 5", [&] { return torch::multinomial(p, 5); });
  fresh("multinomial, replaced", [&] { return torch::multinomial(p, 64, true); });
  fresh("rrelu", [&] { return torch::rrelu(x - 0.5, 0.125, 0.25, true); });
  fresh("gumbel_softmax", [&] { return F::gumbel_softmax(x, F::GumbelSoftmaxFuncOptions()); });
  fresh("dropout", [&] { return F::dropout(x, F::DropoutFuncOptions().p(0.3)); });
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
  each("scatter of rows", [&](const Tensor& t) { t.scatter(0, row_of, y); });
  each("scatter_reduce amax", [&](const Tensor& t) { t.scatter_reduce(1, column_of, y, "amax"); });
  const Tensor mask = x.contiguous > 0, position = row_of * columns + column_of;
  each("masked_select", [&](const Tensor& t) { t.masked_select(mask); });
  each("nonzero", [&](const Tensor& t) { t.nonzero(); });
  each("take", [&](const Tensor& t) { t.take(position); });
  each("index by rows", [&](const Tensor& t) { t.index({some_rows}); });
  each("index by elements", [&](const Tensor& t) { t.index({row_of, column_of}); });
  each("index by mask", [&](const Tensor& t) { t.index({mask}); });
  const Tensor sums = x.contiguous.clone();
  report("index_put_ of rows, added", "contiguous", size,
         [&] { sums.clone().index_put_({some_rows}, y, true); });
  each("scatter_add of columns", [&](const Tensor& t) { t.scatter_add(1, column_of, y); });
  each("nll_loss", [&](const Tensor& t) { F::nll_loss(t, target); });
  each("cross_entropy", [&](const Tensor& t) { F::cross_entropy(t, target); });
}

void products(const Layouts& x, const Tensor& y, const Size& size) {
  const torch::ScalarType dtype = y.scalar_type();
  const Tensor vector = torch::randn({size.columns}).to(dtype), flat = x.contiguous.reshape({-1});
  const Tensor square = torch::randn({size.columns, 64}).to(dtype);
  const Tensor batch = torch::randn({8, 16, 64}).to(dtype);
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
  report("outer", "contiguous", size, [&] { y[0].outer(vector); });
  if (dtype != torch::kFloat && dtype != torch::kDouble) return;
  each("einsum ij,ij->i", [&](const Tensor& t) { torch::einsum("ij,ij->i", {t, y}); });
  each("cdist, p = 1", [&](const Tensor& t) { torch::cdist(t, y.slice(0, 0, 32), 1); });
  each("cdist, p = 2", [&](const Tensor& t) { torch::cdist(t, y.slice(0, 0, 32)); });
  each("cosine_similarity", [&](const Tensor& t) { torch::cosine_similarity(t, y); });
  const std::int64_t n = std::min<std::int64_t>(size.rows, 128);
  const Tensor a = normal(n, n).to(dtype);
  const auto matrix = [&](const char* name, auto run) {
    report(name, "contiguous", size, [&] { run(a); });
  };
  matrix("linalg::qr", [](const Tensor& t) { torch::linalg_qr(t); });
  matrix("linalg::eigh", [](const Tensor& t) { torch::linalg_eigh(t); });
  matrix("linalg::svd", [](const Tensor& t) { torch::linalg_svd(t, false); });
  matrix("linalg::solve", [](const Tensor& t) { torch::linalg_solve(t, t); });
  matrix("matrix_exp", [](const Tensor& t) { t.matrix_exp(); });
}

// --- The other six dtypes ------------------------------------------------------------------------

Layouts cast(const Layouts& x, torch::ScalarType dtype) {
  Tensor strided = torch::empty({x.strided.size(0), 2 * x.strided.size(1)}, dtype);
  strided = strided.slice(1, 0, strided.size(1), 2);
  strided.copy_(x.strided);
  return {x.contiguous.to(dtype), x.transposed.to(dtype), strided};
}

void conversions(const Dtype& dtype, const Tensor& x, const Size& size) {
  const auto convert = [&](const Dtype& from, const Dtype& to) {
    const Tensor in = x.to(from.dtype);
    report(std::string("to ") + to.name + " from " + from.name, "contiguous", size,
           [&] { return in.to(to.dtype); });
  };
  for (const Dtype& to : kSixDtypes) {
    if (to.dtype != dtype.dtype) convert(dtype, to);
  }
  for (const Dtype& four : kFourDtypes) {
    convert(dtype, four);
    convert(four, dtype);
  }
}

void all_ops(const Dtype& dtype, const Size& size) {
  dtype_name = std::string(", ") + dtype.name;
  torch::manual_seed(0);  // one of the libraries may have drawn numbers that the other refused
  const bool floating = dtype.dtype == torch::kHalf || dtype.dtype == torch::kBFloat16;
  const Layouts x = cast(layouts(size, floating ? normal : integers), dtype.dtype);
  const Tensor y = (floating ? normal : integers)(size.rows, size.columns).to(dtype.dtype);
  for (const UnaryOp& op : kAnyDomain) {
    const bool converts = std::string(op.name).rfind("to ", 0) == 0;  // see conversions()
    if (!converts && (floating || !is_for_floats(op.name))) unary(op.name, op, x, size);
  }
  for (const UnaryOp& op : kNumberOps) unary(op.name, op, x, size);
  for (const BinaryOp& op : kBinary) binary(op.name, op, x, y, size);
  for (const BinaryOp& op : kNumberBinary) binary(op.name, op, x, y, size);
  for (const BinaryOp& op : kSameSize) same_size(op.name, op, x, y, size);
  if (floating) {
    const Layouts p = cast(layouts(size, positive), dtype.dtype);
    const Tensor q = positive(size.rows, size.columns).to(dtype.dtype);
    for (const UnaryOp& op : kPositive) unary(op.name, op, p, size);
    for (const BinaryOp& op : kPositiveBinary) binary(op.name, op, p, q, size);
    const Layouts unit{p.contiguous - 0.125, p.transposed - 0.125, p.strided - 0.125};
    for (const BinaryOp& op : kProbabilities) same_size(op.name, op, unit, q - 0.125, size);
  }
  choosing(x, y, size);
  filling(cast(layouts(size, positive), dtype.dtype), size);
  creating(dtype.dtype, size);
  creating_integers(dtype.dtype, size);
  creating_like(x.contiguous, size);
  indexing(x, size);
  products(x, y, size);
  conversions(dtype, (floating ? normal : integers)(size.rows, size.columns), size);
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
    filling(layouts(size, normal), size);
    creating(torch::kFloat, size);
    creating_integers(torch::kLong, size);
    creating_like(x.contiguous, size);
    indexing(x, size);
    products(x, y, size);
    other_dtypes(size);
  }
  for (const Size& size : kSizes) {
    for (const Dtype& dtype : kSixDtypes) all_ops(dtype, size);
  }
}
