#include <tern/core/ops/ops.h>
#include <tern/nn/models/lenet.h>

namespace tern::models {

LeNetImpl::LeNetImpl(const LeNetOptions& options_) : options(options_) { LeNetImpl::reset(); }

void LeNetImpl::reset() {
  const std::int64_t size = options.image_size();
  TERN_CHECK(size == 28 || size == 32, Error, "LeNet: image_size must be 28 or 32, got ", size);
  conv1 = nn::Conv2d(nn::Conv2dOptions(options.in_channels(), 6, 5).padding((32 - size) / 2));
  conv2 = nn::Conv2d(6, 16, 5);
  fc1 = nn::Linear(16 * 5 * 5, 120);
  fc2 = nn::Linear(120, 84);
  fc3 = nn::Linear(84, options.num_classes());
  register_module("conv1", conv1);
  register_module("conv2", conv2);
  register_module("fc1", fc1);
  register_module("fc2", fc2);
  register_module("fc3", fc3);
}

void LeNetImpl::pretty_print(std::ostream& stream) const { stream << "tern::models::LeNet"; }

Tensor LeNetImpl::forward(Tensor x) {
  x = max_pool2d(relu(conv1(x)), 2);
  x = max_pool2d(relu(conv2(x)), 2);
  x = relu(fc1(x.flatten(1)));
  return fc3(relu(fc2(x)));
}

LeNet lenet(StrictInt num_classes) { return LeNet(LeNetOptions().num_classes(num_classes)); }

}  // namespace tern::models
