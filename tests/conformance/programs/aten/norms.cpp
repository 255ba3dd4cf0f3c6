#include <torch/torch.h>

#include <functional>
#include <iostream>

using torch::Tensor;

// Norms and embeddings, with arguments in the order of ATen, which normalises single elements, too.
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
  namespace F = torch::nn::functional;
  const Tensor x = torch::linspace(-2, 2, 12).view({3, 4}), v = torch::linspace(0, 1, 4);
  const Tensor im = torch::linspace(-1, 1, 32).view({1, 2, 4, 4}), none;
  const Tensor rows = torch::tensor({0, 1, 2}), starts = torch::tensor({0, 2});
  show("torch::layer_norm(x, {4}, v, v, 0.1).square()",
       [&] { return torch::layer_norm(x, {4}, v, v, 0.1).square(); });
  show("torch::layer_norm(x, {3})", [&] { return torch::layer_norm(x, {3}); });
  show("torch::layer_norm(x.to(torch::kHalf), {4}, v).square()",
       [&] { return torch::layer_norm(x.to(torch::kHalf), {4}, v).square(); });
  show("torch::group_norm(im, 1, torch::ones({2}), torch::ones({2}), 0.1)",
       [&] { return torch::group_norm(im, 1, torch::ones({2}), torch::ones({2}), 0.1); });
  show("torch::group_norm(im, 3)", [&] { return torch::group_norm(im, 3); });
  show("torch::batch_norm(im, none, none, none, none, true, 0.1, 1e-5, false).square()", [&] {
    return torch::batch_norm(im, none, none, none, none, true, 0.1, 1e-5, false).square();
  });
  show(
      "torch::batch_norm(im, none, none, torch::ones({2}), torch::ones({2}), false, 0.1, 1e-5, "
      "true)",
      [&] {
        return torch::batch_norm(im, none, none, torch::ones({2}), torch::ones({2}), false, 0.1,
                                 1e-5, true);
      });
  show("torch::batch_norm(im, none, none, none, none, false, 0.1, 1e-5, false)",
       [&] { return torch::batch_norm(im, none, none, none, none, false, 0.1, 1e-5, false); });
  show("torch::batch_norm(x.slice(0, 0, 1), none, v, none, none, true, 0.1, 1e-5, false)", [&] {
    return torch::batch_norm(x.slice(0, 0, 1), none, v, none, none, true, 0.1, 1e-5, false);
  });
  show("F::batch_norm(x.slice(0, 0, 1), none, none, F::BatchNormFuncOptions().training(true))",
       [&] {
         return F::batch_norm(x.slice(0, 0, 1), none, none,
                              F::BatchNormFuncOptions().training(true));
       });
  show("torch::instance_norm(im, none, none, none, none, true, 0.1, 1e-5, false).square()", [&] {
    return torch::instance_norm(im, none, none, none, none, true, 0.1, 1e-5, false).square();
  });
  show("torch::instance_norm(im, none, none, none, none, false, 0.1, 1e-5, false)",
       [&] { return torch::instance_norm(im, none, none, none, none, false, 0.1, 1e-5, false); });
  show(
      "torch::instance_norm(torch::ones({1, 2, 1}), none, none, none, none, true, 0.1, 1e-5, "
      "false)",
      [&] {
        return torch::instance_norm(torch::ones({1, 2, 1}), none, none, none, none, true, 0.1, 1e-5,
                                    false);
      });
  show("torch::embedding(x, torch::tensor({2, 0, 1}))", [&] {
    return torch::embedding(x, torch::tensor({2, 0, 1}));
  });
  show("torch::embedding(x, torch::tensor({3}))",
       [&] { return torch::embedding(x, torch::tensor({3})); });
  show("torch::embedding(x, v)", [&] { return torch::embedding(x, v); });
  show("std::get<0>(torch::embedding_bag(x, rows, starts))",
       [&] { return std::get<0>(torch::embedding_bag(x, rows, starts)); });
  show("std::get<0>(torch::embedding_bag(x, rows, starts, false, 1))",
       [&] { return std::get<0>(torch::embedding_bag(x, rows, starts, false, 1)); });
  show("std::get<0>(torch::embedding_bag(x, rows, starts, false, 2))",
       [&] { return std::get<0>(torch::embedding_bag(x, rows, starts, false, 2)); });
  show(
      "std::get<0>(torch::embedding_bag(x, rows, torch::tensor({0, 2, 3}), false, 0, false, "
      "v.slice(0, 0, 3), true))",
      [&] {
        return std::get<0>(torch::embedding_bag(x, rows, torch::tensor({0, 2, 3}), false, 0, false,
                                                v.slice(0, 0, 3), true));
      });
  show("std::get<0>(torch::embedding_bag(x, rows, torch::tensor({1, 2})))", [&] {
    return std::get<0>(torch::embedding_bag(x, rows, torch::tensor({1, 2})));
  });
  show("torch::one_hot(torch::tensor({0, 2}))", [&] {
    return torch::one_hot(torch::tensor({0, 2}));
  });
  show("torch::one_hot(torch::tensor({0, 2}), 2)", [&] {
    return torch::one_hot(torch::tensor({0, 2}), 2);
  });
  show("torch::pixel_shuffle(torch::arange(16.).view({1, 4, 2, 2}), 2)[0][0][0]", [&] {
    return torch::pixel_shuffle(torch::arange(16.).view({1, 4, 2, 2}), 2)[0][0][0];
  });
  show("torch::channel_shuffle(im, 3)", [&] { return torch::channel_shuffle(im, 3); });
}
