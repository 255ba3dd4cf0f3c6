#include <tern/backends/sim/stream.h>

#include <chrono>
#include <utility>

#include <tern/backends/sim/capture.h>
#include <tern/backends/sim/simulator.h>

namespace tern::sim {
namespace {

constexpr std::size_t kMostQueued = 256;  // a real queue is bounded, too

double now_in_milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

}  // namespace

void Stream::submit(Work work) {
  queue_.push_back(std::move(work));
  Simulator& simulator = Simulator::get();
  if (simulator.launches_block()) {
    run_all();
    simulator.throw_error(device_);
  } else if (queue_.size() > kMostQueued) {
    run_all();
  }
}

void Stream::record(Bind bind) { capture_->record(*this, std::move(bind)); }

void Stream::run_until(std::int64_t position) {
  while (done_ < position) {
    const Work work = std::move(queue_.front());
    kernels::KernelContext context;
    context.device = device_;
    context.message[0] = '\0';
    if (!Simulator::get().is_lost(device_)) work(context);
    queue_.pop_front();
    ++done_;
    if (context.status != kernels::StatusCode::kOk) {
      Simulator::get().keep_error(device_,
                                  {context.status, context.message, context.detail, context.limit});
    }
  }
}

void Event::record(Stream& where) {
  captured = where.capture() != nullptr;
  if (captured) {
    if (where.capture()->has_failed()) refuse(CaptureError::kInvalidated);
    capture = where.capture();
    seen = where.capture()->position(where);
    return;
  }
  stream = &where;
  milliseconds = std::make_shared<double>(0.0);
  where.submit([time = timing ? milliseconds : nullptr](kernels::KernelContext&) {
    if (time != nullptr) *time = now_in_milliseconds();
  });
  position = where.submitted();
  seen = where.followed();
}

void Event::block(Stream& where) const {
  Capture* const target = where.capture().get();
  if (captured) {
    const std::shared_ptr<Capture> source = capture.lock();
    if (source == nullptr) refuse(CaptureError::kCapturedEvent, target);
    if (source->has_failed()) refuse(CaptureError::kInvalidated, target);
    if (target != nullptr && target != source.get()) {
      source->fail();
      refuse(CaptureError::kMerge, target);
    }
    return source->wait(where, seen);
  }
  if (stream == nullptr) return;
  if (target != nullptr) refuse(CaptureError::kIsolation, target);
  where.follow(*stream, position);
  for (const auto& [other, reached] : seen) where.follow(*other, reached);
  if (is_done()) return;
  where.submit([event = *this](kernels::KernelContext&) { event.run(); });
}

}  // namespace tern::sim
