#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

#include <tern/nn/nn.h>
#include <tern/tern.h>

#include "brief.h"
#include "error_of.h"
#include "golden/golden.h"

// Memory formats: the strides are those that golden/ops/memory_formats.py recorded, and a
// channels-last image gives the same numbers as a row-major one.

namespace tern {
namespace {

namespace F = nn::functional;
using enum MemoryFormat;

MemoryFormat last(const Tensor& x) { return x.dim() == 4 ? ChannelsLast : ChannelsLast3d; }

/// Returns sizes with `size` in each dimension of the images behind `first`.
DimVector with_each(const Tensor& x, std::initializer_list<std::int64_t> first, std::int64_t size) {
  DimVector sizes(first);
  while (sizes.size() < x.sizes().size()) sizes.push_back(size);
  return sizes;
}
Tensor kernel(const Tensor& x, std::int64_t a, std::int64_t b, MemoryFormat format = Contiguous) {
  return ones(with_each(x, {a, b}, 3)).contiguous(format);
}
Tensor convolved(const Tensor& x, const Tensor& w, std::int64_t padding = 1,
                 std::int64_t groups = 1, std::int64_t stride = 1, std::int64_t dilation = 1,
                 const Tensor& bias = {}) {
  return x.dim() == 4 ? conv2d(x, w, bias, stride, padding, dilation, groups)
                      : conv3d(x, w, bias, stride, padding, dilation, groups);
}
Tensor transposed(const Tensor& x, const Tensor& w) {
  return x.dim() == 4 ? conv_transpose2d(x, w, {}, 2) : conv_transpose3d(x, w, {}, 2);
}
Tensor resized(const Tensor& x, InterpolationMode mode) {
  return F::interpolate(x, F::InterpolateFuncOptions()
                               .scale_factor(std::vector<double>(x.sizes().size() - 2, 2.0))
                               .mode(mode)
                               .align_corners(std::nullopt));
}
Tensor padded(const Tensor& x, std::string_view mode) {
  return pad(x, DimVector(2 * (x.sizes().size() - 2), 1), mode);
}

using Op = std::function<Tensor(const Tensor&)>;
const std::vector<std::pair<const char*, Op>>& ops_of_images() {
  static const std::vector<std::pair<const char*, Op>> kOps = {
      {"clone", [](const Tensor& x) { return x.clone(); }},
      {"clone channels last", [](const Tensor& x) { return x.clone(last(x)); }},
      {"clone contiguous", [](const Tensor& x) { return clone(x, Contiguous); }},
      {"to double", [](const Tensor& x) { return x.to(kDouble); }},
      {"to channels last", [](const Tensor& x) { return x.to(last(x)); }},
      {"to contiguous", [](const Tensor& x) { return x.to(kFloat, false, false, Contiguous); }},
      {"contiguous channels last", [](const Tensor& x) { return x.contiguous(last(x)); }},
      {"zeros_like", [](const Tensor& x) { return zeros_like(x); }},
      {"zeros_like channels last", [](const Tensor& x) { return zeros_like(x, {}, last(x)); }},
      {"empty_like contiguous", [](const Tensor& x) { return empty_like(x, Contiguous); }},
      {"relu", [](const Tensor& x) { return relu(x); }},
      {"add number", [](const Tensor& x) { return x + 1; }},
      {"add channels",
       [](const Tensor& x) {
         return x + ones(with_each(x, {1, x.size(1)}, 1));
       }},
      {"channels add",
       [](const Tensor& x) {
         return ones(with_each(x, {1, x.size(1)}, 1)) + x;
       }},
      {"add contiguous", [](const Tensor& x) { return x + ones(x.sizes()); }},
      {"contiguous add", [](const Tensor& x) { return ones(x.sizes()) + x; }},
      {"cat",
       [](const Tensor& x) {
         return cat({x, x}, 1);
       }},
      {"cat contiguous",
       [](const Tensor& x) {
         return cat({x, ones(x.sizes())}, 1);
       }},
      {"pad", [](const Tensor& x) { return padded(x, "constant"); }},
      {"layer_norm", [](const Tensor& x) { return layer_norm(x, x.size(-1)); }},
      {"max indices",
       [](const Tensor& x) {
         return std::get<1>(x.dim() == 4 ? max_pool2d_with_indices(x, 3, 2, 1)
                                         : max_pool3d_with_indices(x, 3, 2, 1));
       }},
      {"nearest", [](const Tensor& x) { return resized(x, kNearest); }},
      {"pixel_shuffle",
       [](const Tensor& x) {
         return pixel_shuffle(cat({x, x, x, x}, 1), 2);
       }},
      {"pixel_unshuffle",
       [](const Tensor& x) {
         const Tensor wide = cat({x, x}, 2);
         return pixel_unshuffle(cat({wide, wide}, 3), 2);
       }},
      {"linear",
       [](const Tensor& x) {
         return x.dim() == 4 ? resized(x, kBilinear) : resized(x, kTrilinear);
       }},
      {"bicubic", [](const Tensor& x) { return resized(x, kBicubic); }},
      {"global average", [](const Tensor& x) { return adaptive_avg_pool2d(x, 1); }},
      {"unpool",
       [](const Tensor& x) {
         const auto size = [&](int d) { return 2 * x.size(d); };
         return max_unpool2d(x, arange(x.numel()).view(x.sizes()) % 4, {size(2), size(3)});
       }},
      {"fractional",
       [](const Tensor& x) {
         return std::get<0>(fractional_max_pool2d(x, 1, 1, zeros({x.size(0), x.size(1), 2})));
       }},
      {"area", [](const Tensor& x) { return resized(x, kArea); }},
      {"conv", [](const Tensor& x) { return convolved(x, kernel(x, 5, x.size(1))); }},
      {"conv, weight channels last",
       [](const Tensor& x) { return convolved(x, kernel(x, 5, x.size(1), last(x))); }},
      {"conv to 1", [](const Tensor& x) { return convolved(x, kernel(x, 1, x.size(1))); }},
      {"conv 1x1",
       [](const Tensor& x) {
         return convolved(x, ones(with_each(x, {5, x.size(1)}, 1)), 0);
       }},
      {"depthwise",
       [](const Tensor& x) { return convolved(x, kernel(x, x.size(1), 1), 1, x.size(1)); }},
      {"transposed", [](const Tensor& x) { return transposed(x, kernel(x, x.size(1), 5)); }},
      {"transposed, weight channels last",
       [](const Tensor& x) { return transposed(x, kernel(x, x.size(1), 5, last(x))); }},
      {"max",
       [](const Tensor& x) {
         return x.dim() == 4 ? max_pool2d(x, 3, 2, 1) : max_pool3d(x, 3, 2, 1);
       }},
      {"avg",
       [](const Tensor& x) {
         return x.dim() == 4 ? avg_pool2d(x, 3, 1, 1) : avg_pool3d(x, 3, 1, 1);
       }},
      {"adaptive avg",
       [](const Tensor& x) {
         return x.dim() == 4 ? adaptive_avg_pool2d(x, 2) : adaptive_avg_pool3d(x, 2);
       }},
      {"adaptive max",
       [](const Tensor& x) {
         return std::get<0>(x.dim() == 4 ? adaptive_max_pool2d(x, 2) : adaptive_max_pool3d(x, 2));
       }},
      {"batch_norm",
       [](const Tensor& x) {
         const std::int64_t channels = x.size(1);
         return batch_norm(x, {}, {}, zeros({channels}), ones({channels}), false, 0.1, 1e-5);
       }},
      {"batch_norm training",
       [](const Tensor& x) { return batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5); }},
      {"group_norm", [](const Tensor& x) { return group_norm(x, 1); }},
      {"replicate", [](const Tensor& x) { return padded(x, "replicate"); }}};
  return kOps;
}

/// Returns numbers in one of the layouts of golden/ops/memory_formats.py.
Tensor laid_out(const std::string& layout, const DimVector& sizes) {
  Tensor x = rand(sizes);
  if (layout == "contiguous") return x;
  if (layout == "channels last") return x.contiguous(last(x));
  if (layout == "exactly channels last") return empty(sizes, last(x)).copy_(x);
  DimVector wide = sizes;
  wide[1] *= 2;
  return rand(wide).contiguous(last(x)).narrow(1, 0, sizes[1]);
}

TEST(MemoryFormat, StridesAreThoseOfPyTorch) {
  const nlohmann::json& recorded = testing::golden("ops/memory_formats");
  const auto sizes = recorded.at("sizes").get<std::vector<std::vector<std::int64_t>>>();
  for (const auto& [name, op] : ops_of_images()) {
    for (const char* layout : {"contiguous", "channels last", "exactly channels last", "part"}) {
      const nlohmann::json& rows = recorded.at(std::string(name) + ": " + layout);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (rows[i].empty()) continue;
        SCOPED_TRACE(detail::text_of(name, ": ", layout, ' ', IntArrayRef(sizes[i])));
        const Tensor x = laid_out(layout, DimVector(IntArrayRef(sizes[i])));
        const bool has_gradient = rows[i].size() > 1;
        if (has_gradient) x.set_requires_grad(true);
        const Tensor out = op(x);
        EXPECT_EQ(out.strides(), IntArrayRef(rows[i][0].get<std::vector<std::int64_t>>()));
        if (!has_gradient) continue;
        const Tensor g = autograd::grad({out}, {x}, {ones(out.sizes())})[0];
        EXPECT_EQ(g.strides(), IntArrayRef(rows[i][1].get<std::vector<std::int64_t>>()));
      }
    }
  }
}

/// Draws from [low, high] with the default generator.
std::int64_t number(std::int64_t low, std::int64_t high) {
  return randint(low, high + 1, {1}).item<std::int64_t>();
}

/// Compares an op of images in both formats: results, and gradients of all inputs.
void compare_formats(const char* name, const std::vector<Tensor>& inputs,
                     const std::function<Tensor(const std::vector<Tensor>&)>& op) {
  std::vector<std::vector<Tensor>> results;
  for (const bool channels_last : {false, true}) {
    std::vector<Tensor> given;
    for (const Tensor& input : inputs) {
      const bool is_image = channels_last && (input.dim() == 4 || input.dim() == 5);
      Tensor copy = is_image ? empty(input.sizes(), last(input)).copy_(input) : input.clone();
      given.push_back(copy.requires_grad_());
    }
    const Tensor out = op(given);
    const Tensor g = (arange(out.numel()) % 7 - 3.0).to(kFloat).view(out.sizes());
    std::vector<Tensor> all = autograd::grad({out}, given, {g});
    all.push_back(out);
    results.push_back(all);
  }
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const double size = results[0][i].numel() == 0 ? 0 : results[0][i].abs().max().item<double>();
    EXPECT_TRUE(allclose(results[0][i], results[1][i], 1e-4, 1e-5 * (1 + size)))
        << name << " of sizes " << inputs[0].sizes() << ", tensor " << i;
  }
}

TEST(MemoryFormat, ChangesNoNumbers) {
  // Eleven ops each. A brief run draws a third of them.
  const int count = std::getenv("TERN_TEST_FULL") != nullptr ? 1000
                    : testing::is_brief_run()                ? 80
                                                             : 250;
  manual_seed(20);
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const bool is_volume = i % 8 == 7;
    const std::int64_t groups = number(0, 1) == 0 ? 1 : number(1, 4), most = number(0, 3) * 8 + 3;
    const std::int64_t in = number(0, 4) == 0 ? 1 : number(1, most), out = number(1, most);
    const std::int64_t k = number(1, 3), stride = number(1, 2), padding = number(0, k / 2);
    DimVector sizes = {number(1, 3), groups * in, number(5, 12), number(5, 12)};
    if (is_volume) sizes.push_back(number(5, 6));
    const Tensor x = randn(sizes);
    DimVector of_weight(sizes.size(), k);
    of_weight[0] = groups * out;
    of_weight[1] = in;
    const std::int64_t dilation = number(1, 2);
    compare_formats("convolution", {x, randn(of_weight), randn({groups * out})},
                    [&](const std::vector<Tensor>& t) {
                      return is_volume
                                 ? conv3d(t[0], t[1], t[2], stride, padding, dilation, groups)
                                 : conv2d(t[0], t[1], t[2], stride, padding, dilation, groups);
                    });
    of_weight[0] = groups * in;
    of_weight[1] = 1;
    compare_formats("depthwise convolution", {x, randn(of_weight), randn({groups * in})},
                    [&](const std::vector<Tensor>& t) {
                      return convolved(t[0], t[1], padding, groups * in, stride, dilation, t[2]);
                    });
    of_weight[1] = out;
    compare_formats(
        "transposed convolution", {x, randn(of_weight)}, [&](const std::vector<Tensor>& t) {
          return is_volume ? conv_transpose3d(t[0], t[1], {}, stride, padding, stride - 1, groups)
                           : conv_transpose2d(t[0], t[1], {}, stride, padding, stride - 1, groups);
        });
    const bool ceil_mode = number(0, 1) == 1, with_padding = number(0, 1) == 1;
    const std::int64_t size = number(1, 4);
    const auto pooled = [&](const char* name, const Op& volumes, const Op& images) {
      compare_formats(name, {x}, [&](const std::vector<Tensor>& t) {
        return is_volume ? volumes(t[0]) : images(t[0]);
      });
    };
    pooled(
        "max_pool",
        [&](const Tensor& t) { return max_pool3d(t, k, stride, padding, 1, ceil_mode); },
        [&](const Tensor& t) { return max_pool2d(t, k, stride, padding, dilation, ceil_mode); });
    pooled(
        "avg_pool",
        [&](const Tensor& t) { return avg_pool3d(t, k, stride, padding, ceil_mode, with_padding); },
        [&](const Tensor& t) {
          return avg_pool2d(t, k, stride, padding, ceil_mode, with_padding);
        });
    pooled(
        "adaptive_avg_pool", [&](const Tensor& t) { return adaptive_avg_pool3d(t, size); },
        [&](const Tensor& t) { return adaptive_avg_pool2d(t, size); });
    pooled(
        "adaptive_max_pool",
        [&](const Tensor& t) { return std::get<0>(adaptive_max_pool3d(t, size)); },
        [&](const Tensor& t) { return std::get<0>(adaptive_max_pool2d(t, size)); });
    pooled(
        "nearest", [&](const Tensor& t) { return resized(t, kNearest); },
        [&](const Tensor& t) {
          return upsample_nearest2d(t, {9, 7});
        });
    pooled(
        "linear", [&](const Tensor& t) { return resized(t, kTrilinear); },
        [&](const Tensor& t) {
          return upsample_bilinear2d(t, {9, 4}, with_padding);
        });
    compare_formats("batch_norm", {x, randn({groups * in}), randn({groups * in})},
                    [](const std::vector<Tensor>& t) {
                      return batch_norm(t[0], t[1], t[2], {}, {}, true, 0.1, 1e-5);
                    });
    compare_formats(
        "group_norm", {x, randn({groups * in}), randn({groups * in})},
        [&](const std::vector<Tensor>& t) { return group_norm(t[0], groups, t[1], t[2], 1e-5); });
  }
}

TEST(MemoryFormat, IndicesOfMaximaArePositionsInTheImage) {
  const Tensor x = randn({2, 3, 8, 8});
  const auto [values, indices] = max_pool2d_with_indices(x, 2);
  const auto [same, positions] = max_pool2d_with_indices(x.to(ChannelsLast), 2);
  EXPECT_TRUE(values.equal(same) && indices.equal(positions));
  EXPECT_TRUE(max_unpool2d(values, indices, {8, 8}).equal(max_unpool2d(same, positions, {8, 8})));
}

TEST(MemoryFormat, IsSuggestedAndChecked) {
  const Tensor x = rand({2, 3, 4, 5}), y = x.contiguous(ChannelsLast);
  EXPECT_EQ(y.strides(), IntArrayRef({60, 1, 15, 3}));
  EXPECT_TRUE(y.equal(x) && !y.is_contiguous() && y.is_contiguous(ChannelsLast));
  EXPECT_FALSE(x.is_contiguous(ChannelsLast) || y.is_contiguous(ChannelsLast3d));
  EXPECT_EQ(x.suggest_memory_format(), Contiguous);
  EXPECT_EQ(y.suggest_memory_format(), ChannelsLast);
  EXPECT_EQ(y.narrow(1, 0, 2).suggest_memory_format(), ChannelsLast);
  EXPECT_EQ(y.narrow(1, 0, 2).suggest_memory_format(true), Contiguous);
  EXPECT_TRUE(y.contiguous(ChannelsLast).is_same(y) && y.to(ChannelsLast).is_same(y));
  EXPECT_TRUE(x.contiguous(Preserve).is_same(x));
  EXPECT_EQ(empty({2, 3, 4, 5}, {}, ChannelsLast).strides(), y.strides());
  EXPECT_EQ(rand_like(x, kDouble, ChannelsLast).strides(), y.strides());
  EXPECT_EQ(full_like(y, 2, {}, Contiguous).strides(), x.strides());
  EXPECT_EQ(x.to(y, false, false, ChannelsLast).strides(), y.strides());
  EXPECT_EQ(x.to("cpu", false, false, ChannelsLast).strides(), y.strides());
  EXPECT_EQ(x.to(dtype(kDouble).memory_format(ChannelsLast)).dtype(), kDouble);
  EXPECT_EQ(detail::text_of(Contiguous, Preserve, ChannelsLast, ChannelsLast3d),
            "ContiguousPreserveChannelsLastChannelsLast3d");
  EXPECT_EQ(error_of<ShapeError>([&] { x[0].contiguous(ChannelsLast); }),
            "contiguous: required rank 4 tensor to use channels_last format, got sizes [3, 4, 5]");
  EXPECT_EQ(error_of<ShapeError>([&] { x.to(ChannelsLast3d); }),
            "to: required rank 5 tensor to use channels_last_3d format, got sizes [2, 3, 4, 5]");
  EXPECT_EQ(error_of([&] { empty({2}, Preserve); }), "empty: unsupported memory format Preserve");
  EXPECT_EQ(error_of([&] { y.contiguous(Preserve); }),
            "contiguous: preserve memory format is unsupported by the contiguous operator");
}

TEST(MemoryFormat, OfAModule) {
  nn::Sequential net(nn::Conv2d(3, 4, 3), nn::BatchNorm2d(4), nn::Flatten(), nn::Linear(4, 2));
  const Tensor x = rand({2, 3, 3, 3}), weight = net->parameters()[0];
  net->forward(x).sum().backward();
  const Tensor before = weight.clone(), gradient = weight.grad().clone();
  net->to(ChannelsLast);
  EXPECT_TRUE(weight.is_contiguous(ChannelsLast) && weight.equal(before));
  EXPECT_TRUE(weight.grad().is_contiguous(ChannelsLast) && weight.grad().equal(gradient));
  EXPECT_TRUE(net->parameters().back().is_contiguous());
  net->zero_grad();
  net->forward(x).sum().backward();
  EXPECT_TRUE(weight.grad().is_contiguous(ChannelsLast));
  EXPECT_TRUE(net[0]->as<nn::Conv2dImpl>()->forward(x).is_contiguous(ChannelsLast));
  nn::Conv3d volumes(1, 2, 2);
  EXPECT_NE(error_of<ShapeError>([&] { volumes->to(ChannelsLast); }), "");
  EXPECT_TRUE(
      nn::Conv3d(2, 2, 2)->to(ChannelsLast3d).parameters()[0].is_contiguous(ChannelsLast3d));
}

}  // namespace
}  // namespace tern
