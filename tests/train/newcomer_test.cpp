#include "train/train_test.h"

#include <fstream>

// The mistakes that those who come from Python make first, each as the program that makes it. The
// answer names the cure, or is documented behaviour of PyTorch.

namespace tern {
namespace {

struct DigitsNetImpl : nn::Module {
  Tensor forward(const Tensor& x) { return fc2(relu(fc1(x))); }

  nn::Linear fc1 = register_module("fc1", nn::Linear(784, 32));
  nn::Linear fc2 = register_module("fc2", nn::Linear(32, 10));
};
TERN_MODULE(DigitsNet);

class Newcomer : public ::testing::Test {
 protected:
  Tensor loss() { return nn::functional::cross_entropy(net(x), y); }

  DigitsNet net;
  Tensor x = randn({8, 784}), y = arange(8);
  optim::SGD sgd{net->parameters(), 0.1};
};

// As in PyTorch, gradients accumulate until zero_grad(): docs/training.md.
TEST_F(Newcomer, ForgetsZeroGrad) {
  loss().backward();
  const Tensor once = net->fc2->bias.grad().clone();
  loss().backward();
  EXPECT_TRUE(allclose(net->fc2->bias.grad(), 2 * once));
}

TEST_F(Newcomer, ForgetsToFlatten) {
  EXPECT_EQ(error_of<ShapeError>([&] {
              net(x.view({8, 1, 28, 28}));
            }),
            "linear: mat1 and mat2 shapes cannot be multiplied (224x28 and 784x32); the last size "
            "of the input should be 784\n  in module 'fc1' (Linear)");
}

TEST_F(Newcomer, HasTargetsOfAnotherDtypeOrShape) {
  const auto error = [&](const Tensor& target) {
    return error_of([&] { nn::functional::cross_entropy(net(x), target); });
  };
  EXPECT_EQ(error(y.to(kFloat)),
            "cross_entropy_loss: expected target dtype to be Long or Byte, but got Float; convert "
            "it with target.to(kLong)");
  EXPECT_EQ(error(y.unsqueeze(1)),
            "cross_entropy_loss: target must have one dimension less than input, got target sizes "
            "[8, 1] and input sizes [8, 10]");
  EXPECT_EQ(error(y + 10),
            "cross_entropy_loss: Target 17 is out of bounds. A target is at least 0 and less than "
            "10, the number of classes.");
}

TEST_F(Newcomer, LeavesTheInputOnTheCpu) {
  net->to("cuda:1");
  EXPECT_EQ(error_of<DeviceError>([&] { net(x); }),
            "linear: Expected all tensors to be on the same device, but found at least two "
            "devices, cpu and cuda:1! (when checking argument for argument mat1 in method "
            "wrapper_CUDA_addmm)\n  (inputs are moved with to(device); a tensor that is a plain "
            "member does not move with its module, one given to register_buffer does)\n"
            "  in module 'fc1' (Linear)");
}

TEST_F(Newcomer, RegistersNoModuleOrOptimizesNothing) {
  struct ForgetfulImpl : nn::Module {
    nn::Linear fc{784, 10};
  };
  const nn::ModuleHolder<ForgetfulImpl> forgetful;
  const std::string text =
      ": optimizer got an empty parameter list; parameters() finds what register_parameter() and "
      "register_module() have registered, not plain members";
  EXPECT_EQ(error_of([&] { optim::SGD(forgetful->parameters(), 0.1); }), "SGD" + text);
  EXPECT_EQ(error_of([&] { optim::Adam(std::vector<Tensor>(), 0.1); }), "Adam" + text);
  EXPECT_EQ(
      error_of([&] { optim::SGD({net->fc1->weight * 2}, 0.1); }),
      "SGD: can't optimize a non-leaf Tensor; make a leaf with tensor.detach().requires_grad_()");
}

TEST_F(Newcomer, ForgetsToMakeTheModule) {
  const nn::Linear empty{nullptr};
  EXPECT_EQ(error_of([&] { empty(x); }),
            "Accessing empty ModuleHolder: a member made with {nullptr} is set in the constructor, "
            "such as fc = register_module(\"fc\", nn::Linear(3, 1))");
}

TEST_F(Newcomer, CallsBackwardOfNoScalarOrWithoutGradients) {
  EXPECT_EQ(error_of([&] { net(x).backward(); }),
            "grad can be implicitly created only for scalar outputs, got sizes [8, 10]; reduce it "
            "with mean() or sum(), or give backward() a gradient");
  EXPECT_EQ(error_of([&] {
              const NoGradGuard no_grad;
              loss().backward();
            }),
            "element 0 of tensors does not require grad and does not have a grad_fn; it was "
            "computed under NoGradGuard, detached, or made of tensors that do not require grad");
}

TEST_F(Newcomer, CallsBackwardTwice) {
  const Tensor once = loss();
  once.backward();
  const std::string text = error_of([&] { once.backward(); });
  EXPECT_NE(
      text.find("Specify retain_graph=True if you need to backward through the graph a second "
                "time"),
      std::string::npos)
      << text;
}

TEST_F(Newcomer, ChangesALeafInPlace) {
  EXPECT_EQ(error_of([&] { net->fc1->weight.mul_(2); }),
            "mul_: a leaf Variable that requires grad is being used in an in-place operation. "
            "Change it under NoGradGuard, as optimizers do.");
  const Tensor saved = net(x).exp();
  const Tensor changed = saved + 0;
  saved.detach().add_(1);
  const std::string text = error_of([&] { (saved + changed).sum().backward(); });
  EXPECT_NE(text.find("use an op that is not in place, or clone() the tensor first"),
            std::string::npos)
      << text;
}

// Keys of torch.compile() and of DistributedDataParallel, and the state of a submodule.
TEST_F(Newcomer, LoadsKeysWithAPrefix) {
  const auto last_line = [&](const State& state) {
    const std::string text = error_of([&] { net->load_state_dict(state); });
    return text.substr(text.rfind('\t') + 1);
  };
  State wrapped;
  for (const auto& [key, value] : net->state_dict()) wrapped.insert("module." + key, value);
  EXPECT_EQ(last_line(wrapped),
            "The state has \"fc1.weight\" as \"module.fc1.weight\"; did you mean "
            "tern::strip_prefix(state, \"module.\")?");
  net->load_state_dict(strip_prefix(wrapped, "module."));
  EXPECT_EQ(last_line(net->fc1->state_dict()),
            "The module has \"weight\" as \"fc1.weight\"; did you mean to load its \"fc1\"?");
}

TEST_F(Newcomer, LoadsTheWrongFile) {
  const Scratch scratch;
  const auto error = [&](const std::string& name) {
    std::string text = error_of<FileError>([&] { load(net, scratch.path(name)); });
    if (const std::size_t at = text.find(scratch.folder()); at != std::string::npos) {
      text.replace(at, scratch.folder().size() + 1, "");
    }
    return text;
  };
  State checkpoint;
  checkpoint.insert("model", net->state_dict());
  checkpoint.insert("epoch", 3);
  save(checkpoint, scratch.path("checkpoint.json"));
  EXPECT_EQ(
      error("checkpoint.json"),
      "load: 'checkpoint.json': Error(s) in loading state_dict for DigitsNet:\n"
      "\tMissing key(s) in state_dict: \"fc1.weight\", \"fc1.bias\", \"fc2.weight\", "
      "\"fc2.bias\". \n"
      "\tUnexpected key(s) in state_dict: \"model\", \"epoch\". \n"
      "\t\"model\" is a dictionary, as in a checkpoint; does state[\"model\"] hold the module?");
  std::ofstream(scratch.path("net.pt")) << "no weights";
  EXPECT_EQ(error("net.pt"),
            "load: 'net.pt' is neither a ZIP archive nor a file of torch.save in the older format");
  EXPECT_EQ(error("nte.json"), "load: cannot open 'nte.json': No such file or directory");
}

TEST_F(Newcomer, OptimizesAnotherModelOrSavesUnderAnUnknownSuffix) {
  nn::Linear trained(4, 3), other(4, 3);
  optim::SGD optimizer(other->parameters(), 0.1);
  auto loader = points_loader();
  EXPECT_EQ(error_of([&] {
              train::fit(trained, loader, optimizer, nn::CrossEntropyLoss(), {.epochs = 1});
            }),
            "fit: no parameter of the optimizer has a gradient; it has the parameters of another "
            "model, or all of them are frozen");
  EXPECT_EQ(
      error_of<FileError>([&] { train::Checkpoint("last.ckpt"); }),
      "save: 'last.ckpt': the name of a state file must end in one of .safetensors .json .npy "
      ".npz .index.json .pt .pth");
}

// In Python a warning; mse_loss itself broadcasts silently, because tern never prints.
TEST_F(Newcomer, ComparesAColumnWithARow) {
  nn::Linear line(4, 1);
  optim::SGD optimizer(line->parameters(), 0.1);
  const std::vector<data::Example<>> batches = {{randn({8, 4}), randn({8})}};
  EXPECT_EQ(error_of<ShapeError>(
                [&] { train::fit(line, batches, optimizer, nn::MSELoss(), {.epochs = 1}); }),
            "MSELoss: the target has sizes [8], but the output of the model has sizes [8, 1]; the "
            "loss would broadcast them. Give both the same sizes, for example with "
            "target.unsqueeze(1)");
}

}  // namespace
}  // namespace tern
