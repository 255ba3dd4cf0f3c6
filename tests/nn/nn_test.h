#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/core/tensor/state.h>
#include <tern/nn/nn.h>

#include "error_of.h"
#include "golden/golden.h"
#include "printed.h"

// Helpers shared by the tests of nn.

namespace tern {

/// Returns a tensor of golden/modules/nn.json.
inline Tensor golden_tensor(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/nn").at(name));
}

/// Returns a leaf with these elements that requires grad.
inline Tensor parameter_of(const Tensor& values) {
  return values.detach().clone().requires_grad_();
}

/// Checks that dtype, sizes and bits are equal; the device may differ.
inline ::testing::AssertionResult same_bits(const Tensor& a, const Tensor& b) {
  if (identical(State(a.detach()), State(b.detach()))) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a << "\nis not\n" << b;
}

/// Checks that values are equal up to rounding; the device may differ.
inline ::testing::AssertionResult close(const Tensor& a, const Tensor& b, double tolerance = 1e-6) {
  const Tensor left = a.detach().cpu(), right = b.detach().cpu();
  if (left.sizes() == right.sizes() && allclose(left, right, tolerance, tolerance)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << left << "\nis not close to\n" << right;
}

/// Checks that a text contains a part.
inline ::testing::AssertionResult has_text(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no \"" << part << "\" in \"" << text << '"';
}

/// Returns the same tree with separate tensors.
inline State copy_of(const State& state) {
  if (state.is_tensor()) return state.tensor().clone();
  State copy = state.is_list() ? State::list() : State();
  if (state.is_list()) {
    for (const State& element : state.elements()) copy.push_back(copy_of(element));
  } else if (state.is_dict()) {
    for (const auto& [key, value] : state) copy.insert(key, copy_of(value));
  } else {
    copy = state;
  }
  return copy;
}

/// Two Linear layers, one norm and one buffer that is not saved.
struct SmallNetImpl : nn::Cloneable<SmallNetImpl> {
  SmallNetImpl() { SmallNetImpl::reset(); }
  void reset() override {
    fc1 = register_module("fc1", nn::Linear(3, 4));
    norm = register_module("norm", nn::BatchNorm1d(4));
    fc2 = register_module("fc2", nn::Linear(4, 2));
    scale = register_parameter("scale", tern::full({2}, 1.5));
    step = register_buffer("step", tern::zeros({}, kLong));
    scratch = register_buffer("scratch", tern::zeros({2}), /*persistent=*/false);
  }
  Tensor forward(const Tensor& x) { return fc2(relu(norm(fc1(x)))) * scale; }

  nn::Linear fc1{nullptr}, fc2{nullptr};
  nn::BatchNorm1d norm{nullptr};
  Tensor scale, step, scratch;
};
TERN_MODULE(SmallNet);

}  // namespace tern
