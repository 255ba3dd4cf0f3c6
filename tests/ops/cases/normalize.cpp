#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> normalize_cases() {
  using In = const std::vector<Tensor>&;
  std::vector<OpCase> cases;
  const char* node = "NativeLayerNormBackward0";
  const auto add = [&](const char* name, OpFunction function, const std::vector<Sample>& samples,
                       std::vector<Rejection> rejections = {}) {
    cases.push_back({.name = name,
                     .node = node,
                     .function = std::move(function),
                     .samples = samples,
                     .rejections = std::move(rejections)});
  };
  const auto affine = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> shape) {
    return Sample{Input{std::move(sizes)}, Input{shape}, Input{shape}};
  };
  add("layer_norm", [](In in) { return layer_norm(in[0], in[1].sizes(), in[1], in[2]); },
      {affine({3, 4}, {4}), affine({2, 3, 4}, {3, 4}), affine({5}, {5}), affine({0, 3}, {3}),
       affine({3, 0}, {0}), affine({35, 37}, {37})},
      {{affine({2, 3}, {4}),
        "Given normalized_shape=[4], expected input with shape [*, 4], but got input of "
        "size[2, 3]"},
       {affine({3}, {2, 3}),
        "Given normalized_shape=[2, 3], expected input with shape [*, 2, 3], but got input of "
        "size[3]"},
       {affine({3}, {}),
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = []"},
       {{Input{{2, 3}}, Input{{3}}, Input{{2, 3}}},
        "Expected bias to be of same shape as normalized_shape, but got bias of shape [2, 3] and "
        "normalized_shape = [3]"},
       {{Input{{2, 3}}, Input{{3}, 0, 9, kLong}, Input{{3}}},
        "layer_norm: expect parameter to have scalar type of Float, but got weight of Long"}});
  add("layer_norm_plain", [](In in) { return layer_norm(in[0], in[0].sizes().back()); },
      {{Input{{3, 4}}}, {Input{{2, 3, 5}}}, {Input{{3, 1}}}, {Input{{0, 2}}}},
      {{{Input{{2, 3}, 0, 9, kLong}}, "\"LayerNormKernelImpl\" not implemented for 'Long'"}});
  add("layer_norm_weight", [](In in) { return layer_norm(in[0], in[1].sizes(), in[1], {}, 0.1); },
      {{Input{{3, 4}}, Input{{4}}}},
      {{{Input{{2, 3}}, Input{{2}}},
        "Given normalized_shape=[2], expected input with shape [*, 2], but got input of "
        "size[2, 3]"}});
  add("layer_norm_bias", [](In in) { return layer_norm(in[0], in[1].sizes(), {}, in[1]); },
      {{Input{{3, 4}}, Input{{4}}}});

  node = "NativeBatchNormBackward0";
  const auto train = [](In in) { return batch_norm(in[0], in[1], in[2], {}, {}, true, 0.1, 1e-5); };
  add("batch_norm", train,
      {affine({4, 3}, {3}), affine({2, 3, 4}, {3}), affine({0, 3}, {3}), affine({35, 5}, {5}),
       affine({3, 70}, {70}), affine({2, 3, 2, 2}, {3}), affine({2, 2, 37}, {2})},
      {{affine({2, 3}, {4}), "weight should contain 3 elements not 4"},
       {affine({1, 3}, {3}),
        "Expected more than 1 value per channel when training, got input size [1, 3]"},
       {affine({3}, {3}), "batch_norm: expected at least 2D input, got sizes [3]"},
       {{Input{{2, 3}}, Input{{3}}, Input{{3}, 0, 9, kLong}},
        "batch_norm: expect parameter to have scalar type of Float, but got bias of Long"},
       {{Input{{2, 3}, 0, 9, kLong}, Input{{3}}, Input{{3}}},
        "\"batch_norm\" not implemented for 'Long'"}});
  add("batch_norm_plain", [](In in) { return batch_norm(in[0], {}, {}, {}, {}, true, 0.1, 0.1); },
      {{Input{{4, 3}}}, {Input{{3, 2, 5}}}});
  add("batch_norm_eval",
      [](In in) {
        return batch_norm(in[0], in[1], in[2], in[1].new_full(in[1].sizes(), 0.25),
                          in[1].new_full(in[1].sizes(), 1.5), false, 0.1, 1e-5);
      },
      {affine({4, 3}, {3}), affine({1, 3}, {3}), affine({2, 3, 4}, {3}), affine({0, 3}, {3})});
  return cases;
}

}  // namespace tern::testing
