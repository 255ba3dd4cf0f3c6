#pragma once

#include <cstdint>

#include <tern/core/kernels/families/recurrent.h>
#include <tern/core/kernels/math/math.h>

// One step of one sequence, between the products. Each loop calls one function that is made of many
// instructions, so that the loops vectorize; the row stays in the first-level cache.

namespace tern::cpu {

namespace math = kernels::math;

/// The vectors of a step, n elements each. `gates` are those of kernels::RecurrentArgs.
template <class T>
struct ForwardRow {
  T* gates;
  T* h;      // the state before and after
  T* c;      // of an LSTM
  T* out;    // receives h
  T* cells;  // receives c; may be null
};

/// The vectors of a step on the way back.
template <class T>
struct BackwardRow {
  const T* gates;
  const T* out;
  const T* cells;     // c after the step
  const T* before;    // h before the step, of an LSTM c
  const T* grad_out;  // may be null
  T* grad_h;          // of h after the step; becomes the part of the gradient of h before the
                      // step that is no product
  T* grad_c;          // of c after and before the step
  T* grad_gates;
};

template <class T>
void squash(T* x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = math::tanh(x[j]);
}
template <class T>
void open_gates(T* x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = math::sigmoid(x[j]);
}

/// Writes the new state to h and out.
template <class T>
void store_state(const T* __restrict state, T* __restrict h, T* __restrict out, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) h[j] = out[j] = state[j];
}

template <class T>
void lstm_forward(const ForwardRow<T>& row, std::int64_t n) {
  open_gates(row.gates, 2 * n);
  squash(row.gates + 2 * n, n);
  open_gates(row.gates + 3 * n, n);
  const T* __restrict i = row.gates;
  const T* __restrict f = i + n;
  const T* __restrict g = f + n;
  const T* __restrict o = g + n;
  T* __restrict c = row.c;
  T* __restrict h = row.h;
  T* __restrict out = row.out;
  for (std::int64_t j = 0; j < n; ++j) c[j] = f[j] * c[j] + i[j] * g[j];
  for (std::int64_t j = 0; j < n; ++j) out[j] = o[j] * math::tanh(c[j]);
  for (std::int64_t j = 0; j < n; ++j) h[j] = out[j];
  if (row.cells == nullptr) return;
  T* __restrict cells = row.cells;
  for (std::int64_t j = 0; j < n; ++j) cells[j] = c[j];
}

template <class T>
void gru_forward(const ForwardRow<T>& row, std::int64_t n) {
  open_gates(row.gates + n, 2 * n);
  T* __restrict candidate = row.gates;
  const T* __restrict r = candidate + n;
  const T* __restrict z = r + n;
  const T* __restrict from_state = z + n;
  T* __restrict h = row.h;
  T* __restrict out = row.out;
  for (std::int64_t j = 0; j < n; ++j) candidate[j] += r[j] * from_state[j];
  squash(row.gates, n);
  for (std::int64_t j = 0; j < n; ++j) {
    h[j] = out[j] = (T(1) - z[j]) * candidate[j] + z[j] * h[j];
  }
}

/// Computes the step of a sequence from its gates before their activation.
template <class T>
void forward_cell(kernels::RecurrentCell cell, const ForwardRow<T>& row, std::int64_t n) {
  switch (cell) {
    case kernels::RecurrentCell::kTanh:
      squash(row.gates, n);
      return store_state(row.gates, row.h, row.out, n);
    case kernels::RecurrentCell::kRelu:
      for (std::int64_t j = 0; j < n; ++j) row.gates[j] = row.gates[j] < 0 ? T(0) : row.gates[j];
      return store_state(row.gates, row.h, row.out, n);
    case kernels::RecurrentCell::kLstm:
      return lstm_forward(row, n);
    case kernels::RecurrentCell::kGru:
      return gru_forward(row, n);
  }
}

// The loops back have so many vectors that the compiler must know that these do not overlap: it
// does for parameters, unless the function is inlined.

template <class T>
[[gnu::noinline]] void lstm_gate_gradients(const T* __restrict gates, const T* __restrict cells,
                                           const T* __restrict before, T* __restrict grad_h,
                                           T* __restrict grad_c, T* __restrict grad_gates,
                                           std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    const T i = gates[j], f = gates[n + j], g = gates[2 * n + j], o = gates[3 * n + j];
    const T squashed = math::tanh(cells[j]);
    const T of_cell = grad_c[j] + grad_h[j] * o * (T(1) - squashed * squashed);
    grad_gates[j] = of_cell * g * i * (T(1) - i);
    grad_gates[n + j] = of_cell * before[j] * f * (T(1) - f);
    grad_gates[2 * n + j] = of_cell * i * (T(1) - g * g);
    grad_gates[3 * n + j] = grad_h[j] * squashed * o * (T(1) - o);
    grad_c[j] = of_cell * f;
    grad_h[j] = 0;
  }
}

template <class T>
[[gnu::noinline]] void gru_gate_gradients(const T* __restrict gates, const T* __restrict before,
                                          T* __restrict grad_h, T* __restrict grad_gates,
                                          std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    const T x = gates[j], r = gates[n + j], z = gates[2 * n + j], from_state = gates[3 * n + j];
    const T g = grad_h[j], of_sum = g * (T(1) - z) * (T(1) - x * x);
    grad_gates[j] = of_sum;
    grad_gates[n + j] = of_sum * from_state * r * (T(1) - r);
    grad_gates[2 * n + j] = g * (before[j] - x) * z * (T(1) - z);
    grad_gates[3 * n + j] = of_sum * r;
    grad_h[j] = g * z;
  }
}

/// Computes the gradients of a step from that of the state after it.
template <class T>
void backward_cell(kernels::RecurrentCell cell, const BackwardRow<T>& row, std::int64_t n) {
  T* __restrict grad_h = row.grad_h;
  if (row.grad_out != nullptr) {
    const T* __restrict grad_out = row.grad_out;
    for (std::int64_t j = 0; j < n; ++j) grad_h[j] += grad_out[j];
  }
  const T* __restrict out = row.out;
  T* __restrict grad_gates = row.grad_gates;
  switch (cell) {
    case kernels::RecurrentCell::kTanh:
      for (std::int64_t j = 0; j < n; ++j) {
        grad_gates[j] = grad_h[j] * (T(1) - out[j] * out[j]);
        grad_h[j] = 0;
      }
      return;
    case kernels::RecurrentCell::kRelu:
      for (std::int64_t j = 0; j < n; ++j) {
        grad_gates[j] = out[j] <= 0 ? T(0) : grad_h[j];
        grad_h[j] = 0;
      }
      return;
    case kernels::RecurrentCell::kLstm:
      return lstm_gate_gradients<T>(row.gates, row.cells, row.before, grad_h, row.grad_c,
                                    grad_gates, n);
    case kernels::RecurrentCell::kGru:
      return gru_gate_gradients<T>(row.gates, row.before, grad_h, grad_gates, n);
  }
}

}  // namespace tern::cpu
