#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

// What torch::save of the C++ frontend writes, and whether torch::load reads it. Compiles with
// libtorch and with tern: libtorch_archives.sh lets each check the files of the other.

namespace archives {

inline std::vector<torch::Tensor> parameters() {
  const auto parameter = [](torch::Tensor values) { return values.set_requires_grad(true); };
  return {parameter(torch::arange(6, torch::kFloat).view({2, 3})),
          parameter(torch::full({2}, 0.5))};
}

struct NetImpl : torch::nn::Module {
  NetImpl() {
    p = register_parameter("p", torch::zeros({2}));
    b = register_buffer("b", torch::zeros({2}, torch::kLong));
    body = register_module(
        "body", torch::nn::Sequential(torch::nn::Linear(3, 2), torch::nn::Functional(torch::relu),
                                      torch::nn::BatchNorm1d(2)));
  }
  /// Sets all tensors to known numbers.
  void fill() {
    const torch::NoGradGuard guard;
    double next = 1;
    for (auto& tensor : parameters()) tensor.fill_(next++ / 8);
    for (auto& tensor : buffers()) tensor.fill_(next++);
  }
  torch::Tensor p, b;
  torch::nn::Sequential body{nullptr};
};
TORCH_MODULE(Net);

/// Steps twice down a bowl.
template <class Optimizer>
void train(Optimizer& optimizer, const std::vector<torch::Tensor>& parameters) {
  for (int i = 0; i < 2; ++i) {
    optimizer.step([&] {
      optimizer.zero_grad();
      torch::Tensor loss = torch::zeros({});
      for (const torch::Tensor& p : parameters) loss = loss + (p * p * p * p).sum() / 100;
      loss.backward();
      return loss;
    });
  }
}

/// Writes to `folder`, or reads it and collects what differs.
class Run {
 public:
  Run(std::string folder, bool writes) : folder_(std::move(folder)), writes_(writes) {}

  const std::vector<std::string>& differences() const { return differences_; }

  void all() {
    tensors();
    net();
    values();
    using namespace torch::optim;
    optimizer<SGD>("sgd", SGDOptions(0.1).momentum(0.9));
    optimizer<Adam>("adam", AdamOptions(0.1).amsgrad(true));
    optimizer<AdamW>("adamw", AdamWOptions(0.1));
    optimizer<Adagrad>("adagrad", AdagradOptions(0.1));
    optimizer<RMSprop>("rmsprop", RMSpropOptions(0.1).momentum(0.9).centered(true));
    optimizer<LBFGS>("lbfgs", LBFGSOptions(0.1).max_iter(3).history_size(2));
    samplers();
  }

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name + ".pt"; }
  void expect(bool condition, const std::string& what) {
    if (!condition) differences_.push_back(what);
  }
  void expect_equal(const torch::Tensor& a, const torch::Tensor& b, const std::string& what) {
    expect(a.defined() && a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
               torch::allclose(a.to(torch::kDouble), b.to(torch::kDouble)),
           what);
  }

  void tensors() {
    const torch::Tensor base = torch::arange(12, torch::kFloat).view({3, 4});
    const std::vector<torch::Tensor> written = {base.t(),
                                                base.slice(0, 1, 3),
                                                torch::full({}, 2.5, torch::kDouble),
                                                torch::ones({2}, torch::kBool),
                                                torch::arange(3).to(torch::kByte),
                                                torch::zeros({0, 2}),
                                                torch::ones({2}, torch::kHalf),
                                                torch::ones({2}, torch::kBFloat16)};
    if (writes_) {
      torch::save(written[0], path("tensor"));
      torch::save(written, path("vector"));
      return;
    }
    torch::Tensor tensor;
    torch::load(tensor, path("tensor"));
    expect_equal(tensor, written[0], "tensor");
    std::vector<torch::Tensor> read;
    torch::load(read, path("vector"));
    expect(read.size() == written.size(), "size of vector");
    for (std::size_t i = 0; i < read.size(); ++i) expect_equal(read[i], written[i], "vector");
  }

  void net() {
    Net filled, read;
    filled->fill();
    if (writes_) return torch::save(filled, path("net"));
    torch::load(read, path("net"));
    for (const auto& item : filled->named_parameters()) {
      expect_equal(read->named_parameters()[item.key()], item.value(), item.key());
      expect(read->named_parameters()[item.key()].requires_grad(), item.key() + " as a leaf");
    }
    for (const auto& item : filled->named_buffers()) {
      expect_equal(read->named_buffers()[item.key()], item.value(), item.key());
    }
  }

  void values() {
    if (writes_) {
      torch::serialize::OutputArchive archive, nested;
      archive.write("int", torch::IValue(1 << 20));
      archive.write("large", torch::IValue(std::int64_t{1} << 40));
      archive.write("double", torch::IValue(1.5));
      archive.write("text", torch::IValue("text\n\"q\" \\"));
      archive.write("bool", torch::IValue(true));
      archive.write("none", torch::IValue());
      archive.write("ints", torch::IValue(std::vector<std::int64_t>{1, 2}));
      archive.write("doubles", torch::IValue(std::vector<double>{1, 2.5}));
      archive.write("bools", torch::IValue(std::vector<bool>{true, false}));
      archive.write("tensors", torch::IValue(std::vector<torch::Tensor>{torch::ones({2})}));
      archive.write("tensor", torch::IValue(torch::ones({3})));
      nested.write("weird key-1.2", torch::arange(3), true);
      nested.write("0", torch::ones({2}).set_requires_grad(true));
      archive.write("nested", nested);
      return archive.save_to(path("values"));
    }
    torch::serialize::InputArchive archive, nested;
    archive.load_from(path("values"));
    torch::IValue value;
    const auto read = [&](const char* key) -> torch::IValue& {
      archive.read(key, value);
      return value;
    };
    expect(archive.keys().size() == 12, "keys");
    expect(read("int").toInt() == 1 << 20, "int");
    expect(read("large").toInt() == std::int64_t{1} << 40, "large");
    expect(read("double").toDouble() == 1.5, "double");
    expect(read("text").toStringRef() == "text\n\"q\" \\", "text");
    expect(read("bool").toBool(), "bool");
    expect(read("none").isNone(), "none");
    expect(read("ints").toIntVector() == std::vector<std::int64_t>{1, 2}, "ints");
    expect(read("doubles").toDoubleVector() == std::vector<double>{1, 2.5}, "doubles");
    expect(read("bools").isBoolList(), "bools");
    expect_equal(read("tensors").toTensorVector().at(0), torch::ones({2}), "tensors");
    expect_equal(read("tensor").toTensor(), torch::ones({3}), "tensor in archive");
    archive.read("nested", nested);
    torch::Tensor tensor;
    nested.read("weird key-1.2", tensor, true);
    expect_equal(tensor, torch::arange(3), "weird key");
    tensor = torch::Tensor();
    nested.read("0", tensor);
    expect(tensor.requires_grad(), "requires_grad");
    expect(!nested.try_read("1", tensor), "missing");
  }

  template <class Optimizer, class Options>
  void optimizer(const std::string& name, const Options& options) {
    // After loading, both take the same steps.
    std::vector<torch::Tensor> a = parameters(), b = parameters();
    Optimizer trained(a, options), read(b, Options(0.5));
    train(trained, a);
    if (writes_) return torch::save(trained, path(name));
    torch::load(read, path(name));
    const torch::NoGradGuard guard;
    for (std::size_t i = 0; i < a.size(); ++i) b[i].copy_(a[i]);
    torch::AutoGradMode on(true);
    train(trained, a);
    train(read, b);
    for (std::size_t i = 0; i < a.size(); ++i) expect_equal(b[i].detach(), a[i].detach(), name);
  }

  template <class Sampler>
  void sampler(const std::string& name, Sampler a, Sampler b) {
    a.next(3);
    if (writes_) return torch::save(a, path(name));
    torch::load(b, path(name));
    const auto left = b.next(100);
    expect(left && !left->empty() && left->size() + 3 == all_of(a), name);
    if (name != "random") expect(left == a.next(100), name + " order");
  }
  template <class Sampler>
  static std::size_t all_of(Sampler& sampler) {
    sampler.reset();
    const auto every = sampler.next(100);
    sampler.reset();
    sampler.next(3);
    return every->size();
  }

  void samplers() {
    using namespace torch::data::samplers;
    sampler("random", RandomSampler(10), RandomSampler(10));
    sampler("sequential", SequentialSampler(10), SequentialSampler(10));
    sampler("distributed", DistributedRandomSampler(10, 2, 1), DistributedRandomSampler(10, 2, 1));
  }

  std::string folder_;
  bool writes_;
  std::vector<std::string> differences_;
};

}  // namespace archives
