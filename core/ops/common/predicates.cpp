// Compiled for size.

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/predicates.h>

namespace tern {

bool is_complex(const Tensor& self) {
  TERN_OP("is_complex", self);
  return false;
}

bool is_conj(const Tensor& self) {
  TERN_OP("is_conj", self);
  return false;
}

bool is_neg(const Tensor& self) {
  TERN_OP("is_neg", self);
  return false;
}

bool is_distributed(const Tensor& self) {
  TERN_OP("is_distributed", self);
  return false;
}

bool is_same_size(const Tensor& self, const Tensor& other) {
  TERN_OP("is_same_size", self, other);
  return self.sizes() == other.sizes();
}

bool is_set_to(const Tensor& self, const Tensor& tensor) {
  TERN_OP("is_set_to", self, tensor);
  return self.is_alias_of(tensor) && self.storage_offset() == tensor.storage_offset() &&
         self.sizes() == tensor.sizes() && self.strides() == tensor.strides();
}

}  // namespace tern
