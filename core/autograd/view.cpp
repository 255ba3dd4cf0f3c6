#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/grad_mode.h>

namespace tern::autograd {

Tensor as_view(const Tensor& of, Tensor view) {
  const TensorImpl& source = of.self();
  TensorImpl& impl = view.self();
  if (source.storage->is_inference()) return view;  // nothing watches its changes
  impl.view_base = source.view_base ? source.view_base : of.impl();
  impl.view_version = source.storage->version();
  impl.view_origin = InferenceMode::is_enabled()    ? ViewOrigin::kInference
                     : !GradMode::is_enabled()      ? ViewOrigin::kNoGrad
                     : is_fixed(source.view_origin) ? source.view_origin
                                                    : ViewOrigin::kNormal;
  return view;
}

Tensor as_piece(const Tensor& of, Tensor view) {
  Tensor piece = as_view(of, std::move(view));
  if (GradMode::records() && piece.is_view()) piece.self().view_origin = ViewOrigin::kPiece;
  return piece;
}

void mark_function_view(const Tensor& view, bool is_only) {
  view.self().view_origin = is_only ? ViewOrigin::kFunction : ViewOrigin::kPiece;
}

void throw_fixed_view(const Tensor& view, bool is_direct) {
  const Meta* meta = meta_of(view.self());
  const char* const what = is_direct
                               ? "is being modified inplace"
                               : "its base or another view of its base has been modified inplace";
  const std::string output = meta == nullptr || !meta->node
                                 ? std::string()
                                 : tern::detail::text_of("Output ", meta->output_nr, " of ",
                                                         op_name(*meta->node), " is a view");
  TERN_CHECK(view.self().view_origin != ViewOrigin::kPiece, Error,
             output.empty() ? "A view was created by an op of several views" : output, " and ",
             what,
             ". This view is the output of a function that returns multiple views. Such functions "
             "do not allow the output views to be modified inplace. You should replace the inplace "
             "operation by an out-of-place one.");
  TERN_CHECK(view.self().view_origin != ViewOrigin::kFunction, Error,
             output.empty() ? "A view was created by a custom Function" : output, " and ", what,
             ". This view was created inside a custom Function (or because an input was returned "
             "as-is) and the autograd logic to handle view+inplace would override the custom "
             "backward associated with the custom Function, leading to incorrect gradients. This "
             "behavior is forbidden. You can fix this by cloning the output of the custom "
             "Function.");
  TERN_CHECK(
      view.self().view_origin != ViewOrigin::kInference, Error,
      "A view was created in inference mode and ", what,
      " in normal mode. Given that this use case is ambiguous and error-prone, it is "
      "forbidden. You can clarify your code by moving both the view and the inplace either "
      "both inside the inference_mode block (if you don't want the inplace to be tracked) or "
      "both outside (if you want the inplace to be tracked).");
  tern::detail::raise<Error>(
      output.empty() ? "A view" : output + " of a view which", " was created in no_grad mode and ",
      what,
      " with grad mode enabled. Given that this use case is ambiguous and error-prone, it is "
      "forbidden. You can clarify your code by moving both the view and the inplace either both "
      "inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if "
      "you want the inplace to be tracked).");
}

void refresh_view(const Tensor& view) {
  TensorImpl& impl = view.self();
  const Tensor base = view._base();
  if (base.requires_grad() && is_fixed(impl.view_origin)) {
    throw_fixed_view(view, /*is_direct=*/false);
  }
  impl.view_version = impl.storage->version();
  if (!base.requires_grad()) return;
  const AutoGradMode recorded(true);
  set_edge(ensure_meta(impl),
           gradient_edge(base.as_strided(view.sizes(), view.strides(), view.storage_offset())));
}

}  // namespace tern::autograd
