#include <torch/torch.h>

#include <iostream>

namespace data = torch::data;

// A data set of the program, with transforms.
class Numbers : public data::datasets::Dataset<Numbers> {
 public:
  explicit Numbers(size_t count) : count_(count) {}
  data::Example<> get(size_t index) override {
    return {torch::full({1, 2, 1}, static_cast<double>(index)),
            torch::tensor(static_cast<int64_t>(index % 3))};
  }
  torch::optional<size_t> size() const override { return count_; }

 private:
  size_t count_;
};

int main() {
  Numbers numbers(5);
  std::cout << numbers.size().value() << numbers.get(3).data << "\n";
  auto batch = numbers.get_batch({0, 4});
  std::cout << batch.size() << batch[1].target.item<int64_t>() << "\n";
  auto stacked = Numbers(4).map(data::transforms::Stack<>());
  auto example = stacked.get_batch({1, 2, 3});
  std::cout << example.data << "\n" << example.target << "\n";
  auto normal =
      Numbers(4).map(data::transforms::Normalize<>(1.0, 2.0)).map(data::transforms::Stack<>());
  std::cout << normal.get_batch({3, 0}).data << "\n" << normal.size().value() << "\n";
  auto twice = Numbers(4)
                   .map(data::transforms::TensorLambda<>([](torch::Tensor t) { return t * 2; }))
                   .map(data::transforms::Lambda<data::Example<>>([](data::Example<> e) {
                     e.target += 100;
                     return e;
                   }))
                   .map(data::transforms::Stack<>());
  auto result = twice.get_batch({2});
  std::cout << result.data << "\n" << result.target << "\n";
}
