#include <tern/backends/mpi/transport.h>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

#include <tern/backends/mpi/reductions.h>

namespace tern::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = Result::Outcome;
using distributed::detail::kPositionBytes;

// Large reductions and broadcasts go in pieces of this size, which bounds MPI's own memory and
// costs nothing.
constexpr std::int64_t kPiece = std::int64_t{4} << 20;
constexpr int kMessage = 1, kRoll = 2;  // tags
// How long a rank that was too late waits for the positions of others.
constexpr double kRollSeconds = 2;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

// MPI counts with int.
Result too_large(std::int64_t bytes) {
  Result result{Outcome::kFailed, {}};
  std::snprintf(result.text, sizeof(result.text),
                "MPI moves at most %d bytes for each rank in one call, got %lld; divide the tensor",
                INT_MAX, static_cast<long long>(bytes));
  return result;
}

// Calls `call(begin, count)` for pieces of `total`.
template <class Call>
Result in_pieces(std::int64_t total, std::int64_t piece, const Call& call) {
  for (std::int64_t begin = 0; begin < total; begin += piece) {
    const Result result = call(begin, static_cast<int>(std::min(piece, total - begin)));
    if (result.outcome != Outcome::kDone) return result;
  }
  return {};
}

}  // namespace

// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): complete() and drop_sent() end the requests
MpiTransport::MpiTransport(MPI_Comm communicator) : communicator_(communicator) {
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &size_);
}

MpiTransport::~MpiTransport() {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  // What MPI still uses stays: the process ends soon after a time-out.
  if (is_late_ || is_finalized != 0) {
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory the process ends anyway
    for (Sent& sent : sent_) new std::vector<char>(std::move(sent.bytes));
    return;
  }
  for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&communicator_);
}

Result MpiTransport::complete(int code, MPI_Request* request) {
  const auto deadline = Clock::now() + seconds(timeout_);
  int is_done = 0;
  for (std::uint32_t turn = 1; code == MPI_SUCCESS; ++turn) {
    code = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0 || code != MPI_SUCCESS) break;
    if (turn % 64 != 0) continue;
    sched_yield();  // there may be fewer cores than ranks
    if (Clock::now() < deadline) continue;
    is_late_ = true;
    return {Outcome::kLate, {}};
  }
  if (code == MPI_SUCCESS) return {};
  Result result{Outcome::kFailed, {}};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::snprintf(result.text, sizeof(result.text), "%s", text);
  return result;
}

Result MpiTransport::all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) {
  const auto item = static_cast<std::int64_t>(element_size(dtype));
  const ReductionOp how = reduction_op(dtype, op);
  return in_pieces(count, kPiece / item, [&](std::int64_t begin, int part) {
    MPI_Request request;
    const int code = MPI_Iallreduce(MPI_IN_PLACE, static_cast<char*>(data) + begin * item, part,
                                    how.type, how.op, communicator_, &request);
    return complete(code, &request);
  });
}

Result MpiTransport::reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                                    Reduction op) {
  if (count > INT_MAX) return too_large(count);
  const ReductionOp how = reduction_op(dtype, op);
  MPI_Request request;
  const int code = MPI_Ireduce_scatter_block(in, out, static_cast<int>(count), how.type, how.op,
                                             communicator_, &request);
  return complete(code, &request);
}

Result MpiTransport::broadcast(void* data, std::int64_t bytes, int root) {
  return in_pieces(bytes, kPiece, [&](std::int64_t begin, int part) {
    MPI_Request request;
    const int code =
        MPI_Ibcast(static_cast<char*>(data) + begin, part, MPI_BYTE, root, communicator_, &request);
    return complete(code, &request);
  });
}

Result MpiTransport::all_gather(const void* in, void* out, std::int64_t bytes) {
  if (bytes > INT_MAX) return too_large(bytes);
  const int count = static_cast<int>(bytes);
  MPI_Request request;
  const int code =
      MPI_Iallgather(in, count, MPI_BYTE, out, count, MPI_BYTE, communicator_, &request);
  return complete(code, &request);
}

Result MpiTransport::all_to_all(const void* in, void* out, std::int64_t bytes) {
  if (bytes > INT_MAX) return too_large(bytes);
  const int count = static_cast<int>(bytes);
  MPI_Request request;
  const int code =
      MPI_Ialltoall(in, count, MPI_BYTE, out, count, MPI_BYTE, communicator_, &request);
  return complete(code, &request);
}

Result MpiTransport::send(const void* data, std::int64_t bytes, int to) {
  if (bytes > INT_MAX) return too_large(bytes);
  drop_sent();
  const char* const begin = static_cast<const char*>(data);
  Sent& sent = sent_.emplace_back(Sent{{begin, begin + bytes}, MPI_REQUEST_NULL});
  const int code = MPI_Isend(sent.bytes.data(), static_cast<int>(bytes), MPI_BYTE, to, kMessage,
                             communicator_, &sent.request);
  if (code == MPI_SUCCESS) return {};
  MPI_Request none = MPI_REQUEST_NULL;
  return complete(code, &none);
}

Result MpiTransport::recv(void* data, std::int64_t bytes, int from) {
  drop_sent();
  MPI_Request request;
  const int code =
      MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, kMessage, communicator_, &request);
  return complete(code, &request);
}

void MpiTransport::drop_sent() {
  while (!sent_.empty()) {
    int is_done = 0;
    MPI_Test(&sent_.front().request, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) return;
    sent_.pop_front();
  }
}

Result MpiTransport::split(int color, int key, Transport** part) {
  MPI_Comm communicator = MPI_COMM_NULL;
  const int code = MPI_Comm_split(communicator_, color, key, &communicator);
  if (code == MPI_SUCCESS) *part = new MpiTransport(communicator);
  MPI_Request none = MPI_REQUEST_NULL;
  return complete(code, &none);
}

void MpiTransport::call_roll(const char* mine, char* positions) {
  // The messages stay for ranks that come late; the memory is never freed.
  // NOLINTBEGIN(clang-analyzer-cplusplus.NewDeleteLeaks)
  char* const text = new char[static_cast<std::size_t>(kPositionBytes)]();
  std::strncpy(text, mine, static_cast<std::size_t>(kPositionBytes) - 1);
  for (int rank = 0; rank < size_; ++rank) {
    MPI_Request request;
    if (rank != rank_) {
      MPI_Isend(text, kPositionBytes, MPI_BYTE, rank, kRoll, communicator_, &request);
    }
  }
  std::strncpy(positions + rank_ * kPositionBytes, text,
               static_cast<std::size_t>(kPositionBytes) - 1);
  const auto deadline = Clock::now() + seconds(kRollSeconds);
  // NOLINTEND(clang-analyzer-cplusplus.NewDeleteLeaks)
  for (int heard = 1; heard < size_ && Clock::now() < deadline;) {
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kRoll, communicator_, &is_there, &status);
    if (is_there == 0) {
      sched_yield();
      continue;
    }
    MPI_Recv(positions + status.MPI_SOURCE * kPositionBytes, kPositionBytes, MPI_BYTE,
             status.MPI_SOURCE, kRoll, communicator_, MPI_STATUS_IGNORE);
    ++heard;
  }
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

}  // namespace tern::mpi
