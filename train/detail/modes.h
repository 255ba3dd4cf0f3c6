#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <tern/nn/module.h>

namespace tern::train::detail {

/// Remembers the training mode of every module of a tree and restores the modes at its end.
class Modes {
 public:
  explicit Modes(nn::Module& module);
  ~Modes();
  Modes(const Modes&) = delete;
  Modes& operator=(const Modes&) = delete;

 private:
  std::vector<std::pair<std::shared_ptr<nn::Module>, bool>> modes_;
};

}  // namespace tern::train::detail
