#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/linalg/matmul_precision.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {

void detail::multiply(const Product& product, const Tensor& a, std::int64_t a_batch,
                      const Tensor& b, std::int64_t b_batch, std::int64_t batch,
                      const Tensor& out) {
  if (out.numel() == 0) return;
  const auto last = [](const Tensor& t, std::size_t from_end, bool stride) {
    return (stride ? t.strides() : t.sizes())[t.sizes().size() - from_end];
  };
  kernels::GemmArgs args;
  args.dtype = out.dtype();
  args.precision = detail::float32_matmul_precision();
  args.batch = batch;
  args.m = last(a, 2, false);
  args.k = last(a, 1, false);
  args.n = last(b, 1, false);
  args.a = a.data_ptr();
  args.a_batch_stride = a_batch;
  args.a_row_stride = last(a, 2, true);
  args.a_col_stride = last(a, 1, true);
  args.b = b.data_ptr();
  args.b_batch_stride = b_batch;
  args.b_row_stride = last(b, 2, true);
  args.b_col_stride = last(b, 1, true);
  args.c = out.data_ptr();
  args.c_batch_stride = args.m * args.n;
  args.c_row_stride = args.n;
  args.bias = product.bias != nullptr ? product.bias->data_ptr() : nullptr;
  args.bias_stride = product.bias != nullptr ? product.bias->strides()[0] : 0;
  args.alpha = product.alpha;
  args.beta = product.beta;
  kernels::run(product.name, out.device(), out.dtype(), args);
}

namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::check_inner_sizes;
using detail::check_matrix;
using detail::check_same_dtype_of_matrices;
using detail::multiply;
using detail::unsafe_view;
using detail::with_sizes;

}  // namespace

namespace detail {

void check_same_dtype_of_matrices(const Tensor& a, const Tensor& b) {
  TERN_CHECK(a.dtype() == b.dtype(), DTypeError, "mat1 and mat2 must have the same dtype, but got ",
             a.scalar_type(), " and ", b.scalar_type());
}

void check_inner_sizes(const Tensor& a, const Tensor& b) {
  TERN_CHECK(a.sizes()[1] == b.sizes()[0], ShapeError,
             "mat1 and mat2 shapes cannot be multiplied (", a.sizes()[0], "x", a.sizes()[1],
             " and ", b.sizes()[0], "x", b.sizes()[1], ")");
}

void check_matrix(const char* argument, const Tensor& tensor) {
  TERN_CHECK(tensor.dim() == 2, ShapeError, argument, " must be a matrix, got ", tensor.dim(),
             "-D tensor");
}

Tensor with_sizes(const Tensor& product, IntArrayRef sizes) {
  return make_alias(product, sizes, contiguous_strides(sizes), product.storage_offset());
}

Tensor unsafe_view(const char* node, const Tensor& product, IntArrayRef sizes) {
  Tensor out = with_sizes(product, sizes);
  if (!needs_grad(product)) return out;
  return record(node, out, wrt(product, [rows = product.self().sizes](const Tensor& g) {
                  return g.reshape(rows);
                }));
}

}  // namespace detail

Tensor mm(const Tensor& self, const Tensor& other) {
  TERN_OP("mm", self, other);
  TERN_AUTOCAST(kLower, kLower, mm, self, other);
  check_matrix("self", self);
  check_matrix("mat2", other);
  detail::check_same_device("mm", {&self, &other}, {"self", "mat2"});
  TERN_CHECK(self.dtype() == other.dtype(), DTypeError,
             "expected m1 and m2 to have the same dtype, but got: ", self.scalar_type(),
             " != ", other.scalar_type());
  check_inner_sizes(self, other);
  Tensor out =
      detail::make_tensor({self.sizes()[0], other.sizes()[1]}, self.dtype(), self.device());
  multiply({"mm"}, self, 0, other, 0, 1, out);
  if (!needs_grad(self, other)) return out;
  return record("MmBackward0", out,
                wrt(
                    self, [](const Tensor& g, const Tensor& b) { return g.mm(b.t()); }, other),
                wrt(
                    other, [](const Tensor& g, const Tensor& a) { return a.t().mm(g); }, self));
}

Tensor bmm(const Tensor& self, const Tensor& other) {
  TERN_OP("bmm", self, other);
  TERN_AUTOCAST(kLower, kLower, bmm, self, other);
  TERN_CHECK(self.dim() == 3 && other.dim() == 3, ShapeError, self.dim() == 3 ? "batch2" : "batch1",
             " must be a 3D tensor, got ", self.dim(), "-D and ", other.dim(), "-D");
  detail::check_same_device("bmm", {&self, &other}, {"self", "mat2"});
  TERN_CHECK(self.dtype() == other.dtype(), DTypeError, "expected scalar type ", self.scalar_type(),
             " but found ", other.scalar_type());
  TERN_CHECK(self.sizes()[0] == other.sizes()[0] && self.sizes()[2] == other.sizes()[1], ShapeError,
             "Expected size for first two dimensions of batch2 tensor to be: [", self.sizes()[0],
             ", ", self.sizes()[2], "] but got: [", other.sizes()[0], ", ", other.sizes()[1], "].");
  Tensor out = detail::make_tensor({self.sizes()[0], self.sizes()[1], other.sizes()[2]},
                                   self.dtype(), self.device());
  multiply({"bmm"}, self, self.strides()[0], other, other.strides()[0], self.sizes()[0], out);
  if (!needs_grad(self, other)) return out;
  return record("BmmBackward0", out,
                wrt(
                    self, [](const Tensor& g, const Tensor& b) { return g.bmm(b.mT()); }, other),
                wrt(
                    other, [](const Tensor& g, const Tensor& a) { return a.mT().bmm(g); }, self));
}

Tensor mv(const Tensor& self, const Tensor& vector) {
  TERN_OP("mv", self, vector);
  TERN_AUTOCAST(kUnchanged, kLower, mv, self, vector);
  TERN_CHECK(self.dim() == 2 && vector.dim() == 1, ShapeError,
             "vector + matrix @ vector expected, got ", self.dim(), "-D and ", vector.dim(), "-D");
  TERN_CHECK(self.sizes()[1] == vector.sizes()[0], ShapeError, "size mismatch, got input (",
             self.sizes()[0], "), mat (", self.sizes()[0], "x", self.sizes()[1], "), vec (",
             vector.sizes()[0], ")");
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = with_sizes(self.mm(vector.unsqueeze(1)), self.sizes()[0]);
  }
  if (!needs_grad(self, vector)) return out;
  return record(
      "MvBackward0", out,
      wrt(
          self, [](const Tensor& g, const Tensor& v) { return g.unsqueeze(1) * v; }, vector),
      wrt(
          vector, [](const Tensor& g, const Tensor& a) { return a.t().mv(g); }, self));
}

namespace {

Tensor product_of_vectors(const char* node, const Tensor& self, const Tensor& other) {
  TERN_CHECK(self.dim() == 1 && other.dim() == 1, ShapeError, "1D tensors expected, but got ",
             self.dim(), "D and ", other.dim(), "D tensors");
  TERN_CHECK(self.dtype() == other.dtype(), DTypeError,
             "dot : expected both vectors to have same dtype, but found ", self.scalar_type(),
             " and ", other.scalar_type());
  TERN_CHECK(self.numel() == other.numel(), ShapeError,
             "inconsistent tensor size, expected tensor ", self.sizes(), " and src ", other.sizes(),
             " to have the same number of elements, but got ", self.numel(), " and ", other.numel(),
             " elements respectively");
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = with_sizes(self.unsqueeze(0).mm(other.unsqueeze(1)), {});
  }
  if (!needs_grad(self, other)) return out;
  const auto rule = [](const Tensor& g, const Tensor& factor) { return g * factor; };
  return record(node, out, wrt(self, rule, other), wrt(other, rule, self));
}

}  // namespace

Tensor dot(const Tensor& self, const Tensor& other) {
  TERN_OP("dot", self, other);
  TERN_AUTOCAST(kUnchanged, kWidest, dot, self, other);
  return product_of_vectors("DotBackward0", self, other);
}

Tensor vdot(const Tensor& self, const Tensor& other) {
  TERN_OP("vdot", self, other);
  TERN_AUTOCAST(kUnchanged, kWidest, vdot, self, other);
  return product_of_vectors("VdotBackward0", self, other);
}

Tensor matmul(const Tensor& self, const Tensor& other) {
  TERN_OP("matmul", self, other);
  TERN_AUTOCAST(kLower, kLower, matmul, self, other);
  const std::int64_t da = self.dim(), db = other.dim();
  TERN_CHECK(da > 0 && db > 0, ShapeError,
             "both arguments to matmul need to be at least 1D, but they are ", da, "D and ", db,
             "D");
  if (da == 1 && db == 1) return dot(self, other);
  if (da == 2 && db == 1) return mv(self, other);
  if (da == 1) {
    const Tensor product = matmul(self.unsqueeze(0), other);
    DimVector rest = product.self().sizes;
    rest.erase(rest.size() - 2);
    return unsafe_view(db == 2 ? "SqueezeBackward4" : "UnsafeViewBackward0", product, rest);
  }
  if (da == 2 && db == 2) return mm(self, other);
  const IntArrayRef a = self.sizes(), b = other.sizes();
  // A single vector or matrix for all rows needs no batch.
  if (db <= 2) {
    DimVector sizes(a.slice(0, a.size() - 1));
    std::int64_t rows = 1;  // no -1 for reshape: the last size may be 0
    for (const std::int64_t size : sizes) rows *= size;
    const Tensor folded = self.reshape({rows, a.back()});
    if (db == 2) sizes.push_back(b[1]);
    return unsafe_view("UnsafeViewBackward0", db == 1 ? mv(folded, other) : mm(folded, other),
                       sizes);
  }
  const std::int64_t m = a[a.size() - 2], k = a[a.size() - 1], n = b[b.size() - 1];
  TERN_CHECK(k == b[b.size() - 2], ShapeError, "mat1 and mat2 shapes cannot be multiplied (", m,
             "x", k, " and ", b[b.size() - 2], "x", n, ") in ", a, " and ", b);
  DimVector sizes = broadcast_sizes(a.slice(0, a.size() - 2), b.slice(0, b.size() - 2));
  std::int64_t batch = 1;
  for (std::int64_t size : sizes) batch *= size;
  const auto batched = [&](const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
    DimVector full = sizes;
    full.push_back(rows);
    full.push_back(columns);
    return tensor.expand(full).reshape({batch, rows, columns});
  };
  const Tensor product = bmm(batched(self, m, k), batched(other, k, n));
  sizes.push_back(m);
  sizes.push_back(n);
  return unsafe_view("UnsafeViewBackward0", product, sizes);
}

namespace {

// Computes linear() for shapes that the kernel does not take.
Tensor composed_linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Tensor transposed = weight.t();
  // Throws for a 1-d weight with a 1-d bias: PyTorch has no such sum for contiguous inputs.
  if (bias.defined() && (input.dim() == 2 || (weight.dim() == 1 && bias.dim() == 1))) {
    return addmm(bias, input, transposed);
  }
  Tensor product = matmul(input, transposed);
  if (!bias.defined()) return product;
  Tensor sum = product + bias;
  TERN_CHECK(sum.sizes() == product.sizes(), ShapeError, "output with shape ", product.sizes(),
             " doesn't match the broadcast shape ", sum.sizes());
  return sum;
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  TERN_OP("linear", input, weight);
  TERN_AUTOCAST(kLower, kLower, linear, input, weight, bias);
  TERN_CHECK(input.dim() > 0 && weight.dim() > 0, ShapeError,
             "both arguments to linear need to be at least 1D, but they are ", input.dim(),
             "D and ", weight.dim(), "D");
  // An input that is no matrix is flattened to rows, to which a bias of sizes [1, n] is added, too.
  const bool takes_bias = !bias.defined() || bias.dim() == 1 ||
                          (input.dim() != 2 && bias.sizes() == IntArrayRef({1, weight.sizes()[0]}));
  if (weight.dim() != 2 || !takes_bias) {
    return composed_linear(input, weight, bias);
  }
  if (input.dim() != 2) {
    DimVector sizes = input.self().sizes;
    std::int64_t batch = 1;
    for (std::size_t d = 0; d + 1 < sizes.size(); ++d) batch *= sizes[d];
    const Tensor rows = input.reshape({batch, sizes.back()});
    sizes.back() = weight.sizes()[0];
    const bool is_vector = sizes.size() == 1 && !bias.defined();  // PyTorch: matmul
    return unsafe_view(is_vector ? "SqueezeBackward4" : "UnsafeViewBackward0",
                       linear(rows, weight, bias), sizes);
  }
  if (bias.defined()) {
    detail::check_same_device("addmm", {&input, &weight, &bias}, {"mat1", "mat2", "self"});
  } else {
    detail::check_same_device("mm", {&input, &weight}, {"self", "mat2"});
  }
  check_same_dtype_of_matrices(input, weight);
  const std::int64_t rows = input.sizes()[0], k = input.sizes()[1], n = weight.sizes()[0];
  TERN_CHECK(k == weight.sizes()[1], ShapeError, "mat1 and mat2 shapes cannot be multiplied (",
             rows, "x", k, " and ", weight.sizes()[1], "x", n,
             "); the last size of the input should "
             "be ",
             weight.sizes()[1]);
  if (bias.defined()) {
    TERN_CHECK(bias.dtype() == input.dtype(), DTypeError,
               "self and mat2 must have the same dtype, but got ", bias.scalar_type(), " and ",
               weight.scalar_type());
    if (bias.numel() != n) return composed_linear(input, weight, bias);
  }
  Tensor out = detail::make_tensor({rows, n}, input.dtype(), input.device());
  const Tensor transposed = detail::make_alias(
      weight, {k, n}, {weight.strides()[1], weight.strides()[0]}, weight.storage_offset());
  multiply({"linear", bias.defined() ? &bias : nullptr}, input, 0, transposed, 0, 1, out);
  if (!needs_grad(input, weight, bias)) return out;
  return record(bias.defined() ? "AddmmBackward0" : "MmBackward0", out,
                wrt(
                    input, [](const Tensor& g, const Tensor& w) { return g.mm(w); }, weight),
                wrt(
                    weight, [](const Tensor& g, const Tensor& x) { return g.t().mm(x); }, input),
                wrt(bias, [](const Tensor& g) { return g.sum(0); }));
}

}  // namespace tern
