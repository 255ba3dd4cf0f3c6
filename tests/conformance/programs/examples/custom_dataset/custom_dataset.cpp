#include <torch/torch.h>

#include <cstdio>
#include <vector>

// A data set of the program: drawn bars, which a network derived from Sequential tells apart.

struct Options {
  int image_size = 16;
  size_t train_batch_size = 8;
  size_t test_batch_size = 16;
  size_t iterations = 3;
  torch::DeviceType device = torch::kCPU;
};

static Options options;

using Data = std::vector<std::pair<int, long>>;

class BarDataset : public torch::data::datasets::Dataset<BarDataset> {
  using Example = torch::data::Example<>;
  Data data;

 public:
  BarDataset(const Data& data) : data(data) {}

  Example get(size_t index) {
    const int size = options.image_size;
    std::vector<uint8_t> pixels(static_cast<size_t>(size) * size, 0);
    for (int i = 0; i < size; ++i) {
      const int at = data[index].first;
      pixels[data[index].second == 0 ? at * size + i : i * size + at] = 255;
    }
    auto image = torch::from_blob(pixels.data(), {size, size, 1}, torch::kUInt8).clone();
    auto tdata =
        torch::cat({image.view({1, size, size}), image.view({1, size, size})}).to(torch::kFloat) /
        255;
    auto tlabel = torch::tensor(data[index].second, torch::kLong);
    return {tdata, tlabel};
  }

  torch::optional<size_t> size() const { return data.size(); }
};

struct NetworkImpl : torch::nn::SequentialImpl {
  NetworkImpl() {
    using namespace torch::nn;
    auto stride = torch::ExpandingArray<2>({2, 2});
    torch::ExpandingArray<2> shape({-1, 4 * 3 * 3});
    push_back(Conv2d(Conv2dOptions(2, 4, 3).stride(1)));
    push_back(Functional(torch::relu));
    push_back(Functional(torch::max_pool2d, 3, stride, 0, 1, false));
    push_back(Conv2d(Conv2dOptions(4, 4, 4).stride(1)));
    push_back(Functional(torch::relu));
    push_back(Functional([](torch::Tensor x) { return x; }));
    push_back(Functional(torch::reshape, shape));
    push_back(Dropout(0.2));
    push_back(Linear(4 * 3 * 3, 2));
    push_back(Functional(
        static_cast<torch::Tensor (*)(const torch::Tensor&, int64_t,
                                      torch::optional<torch::ScalarType>)>(torch::log_softmax),
        1, torch::nullopt));
  }
};
TORCH_MODULE(Network);

Data make(int from, int count) {
  Data data;
  for (int i = 0; i < count; ++i) data.push_back({(from + i * 5) % options.image_size, i % 2});
  return data;
}

template <typename DataLoader>
void train(Network& network, DataLoader& loader, torch::optim::Optimizer& optimizer, size_t epoch) {
  network->train();
  for (auto& batch : loader) {
    auto data = batch.data.to(options.device), targets = batch.target.to(options.device).view({-1});
    auto output = network->forward(data);
    auto loss = torch::nll_loss(output, targets);
    AT_ASSERT(!std::isnan(loss.template item<float>()));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  std::printf("epoch %zu\n", epoch);
}

template <typename DataLoader>
size_t test(Network& network, DataLoader& loader) {
  torch::NoGradGuard no_grad;
  network->eval();
  size_t rows = 0;
  for (auto& batch : loader) {
    auto output = network->forward(batch.data.to(options.device));
    auto right = output.argmax(1).eq(batch.target.view({-1}));
    rows += right.numel();
    TORCH_CHECK(right.sum().template item<int64_t>() >= 0);
  }
  return rows;
}

int main() {
  torch::manual_seed(1);
  auto train_set = BarDataset(make(0, 40)).map(torch::data::transforms::Stack<>());
  auto train_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(train_set), options.train_batch_size);
  auto test_set = BarDataset(make(3, 20)).map(torch::data::transforms::Stack<>());
  auto test_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(test_set), options.test_batch_size);
  Network network;
  network->to(options.device);
  torch::optim::SGD optimizer(network->parameters(), torch::optim::SGDOptions(0.001).momentum(0.5));
  for (size_t i = 0; i < options.iterations; ++i) {
    train(network, *train_loader, optimizer, i + 1);
    std::printf("%zu\n", test(network, *test_loader));
  }
  std::cout << network->size() << " " << network->parameters()[0].sizes() << std::endl;
}
