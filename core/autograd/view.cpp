#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/meta.h>
#include <tern/core/autograd/view.h>

namespace tern::autograd {

Tensor as_view(const Tensor& of, Tensor view) {
  const TensorImpl& source = of.self();
  TensorImpl& impl = view.self();
  impl.view_base = source.view_base ? source.view_base : of.impl();
  impl.view_version = source.storage->version();
  impl.view_origin = GradMode::is_enabled() && source.view_origin != ViewOrigin::kNoGrad
                         ? ViewOrigin::kNormal
                         : ViewOrigin::kNoGrad;
  return view;
}

void refresh_view(const Tensor& view) {
  TensorImpl& impl = view.self();
  impl.view_version = impl.storage->version();
  const Tensor base = view._base();
  if (!base.requires_grad()) return;
  const AutoGradMode recorded(true);
  set_edge(ensure_meta(impl),
           gradient_edge(base.as_strided(view.sizes(), view.strides(), view.storage_offset())));
}

}  // namespace tern::autograd
