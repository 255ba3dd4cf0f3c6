#include <torch/torch.h>

#include <gtest/gtest.h>

#include "error_of.h"
#include "serialization/scratch.h"

// torch::save, torch::load and archives as programs for libtorch use them.

namespace {

using tern::Scratch;
using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    a = register_module("a", torch::nn::Linear(3, 2));
    bn = register_module("bn", torch::nn::BatchNorm1d(2));
    p = register_parameter("p", torch::ones({2}));
    b = register_buffer("b", torch::zeros({2}, torch::kLong));
  }
  torch::Tensor forward(torch::Tensor x) { return bn(a(x)) * p; }

  torch::nn::Linear a{nullptr};
  torch::nn::BatchNorm1d bn{nullptr};
  torch::Tensor p, b;
};
TORCH_MODULE(Net);

/// A class with members save and load.
struct Counter {
  void save(OutputArchive& archive) const {
    archive.write("count", torch::IValue(count));
    archive.write("sum", sum);
  }
  void load(InputArchive& archive) {
    torch::IValue value;
    archive.read("count", value);
    count = value.toInt();
    archive.read("sum", sum);
  }
  std::int64_t count = 0;
  torch::Tensor sum;
};

/// A module that writes more than its tensors.
struct EpochImpl : torch::nn::Module {
  EpochImpl() { fc = register_module("fc", torch::nn::Linear(2, 2)); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  void save(OutputArchive& archive) const override {
    archive.write("epoch", torch::IValue(epoch));
    torch::nn::Module::save(archive);
  }
  void load(InputArchive& archive) override {
    torch::IValue value;
    archive.read("epoch", value);
    epoch = value.toInt();
    torch::nn::Module::load(archive);
  }
  std::int64_t epoch = 0;
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Epoch);

/// Saves to a stream and loads from it.
template <class From, class To>
void pass(const From& from, To& to) {
  std::stringstream stream;
  torch::save(from, stream);
  torch::load(to, stream);
}

void expect_equal(torch::nn::Module& a, torch::nn::Module& b) {
  EXPECT_TRUE(tern::identical(a.state_dict(), b.state_dict()));
}

TEST(Serialize, TensorsInFilesStreamsBuffersAndFunctions) {
  const Scratch scratch;
  const torch::Tensor x = torch::randn({2, 3}).t();
  torch::Tensor y;
  for (const char* name : {"x", "x.bin", "x.pt", "x y.model", "x.npy", "x.json", "x.safetensors"}) {
    torch::save(x, scratch.path(name));
    y = {};
    torch::load(y, scratch.path(name));
    EXPECT_TRUE(torch::equal(x, y)) << name;
  }
  y = {};
  pass(x, y);
  EXPECT_TRUE(torch::equal(x, y));

  std::string bytes;
  torch::save(x, [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
    return size;
  });
  y = {};
  torch::load(y, bytes.data(), bytes.size());
  EXPECT_TRUE(torch::equal(x, y));
  y = {};
  torch::load(
      y,
      [&](std::uint64_t position, void* to, std::size_t size) {
        return bytes.copy(static_cast<char*>(to), size, position);
      },
      [&] { return bytes.size(); });
  EXPECT_TRUE(torch::equal(x, y));
}

TEST(Serialize, ADefinedTensorKeepsItsIdentityAndTakesTheSizes) {
  torch::Tensor y = torch::zeros({5}).requires_grad_();
  const torch::Tensor alias = y;
  pass(torch::ones({2, 2}), y);
  EXPECT_TRUE(torch::equal(alias, torch::ones({2, 2})));
  EXPECT_TRUE(y.requires_grad());
}

TEST(Serialize, Vectors) {
  const std::vector<torch::Tensor> vector = {torch::ones({2}), torch::arange(3)};
  std::vector<torch::Tensor> loaded(1);
  pass(vector, loaded);
  ASSERT_EQ(loaded.size(), 3);  // libtorch appends
  EXPECT_TRUE(torch::equal(loaded[1], vector[0]));
  EXPECT_TRUE(torch::equal(loaded[2], vector[1]));
}

TEST(Serialize, Modules) {
  torch::manual_seed(0);
  Net a, b, c;
  a->b.fill_(7);
  pass(a, b);
  expect_equal(*a, *b);
  const std::shared_ptr<NetImpl> pointer = c.ptr();
  pass(a, pointer);
  expect_equal(*a, *c);

  torch::nn::Sequential from(torch::nn::Linear(2, 3), torch::nn::Functional(torch::relu),
                             torch::nn::Sequential(torch::nn::Linear(3, 1), torch::nn::ReLU()));
  torch::nn::Sequential to(torch::nn::Linear(2, 3), torch::nn::Functional(torch::relu),
                           torch::nn::Sequential(torch::nn::Linear(3, 1), torch::nn::ReLU()));
  pass(from, to);
  expect_equal(*from, *to);
}

TEST(Serialize, ModulesInAllFormatsByArchive) {
  const Scratch scratch;
  Net a;
  for (const char* name : {"a.pt", "a.json", "a.safetensors", "a.npz"}) {
    torch::save(a, scratch.path(name));
    Net b, c;
    torch::load(b, scratch.path(name));
    expect_equal(*a, *b);
    InputArchive archive;
    archive.load_from(scratch.path(name));
    c->load(archive);
    expect_equal(*a, *c);
  }
  tern::save(a, scratch.path("python.pt"));
  Net d, e;
  torch::load(d, scratch.path("python.pt"));
  expect_equal(*a, *d);
  tern::load(e, scratch.path("a.pt"));  // reads libtorch's archives, too
  expect_equal(*a, *e);
}

TEST(Serialize, ModulesThatOverrideSaveAndLoad) {
  torch::nn::Sequential a(Epoch{}), b(Epoch{});
  a->at<EpochImpl>(0).epoch = 5;
  pass(a, b);
  EXPECT_EQ(b->at<EpochImpl>(0).epoch, 5);
  expect_equal(*a, *b);
}

/// A module that also saves a module which is not registered.
struct OwnerImpl : torch::nn::Module {
  OwnerImpl() { fc = register_module("fc", torch::nn::Linear(2, 2)); }
  torch::Tensor forward(torch::Tensor x) { return other(fc(x)); }
  void save(OutputArchive& archive) const override {
    torch::nn::Module::save(archive);
    OutputArchive inner;
    other->save(inner);
    archive.write("other", inner);
  }
  void load(InputArchive& archive) override {
    torch::nn::Module::load(archive);
    InputArchive inner;
    archive.read("other", inner);
    other->load(inner);
  }
  torch::nn::Linear fc{nullptr}, other{2, 2};
};
TORCH_MODULE(Owner);

TEST(Serialize, ModulesThatSaveOthers) {
  Owner first, second;
  torch::nn::Sequential a(first), b(second);
  pass(a, b);
  expect_equal(*a, *b);
  expect_equal(*first->other, *second->other);
}

TEST(Serialize, AnErrorLeavesTheModuleUnchanged) {
  const Scratch scratch;
  torch::nn::Sequential a(torch::nn::Linear(2, 2)),
      b(torch::nn::Linear(2, 2), torch::nn::Linear(2, 2)),
      c(torch::nn::Linear(torch::nn::LinearOptions(2, 2).bias(false)));
  torch::save(a, scratch.path("a"));
  torch::save(c, scratch.path("c"));
  for (const auto& [file, module, text] :
       {std::tuple("a", b, "No such serialized submodule: '1'"),
        std::tuple("c", a, "No such serialized tensor '0.bias'")}) {
    std::vector<torch::Tensor> before;
    for (const auto& tensor : module->parameters()) before.push_back(tensor.detach().clone());
    const std::string error =
        tern::error_of<c10::Error>([&] { torch::load(module, scratch.path(file)); });
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_NE(error.find(scratch.path(file)), std::string::npos) << error;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(torch::equal(module->parameters()[i], before[i]));
    }
  }
}

TEST(Serialize, ClassesOfPrograms) {
  Counter counter{3, torch::ones({2})}, loaded;
  pass(counter, loaded);
  EXPECT_EQ(loaded.count, 3);
  EXPECT_TRUE(torch::equal(loaded.sum, counter.sum));
}

template <class O, class Options>
void check_optimizer(const Options& options) {
  torch::manual_seed(0);
  Net a, b;
  O first(a->parameters(), options), second(b->parameters(), Options(0.5));
  const torch::Tensor x = torch::randn({4, 3});
  const auto step = [&](O& optimizer, Net& net) {
    optimizer.step([&] {
      optimizer.zero_grad();
      torch::Tensor loss = net->forward(x).pow(2).sum() + net->a->weight.pow(2).sum();
      loss.backward();
      return loss;
    });
  };
  step(first, a);
  step(first, a);
  pass(a, b);
  pass(first, second);
  EXPECT_TRUE(tern::identical(first.state_dict()["state"], second.state_dict()["state"]));
  step(first, a);
  step(second, b);
  for (std::size_t i = 0; i < a->parameters().size(); ++i) {  // LBFGS saves rounded numbers
    EXPECT_TRUE(torch::allclose(a->parameters()[i], b->parameters()[i])) << typeid(O).name();
  }
}

TEST(Serialize, Optimizers) {
  using namespace torch::optim;
  check_optimizer<SGD>(SGDOptions(0.1).momentum(0.9));
  check_optimizer<SGD>(SGDOptions(0.1));
  check_optimizer<Adam>(AdamOptions(0.1).amsgrad(true));
  check_optimizer<AdamW>(AdamWOptions(0.1));
  check_optimizer<Adagrad>(AdagradOptions(0.1));
  check_optimizer<RMSprop>(RMSpropOptions(0.1).momentum(0.9).centered(true));
  check_optimizer<LBFGS>(LBFGSOptions(0.1).max_iter(3).history_size(2));
  check_optimizer<NAdam>(NAdamOptions(0.1));
}

TEST(Serialize, OptimizersOfOtherGroupsAreRefused) {
  const torch::Tensor p = torch::ones({2}).requires_grad_(), q = torch::ones({2}).requires_grad_();
  torch::optim::SGD one({p}, 0.1), two({p, q}, 0.1);
  torch::optim::SGD groups(std::vector<torch::optim::OptimizerParamGroup>{{{p}}, {{q}}},
                           torch::optim::SGDOptions(0.1));
  EXPECT_NE(tern::error_of<c10::Error>([&] { pass(one, two); })
                .find("loaded state dict contains a parameter group that has a different size than "
                      "the optimizer's parameter group"),
            std::string::npos);
  EXPECT_NE(tern::error_of<c10::Error>([&] {
              pass(one, groups);
            }).find("loaded state dict has a different number of parameter groups"),
            std::string::npos);
  EXPECT_NE(tern::error_of<c10::Error>([&] { pass(p, one); }).find("not that of an optimizer"),
            std::string::npos);
}

template <class Sampler>
void check_sampler(Sampler a, Sampler b) {
  a.reset(10);
  a.next(3);
  pass(a, b);
  EXPECT_EQ(a.index(), b.index());
  EXPECT_EQ(a.next(4), b.next(4));
}

TEST(Serialize, Samplers) {
  using namespace torch::data::samplers;
  check_sampler(RandomSampler(10), RandomSampler(10));
  check_sampler(SequentialSampler(10), SequentialSampler(10));
  DistributedRandomSampler random(10, 2, 1);
  random.set_epoch(4);
  check_sampler(random, DistributedRandomSampler(10, 2, 1));
  check_sampler(DistributedSequentialSampler(10, 2, 1), DistributedSequentialSampler(10, 2, 1));
  check_sampler(PythonRandomSampler(10), PythonRandomSampler(10));
  StreamSampler a(10), b(10);
  a.next(3);
  pass(a, b);
  EXPECT_EQ(b.next(10)->size(), 7);
  SequentialSampler small(2), large(10);
  large.next(5);
  EXPECT_NE(tern::error_of<c10::Error>([&] { pass(large, small); }).find("at most 2"),
            std::string::npos);
}

TEST(Serialize, ArchivesOfValues) {
  OutputArchive out, nested(out.compilation_unit());
  out.write("int", torch::IValue(3));
  out.write("double", 1.5);
  out.write("bool", true);
  out.write("text", "a\n\"b\"");
  out.write("none", torch::IValue());
  out.write("ints", std::vector<std::int64_t>{1, 2});
  out.write("doubles", std::vector<double>{1, 2.5});
  out.write("bools", std::vector<bool>{true, false});
  out.write("tensors", std::vector<torch::Tensor>{torch::ones({2})});
  out("nested", nested);
  nested("weird key-1.2", torch::arange(3), /*is_buffer=*/true);  // also after it was written
  nested("class", torch::ones({1}).requires_grad_());
  std::stringstream stream;
  out.save_to(stream);

  InputArchive in, inner;
  in.load_from(stream, torch::kCPU);
  EXPECT_EQ(in.keys(), (std::vector<std::string>{"int", "double", "bool", "text", "none", "ints",
                                                 "doubles", "bools", "tensors", "nested"}));
  torch::IValue value;
  const auto read = [&](const char* key) {
    in.read(key, value);
    return value;
  };
  EXPECT_EQ(read("int").toInt(), 3);
  EXPECT_EQ(read("double").toDouble(), 1.5);
  EXPECT_EQ(read("bool").toBool(), true);
  EXPECT_EQ(read("text").toStringRef(), "a\n\"b\"");
  EXPECT_TRUE(read("none").isNone());
  EXPECT_EQ(read("ints").toIntVector(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(read("doubles").toDoubleVector(), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(read("bools").toBoolVector(), (std::vector<bool>{true, false}));
  EXPECT_TRUE(torch::equal(read("tensors").toTensorVector()[0], torch::ones({2})));
  in("nested", inner);
  torch::Tensor tensor;
  inner.read("weird key-1.2", tensor, /*is_buffer=*/true);
  EXPECT_TRUE(torch::equal(tensor, torch::arange(3)));
  tensor = {};
  EXPECT_TRUE(inner.try_read("class", tensor));
  EXPECT_TRUE(tensor.requires_grad());
  EXPECT_FALSE(inner.try_read("other", tensor));
  EXPECT_FALSE(in.try_read("int", tensor));
  EXPECT_FALSE(in.try_read("int", inner));
  EXPECT_EQ(tern::error_of<c10::Error>([&] { inner.read("x", tensor); }),
            "No such serialized tensor 'nested.x'");
  EXPECT_EQ(tern::error_of<c10::Error>([&] { in.read("int", inner); }),
            "No such serialized submodule: 'int'");
}

TEST(Serialize, WrongWritesAreRefused) {
  OutputArchive out, inner;
  out.write("a", torch::ones({1}));
  out.write("a", torch::zeros({1}));  // replaces the tensor
  EXPECT_NE(tern::error_of<c10::Error>([&] { out.write("a", inner); }).find("not compatible"),
            std::string::npos);
  EXPECT_NE(tern::error_of<c10::Error>([&] { out.write("a", 3); }).find("for the field 'a'"),
            std::string::npos);
  EXPECT_EQ(tern::error_of<c10::Error>([&] { out.write("b", torch::Tensor()); }),
            "the tensor 'b' is undefined");
  std::ostringstream stream;
  stream.setstate(std::ios::badbit);
  EXPECT_NE(tern::error_of<tern::FileError>([&] { out.save_to(stream); }).find("were written"),
            std::string::npos);
  out.write("inner", inner);
  EXPECT_EQ(tern::error_of<c10::Error>([&] { inner.write("out", out); }),
            "the archive 'out' would contain itself");
}

TEST(Serialize, DamagedStreamsAreRefused) {
  std::stringstream stream;
  torch::save(torch::ones({2}), stream);
  std::string bytes = stream.str();
  torch::Tensor tensor;
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    tern::error_of<tern::FileError>([&] { torch::load(tensor, bytes.data(), size); });
    EXPECT_FALSE(tensor.defined());
  }
}

TEST(Serialize, Pickles) {
  EXPECT_TRUE(torch::equal(torch::pickle_load(torch::pickle_save(torch::ones({2}))).toTensor(),
                           torch::ones({2})));
}

}  // namespace
