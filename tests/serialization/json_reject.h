#pragma once

#include <gtest/gtest.h>

#include <ctime>

#include <tern/core/ops/ops.h>
#include <tern/nn/module.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/batchnorm.h>
#include <tern/nn/modules/linear.h>
#include <tern/serialization/state_file.h>

#include "scratch.h"

// What a file may not be. Every case must end in a typed error that says where and why, quickly,
// and must leave the model that it was meant for as it was, to the bit.

namespace tern {

struct NetImpl : nn::Module {
  NetImpl() {
    register_module("fc", fc);
    register_module("bn", bn);
    scale = register_parameter("scale", ones({}));
    mask = register_buffer("mask", ones({2}, kBool));
    register_buffer("scratch", zeros({2}), /*persistent=*/false);
  }
  nn::Linear fc{3, 2};
  nn::BatchNorm1d bn{2};
  Tensor scale, mask;
};
TERN_MODULE(Net);

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' to replace");
  return text.replace(at, from.size(), to);
}

/// A model, the text of a file that fits it, and a place for broken variants of that file.
class JsonReject : public testing::Test {
 protected:
  JsonReject() {
    manual_seed(1);
    net_ = Net();
    before_ = copy_of(net_->state_dict());
    save(net_, scratch_.path());
    good_ = read_file(scratch_.path());
    manual_seed(2);
  }

  static State copy_of(const State& state) {
    State copy;
    for (const auto& [key, value] : state) copy.insert(key, value.tensor().clone());
    return copy;
  }

  /// Loads `text` and expects an error of kind E that contains `part`.
  template <class E = FileError>
  void rejects(const std::string& text, const std::string& part, bool strict = true) {
    write_file(scratch_.path(), text);
    const std::clock_t start = std::clock();  // of the processor: the machine may be busy
    const std::string message = text_of_error<E>([&] { load(net_, scratch_.path(), strict); });
    const std::string head = text.substr(0, 200);
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC) << head;
    EXPECT_NE(message.find(part), std::string::npos)
        << head << "\n  said: " << message.substr(0, 500) << "\n  not:  " << part;
    EXPECT_LT(message.size(), 10000u) << "an error must stay readable";
    EXPECT_TRUE(identical(net_->state_dict(), before_)) << head;
  }

  /// A file with one tensor made of these fields.
  static std::string file_of(const std::string& fields) {
    return R"({"format": "tern.state_dict", "version": 1, "tensors": {"w": {)" + fields + "}}}";
  }
  static std::string data(const std::string& dtype, const std::string& shape,
                          const std::string& elements) {
    return file_of(R"("dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data": )" +
                   elements);
  }
  static std::string plain(const std::string& value) { return "{\"w\": " + value + "}"; }

  const Scratch scratch_;
  Net net_{nullptr};
  State before_;
  std::string good_;
};

}  // namespace tern
