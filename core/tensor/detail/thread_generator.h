#pragma once

#include <tern/core/tensor/generator.h>

namespace tern::detail {

/// Makes `generator` the default generator of the CPU on this thread alone, while the scope lives.
class ThreadGenerator {
 public:
  explicit ThreadGenerator(Generator generator);
  ~ThreadGenerator();
  ThreadGenerator(const ThreadGenerator&) = delete;
  ThreadGenerator& operator=(const ThreadGenerator&) = delete;

 private:
  Generator generator_;
  Generator* outer_;
};

}  // namespace tern::detail
