#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIndexing.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/irange.h>

#include <iostream>

// Single headers of ATen and c10.
int main() {
  c10::InferenceMode guard;
  at::Tensor t = at::zeros({3, 3}, at::TensorOptions().dtype(at::kInt));
  for (const auto i : c10::irange(t.size(0))) t[i][i] = i + 1;
  std::cout << t << "\n" << t.index({at::indexing::Slice(), 1}) << "\n";
  at::parallel_for(0, 3, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) t.data_ptr<int>()[i] = 9;
  });
  std::cout << t.sum().item<int>() << t.suggest_memory_format() << at::MemoryFormat::Preserve
            << "\n";
}
