#include <tern/compat/torch/script.h>
#include <tern/train/train.h>

#include <cstddef>
#include <optional>
#include <utility>

// What PyTorch's users try and tern does not have: each line must fail with a text of tern's, which
// run.sh reads here behind "error:". None may fail inside a standard header.

using namespace tern;

struct NoDataset {
  data::Example<> get(std::size_t) { return {}; }
  std::size_t size() const { return 3; }
};

struct OwnImpl : nn::Module {
  explicit OwnImpl(int) {}
};
TERN_MODULE(Own);

template <int number>
struct PlainImpl : nn::Module {
  Tensor forward(Tensor x) { return x; }
};
template <int number>
using Plain = nn::ModuleHolder<PlainImpl<number>>;

struct Stream : data::StreamDataset<Stream, int> {
  int get_batch(std::size_t) override { return 0; }
  std::optional<std::size_t> size() const override { return std::nullopt; }
};

struct Net {
  Own own;  // error: write nn::Linear fc{nullptr}
};

int main() {
  torch::jit::load("model.pt");  // error: tern does not run TorchScript
  const Device device("cuda");
  nn::Linear(3, 1, device);       // error: nn::Linear(3, 1).to(device)
  nn::Linear(3, 1, "cuda:1");     // error: nn::Linear(3, 1).to(device)
  nn::BatchNorm1d(3, kDouble);    // error: nn::Linear(3, 1).to(device)
  nn::Linear(3, 1, false);        // error: nn::LinearOptions(3, 1).bias(false)
  nn::Sequential(nn::ReLU(), 3);  // error: Containers take modules, holders
  nn::Sequential(
      [](int number) { return number; });  // error: functions that map a Tensor to a Tensor
  nn::Sequential(nn::ModuleList());        // error: needs one forward()
  nn::ModuleList(std::pair(1, 2));         // error: vectors of these
  data::make_data_loader(NoDataset(), 2);  // error: derives from tern::data::Dataset
  data::make_data_loader(Stream(), 2);     // error: needs samplers::StreamSampler
  static_cast<void>(Net());

  const nn::Sequential layers{nn::ReLU()};
  const nn::ModuleDict heads({{"class", nn::ReLU()}});
  layers[0] = nn::Tanh();            // error: list->set(0, module)
  heads["class"] = nn::Sigmoid();    // error: dict->insert("key", module)
  layers[0] = heads["class"];        // error: list->set(0, module)
  Plain<1>().clone();                // error: Derive it from nn::Cloneable
  optim::AveragedModel(Plain<2>());  // error: Derive it from nn::Cloneable
  nn::DataParallel(Plain<3>());      // error: Derive it from nn::Cloneable

  nn::Linear net(3, 1);
  optim::SGD sgd(net->parameters(), 0.1);
  const nn::MSELoss loss;
  data::datasets::PairDataset points(ones({4, 3}), ones({4, 1}));
  const std::vector<data::Example<>> batches = {{ones({4, 3}), ones({4, 1})}};
  const std::vector<std::vector<data::Example<>>> lists = {batches};
  train::fit(net, points, sgd, loss, {.epochs = 1});       // error: Make one of a dataset with
  train::fit(net, lists, sgd, loss, {.epochs = 1});        // error: join the examples with
  train::fit(net, batches, sgd, mse_loss, {.epochs = 1});  // error: The loss is a function
  train::fit(*net, batches, sgd, loss, {.epochs = 1});     // error: Give the holder of the model
  train::fit(net, sgd, batches, loss, {.epochs = 1});      // error: The order of the arguments is
  train::fit(net, batches, sgd, loss, 5);                  // error: Give the options in braces
  train::fit(net, batches, sgd, loss,
             {.metrics = {metrics::Accuracy()}});  // error: A metric has a name, and both stand
  train::fit(net, batches, sgd, loss,
             {.metrics = {"f1", metrics::F1(3)}});  // error: A metric has a name, and both stand
  train::fit(net, batches, sgd, loss,
             {.metrics = {{"mean", metrics::Mean()}}});  // error: compares outputs with targets
  train::fit(net, batches, sgd, loss,
             {.callbacks = {optim::StepLR(sgd, 3)}});           // error: train::Schedule(scheduler)
  train::fit(net, batches, sgd, loss, {.validation = points});  // error: Make one of a dataset with
  train::predict(net, lists);                                   // error: predict() takes batches
}
