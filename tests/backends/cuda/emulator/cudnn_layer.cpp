#include <backends/cuda/emulator/cudnn_layer.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include <backends/cuda/emulator/cudnn_node.h>

namespace tern::emulator {
namespace {

constexpr std::int64_t kGap = 32;        // bytes
constexpr std::int64_t kRowNumbers = 8;  // doubles for each element of a row of the reserve

/// Which call wrote the reserve last.
enum Stage : std::uint64_t { kForwardDone = 0x5265736572766531, kGradientsDone, kAllDone };

struct Header {
  std::uint64_t stage, checksum;
};

std::uint64_t checksum_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  }
  return hash;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// A call with elements of type T.
template <class T>
class Layer {
 public:
  explicit Layer(const LayerCall& call)
      : call_(call), n_(call.hidden), steps_(call.lengths.at(0)), starts_{0} {
    for (int t = 0; t < steps_; ++t) {
      std::int64_t rows = 0;
      for (const int length : call.lengths) rows += length > t ? 1 : 0;
      starts_.push_back(starts_.back() + rows);
    }
  }

  void forward() const {
    for (std::size_t b = 0; b < call_.lengths.size(); ++b) {
      std::vector<double> h = state(call_.first_h, b), c = state(call_.first_c, b);
      for (int t = 0; t < call_.lengths[b]; ++t) advance(row(t, b), h, c);
      store(call_.last_h, b, h);
      if (is_lstm()) store(call_.last_c, b, c);
    }
    seal(kForwardDone);
  }

  void gradients() const {
    open(kForwardDone);
    for (std::size_t b = 0; b < call_.lengths.size(); ++b) {
      std::vector<double> h = state(call_.grad_h, b), c = state(call_.grad_c, b);
      for (int t = call_.lengths[b]; t-- > 0;) retreat(t, b, h, c);
      store(call_.grad_first_h, b, h);
      if (is_lstm()) store(call_.grad_first_c, b, c);
    }
    seal(kGradientsDone);
  }

  void weight_gradients() const {
    open(kGradientsDone);
    for (std::size_t b = 0; b < call_.lengths.size(); ++b) {
      for (int t = 0; t < call_.lengths[b]; ++t) add_row(t, b);
    }
    std::memset(call_.reserve, 0xff, call_.reserve_bytes());
    seal(kAllDone);
  }

 private:
  bool is_lstm() const { return call_.cells == kLstmCells; }
  std::int64_t row(int t, std::size_t b) const {
    return starts_[static_cast<std::size_t>(t)] + static_cast<std::int64_t>(b);
  }
  static double at(const void* data, std::int64_t i) {
    return data == nullptr ? 0 : double{static_cast<const T*>(data)[i]};
  }
  double weight(std::int64_t part, bool is_bias, std::int64_t i) const {
    const std::int64_t place = call_.place_of(part, is_bias);
    return place < 0 ? 0 : at(static_cast<const char*>(call_.weights) + place, i);
  }
  void add_weight(std::int64_t part, bool is_bias, std::int64_t i, double x) const {
    const std::int64_t place = call_.place_of(part, is_bias);
    if (place < 0) return;
    T& sum = reinterpret_cast<T*>(static_cast<char*>(call_.grad_weights) + place)[i];
    sum = static_cast<T>(double{sum} + x);
  }
  std::vector<double> state(const void* data, std::size_t b) const {
    std::vector<double> values;
    for (std::int64_t j = 0; j < n_; ++j) {
      values.push_back(at(data, static_cast<std::int64_t>(b) * n_ + j));
    }
    return values;
  }
  void store(void* data, std::size_t b, const std::vector<double>& values) const {
    if (data == nullptr) return;
    for (std::int64_t j = 0; j < n_; ++j) {
      static_cast<T*>(data)[static_cast<std::int64_t>(b) * n_ + j] =
          static_cast<T>(values[static_cast<std::size_t>(j)]);
    }
  }
  /// The state of the output from which step t of a sequence began.
  double before(int t, std::size_t b, std::int64_t j) const {
    return t == 0 ? at(call_.first_h, static_cast<std::int64_t>(b) * n_ + j)
                  : at(call_.y, row(t - 1, b) * n_ + j);
  }

  double* kept(std::int64_t at_row, std::int64_t number) const {
    return static_cast<double*>(
               static_cast<void*>(static_cast<char*>(call_.reserve) + sizeof(Header))) +
           (at_row * kRowNumbers + number) * n_;
  }
  std::uint64_t checksum() const {
    return checksum_of(static_cast<char*>(call_.reserve) + sizeof(Header),
                       call_.reserve_bytes() - sizeof(Header));
  }
  void seal(Stage stage) const {
    if (call_.reserve == nullptr) return;
    const Header header{stage, checksum()};
    std::memcpy(call_.reserve, &header, sizeof(header));
  }
  void open(Stage stage) const {
    Header header;
    std::memcpy(&header, call_.reserve, sizeof(header));
    require_cudnn_rule(header.stage == stage, "the reserve is not that of the call before");
    require_cudnn_rule(header.checksum == checksum(), "somebody wrote to the reserve");
  }

  void advance(std::int64_t at_row, std::vector<double>& h, std::vector<double>& c) const {
    const std::int64_t gates = call_.gates();
    std::vector<double> next(h.size());
    for (std::int64_t j = 0; j < n_; ++j) {
      double from_x[4] = {}, from_h[4] = {}, left[kRowNumbers] = {};
      for (std::int64_t g = 0; g < gates; ++g) {
        from_x[g] = weight(g, true, j);
        from_h[g] = weight(gates + g, true, j);
        for (std::int64_t k = 0; k < call_.inputs; ++k) {
          from_x[g] +=
              weight(g, false, j * call_.inputs + k) * at(call_.x, at_row * call_.inputs + k);
        }
        for (std::int64_t k = 0; k < n_; ++k) {
          from_h[g] += weight(gates + g, false, j * n_ + k) * h[static_cast<std::size_t>(k)];
        }
      }
      double& state = next[static_cast<std::size_t>(j)];
      if (is_lstm()) {
        double& cell = c[static_cast<std::size_t>(j)];
        left[4] = cell;
        for (int g = 0; g < 4; ++g) {
          left[g] = g == 2 ? std::tanh(from_x[g] + from_h[g]) : logistic(from_x[g] + from_h[g]);
        }
        cell = static_cast<T>(left[1] * cell + left[0] * left[2]);
        left[5] = std::tanh(cell);
        state = left[3] * left[5];
      } else if (call_.cells == kGruCells) {
        left[0] = logistic(from_x[0] + from_h[0]);
        left[1] = logistic(from_x[1] + from_h[1]);
        left[3] = from_h[2];
        left[2] = std::tanh(from_x[2] + left[0] * left[3]);
        state = (1 - left[1]) * left[2] + left[1] * h[static_cast<std::size_t>(j)];
      } else {
        const double sum = from_x[0] + from_h[0];
        state = call_.cells == kTanhCells ? std::tanh(sum) : std::max(sum, 0.0);
      }
      state = static_cast<T>(state);
      static_cast<T*>(call_.y)[at_row * n_ + j] = static_cast<T>(state);
      if (call_.reserve == nullptr) continue;
      for (int i = 0; i < kRowNumbers; ++i) kept(at_row, i)[j] = left[i];
    }
    h = next;
  }

  void retreat(int t, std::size_t b, std::vector<double>& h, std::vector<double>& c) const {
    const std::int64_t at_row = row(t, b), gates = call_.gates();
    std::vector<double> previous(h.size());  // the gradient of the state before
    for (std::int64_t j = 0; j < n_; ++j) {
      const auto number = [&](int i) { return kept(at_row, i)[j]; };
      const double g = h[static_cast<std::size_t>(j)] + at(call_.grad_y, at_row * n_ + j);
      double of_x[4] = {}, of_h[4] = {};
      if (is_lstm()) {
        double& grad_c = c[static_cast<std::size_t>(j)];
        const double i = number(0), f = number(1), n = number(2), o = number(3);
        const double of_cell = grad_c + g * o * (1 - number(5) * number(5));
        of_x[0] = of_cell * n * i * (1 - i);
        of_x[1] = of_cell * number(4) * f * (1 - f);
        of_x[2] = of_cell * i * (1 - n * n);
        of_x[3] = g * number(5) * o * (1 - o);
        grad_c = of_cell * f;
      } else if (call_.cells == kGruCells) {
        const double r = number(0), z = number(1), n = number(2);
        of_x[2] = g * (1 - z) * (1 - n * n);
        of_x[0] = of_x[2] * number(3) * r * (1 - r);
        of_x[1] = g * (before(t, b, j) - n) * z * (1 - z);
        previous[static_cast<std::size_t>(j)] = g * z;
      } else {
        const double y = at(call_.y, at_row * n_ + j);
        of_x[0] = call_.cells == kTanhCells ? g * (1 - y * y) : (y > 0 ? g : 0);
      }
      for (std::int64_t gate = 0; gate < gates; ++gate) of_h[gate] = of_x[gate];
      if (call_.cells == kGruCells) of_h[2] = of_x[2] * number(0);
      for (int i = 0; i < 4; ++i) {
        kept(at_row, i)[j] = of_x[i];
        kept(at_row, 4 + i)[j] = of_h[i];
      }
    }
    for (std::int64_t k = 0; k < call_.inputs; ++k) {
      double sum = 0;
      for (std::int64_t g = 0; g < gates; ++g) {
        for (std::int64_t j = 0; j < n_; ++j) {
          sum += kept(at_row, g)[j] * weight(g, false, j * call_.inputs + k);
        }
      }
      static_cast<T*>(call_.grad_x)[at_row * call_.inputs + k] = static_cast<T>(sum);
    }
    for (std::int64_t k = 0; k < n_; ++k) {
      double& sum = previous[static_cast<std::size_t>(k)];
      for (std::int64_t g = 0; g < gates; ++g) {
        for (std::int64_t j = 0; j < n_; ++j) {
          sum += kept(at_row, 4 + g)[j] * weight(gates + g, false, j * n_ + k);
        }
      }
    }
    h = previous;
  }

  void add_row(int t, std::size_t b) const {
    const std::int64_t at_row = row(t, b), gates = call_.gates();
    for (std::int64_t g = 0; g < gates; ++g) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const double of_x = kept(at_row, g)[j], of_h = kept(at_row, 4 + g)[j];
        add_weight(g, true, j, of_x);
        add_weight(gates + g, true, j, of_h);
        for (std::int64_t k = 0; k < call_.inputs; ++k) {
          add_weight(g, false, j * call_.inputs + k, of_x * at(call_.x, at_row * call_.inputs + k));
        }
        for (std::int64_t k = 0; k < n_; ++k) {
          add_weight(gates + g, false, j * n_ + k, of_h * before(t, b, k));
        }
      }
    }
  }

  const LayerCall& call_;
  std::int64_t n_;
  int steps_;
  std::vector<std::int64_t> starts_;
};

}  // namespace

std::int64_t LayerCall::gates() const {
  if (cells == kLstmCells) return 4;
  return cells == kGruCells ? 3 : 1;
}
std::int64_t LayerCall::rows() const { return std::reduce(lengths.begin(), lengths.end(), 0); }

// The biases of the state, the matrices of the state from the last gate to the first, each with a
// gap behind it, the matrices of the input, and the biases of the input.
std::int64_t LayerCall::place_of(std::int64_t part, bool is_bias) const {
  const auto size = static_cast<std::int64_t>(bytes());
  const std::int64_t gate = part % gates(), bias = hidden * size;
  if (is_bias && !has_bias) return -1;
  if (is_bias && part >= gates()) return gate * bias;
  const std::int64_t states_at = has_bias ? gates() * bias : 0, state = hidden * bias + kGap;
  if (!is_bias && part >= gates()) return states_at + (gates() - 1 - gate) * state;
  const std::int64_t inputs_at = states_at + gates() * state, input = inputs * bias;
  return is_bias ? inputs_at + gates() * input + gate * bias : inputs_at + gate * input;
}
std::size_t LayerCall::weight_bytes() const {
  const std::int64_t size = gates() * hidden * (inputs + hidden + (has_bias ? 2 : 0));
  return static_cast<std::size_t>(size) * bytes() + static_cast<std::size_t>(gates() * kGap);
}
std::size_t LayerCall::workspace_bytes() const {
  return 64 + static_cast<std::size_t>(rows() * hidden) * bytes();
}
std::size_t LayerCall::reserve_bytes() const {
  return sizeof(Header) + static_cast<std::size_t>(rows() * hidden * kRowNumbers) * sizeof(double);
}

void compute_forward(const LayerCall& call) {
  call.is_double ? Layer<double>(call).forward() : Layer<float>(call).forward();
}
void compute_gradients(const LayerCall& call) {
  call.is_double ? Layer<double>(call).gradients() : Layer<float>(call).gradients();
}
void compute_weight_gradients(const LayerCall& call) {
  call.is_double ? Layer<double>(call).weight_gradients() : Layer<float>(call).weight_gradients();
}

}  // namespace tern::emulator
