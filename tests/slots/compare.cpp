#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

#include <tern/core/kernels/backend.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/tensor/tensor.h>

namespace tern::slots {

using namespace kernels;

namespace {

constexpr std::size_t kGuard = 512;
constexpr char kGuardByte = '\xA5';
constexpr std::size_t kLine = 64;  // the host's alignment is kept up to this
constexpr std::size_t kMostExamples = 4;

std::size_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// A copy of an operand in host memory, between guard bytes.
struct HostBuffer {
  std::vector<char> host;
  char* start = nullptr;  // of the operand in `host`
};

double epsilon(ScalarType dtype) {
  if (dtype == kHalf) return 0x1p-10;
  if (dtype == kBFloat16) return 0x1p-7;
  return dtype == kFloat ? 0x1p-23 : 0x1p-52;
}

// The mean magnitude of the finite elements: sums that cancel out are judged by what they are made
// of.
template <class T>
double mean_magnitude(const T* elements, std::int64_t count) {
  double sum = 0;
  std::int64_t finite = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = std::abs(static_cast<double>(elements[i]));
    if (!std::isfinite(x)) continue;
    sum += x;
    ++finite;
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

// Distances in units of `unit` at the size of the numbers; infinite if one of them alone is NaN.
double distance(double got, double want, double scale, double unit) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : kFar;
  if (got == want) return 0;
  if (std::isinf(got) || std::isinf(want)) return kFar;
  return std::abs(got - want) / (unit * std::max(std::abs(want), scale));
}

}  // namespace

struct Comparer::Piece {
  const char* first;
  const char* last;
  bool is_poisoned;          // nobody reads what it holds before the call
  std::size_t unit;          // the largest element
  HostBuffer want{}, got{};  // what the CPU and the device left
  Tensor memory{};           // of the device
  char* start = nullptr;

  std::size_t size() const { return static_cast<std::size_t>(last - first); }
  std::size_t got_offset() const { return static_cast<std::size_t>(got.start - got.host.data()); }
  void fill(HostBuffer& buffer, std::size_t offset) const {
    buffer.host.assign(2 * kGuard + 8 * kLine + size() + kLine, kGuardByte);
    buffer.start = buffer.host.data() + offset;
    if (is_poisoned) {
      std::memset(buffer.start, 0xff, size());  // NaN in each floating dtype
    } else {
      std::memcpy(buffer.start, first, size());
    }
  }
};

Comparer::Comparer(Device device, Outcome& outcome, std::string label, Mistake mistake)
    : device_(device), outcome_(outcome), label_(std::move(label)), mistake_(mistake) {}

void Comparer::add_wrong(const std::string& what) {
  ++outcome_.wrong;
  if (outcome_.examples.size() < kMostExamples) outcome_.examples.push_back(label_ + ": " + what);
}

namespace {

// Makes the operands of `args`, which has the pointers of the call, point into the copies.
template <class Pieces, class Start>
void move_operands(const Operands& operands, const Pieces& pieces, const Start& start) {
  for (const Operand& operand : operands) {
    const auto* const pointer = static_cast<const char*>(operand.pointer);
    const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const auto& each) {
      return each.first <= pointer + operand.first && pointer + operand.last <= each.last;
    });
    const char* const moved = start(*piece) + (pointer - piece->first);
    std::memcpy(operand.field, &moved, sizeof(moved));
  }
}

}  // namespace

void Comparer::compare(const Call& call) {
  ++outcome_.calls;
  outcome_.limit = std::max(outcome_.limit, call.limit);
  std::vector<char> args(call.size);
  std::memcpy(args.data(), call.args, call.size);
  std::vector<Piece> pieces;
  const Operands operands = call.operands(args.data());
  for (const Operand& operand : operands) {
    const auto* const pointer = static_cast<const char*>(operand.pointer);
    const bool fresh = operand.is_written && !call.reads(args.data(), operand);
    pieces.push_back({pointer + operand.first, pointer + operand.last, fresh,
                      static_cast<std::size_t>(element_size(operand.dtype))});
  }
  // Operands that share memory stay together: a kernel may work in place.
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.first < b.first; });
  std::vector<Piece> joined;
  for (Piece& piece : pieces) {
    if (joined.empty() || piece.first >= joined.back().last) {
      joined.push_back(std::move(piece));
      continue;
    }
    Piece& back = joined.back();
    back.last = std::max(back.last, piece.last);
    back.is_poisoned = back.is_poisoned && piece.is_poisoned;
    back.unit = std::max(back.unit, piece.unit);
  }

  for (Piece& piece : joined) {
    piece.fill(piece.want, 0);
    const std::size_t start = address_of(piece.want.host.data());
    const std::size_t offset = kGuard + (address_of(piece.first) - start) % kLine;
    piece.fill(piece.want, offset);
  }
  call.adapt(args.data());
  move_operands(operands, joined, [](const Piece& piece) { return piece.want.start; });
  KernelContext context;
  call.reference(args.data(), &context);
  if (context.status != StatusCode::kOk) return;  // the op refuses the call
  for (int pass = 0; pass < 3; ++pass) {
    run_on_device(call, joined, pass);
    compare_written(call, joined, pass);
  }
}

// Pass 0 has the alignment of the host. In pass 1 all operands lie one element further, in pass 2
// each by another number of elements.
void Comparer::run_on_device(const Call& call, std::vector<Piece>& pieces, int pass) {
  Backend& backend = backend_of(device_.type());
  const Device host(kCPU);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    const std::size_t shift = pass == 0 ? 0 : pass == 1 ? 1 : 1 + i % 3;
    piece.fill(piece.got, kGuard + address_of(piece.first) % kLine / piece.unit * piece.unit +
                              shift * piece.unit);
    const auto bytes = static_cast<std::int64_t>(piece.got.host.size());
    if (!piece.memory.defined()) {
      piece.memory = tern::empty({bytes}, TensorOptions().dtype(kByte).device(device_));
    }
    char* const start = static_cast<char*>(piece.memory.data_ptr());
    piece.start = start + (piece.got.start - piece.got.host.data());
    backend.copy_bytes(start, device_, piece.got.host.data(), host, piece.got.host.size(), false);
  }
  std::vector<char> args(call.size);
  std::memcpy(args.data(), call.args, call.size);
  const Operands operands = call.operands(args.data());
  call.adapt(args.data());
  move_operands(operands, pieces, [](const Piece& piece) { return piece.start; });
  KernelContext context;
  context.device = device_.index();
  context.stream = backend.stream(device_.index());
  context.message[0] = '\0';
  const KernelFn kernel = backend.kernels()[call.slot];
  if (kernel == nullptr) return add_wrong("the device has no such kernel");
  kernel(args.data(), &context);
  if (context.status != StatusCode::kOk) {
    add_wrong("ended with status " + std::to_string(static_cast<int>(context.status)) + " " +
              context.message);
  }
  backend.synchronize(device_.index());
  for (Piece& piece : pieces) {
    const std::size_t bytes = piece.got.host.size();
    backend.copy_bytes(piece.got.host.data(), host, piece.memory.data_ptr(), device_, bytes, false);
  }
  if (mistake_ != Mistake::kNone) plant_mistake(call, pieces);
  for (const Piece& piece : pieces) {
    const std::size_t bytes = piece.got.host.size();
    const auto untouched = [](const char* from, const char* to) {
      return std::all_of(from, to, [](char c) { return c == kGuardByte; });
    };
    const char* const first = piece.got.host.data();
    if (!untouched(first, piece.got.start)) add_wrong("wrote before an operand");
    if (!untouched(piece.got.start + piece.size(), first + bytes)) {
      add_wrong("wrote behind an operand");
    }
  }
}

// Changes what came back from the device as a wrong kernel would.
void Comparer::plant_mistake(const Call& call, std::vector<Piece>& pieces) const {
  std::vector<char> args(call.size);
  std::memcpy(args.data(), call.args, call.size);
  for (const Operand& operand : call.operands(args.data())) {
    if (!operand.is_written || call.check(args.data(), operand.name) == Check::kNothing) continue;
    const auto* const first = static_cast<const char*>(operand.pointer) + operand.first;
    const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& each) {
      return each.first <= first && first < each.last;
    });
    char* const start = piece->got.start + (first - piece->first);
    const auto size = static_cast<std::size_t>(element_size(operand.dtype));
    const std::size_t count = static_cast<std::size_t>(operand.last - operand.first) / size;
    if (mistake_ == Mistake::kOneElement) start[count / 2 * size + size - 1] ^= 0x45;
    if (mistake_ == Mistake::kNothingWritten) piece->fill(piece->got, piece->got_offset());
    if (mistake_ == Mistake::kBefore) piece->got.start[-1] = 0;
    if (mistake_ == Mistake::kBehind) piece->got.start[piece->size()] = 0;
  }
}

void Comparer::compare_written(const Call& call, const std::vector<Piece>& pieces, int pass) {
  std::vector<char> args(call.size);
  std::memcpy(args.data(), call.args, call.size);
  const Operands operands = call.operands(args.data());
  // The least exact dtype of the call: statistics of float32 are float64.
  double unit = 0x1p-52;
  for (const Operand& operand : operands) {
    if (is_floating_point(operand.dtype)) unit = std::max(unit, epsilon(operand.dtype));
  }
  for (const Operand& operand : operands) {
    const Check how = call.check(args.data(), operand.name);
    if (!operand.is_written || how == Check::kNothing) continue;
    const auto* const first = static_cast<const char*>(operand.pointer) + operand.first;
    const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& each) {
      return each.first <= first && first < each.last;
    });
    const std::ptrdiff_t offset = first - piece->first;
    visit_dtype(operand.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto count = (operand.last - operand.first) / static_cast<std::int64_t>(sizeof(T));
      const auto* const want = reinterpret_cast<const T*>(piece->want.start + offset);
      const auto* const got = reinterpret_cast<const T*>(piece->got.start + offset);
      outcome_.elements += count;
      std::int64_t worst = -1;
      double largest = 0;
      if constexpr (is_floating_point(dtype_of<T>())) {
        const double scale = mean_magnitude(want, count);
        for (std::int64_t i = 0; i < count; ++i) {
          if (std::memcmp(&got[i], &want[i], sizeof(T)) == 0) continue;
          auto x = static_cast<double>(got[i]), y = static_cast<double>(want[i]);
          if (how == Check::kMagnitudes) x = std::abs(x), y = std::abs(y);
          const double d = distance(x, y, scale, unit);
          if (d > largest) largest = d, worst = i;
        }
      } else {
        for (std::int64_t i = 0; i < count && worst < 0; ++i) {
          if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) worst = i;
        }
        if (worst >= 0) largest = std::numeric_limits<double>::infinity();
      }
      outcome_.largest = std::max(outcome_.largest, largest);
      if (!(largest <= call.limit)) {
        double x = 0, y = 0;
        if constexpr (!std::is_same_v<T, bool>) {
          x = static_cast<double>(got[worst]), y = static_cast<double>(want[worst]);
        } else {
          x = reinterpret_cast<const unsigned char*>(got)[worst];
          y = reinterpret_cast<const unsigned char*>(want)[worst];
        }
        char text[200];
        std::snprintf(text, sizeof(text), "%s (%s) [%lld] is %.9g, not %.9g (alignment %d)",
                      operand.name, dtype_info(operand.dtype).name, static_cast<long long>(worst),
                      x, y, pass);
        add_wrong(text);
      }
    });
  }
}

}  // namespace tern::slots
