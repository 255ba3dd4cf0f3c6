#include <tern/backends/cuda/host/recording.h>

#include <algorithm>
#include <bit>
#include <mutex>

#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/fill.h>
#include <tern/core/kernels/families/random.h>

namespace tern::cuda::detail {

// --- Numbers -------------------------------------------------------------------------------------

GraphNumbers::GraphNumbers(DeviceIndex device, std::size_t count)
    : device_(device),
      data_(cuda_backend().allocator().allocate_outside_graphs(8 * count, device)),
      known_(count) {}

GraphNumbers::~GraphNumbers() {
  cuda_backend().allocator().deallocate(data_, 8 * known_.size(), device_);
}

void GraphNumbers::write(std::size_t k, std::uint64_t bits) {
  cuda_backend().allocator().record_stream(data_, getCurrentCUDAStream(device_));
  if (known_[k] == bits) return;
  kernels::FillArgs args{};
  args.out.data = static_cast<std::uint64_t*>(data_) + k;
  args.out.dtype = kLong;
  args.value.i = static_cast<std::int64_t>(bits);
  kernels::run("CUDAGraph::replay", Device(kCUDA, device_), kLong, args);
  known_[k] = bits;
}

// --- Recordings ----------------------------------------------------------------------------------

namespace {

// Returns an address that is unique to the calling thread.
const void* this_thread() {
  static thread_local constinit char mark = 0;
  return &mark;
}

}  // namespace

Recording::Recording(std::uint64_t pool_, Stream stream_)
    : pool(pool_), stream(stream_), thread(this_thread()) {
  PinnedAllocator& pinned = *cuda_backend().pinned_allocator();
  cuda_backend().allocator().hold(pool);
  try {
    join(stream);
  } catch (...) {
    cuda_backend().allocator().let_go(pool);
    throw;
  }
  pinned.begin_capture();
}

Recording::~Recording() {
  end();
  cuda_backend().allocator().let_go(pool);
}

void Recording::join(Stream joined) {
  const std::lock_guard lock(mutex_);
  if (std::find(streams_.begin(), streams_.end(), joined) != streams_.end()) return;
  streams_.reserve(streams_.size() + 1);
  cuda_backend().allocator().begin_capture(joined);
  streams_.push_back(joined);
}

void Recording::end() {
  const std::lock_guard lock(mutex_);
  if (streams_.empty()) return;
  for (const Stream each : streams_) cuda_backend().allocator().end_capture(each);
  streams_.clear();
  cuda_backend().pinned_allocator()->end_capture();
}

void Recording::check_device(DeviceIndex device) const {
  TERN_CHECK(
      stream.device_index() == device, NotImplementedError,
      "a CUDA graph can draw random numbers, step optimizers and copy numbers that an op made on "
      "the host only on its own device, ",
      stream.device(), ", got cuda:", device);
}

void Recording::reserve_numbers(Generator& generator, std::uint64_t blocks,
                                kernels::RandomArgs& args) {
  check_device(generator.device().index());
  auto draws = std::find_if(draws_.begin(), draws_.end(),
                            [&](const Draws& each) { return each.generator == generator; });
  if (draws == draws_.end()) {
    draws = draws_.emplace(draws_.end(), generator);
  }
  args.philox = static_cast<const std::uint64_t*>(draws->seed_and_offset.data());
  args.offset = draws->words;
  draws->words += 4 * blocks;
}

const double* Recording::graph_number(DeviceIndex device, std::function<double()> value) {
  check_device(device);
  numbers_.emplace_back(std::move(value), stream.device_index());
  return static_cast<const double*>(numbers_.back().memory.data());
}

void Recording::after_replay(DeviceIndex device, std::function<void()> hook) {
  check_device(device);
  hooks_.push_back(std::move(hook));
}

void Recording::finish_capture() {
  for (const Draws& draws : draws_) {
    kernels::ElementwiseArgs args{};
    args.op = kernels::ElementwiseOp::add;
    args.dtype = kLong;
    args.inputs = 2;
    args.out = static_cast<std::uint64_t*>(draws.seed_and_offset.data()) + 1;
    args.in[0] = args.out;
    args.immediate[1].i = static_cast<std::int64_t>(draws.words);
    args.scale = {1, 1};
    kernels::run("CUDAGraph::capture_end", stream.device(), kLong, args);
  }
}

void Recording::replay(const std::function<void()>& launch) {
  try {
    write_numbers();
    launch();
  } catch (...) {
    take_back_draws();
    throw;
  }
  for (Draws& draws : draws_) {
    draws.seed_and_offset.expect(1, *draws.from + draws.words);
    draws.from.reset();
  }
  for (const auto& hook : hooks_) hook();
}

void Recording::write_numbers() {
  for (Number& number : numbers_) {
    number.memory.write(0, std::bit_cast<std::uint64_t>(number.value()));
  }
  for (Draws& draws : draws_) {
    const std::lock_guard lock(draws.generator.mutex());
    draws.from = draws.generator.reserve(draws.words / 4);
    draws.seed_and_offset.write(0, draws.generator.current_seed());
    draws.seed_and_offset.write(1, *draws.from);
  }
}

// Restores the generators' offsets, unless somebody has drawn since.
void Recording::take_back_draws() {
  for (Draws& draws : draws_) {
    const std::lock_guard lock(draws.generator.mutex());
    if (draws.from && draws.generator.get_offset() == *draws.from + draws.words) {
      draws.generator.set_offset(*draws.from);
    }
    draws.from.reset();
    draws.seed_and_offset.expect(1, std::nullopt);
  }
}

// --- Active recordings ---------------------------------------------------------------------------

constinit std::atomic<int> recordings{0};

namespace {

struct Active {
  std::mutex mutex;
  std::vector<Recording*> list;
};

Active& active() {
  static Active& all = *new Active;  // never destroyed: threads may work until the process ends
  return all;
}

}  // namespace

Recording* find_recording(void* stream) {
  const std::uint64_t capture = call(&kernels::Plugin::stream_capture, stream);
  if (capture == 0) return nullptr;
  const std::lock_guard lock(active().mutex);
  for (Recording* recording : active().list) {
    if (recording->capture == capture) return recording;
  }
  return nullptr;
}

bool captures_here() {
  if (recordings == 0) return false;
  const std::lock_guard lock(active().mutex);
  return std::any_of(active().list.begin(), active().list.end(),
                     [](const Recording* recording) { return recording->thread == this_thread(); });
}

void spread_capture(Stream origin, Stream stream) {
  if (origin == stream) return;
  Recording* const recording = recording_on(origin.stream());
  if (recording != nullptr) recording->join(stream);
}

void add_recording(Recording& recording) {
  const std::lock_guard lock(active().mutex);
  active().list.push_back(&recording);
  ++recordings;
}

void remove_recording(Recording& recording) {
  const std::lock_guard lock(active().mutex);
  std::erase(active().list, &recording);
  --recordings;
}

}  // namespace tern::cuda::detail
