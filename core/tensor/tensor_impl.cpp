#include <tern/core/tensor/detail/shape.h>
#include <tern/core/tensor/tensor_impl.h>

namespace tern {

TensorImpl::TensorImpl(IntrusivePtr<Storage> storage_in, std::int64_t offset_in,
                       IntArrayRef sizes_in, IntArrayRef strides_in, ScalarType dtype_in)
    : storage(std::move(storage_in)), dtype(dtype_in) {
  set_geometry(offset_in, sizes_in, strides_in);
}

TensorImpl::TensorImpl(IntrusivePtr<Storage> storage_in, const TensorImpl& like,
                       ScalarType dtype_in)
    : storage(std::move(storage_in)),
      offset(0),
      sizes(like.sizes),
      strides(like.strides),
      numel(like.numel),
      dtype(dtype_in),
      contiguous(like.contiguous) {}

TensorImpl::~TensorImpl() = default;

void TensorImpl::set_geometry(std::int64_t offset_in, IntArrayRef sizes_in,
                              IntArrayRef strides_in) {
  offset = offset_in;
  sizes.assign(sizes_in.data(), sizes_in.size());
  strides.assign(strides_in.data(), strides_in.size());
  numel = 1;
  for (std::int64_t size : sizes) numel *= size;
  contiguous = is_contiguous(sizes, strides);
}

bool TensorImpl::has_internal_overlap() const {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (strides[i] == 0 && sizes[i] > 1) return numel != 0;
  }
  return false;
}

}  // namespace tern
