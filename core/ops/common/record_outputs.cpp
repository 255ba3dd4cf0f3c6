// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/ops/common/detail/record_outputs.h>

namespace tern::detail {
namespace {

class OutputsNode final : public autograd::NamedNode {
 public:
  OutputsNode(const char* name, std::initializer_list<const Tensor*> outputs,
              std::initializer_list<const Tensor*> inputs,
              std::initializer_list<const Tensor*> saved, OutputsRule rule)
      : OutputsNode(name, edges_of(inputs), std::move(rule)) {
    for (const Tensor* tensor : saved) {
      std::int64_t output = -1;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if ((*(outputs.begin() + i))->is_same(*tensor)) output = static_cast<std::int64_t>(i);
      }
      saved_.push_back({autograd::SavedTensor(*tensor, output >= 0), output});
    }
  }

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet /*wanted*/) override {
    if (released_) autograd::detail::throw_backward_twice();
    const std::vector<Tensor> arrived(gradients, gradients + output_count());
    const auto is_defined = [](const Tensor& tensor) { return tensor.defined(); };
    if (std::none_of(arrived.begin(), arrived.end(), is_defined)) return;
    std::vector<Tensor> saved;
    for (const Saved& entry : saved_) {
      saved.push_back(entry.tensor.unpack(this));
      if (entry.output > 0 && GradMode::is_enabled()) {
        autograd::ensure_meta(saved.back().self()).output_nr =
            static_cast<std::uint32_t>(entry.output);
      }
    }
    const std::vector<Tensor> computed = rule_(arrived, saved);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].function) results[i] = computed[i];
    }
  }
  void release_saved() override {
    released_ = true;
    saved_.clear();
  }

 private:
  struct Saved {
    autograd::SavedTensor tensor;
    std::int64_t output;  // the number of the output that it is, or -1
  };

  OutputsNode(const char* name, std::vector<autograd::Edge> edges, OutputsRule rule)
      : NamedNode(name, edges.data(), edges.size()),
        edges_(std::move(edges)),
        rule_(std::move(rule)) {}

  static std::vector<autograd::Edge> edges_of(std::initializer_list<const Tensor*> inputs) {
    std::vector<autograd::Edge> edges;
    for (const Tensor* input : inputs) {
      edges.push_back(input->defined() ? autograd::gradient_edge(*input) : autograd::Edge());
    }
    return edges;
  }

  std::vector<autograd::Edge> edges_;  // keeps its buffer, to which Node points
  OutputsRule rule_;
  std::vector<Saved> saved_;
  bool released_ = false;
};

}  // namespace

void record_outputs(const char* name, std::initializer_list<const Tensor*> outputs,
                    std::initializer_list<const Tensor*> inputs,
                    std::initializer_list<const Tensor*> saved, OutputsRule rule) {
  const IntrusivePtr<autograd::Node> node(
      new OutputsNode(name, outputs, inputs, saved, std::move(rule)));
  std::uint32_t number = 0;
  for (const Tensor* output : outputs) autograd::set_history(*output, node, number++);
}

}  // namespace tern::detail
