#include <tern/backends/mpi/transport.h>

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
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
constexpr int kMessage = 1, kRoll = 2, kExchange = 3;  // tags
// How long a rank that was too late waits for the positions of others.
constexpr double kRollSeconds = 2;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

// MPI counts with int, so larger calls go in pieces, too. A test makes them small.
std::int64_t most_bytes() {
  const char* const text = std::getenv("TERN_MPI_PIECE");
  return text == nullptr ? std::int64_t{1} << 30 : std::atoll(text);
}

// Whether MPI takes pointers to the memory of CUDA devices: as TERN_MPI_CUDA says, else as MPI
// does. OpenMPI has the question as an extension.
bool takes_device_memory() {
  const char* const setting = std::getenv("TERN_MPI_CUDA");
  if (setting != nullptr && *setting != '\0') return std::strcmp(setting, "0") != 0;
  void* const query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  return query != nullptr && reinterpret_cast<int (*)()>(query)() == 1;
}

// Whether this machine has fewer cores than ranks. The first call, with the communicator of all
// ranks, is collective.
bool ranks_share_cores(MPI_Comm all) {
  static const bool do_share = [&] {
    MPI_Comm here = MPI_COMM_NULL;
    if (MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS) {
      return false;
    }
    int ranks = 1;
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 && ranks > CPU_COUNT(&cores);
  }();
  return do_share;
}

// `count` bytes of each block of `bytes`.
class PartOfBlocks {
 public:
  PartOfBlocks(int count, std::int64_t bytes) {
    MPI_Datatype part = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, MPI_BYTE, &part);
    MPI_Type_create_resized(part, 0, static_cast<MPI_Aint>(bytes), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&part);
  }
  ~PartOfBlocks() { MPI_Type_free(&type_); }
  PartOfBlocks(const PartOfBlocks&) = delete;
  PartOfBlocks& operator=(const PartOfBlocks&) = delete;
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

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
MpiTransport::MpiTransport(MPI_Comm communicator)
    : communicator_(communicator),
      most_bytes_(most_bytes()),
      takes_device_memory_(mpi::takes_device_memory()),
      shares_cores_(ranks_share_cores(communicator)) {
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
    if (shares_cores_) {
      // A rank that has work may wait for the core. The scheduler lets one that only yields spin
      // on.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    } else {
      sched_yield();  // to the threads of this rank
    }
    if (Clock::now() < deadline) continue;
    is_late_ = true;
    return {Outcome::kLate, {}};
  }
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return distributed::detail::failed(text);
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
  const ReductionOp how = reduction_op(dtype, op);
  const auto item = static_cast<std::int64_t>(element_size(dtype));
  const auto reduce = [&](const void* from, std::int64_t begin, int part) {
    MPI_Request request;
    const int code = MPI_Ireduce_scatter_block(from, static_cast<char*>(out) + begin * item, part,
                                               how.type, how.op, communicator_, &request);
    return complete(code, &request);
  };
  const std::int64_t piece = std::max<std::int64_t>(most_bytes_ / item, 1);
  if (count <= piece) return reduce(in, 0, static_cast<int>(count));
  // MPI wants the parts of the ranks side by side.
  std::vector<char>& parts = *new std::vector<char>(static_cast<std::size_t>(size_ * piece * item));
  const Result result = in_pieces(count, piece, [&](std::int64_t begin, int part) {
    for (std::int64_t rank = 0; rank < size_; ++rank) {
      std::memcpy(parts.data() + rank * part * item,
                  static_cast<const char*>(in) + (rank * count + begin) * item,
                  static_cast<std::size_t>(part * item));
    }
    return reduce(parts.data(), begin, part);
  });
  if (result.outcome != Outcome::kLate) delete &parts;  // else MPI may still read it
  return result;
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
  return in_pieces(bytes, most_bytes_, [&](std::int64_t begin, int part) {
    const PartOfBlocks block(part, bytes);
    MPI_Request request;
    const int code =
        MPI_Iallgather(static_cast<const char*>(in) + begin, part, MPI_BYTE,
                       static_cast<char*>(out) + begin, 1, block.type(), communicator_, &request);
    return complete(code, &request);
  });
}

Result MpiTransport::all_to_all(const void* in, void* out, std::int64_t bytes) {
  return in_pieces(bytes, most_bytes_, [&](std::int64_t begin, int part) {
    const PartOfBlocks block(part, bytes);
    MPI_Request request;
    const int code =
        MPI_Ialltoall(static_cast<const char*>(in) + begin, 1, block.type(),
                      static_cast<char*>(out) + begin, 1, block.type(), communicator_, &request);
    return complete(code, &request);
  });
}

Result MpiTransport::send(const void* data, std::int64_t bytes, int to) {
  drop_sent();
  return in_pieces(bytes, most_bytes_, [&](std::int64_t first, int part) {
    const char* const begin = static_cast<const char*>(data) + first;
    Sent& sent = sent_.emplace_back(Sent{{begin, begin + part}, MPI_REQUEST_NULL});
    const int code =
        MPI_Isend(sent.bytes.data(), part, MPI_BYTE, to, kMessage, communicator_, &sent.request);
    MPI_Request none = MPI_REQUEST_NULL;
    return complete(code, &none);
  });
}

Result MpiTransport::recv(void* data, std::int64_t bytes, int from) {
  drop_sent();
  return in_pieces(bytes, most_bytes_, [&](std::int64_t begin, int part) {
    MPI_Request request;
    const int code = MPI_Irecv(static_cast<char*>(data) + begin, part, MPI_BYTE, from, kMessage,
                               communicator_, &request);
    return complete(code, &request);
  });
}

Result MpiTransport::exchange(const Message* messages, std::int64_t count) {
  std::vector<MPI_Request> requests;
  for (std::int64_t i = 0; i < count; ++i) {
    const Message& message = messages[i];
    const Result result =
        in_pieces(message.bytes, most_bytes_, [&](std::int64_t begin, int part) -> Result {
          char* const data = static_cast<char*>(message.data) + begin;
          MPI_Request& request = requests.emplace_back();
          const int code = message.is_sent ? MPI_Isend(data, part, MPI_BYTE, message.peer,
                                                       kExchange, communicator_, &request)
                                           : MPI_Irecv(data, part, MPI_BYTE, message.peer,
                                                       kExchange, communicator_, &request);
          MPI_Request none = MPI_REQUEST_NULL;
          return complete(code, &none);
        });
    if (result.outcome != Outcome::kDone) return result;
  }
  for (MPI_Request& request : requests) {
    const Result result = complete(MPI_SUCCESS, &request);
    if (result.outcome != Outcome::kDone) return result;
  }
  return {};
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
