#include <algorithm>
#include <utility>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/base/text.h>

namespace tern::autograd {
namespace {
// Per thread: one thread records a graph, and backward follows the order of that thread.
thread_local std::uint64_t next_sequence_nr = 0;
// Nodes whose last owner released them while this thread was destroying another node.
thread_local Node* dying = nullptr;
thread_local bool is_burying = false;
std::atomic<unsigned> next_hook_number{1};
}  // namespace

Node::Node(Edge* edges, std::size_t count) : Node(edges, count, next_sequence_nr++) {
  if (tern::detail::is_profiled()) [[unlikely]]
    tern::detail::record_sequence_nr(sequence_nr_);
}
Node::~Node() = default;

std::string NamedNode::name() const { return name_; }

std::string op_name(const Node& node) {
  const std::string name = node.name();
  const std::size_t end = name.rfind("Backward");
  return end == std::string::npos ? name : name.substr(0, end);
}

void Node::destroy() noexcept {
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

unsigned Node::add_hook(std::uint32_t output_nr, Hook hook, bool is_last) {
  std::vector<OutputHook>& hooks = extra().hooks;
  const auto at = is_last ? hooks.end()
                          : std::find_if(hooks.begin(), hooks.end(),
                                         [](const OutputHook& h) { return h.is_last; });
  return hooks.insert(at, {output_nr, next_hook_number++, std::move(hook), is_last})->number;
}

void Node::remove_hook(unsigned number) {
  if (extra_) std::erase_if(extra_->hooks, [&](const OutputHook& h) { return h.number == number; });
}

namespace {

// Returns PyTorch's name of the type of a tensor: torch.cuda.FloatTensor.
std::string type_name_of(const Tensor& tensor) {
  using tern::detail::text_of;
  if (tensor.is_meta()) return text_of("Meta", tensor.dtype(), "Type");
  return text_of("torch.", tensor.is_cuda() ? "cuda." : "", tensor.dtype(), "Tensor");
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
  for (const OutputHook& hook : hooks) {
    if (hook.output_nr != output_nr) continue;
    Tensor replaced = hook.hook(gradient);
    if (!replaced.defined()) continue;
    check_replacement(hook.number, gradient, replaced);
    gradient = std::move(replaced);
  }
  return gradient;
}

}  // namespace tern::autograd
