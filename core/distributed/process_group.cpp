#include <tern/core/distributed/process_group.h>

#include <cstring>
#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/error.h>
#include <tern/core/distributed/detail/combine.h>
#include <tern/core/distributed/detail/group.h>
#include <tern/core/ops/ops.h>

namespace tern::distributed {
namespace {

using detail::Call;
using detail::Group;
using detail::Reduction;
using detail::Result;
using detail::Transport;

void check_tensor(const char* op, const Tensor& tensor) {
  TERN_CHECK(tensor.defined(), Error, op, ": got an undefined tensor");
  TERN_CHECK(!tensor.is_meta(), DeviceError, op, ": a tensor on meta has no elements");
}

// Where the ranks exchange the elements of a tensor: on its device or in host memory.
Device place_of(const Group& group, const Tensor& tensor) {
  return group.route_of(tensor) == detail::Route::kHost ? Device(kCPU) : tensor.device();
}

// The elements of an output, row by row: the tensor's own, or a copy that goes back when the call
// is over.
struct Output {
  Output(const char* op, Tensor output, bool needs_elements, Device place = Device(kCPU))
      : tensor(std::move(output)) {
    check_tensor(op, tensor);
    TERN_CHECK(!tensor.self().has_internal_overlap(), Error, op,
               ": elements of the output share memory; clone() it");
    if (tensor.device() == place && tensor.is_contiguous()) {
      elements = tensor;
    } else if (needs_elements) {
      elements = tensor.detach().to(place).contiguous();
    } else {
      elements = empty(tensor.sizes(), TensorOptions().dtype(tensor.dtype()).device(place));
    }
  }
  void finish() const {
    if (elements.is_same(tensor)) {
      tensor.self().storage->bump_version();
    } else {
      const NoGradGuard no_grad;
      tensor.copy_(elements);
    }
  }
  void* data() const { return elements.data_ptr(); }

  Tensor tensor, elements;
};

// The elements of an input, row by row.
Tensor elements_of(const Tensor& input, Device place) {
  const NoGradGuard no_grad;
  return input.detach().to(place).contiguous();
}

// The same, but not those of the output.
Tensor elements_of(const Tensor& input, Device place, const Output& output) {
  const Tensor elements = elements_of(input, place);
  return elements.is_alias_of(output.elements) ? elements.clone() : elements;
}

std::int64_t bytes_of(const Tensor& tensor) {
  return tensor.numel() * static_cast<std::int64_t>(element_size(tensor.dtype()));
}

Call call_of(Call::Kind kind, CallSite site, const Tensor& tensor, ReduceOp op = ReduceOp::kSum,
             int peer = 0) {
  return {kind, site, op, peer, tensor.dtype(), DimVector(tensor.sizes()), tensor.device()};
}

Call collective_of(const Group& group, Call::Kind kind, CallSite site, const Tensor& tensor,
                   ReduceOp op = ReduceOp::kSum, int root = 0) {
  Call call = call_of(kind, site, tensor, op, root);
  call.route = group.route_of(tensor);
  return call;
}

void check_op(const char* name, ReduceOp op, const Tensor& tensor) {
  TERN_CHECK(op != ReduceOp::kMean || tensor.is_floating_point(), DTypeError, name,
             ": the mean needs a floating point dtype, got ", tensor.scalar_type());
}

// `parts` has as many elements for each rank as `whole` has in all.
void check_parts(const char* op, const char* parts_name, const Tensor& parts,
                 const char* whole_name, const Tensor& whole, int size) {
  TERN_CHECK(parts.dtype() == whole.dtype(), DTypeError, op, ": ", parts_name, " and ", whole_name,
             " must have one dtype, got ", parts.scalar_type(), " and ", whole.scalar_type());
  TERN_CHECK(parts.numel() == size * whole.numel(), ShapeError, op, ": ", parts_name, " must have ",
             size, " times the elements of ", whole_name, ", got sizes ", parts.sizes(), " and ",
             whole.sizes());
}

// Returns how the transport joins `elements`. In host memory it divides them first for a mean.
Reduction prepared_reduction(ReduceOp op, const Tensor& elements, int size) {
  if (op == ReduceOp::kMax) return Reduction::kMax;
  if (op == ReduceOp::kMin) return Reduction::kMin;
  if (op == ReduceOp::kSum) return Reduction::kSum;
  if (!elements.device().is_cpu()) return Reduction::kMean;
  detail::divide(elements.dtype(), elements.data_ptr(), elements.numel(), size);
  return Reduction::kSum;
}

// What a collective does, for those that wait and those that do not.
struct Task {
  Call call;
  detail::Body body;
  std::function<void()> finish;

  void run(Group& group) && { group.run(std::move(call), body, finish); }
  Work start(Group& group) && {
    return group.start(std::move(call), std::move(body), std::move(finish));
  }
};

Task all_reduce_task(const Group& group, const Tensor& tensor, ReduceOp op, CallSite site) {
  check_op("all_reduce", op, tensor);
  check_tensor("all_reduce", tensor);
  const Output output("all_reduce", tensor, /*needs_elements=*/true, place_of(group, tensor));
  return {collective_of(group, Call::Kind::kAllReduce, site, tensor, op),
          [output, op](Transport& transport) {
            const Tensor& elements = output.elements;
            const Reduction reduction = prepared_reduction(op, elements, transport.size());
            return transport.all_reduce(output.data(), elements.numel(), elements.dtype(),
                                        reduction);
          },
          [output] { output.finish(); }};
}

void check_rank(const char* op, int rank, int size) {
  TERN_CHECK(rank >= 0 && rank < size, IndexError, op, ": rank ", rank,
             " is not in a group of size ", size);
}

Task broadcast_task(const Group& group, const Tensor& tensor, int root, CallSite site) {
  check_rank("broadcast", root, group.size());
  check_tensor("broadcast", tensor);
  const Output output("broadcast", tensor, /*needs_elements=*/group.rank() == root,
                      place_of(group, tensor));
  return {collective_of(group, Call::Kind::kBroadcast, site, tensor, ReduceOp::kSum, root),
          [output, root](Transport& transport) {
            return transport.broadcast(output.data(), bytes_of(output.elements), root);
          },
          [output] { output.finish(); }};
}

// Those with an input and an output. A group of one rank copies.
template <class Body>
Task moving_task(const Group& group, Call call, const Output& output, const Tensor& from,
                 const Body& body) {
  const bool is_alone = group.size() == 1;
  return {std::move(call),
          [output, from, body](Transport& transport) { return body(transport, output, from); },
          // It keeps `from`, which a device may still read when the body has returned.
          [output, from, is_alone] {
            if (is_alone) {
              const NoGradGuard no_grad;
              output.elements.view({-1}).copy_(from.view({-1}));
            }
            output.finish();
          }};
}

Task all_gather_task(const Group& group, const Tensor& tensor, const Tensor& input, CallSite site) {
  check_tensor("all_gather", input);
  const Device place = place_of(group, input);
  const Output output("all_gather", tensor, false, place);
  check_parts("all_gather", "output", tensor, "input", input, group.size());
  return moving_task(group, collective_of(group, Call::Kind::kAllGather, site, input), output,
                     elements_of(input, place, output),
                     [](Transport& transport, const Output& out, const Tensor& from) {
                       return transport.all_gather(from.data_ptr(), out.data(), bytes_of(from));
                     });
}

Task reduce_scatter_task(const Group& group, const Tensor& tensor, const Tensor& input, ReduceOp op,
                         CallSite site) {
  check_tensor("reduce_scatter", input);
  check_op("reduce_scatter", op, input);
  const Device place = place_of(group, input);
  const Output output("reduce_scatter", tensor, false, place);
  check_parts("reduce_scatter", "input", input, "output", tensor, group.size());
  Tensor elements = elements_of(input, place, output);
  // In host memory they will be divided.
  if (op == ReduceOp::kMean && elements.is_alias_of(input)) elements = elements.clone();
  return moving_task(
      group, collective_of(group, Call::Kind::kReduceScatter, site, input, op), output, elements,
      [op](Transport& transport, const Output& out, const Tensor& from) {
        const Reduction reduction = prepared_reduction(op, from, transport.size());
        return transport.reduce_scatter(from.data_ptr(), out.data(), out.elements.numel(),
                                        from.dtype(), reduction);
      });
}

Task all_to_all_task(const Group& group, const Tensor& tensor, const Tensor& input, CallSite site) {
  check_tensor("all_to_all", input);
  const Device place = place_of(group, input);
  const Output output("all_to_all", tensor, false, place);
  check_parts("all_to_all", "output", tensor, "input", input, 1);
  const int size = group.size();
  TERN_CHECK(input.numel() % size == 0, ShapeError, "all_to_all: ", input.numel(),
             " elements cannot be divided among ", size, " ranks");
  return moving_task(group, collective_of(group, Call::Kind::kAllToAll, site, input), output,
                     elements_of(input, place, output),
                     [size](Transport& transport, const Output& out, const Tensor& from) {
                       return transport.all_to_all(from.data_ptr(), out.data(),
                                                   bytes_of(from) / size);
                     });
}

// What send() puts before the elements.
struct Header {
  std::int64_t bytes;
  char text[detail::kPositionBytes];  // what is sent: both sides must agree
  char site[detail::kPositionBytes];
};

Header header_of(const Call& call, std::int64_t bytes) {
  Header header{bytes, {}, {}};
  const std::string text =
      tern::detail::text_of(dtype_info(call.dtype).python_name, " ", IntArrayRef(call.sizes));
  std::strncpy(header.text, text.c_str(), sizeof(header.text) - 1);
  std::strncpy(header.site, detail::describe(call).c_str(), sizeof(header.site) - 1);
  return header;
}

void check_peer(const char* op, int peer, const Group& group) {
  check_rank(op, peer, group.size());
  TERN_CHECK(peer != group.rank(), Error, op, ": rank ", peer, " is this rank itself");
}

Task recv_task(const Group& group, const Tensor& tensor, int from, CallSite site) {
  check_peer("recv", from, group);
  const Output output("recv", tensor, false);
  const Call call = call_of(Call::Kind::kRecv, site, tensor, ReduceOp::kSum, from);
  const Header mine = header_of(call, bytes_of(tensor));
  const auto memory = std::make_shared<std::pair<Header, std::vector<char>>>();
  return {call,
          [output, mine, from, memory](Transport& transport) {
            auto& [sent, dropped] = *memory;
            Result result = transport.recv(&sent, sizeof(sent), from);
            if (result.outcome != Result::Outcome::kDone) return result;
            if (std::strcmp(sent.text, mine.text) == 0) {
              return transport.recv(output.data(), sent.bytes, from);
            }
            dropped.resize(static_cast<std::size_t>(sent.bytes));
            result = transport.recv(dropped.data(), sent.bytes, from);
            if (result.outcome != Result::Outcome::kDone) return result;
            tern::detail::raise<Error>("rank ", transport.rank(), " calls ", mine.site,
                                       ", but rank ", from, " called ", sent.site);
          },
          [output] { output.finish(); }};
}

}  // namespace

ProcessGroup::ProcessGroup() : ProcessGroup(std::unique_ptr<Transport>()) {}

ProcessGroup::ProcessGroup(std::unique_ptr<Transport> transport)
    : ProcessGroup(std::make_shared<Group>(std::move(transport))) {}

ProcessGroup::ProcessGroup(std::shared_ptr<Group> group) : group_(std::move(group)) {}

int ProcessGroup::rank() const { return group_->rank(); }
int ProcessGroup::size() const { return group_->size(); }
void ProcessGroup::set_timeout(double seconds) { group_->set_timeout(seconds); }
double ProcessGroup::timeout() const { return group_->timeout(); }

void ProcessGroup::all_reduce(const Tensor& tensor, ReduceOp op, CallSite site) const {
  all_reduce_task(*group_, tensor, op, site).run(*group_);
}
Work ProcessGroup::all_reduce_async(const Tensor& tensor, ReduceOp op, CallSite site) const {
  return all_reduce_task(*group_, tensor, op, site).start(*group_);
}

void ProcessGroup::broadcast(const Tensor& tensor, int root, CallSite site) const {
  broadcast_task(*group_, tensor, root, site).run(*group_);
}
Work ProcessGroup::broadcast_async(const Tensor& tensor, int root, CallSite site) const {
  return broadcast_task(*group_, tensor, root, site).start(*group_);
}

std::vector<Tensor> ProcessGroup::all_gather(const Tensor& input, CallSite site) const {
  check_tensor("all_gather", input);
  DimVector sizes(input.sizes());
  sizes.insert(0, size());
  const Tensor output = empty(sizes, TensorOptions().dtype(input.dtype()).device(input.device()));
  all_gather(output, input, site);
  return output.unbind(0);
}
void ProcessGroup::all_gather(const Tensor& output, const Tensor& input, CallSite site) const {
  all_gather_task(*group_, output, input, site).run(*group_);
}
Work ProcessGroup::all_gather_async(const Tensor& output, const Tensor& input,
                                    CallSite site) const {
  return all_gather_task(*group_, output, input, site).start(*group_);
}

void ProcessGroup::reduce_scatter(const Tensor& output, const Tensor& input, ReduceOp op,
                                  CallSite site) const {
  reduce_scatter_task(*group_, output, input, op, site).run(*group_);
}
Work ProcessGroup::reduce_scatter_async(const Tensor& output, const Tensor& input, ReduceOp op,
                                        CallSite site) const {
  return reduce_scatter_task(*group_, output, input, op, site).start(*group_);
}

void ProcessGroup::all_to_all(const Tensor& output, const Tensor& input, CallSite site) const {
  all_to_all_task(*group_, output, input, site).run(*group_);
}
Work ProcessGroup::all_to_all_async(const Tensor& output, const Tensor& input,
                                    CallSite site) const {
  return all_to_all_task(*group_, output, input, site).start(*group_);
}

void ProcessGroup::send(const Tensor& tensor, int to, CallSite site) const {
  check_tensor("send", tensor);
  check_peer("send", to, *group_);
  const Tensor host = elements_of(tensor, kCPU);
  const Call call = call_of(Call::Kind::kSend, site, tensor, ReduceOp::kSum, to);
  const Header header = header_of(call, bytes_of(host));
  group_->run(call, [&](Transport& transport) {
    const Result result = transport.send(&header, sizeof(header), to);
    if (result.outcome != Result::Outcome::kDone) return result;
    return transport.send(host.data_ptr(), header.bytes, to);
  });
}

void ProcessGroup::recv(const Tensor& tensor, int from, CallSite site) const {
  recv_task(*group_, tensor, from, site).run(*group_);
}
Work ProcessGroup::recv_async(const Tensor& tensor, int from, CallSite site) const {
  return recv_task(*group_, tensor, from, site).start(*group_);
}

void ProcessGroup::barrier(CallSite site) const {
  group_->run({Call::Kind::kBarrier, site}, [](Transport&) { return Result(); });
}

ProcessGroup ProcessGroup::split(int color, CallSite site) const { return split(color, 0, site); }

ProcessGroup ProcessGroup::split(int color, int key, CallSite site) const {
  TERN_CHECK(color >= 0, Error, "split: the color must not be below 0, got ", color);
  Transport* transport = nullptr;
  const Call call = {Call::Kind::kSplit, site};
  group_->run(call, [&](Transport& whole) { return whole.split(color, key, &transport); });
  std::unique_ptr<Transport> part(transport);
  detail::DeviceRules rules = group_->rules_of_part(color, part ? part->size() : 1);
  ProcessGroup group(std::make_shared<Group>(std::move(part), std::move(rules)));
  group.set_timeout(timeout());
  return group;
}

}  // namespace tern::distributed
