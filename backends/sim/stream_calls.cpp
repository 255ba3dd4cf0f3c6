#include <string>
#include <utility>
#include <vector>

#include <tern/backends/sim/calls.h>

namespace tern::sim {
namespace {

// Throws if the event marks a position in a capture.
void not_captured(const Event& event) {
  if (event.captured) refuse(CaptureError::kCapturedEvent, event.capture.lock().get());
}

}  // namespace

void* stream_create(std::int32_t index, std::int32_t, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) -> void* {
    auto& streams = simulator.started(index).streams;
    return streams.emplace_back(std::make_unique<Stream>(index)).get();
  });
}

// Keeps the Stream object, because work of other streams may refer to positions in it.
void stream_destroy(void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator&) {
    not_capturing(*static_cast<Stream*>(stream));
    static_cast<Stream*>(stream)->run_all();
  });
}

void stream_synchronize(void* handle, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    Stream& stream = *static_cast<Stream*>(handle);
    not_capturing(stream);
    stream.run_all();
    simulator.throw_error(stream.device());
  });
}

// Returns the state at the time of the query, then runs the queued work. So polling ends, and
// callers still see the "not yet" of a real device.
std::int32_t stream_query(void* handle, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) -> std::int32_t {
    Stream& stream = *static_cast<Stream*>(handle);
    simulator.started(stream.device());
    not_capturing(stream);
    const bool done = stream.is_done(stream.submitted());
    stream.run_all();
    return done ? 1 : 0;
  });
}

void stream_wait(void* stream, void* handle, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.started(static_cast<Stream*>(stream)->device());
    static_cast<Event*>(handle)->block(*static_cast<Stream*>(stream));
  });
}

void device_synchronize(std::int32_t index, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.drain(index);
    simulator.throw_error(index);
  });
}

void* event_create(std::int32_t index, std::uint32_t flags, PluginStatus* status) {
  constexpr std::uint32_t kDisableTiming = 2;
  return locked(status, [&](Simulator& simulator) -> void* {
    simulator.started(index);
    return new Event(index, (flags & kDisableTiming) == 0);
  });
}

void event_destroy(void* event, PluginStatus*) { delete static_cast<Event*>(event); }

void event_record(void* handle, void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    Event& event = *static_cast<Event*>(handle);
    Stream& where = *static_cast<Stream*>(stream);
    simulator.started(where.device());
    if (event.device != where.device()) {
      throw Failure{
          StatusCode::kDeviceFault,
          "CUDA error: invalid resource handle: an event of cuda:" + std::to_string(event.device) +
              " cannot be recorded on a stream of cuda:" + std::to_string(where.device())};
    }
    event.record(where);
  });
}

std::int32_t event_query(void* handle, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) -> std::int32_t {
    const Event& event = *static_cast<Event*>(handle);
    simulator.started(event.device);
    not_captured(event);
    simulator.refuse_while_capturing();
    const bool done = event.is_done();
    event.run();
    return done ? 1 : 0;
  });
}

void event_synchronize(void* handle, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    const Event& event = *static_cast<Event*>(handle);
    not_captured(event);
    event.run();
    simulator.throw_error(event.device);
  });
}

double event_elapsed(void* start, void* end, PluginStatus* status) {
  return locked(status, [&](Simulator&) {
    const Event& first = *static_cast<Event*>(start);
    const Event& second = *static_cast<Event*>(end);
    for (const Event* event : {&first, &second}) {
      not_captured(*event);
      if (!event->timing || event->stream == nullptr || !event->is_done()) {
        throw Failure{StatusCode::kDeviceFault,
                      "CUDA error: invalid resource handle: both events must have timing and must "
                      "have been recorded and completed"};
      }
    }
    return *second.milliseconds - *first.milliseconds;
  });
}

void capture_begin(void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.started(static_cast<Stream*>(stream)->device());
    simulator.begin_capture(*static_cast<Stream*>(stream));
  });
}

void* capture_end(void* handle, PluginStatus* status) {
  return locked(status, [&](Simulator&) -> void* {
    Stream& stream = *static_cast<Stream*>(handle);
    if (stream.capture() == nullptr) {
      throw Failure{StatusCode::kDeviceFault,
                    "CUDA error: invalid argument: the stream is not capturing"};
    }
    return new Graph(stream.capture()->end(stream));
  });
}

std::uint64_t stream_capture(void* stream, PluginStatus* status) {
  return locked(status, [&](Simulator&) -> std::uint64_t {
    const auto& capture = static_cast<Stream*>(stream)->capture();
    return capture == nullptr || capture->has_failed() ? 0 : capture->number;
  });
}

// Checks all memory before it queues anything.
void graph_launch(void* handle, void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.started(static_cast<Stream*>(stream)->device());
    not_capturing(*static_cast<Stream*>(stream));
    if (simulator.fault_due(PluginFault::kLaunch)) {
      throw Failure{StatusCode::kDeviceFault, "CUDA error: unspecified launch failure (injected)"};
    }
    std::vector<Stream::Work> works;
    for (const Stream::Bind& bind : *static_cast<Graph*>(handle)) works.push_back(bind());
    for (Stream::Work& work : works) static_cast<Stream*>(stream)->submit(std::move(work));
  });
}

void graph_destroy(void* graph, PluginStatus*) { delete static_cast<Graph*>(graph); }

}  // namespace tern::sim
