#include <algorithm>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/type_name.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/base/text.h>

namespace tern::autograd {
namespace {
// Per thread: one thread records a graph, and backward follows the order of that thread.
thread_local std::uint64_t next_sequence_nr = 0;
// Nodes whose last owner released them while this thread was destroying another node.
thread_local Node* dying = nullptr;
thread_local bool is_burying = false;
}  // namespace

Node::Node(Edge* edges, std::size_t count) : Node(edges, count, next_sequence_nr++) {
  if (tern::detail::is_profiled()) [[unlikely]]
    tern::detail::record_sequence_nr(sequence_nr_);
}
Node::~Node() = default;

Node::Node(edge_list next_edges) : Node(nullptr, 0) { set_next_edges(std::move(next_edges)); }

void Node::run(const Tensor* gradients, Tensor* results, EdgeSet /*wanted*/) {
  std::vector<Tensor> computed = apply({gradients, gradients + output_count()});
  // As for a Function, undefined gradients beyond the edges are ignored.
  while (computed.size() > edge_count_ && !computed.back().defined()) computed.pop_back();
  TERN_CHECK(computed.size() == edge_count_, Error, "Function ", name(),
             " returned an invalid number of gradients - expected ", edge_count_, ", but got ",
             computed.size());
  std::move(computed.begin(), computed.end(), results);
}

std::vector<Tensor> Node::apply(std::vector<Tensor>&& gradients) {
  gradients.resize(output_count());
  std::vector<Tensor> results(edge_count_);
  EdgeSet all;
  for (std::size_t i = 0; i < edge_count_; ++i) all.add(i);
  run(gradients.data(), results.data(), all);
  return results;
}

std::string Node::name() const { return tern::detail::type_name(typeid(*this)); }

std::string NamedNode::name() const {
  const std::string_view name = name_;
  const bool is_in_namespace = name == "CopySlices" || name == "CopyBackwards";
  return (tern::detail::as_libtorch && is_in_namespace ? "torch::autograd::" : "") +
         std::string(name);
}

void Node::set_next_edges(edge_list edges) {
  if (edges.empty() && !extra_) return;
  extra().edges = std::move(edges);
  edges_ = extra_->edges.data();
  edge_count_ = extra_->edges.size();
}

IntrusivePtr<Node> Node::getptr() {
  TERN_CHECK(use_count() > 0, Error, "getptr: no intrusive pointer owns this node, ", name());
  return IntrusivePtr<Node>(this);
}

void Node::set_next_edge(std::size_t index, Edge edge) {
  TERN_CHECK(index < edge_count_, IndexError, "set_next_edge: index ", index, " of ", edge_count_,
             " edges");
  edges_[index] = std::move(edge);
}

void Node::add_next_edge(Edge edge) {
  edge_list edges(next_edges().begin(), next_edges().end());
  edges.push_back(std::move(edge));
  set_next_edges(std::move(edges));
}

std::uint32_t Node::add_input_metadata(const Tensor& output) {
  const std::uint32_t nr = extra().added++;
  set_output_info(nr, output);
  return nr;
}

IntrusivePtr<Node> Node::share(std::shared_ptr<Node> node) {
  Node* const object = node.get();
  // A node with intrusive owners is kept by them: its shared pointer is one of these owners.
  if (object != nullptr && object->use_count() == 0) object->extra().owner = std::move(node);
  return IntrusivePtr<Node>(object);
}

std::string op_name(const Node& node) {
  const std::string name = node.name();
  const std::size_t end = name.rfind("Backward");
  return end == std::string::npos ? name : name.substr(0, end);
}

void Node::destroy() noexcept {
  if (extra_ && extra_->owner) {
    const std::shared_ptr<void> owner = std::move(extra_->owner);
    return;  // the last shared pointer destroys the node
  }
  next_dying_ = dying;
  dying = this;
  if (is_burying) return;
  is_burying = true;
  while (dying != nullptr) {
    Node* node = dying;
    dying = node->next_dying_;
    delete node;
  }
  is_burying = false;
}

void Node::set_output_info(std::uint32_t nr, const Tensor& output) {
  if (nr > more_.size()) more_.resize(nr);
  OutputInfo& info = nr == 0 ? first_ : more_[nr - 1];
  info.sizes = output.self().sizes;
  info.dtype = output.dtype();
  info.device = output.device();
}

Node::Extra& Node::extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

const std::string& Node::origin() const {
  static const std::string* const kNone = new std::string;
  return extra_ ? extra_->origin : *kNone;
}

void Node::set_origin(std::string text) { extra().origin = std::move(text); }

unsigned Node::add_hook(std::uint32_t output_nr, Hook hook) {
  std::vector<OutputHook>& hooks = extra().hooks;
  const auto last =
      std::find_if(hooks.begin(), hooks.end(), [](const OutputHook& h) { return h.is_last; });
  const auto number = std::count_if(hooks.begin(), last,
                                    [&](const OutputHook& h) { return h.output_nr == output_nr; });
  hooks.insert(last, {output_nr, std::move(hook), false});
  return static_cast<unsigned>(number);
}

bool Node::remove_hook(std::uint32_t output_nr, unsigned number) {
  if (!extra_) return false;
  for (OutputHook& h : extra_->hooks) {
    if (h.is_last || h.output_nr != output_nr || number-- != 0) continue;
    h.hook = nullptr;
    return true;
  }
  return false;
}

void Node::add_last_hook(std::uint32_t output_nr, Hook hook) {
  extra().hooks.push_back({output_nr, std::move(hook), true});
}

void Node::remove_last_hook(std::uint32_t output_nr) {
  std::erase_if(extra().hooks,
                [&](const OutputHook& h) { return h.is_last && h.output_nr == output_nr; });
}

namespace {

// Returns PyTorch's name of the type of a tensor: torch.cuda.FloatTensor.
std::string type_name_of(const Tensor& tensor) {
  using tern::detail::text_of;
  if (tensor.is_meta()) return text_of("Meta", tensor.scalar_type(), "Type");
  return text_of("torch.", tensor.is_cuda() ? "cuda." : "", tensor.scalar_type(), "Tensor");
}

// The gradient continues in place of the original, so sizes, dtype and device must stay the same.
void check_replacement(unsigned hook, const Tensor& before, const Tensor& after) {
  TERN_CHECK(before.dtype() == after.dtype() && before.device().type() == after.device().type(),
             DTypeError, "hook '", hook, "' has changed the type of value (was ",
             type_name_of(before), " got ", type_name_of(after), ")");
  TERN_CHECK(before.device() == after.device(), DeviceError, "hook '", hook,
             "' has changed the device of value (was ", before.device(), " got ", after.device(),
             ")");
  TERN_CHECK(before.sizes() == after.sizes(), ShapeError, "hook '", hook,
             "' has changed the size of value (was ", before.sizes(), " got ", after.sizes(), ")");
}

}  // namespace

Tensor Node::run_hooks(std::uint32_t output_nr, Tensor gradient) const {
  if (!has_hooks()) return gradient;
  const std::vector<OutputHook> hooks = extra_->hooks;  // a hook may add or remove hooks
  unsigned number = 0;
  for (const OutputHook& hook : hooks) {
    if (hook.output_nr != output_nr) continue;
    const unsigned own = number++;
    Tensor replaced = hook.hook ? hook.hook(gradient) : Tensor();
    if (!replaced.defined()) continue;
    check_replacement(own, gradient, replaced);
    gradient = std::move(replaced);
  }
  return gradient;
}

}  // namespace tern::autograd
