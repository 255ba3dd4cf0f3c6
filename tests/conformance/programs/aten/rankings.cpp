#include <torch/torch.h>

#include <functional>
#include <iostream>

using torch::Tensor;

// Losses of pairs and of classes, with arguments in the order of ATen.
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
  const Tensor p = torch::linspace(0.05, 0.95, 6).view({2, 3});
  const Tensor q = torch::linspace(0.9, 0.1, 6).view({2, 3}), i = torch::arange(6).view({2, 3});
  const Tensor y = (q > 0.5).to(torch::kFloat) * 2 - 1, w = torch::linspace(0.5, 2, 3);
  const Tensor t = torch::tensor({1, 2}), pair = torch::tensor({1., -1.});
  const Tensor logs = torch::linspace(-3, -0.1, 24).view({4, 2, 3}).log_softmax(2);
  const std::vector<int64_t> inputs{4, 4}, targets{2, 1};
  show("torch::hinge_embedding_loss(p, y)", [&] { return torch::hinge_embedding_loss(p, y); });
  show("torch::hinge_embedding_loss(p, y[0], 0.5, 0)",
       [&] { return torch::hinge_embedding_loss(p, y[0], 0.5, 0); });
  show("torch::margin_ranking_loss(p, q, y)", [&] { return torch::margin_ranking_loss(p, q, y); });
  show("torch::margin_ranking_loss(p, q[0], y, 0.1, 2)",
       [&] { return torch::margin_ranking_loss(p, q[0], y, 0.1, 2); });
  show("torch::cosine_embedding_loss(p, q, pair, 0.2, 0)",
       [&] { return torch::cosine_embedding_loss(p, q, pair, 0.2, 0); });
  show("torch::cosine_embedding_loss(p[0], q[0], torch::tensor(1.))",
       [&] { return torch::cosine_embedding_loss(p[0], q[0], torch::tensor(1.)); });
  show("torch::cosine_embedding_loss(p, q, p)",
       [&] { return torch::cosine_embedding_loss(p, q, p); });
  show("torch::triplet_margin_loss(p, q, p * 2)",
       [&] { return torch::triplet_margin_loss(p, q, p * 2); });
  show("torch::triplet_margin_loss(p, q, p * 2, 0.5, 1, 1e-6, true, 0)",
       [&] { return torch::triplet_margin_loss(p, q, p * 2, 0.5, 1, 1e-6, true, 0); });
  show("torch::triplet_margin_loss(p, q[0], p)",
       [&] { return torch::triplet_margin_loss(p, q[0], p); });
  show("torch::nll_loss(p, t)", [&] { return torch::nll_loss(p, t); });
  show("torch::nll_loss(p, t, w, 0, -100)", [&] { return torch::nll_loss(p, t, w, 0, -100); });
  show("torch::nll_loss(p, t, w, 1, 2)", [&] { return torch::nll_loss(p, t, w, 1, 2); });
  show("torch::nll_loss(p[0], t[0])", [&] { return torch::nll_loss(p[0], t[0]); });
  show("torch::nll_loss(p, torch::tensor({1, 3}))", [&] {
    return torch::nll_loss(p, torch::tensor({1, 3}));
  });
  show("torch::nll_loss(p, t.to(torch::kInt))",
       [&] { return torch::nll_loss(p, t.to(torch::kInt)); });
  show("torch::nll_loss2d(torch::ones({2, 3, 1, 2}), torch::ones({2, 1, 2}, torch::kLong))", [&] {
    return torch::nll_loss2d(torch::ones({2, 3, 1, 2}), torch::ones({2, 1, 2}, torch::kLong));
  });
  show("torch::nll_loss_nd(torch::ones({2, 3, 2}), torch::ones({2, 2}, torch::kLong))", [&] {
    return torch::nll_loss_nd(torch::ones({2, 3, 2}), torch::ones({2, 2}, torch::kLong));
  });
  show("torch::cross_entropy_loss(p, t, w, 0, -100, 0.1)",
       [&] { return torch::cross_entropy_loss(p, t, w, 0, -100, 0.1); });
  show("torch::cross_entropy_loss(p, q, w, 0, -100, 0.1)",
       [&] { return torch::cross_entropy_loss(p, q, w, 0, -100, 0.1); });
  show("torch::cross_entropy_loss(p, t, {}, 1, -100, 2)",
       [&] { return torch::cross_entropy_loss(p, t, {}, 1, -100, 2); });
  show("torch::multi_margin_loss(p, t, 2, 0.5, w, 0)",
       [&] { return torch::multi_margin_loss(p, t, 2, 0.5, w, 0); });
  show("torch::multi_margin_loss(p, t, 3)", [&] { return torch::multi_margin_loss(p, t, 3); });
  show("torch::multilabel_margin_loss(p, i % 3, 0)",
       [&] { return torch::multilabel_margin_loss(p, i % 3, 0); });
  show("torch::multilabel_margin_loss(p, i)", [&] { return torch::multilabel_margin_loss(p, i); });
  show("torch::ctc_loss(logs, torch::tensor({1, 2, 2}), inputs, targets, 0, 0, true)", [&] {
    return torch::ctc_loss(logs, torch::tensor({1, 2, 2}), inputs, targets, 0, 0, true);
  });
  show(
      "torch::ctc_loss(logs, torch::tensor({1, 2, 2}), torch::tensor({4, 4}), torch::tensor({2, "
      "1}), 0, 2)",
      [&] {
        return torch::ctc_loss(logs, torch::tensor({1, 2, 2}), torch::tensor({4, 4}),
                               torch::tensor({2, 1}), 0, 2);
      });
  show("torch::ctc_loss(logs, torch::tensor({1, 2, 2}), inputs, targets, 5)", [&] {
    return torch::ctc_loss(logs, torch::tensor({1, 2, 2}), inputs, targets, 5);
  });
}
