#include <tern/tern.h>

#include <cstddef>
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

struct Net {
  Own own;  // error: write nn::Linear fc{nullptr}
};

int main() {
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
  static_cast<void>(Net());
}
