#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <tern/nn/data/image_file.h>
#include <tern/nn/models.h>

#include "examples/program.h"
#include "fnv1a.h"
#include "mnist_files.h"
#include "serialization/scratch.h"
#include "support/shapes.h"

// Short runs of the examples that have pictures.

namespace tern {
namespace {

ProgramResult run_in(const Scratch& scratch, const std::string& command) {
  return run_program("cd " + scratch.folder() + " && " TERN_BUILD_DIR "/bin/" + command);
}

/// Writes CIFAR-10's six files with four pictures each.
void write_cifar(const std::string& folder) {
  std::filesystem::create_directory(folder);
  for (const char* name : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                           "data_batch_5", "test_batch"}) {
    std::ofstream file(folder + '/' + name + ".bin", std::ios::binary);
    for (int i = 0; i < 4; ++i) file << static_cast<char>(i) << std::string(3072, char(60 * i));
  }
}

TEST(ImagePrograms, CifarResnetReadsCifar10) {
  const Scratch scratch;
  write_cifar(scratch.path("cifar"));
  const ProgramResult result = run_in(
      scratch,
      "cifar_resnet --device cpu --epochs 1 --data cifar --save net.safetensors --show shown.svg");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(result.text.rfind("training may take minutes: 1 epochs of 1 steps\n", 0), 0u)
      << result.text;
  EXPECT_NE(result.text.find("epoch 1: loss "), std::string::npos) << result.text;
  EXPECT_EQ(load_state(scratch.path("net.safetensors"))["fc.weight"].tensor().sizes(),
            IntArrayRef({10, 64}));
  const std::string shown = read_file(scratch.path("shown.svg"));
  EXPECT_NE(shown.find("<image "), std::string::npos);
  EXPECT_NE(shown.find("stroke=\"#d00\""), std::string::npos) << "not all four are right";
  const ProgramResult missing = run_in(scratch, "cifar_resnet --device cpu --data nowhere");
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.text.find("data_batch_1.bin"), std::string::npos) << missing.text;
}

TEST(ImagePrograms, ShapesAreTheSameOnEveryMachine) {
  const auto shapes = support::draw_shapes(20, 1);
  EXPECT_EQ(shapes.data().sizes(), IntArrayRef({20, 3, 32, 32}));
  EXPECT_EQ(shapes.targets()[13].item<int>(), 3);
  EXPECT_EQ(support::shape_names().size(), 10u);
  EXPECT_EQ(testing::fnv1a(shapes.data().data_ptr(), shapes.data().nbytes()),
            13113910427959135094u);
  EXPECT_TRUE(support::draw_shapes(10, 1).data().equal(shapes.data().narrow(0, 0, 10)));
  EXPECT_FALSE(support::draw_shapes(10, 2).data().equal(shapes.data().narrow(0, 0, 10)));
}

TEST(ImagePrograms, DcganDrawsADigitForEachNoise) {
  const Scratch scratch;
  write_mnist(scratch.path("mnist"), 32);
  const ProgramResult result = run_in(scratch,
                                      "dcgan --device cpu --epochs 1 --batch-size 16 --data mnist "
                                      "--out pictures --save net.safetensors");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_NE(result.text.find("epoch 1: loss of the discriminator "), std::string::npos)
      << result.text;
  EXPECT_EQ(data::read_image(scratch.path("pictures/epoch-1.png")).sizes(),
            IntArrayRef({3, 242, 242}));
  EXPECT_EQ(load_state(scratch.path("net.safetensors"))["0.weight"].tensor().sizes(),
            IntArrayRef({100, 128, 4, 4}));
}

class Classify : public ::testing::Test {
 protected:
  Classify() {
    const NoGradGuard no_grad;
    net_->fc->weight.zero_();
    net_->fc->bias.copy_(tensor({0.0, 20.0, 1.0}));
    save(net_, scratch_.path("net.pth"));
    save(net_, scratch_.path("net.safetensors"));
    std::ofstream(scratch_.path("names.txt")) << "disc\nring\nsquare\n";
    std::filesystem::copy_file(testing::golden_folder() + "/data/images/rgb.jpg",
                               scratch_.path("a.jpg"));
  }
  ProgramResult run(const std::string& arguments) const {
    return run_in(scratch_, "classify --device cpu " + arguments);
  }
  /// Checks the exit code 1 and the text of an error.
  void check_error(const std::string& arguments, const std::string& text) const {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.code, 1) << result.text;
    EXPECT_NE(result.text.find(text), std::string::npos) << result.text;
  }

  const Scratch scratch_;
  models::ResNet net_{
      models::ResNetOptions(models::ResNetBlock::kBottleneck, {1, 2, 1, 1}).num_classes(3)};
};

TEST_F(Classify, PrintsTheMostProbableClasses) {
  EXPECT_EQ(run("--weights net.pth --labels names.txt a.jpg").text,
            "100.00 %  ring\n  0.00 %  square\n  0.00 %  disc\n");
  EXPECT_EQ(run("--weights net.safetensors --top 1 a.jpg").text, "100.00 %  class 1\n");
}

TEST_F(Classify, SaysWhatIsWrong) {
  check_error("--weights net.pth b.jpg", "b.jpg");
  check_error("--weights net.pth names.txt", "names.txt");
  check_error("--weights nowhere.pth a.jpg", "nowhere.pth");
  check_error("--weights a.jpg a.jpg", "a.jpg");
  std::ofstream(scratch_.path("two.txt")) << "disc\nring\n";
  check_error("--weights net.pth --labels two.txt a.jpg",
              "two.txt has 2 lines, but the network has 3 classes");
  save(nn::Linear(2, 1), scratch_.path("other.safetensors"));
  check_error("--weights other.safetensors a.jpg",
              "other.safetensors does not hold the state_dict of a ResNet: it has no "
              "layer1.0.conv1.weight");
  State broken;
  for (const auto& [key, value] : net_->state_dict()) {
    if (key != "layer1.0.conv2.weight") broken.insert(key, value);
  }
  save(broken, scratch_.path("broken.safetensors"));
  check_error("--weights broken.safetensors a.jpg",
              "Missing key(s) in state_dict: \"layer1.0.conv2.weight\"");
  EXPECT_EQ(run("a.jpg").code, 2);
  EXPECT_EQ(run("--weights net.pth").code, 2);
}

}  // namespace
}  // namespace tern
