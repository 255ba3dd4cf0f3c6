#include <tern/core/distributed/detail/direct_transport.h>

#include <algorithm>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/device_streams.h>
#include <tern/core/ops/ops.h>

namespace tern::distributed::detail {
namespace {

using Outcome = Result::Outcome;

// Reductions go in pieces of this size, because they need as much memory again.
constexpr std::int64_t kPiece = std::int64_t{32} << 20;

Tensor joined(const Tensor& a, const Tensor& b, Reduction op) {
  if (a.dtype() == kBool) return op == Reduction::kMin ? logical_and(a, b) : logical_or(a, b);
  if (op == Reduction::kMax) return maximum(a, b);
  if (op == Reduction::kMin) return minimum(a, b);
  return a + b;
}

Message message_of(const Tensor& elements, std::size_t peer, bool is_sent) {
  return {elements.data_ptr(), static_cast<std::int64_t>(elements.nbytes()),
          static_cast<std::int32_t>(peer), is_sent};
}

}  // namespace

Tensor DirectTransport::elements(const void* data, std::int64_t count, ScalarType dtype) const {
  const auto options = TensorOptions().dtype(dtype).device(device_);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): inputs are only read
  return count == 0 ? empty({0}, options) : from_blob(const_cast<void*>(data), {count}, options);
}

Result DirectTransport::exchange_all(const std::vector<Message>& messages) {
  kernels::synchronize_stream(device_.index());
  return host_.exchange(messages.data(), static_cast<std::int64_t>(messages.size()));
}

Result DirectTransport::swap(const std::vector<Tensor>& own, const std::vector<Tensor>& theirs) {
  std::vector<Message> messages;
  for (std::size_t peer = 0; peer < own.size(); ++peer) {
    if (static_cast<int>(peer) == rank()) continue;
    if (theirs[peer].numel() > 0) messages.push_back(message_of(theirs[peer], peer, false));
    if (own[peer].numel() > 0) messages.push_back(message_of(own[peer], peer, true));
  }
  return exchange_all(messages);
}

Result DirectTransport::join(const std::vector<Tensor>& own, const Tensor& out, Reduction op) {
  const Tensor& mine = own[static_cast<std::size_t>(rank())];
  std::vector<Tensor> parts;
  parts.reserve(own.size());
  for (int from = 0; from < size(); ++from) {
    parts.push_back(from == rank() ? mine : empty_like(mine));
  }
  const Result result = swap(own, parts);
  if (result.outcome == Outcome::kLate) {
    new std::vector<Tensor>(parts);  // NOLINT: MPI may still write to them
  }
  if (result.outcome != Outcome::kDone) return result;
  Tensor sum;
  for (const Tensor& part : parts) {
    const Tensor brought = op == Reduction::kMean ? part / size() : part;
    sum = sum.defined() ? joined(sum, brought, op) : brought;
  }
  out.copy_(sum);
  return {};
}

Result DirectTransport::reduce_piece(const Tensor& piece, Reduction op) {
  // Each rank joins one slice and gives it to all.
  std::vector<Tensor> slices;
  for (std::int64_t to = 0; to < size(); ++to) {
    const std::int64_t begin = piece.numel() * to / size();
    slices.push_back(piece.narrow(0, begin, piece.numel() * (to + 1) / size() - begin));
  }
  const Tensor& mine = slices[static_cast<std::size_t>(rank())];
  const Result result = join(slices, mine, op);
  if (result.outcome != Outcome::kDone) return result;
  return swap(std::vector<Tensor>(slices.size(), mine), slices);
}

Result DirectTransport::all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) {
  return guarded([&] {
    const std::int64_t most = kPiece / static_cast<std::int64_t>(element_size(dtype));
    const Tensor all = elements(data, count, dtype);
    Result result;
    for (std::int64_t begin = 0; begin < count && result.outcome == Outcome::kDone; begin += most) {
      result = reduce_piece(all.narrow(0, begin, std::min(most, count - begin)), op);
    }
    return result;
  });
}

Result DirectTransport::reduce_scatter(const void* in, void* out, std::int64_t count,
                                       ScalarType dtype, Reduction op) {
  return guarded([&] {
    const std::int64_t most = std::max<std::int64_t>(
        kPiece / (size() * static_cast<std::int64_t>(element_size(dtype))), 1);
    const Tensor all = elements(in, size() * count, dtype), part = elements(out, count, dtype);
    Result result;
    for (std::int64_t begin = 0; begin < count && result.outcome == Outcome::kDone; begin += most) {
      const std::int64_t length = std::min(most, count - begin);
      std::vector<Tensor> own;
      for (std::int64_t to = 0; to < size(); ++to) {
        own.push_back(all.narrow(0, to * count + begin, length));
      }
      result = join(own, part.narrow(0, begin, length), op);
    }
    return result;
  });
}

// Doubles in each turn the ranks that have the elements.
Result DirectTransport::broadcast(void* data, std::int64_t bytes, int root) {
  return guarded([&] {
    const Tensor all = elements(data, bytes, kByte);
    const int mine = (rank() - root + size()) % size();  // the number from the root on
    Result result;
    for (int have = 1; have < size() && bytes > 0 && result.outcome == Outcome::kDone; have *= 2) {
      const int other = mine < have ? mine + have : mine - have;
      if (other >= size() || mine >= 2 * have) continue;
      result = exchange_all(
          {message_of(all, static_cast<std::size_t>((other + root) % size()), mine < have)});
    }
    return result;
  });
}

Result DirectTransport::all_gather(const void* in, void* out, std::int64_t bytes) {
  return guarded([&] {
    if (bytes == 0) return Result();
    const Tensor mine = elements(in, bytes, kByte);
    const std::vector<Tensor> parts = elements(out, size() * bytes, kByte).chunk(size());
    parts[static_cast<std::size_t>(rank())].copy_(mine);
    return swap(std::vector<Tensor>(parts.size(), mine), parts);
  });
}

Result DirectTransport::all_to_all(const void* in, void* out, std::int64_t bytes) {
  return guarded([&] {
    if (bytes == 0) return Result();
    const std::vector<Tensor> own = elements(in, size() * bytes, kByte).chunk(size());
    const std::vector<Tensor> parts = elements(out, size() * bytes, kByte).chunk(size());
    parts[static_cast<std::size_t>(rank())].copy_(own[static_cast<std::size_t>(rank())]);
    return swap(own, parts);
  });
}

}  // namespace tern::distributed::detail
