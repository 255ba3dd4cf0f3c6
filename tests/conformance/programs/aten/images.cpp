#include <torch/torch.h>

#include <functional>
#include <iostream>

using torch::Tensor;

// Convolutions, pools, paddings and upsampling, with arguments in the order of ATen.
static void show(const char* what, const std::function<Tensor()>& make) {
  std::cout << what << ": ";
  try {
    const Tensor result = make();
    std::cout << torch::toString(result.scalar_type()) << " " << result.sizes() << " "
              << result.detach().to(torch::kDouble).sum().item<double>() << "\n";
  } catch (const c10::Error&) {
    std::cout << "error\n";
  }
}

int main() {
  const Tensor im = torch::linspace(-1, 1.5, 32).view({1, 2, 4, 4}), line = im.view({1, 2, 16});
  const Tensor volume = im.view({1, 2, 4, 2, 2}), i = torch::arange(12).view({1, 3, 4});
  show("torch::conv1d(line, torch::ones({3, 2, 2}))", [&] {
    return torch::conv1d(line, torch::ones({3, 2, 2}));
  });
  show("torch::conv1d(line[0], torch::ones({3, 2, 2}), {}, 2, 1, 1, 1)", [&] {
    return torch::conv1d(line[0], torch::ones({3, 2, 2}), {}, 2, 1, 1, 1);
  });
  show("torch::conv1d(line, torch::ones({2, 1, 3}), {}, 1, \"same\", 1, 2)", [&] {
    return torch::conv1d(line, torch::ones({2, 1, 3}), {}, 1, "same", 1, 2);
  });
  show("torch::conv1d(line, torch::ones({2, 1, 3}), {}, 2, \"same\", 1, 2)", [&] {
    return torch::conv1d(line, torch::ones({2, 1, 3}), {}, 2, "same", 1, 2);
  });
  show("torch::conv2d(im, torch::ones({3, 2, 2, 2}), torch::ones({4}))", [&] {
    return torch::conv2d(im, torch::ones({3, 2, 2, 2}), torch::ones({4}));
  });
  show("torch::conv2d(im, torch::ones({3, 2, 5, 5}))", [&] {
    return torch::conv2d(im, torch::ones({3, 2, 5, 5}));
  });
  show("torch::conv_transpose2d(im, torch::ones({2, 3, 2, 2}), {}, 2, 0, 1)", [&] {
    return torch::conv_transpose2d(im, torch::ones({2, 3, 2, 2}), {}, 2, 0, 1);
  });
  show("torch::conv_transpose1d(line, torch::ones({2, 1, 2}), {}, 1, 0, 0, 2)", [&] {
    return torch::conv_transpose1d(line, torch::ones({2, 1, 2}), {}, 1, 0, 0, 2);
  });
  show("torch::max_pool1d(line, 2, 1, 1, 2)", [&] { return torch::max_pool1d(line, 2, 1, 1, 2); });
  show("torch::max_pool1d(line, 2, 1, 2)", [&] { return torch::max_pool1d(line, 2, 1, 2); });
  show("torch::max_pool2d(im, {2, 3}, {1, 1}, 1, 1, true)", [&] {
    return torch::max_pool2d(im, {2, 3}, {1, 1}, 1, 1, true);
  });
  show("torch::max_pool2d(i, 2)", [&] { return torch::max_pool2d(i, 2); });
  show("std::get<1>(torch::max_pool2d_with_indices(im, 2))",
       [&] { return std::get<1>(torch::max_pool2d_with_indices(im, 2)); });
  show("torch::max_pool3d(volume, 2)", [&] { return torch::max_pool3d(volume, 2); });
  show("torch::avg_pool1d(line, 3, 2, 1, true, false)",
       [&] { return torch::avg_pool1d(line, 3, 2, 1, true, false); });
  show("torch::avg_pool2d(im, 2, {}, 0, false, true, 3)",
       [&] { return torch::avg_pool2d(im, 2, {}, 0, false, true, 3); });
  show("torch::avg_pool2d(im, 2, 2, 2)", [&] { return torch::avg_pool2d(im, 2, 2, 2); });
  show("torch::avg_pool2d(i, 2)", [&] { return torch::avg_pool2d(i, 2); });
  show("torch::adaptive_avg_pool2d(im, {2, 3})", [&] {
    return torch::adaptive_avg_pool2d(im, {2, 3});
  });
  show("torch::adaptive_avg_pool3d(volume, {2, 1, 2})", [&] {
    return torch::adaptive_avg_pool3d(volume, {2, 1, 2});
  });
  show("std::get<1>(torch::adaptive_max_pool1d(line, 3))",
       [&] { return std::get<1>(torch::adaptive_max_pool1d(line, 3)); });
  show("std::get<1>(torch::adaptive_max_pool2d(im, {2, 3}))", [&] {
    return std::get<1>(torch::adaptive_max_pool2d(im, {2, 3}));
  });
  show("torch::pad(line, {1, 1}, \"reflect\")", [&] {
    return torch::pad(line, {1, 1}, "reflect");
  });
  show("torch::pad(line, {16, 1}, \"reflect\")", [&] {
    return torch::pad(line, {16, 1}, "reflect");
  });
  show("torch::constant_pad_nd(im, {1, 1, -1, 0}, 5)", [&] {
    return torch::constant_pad_nd(im, {1, 1, -1, 0}, 5);
  });
  show("torch::upsample_nearest1d(line, {5})",
       [&] { return torch::upsample_nearest1d(line, {5}); });
  show("torch::upsample_nearest2d(im, {2, 3}, 0.5, 0.6)", [&] {
    return torch::upsample_nearest2d(im, {2, 3}, 0.5, 0.6);
  });
  show("torch::upsample_bilinear2d(im, {6, 7}, true)", [&] {
    return torch::upsample_bilinear2d(im, {6, 7}, true);
  });
  show("torch::upsample_bicubic2d(im, {6, 7}, false)", [&] {
    return torch::upsample_bicubic2d(im, {6, 7}, false);
  });
  show("torch::upsample_trilinear3d(volume, {2, 3, 3}, true)", [&] {
    return torch::upsample_trilinear3d(volume, {2, 3, 3}, true);
  });
  show("torch::upsample_bilinear2d(line, {6, 7}, true)", [&] {
    return torch::upsample_bilinear2d(line, {6, 7}, true);
  });
  show("torch::im2col(im, {2, 2}, {1, 1}, {0, 0}, {2, 2})", [&] {
    return torch::im2col(im, {2, 2}, {1, 1}, {0, 0}, {2, 2});
  });
  show("torch::grid_sampler(im, torch::zeros({1, 1, 2, 3}), 0, 0, false)", [&] {
    return torch::grid_sampler(im, torch::zeros({1, 1, 2, 3}), 0, 0, false);
  });
  show("torch::linear(line, torch::ones({2, 16}), torch::ones({2}))", [&] {
    return torch::linear(line, torch::ones({2, 16}), torch::ones({2}));
  });
  show("torch::linear(line, torch::ones({2, 3}))", [&] {
    return torch::linear(line, torch::ones({2, 3}));
  });
}
