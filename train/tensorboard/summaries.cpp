#include <tern/train/tensorboard/detail/summaries.h>

#include <algorithm>
#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/train/picture/detail/png.h>

namespace tern::train::detail {
namespace {

constexpr int kStringType = 7;  // DataType.DT_STRING

/// Returns the limits of PyTorch's bins: 1e-12 times the powers of 1.1 below 1e20, 0, and the same
/// negative.
std::vector<double> bin_limits() {
  std::vector<double> positive;
  double limit = 1e-12;
  while (limit < 1e20) {
    positive.push_back(limit);
    limit *= 1.1;
  }
  std::vector<double> limits;
  for (std::size_t i = positive.size(); i-- > 0;) limits.push_back(-positive[i]);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

}  // namespace

Message scalar_value(const std::string& tag, float value) {
  return Message().text(1, tag).real32(2, value);
}

Message image_value(const std::string& tag, const Tensor& picture) {
  const Png png = encode_png(picture, "SummaryWriter: add_image");
  Message image;
  image.integer(1, png.height).integer(2, png.width).integer(3, png.channels).text(4, png.bytes);
  return Message().text(1, tag).message(4, image);
}

Message histogram_value(const std::string& tag, const Tensor& values) {
  TERN_CHECK(values.defined(), Error, "SummaryWriter: add_histogram: undefined values of '", tag,
             "'");
  const NoGradGuard no_grad;
  std::vector<double> numbers = values.detach().to(kDouble).reshape({-1}).to_vector<double>();
  std::erase_if(numbers, [](double number) { return !std::isfinite(number); });
  TERN_CHECK(!numbers.empty(), Error, "SummaryWriter: add_histogram: '", tag,
             "' has no finite value, got sizes ", values.sizes());

  static const std::vector<double> limits = bin_limits();
  std::vector<double> counts(limits.size() - 1);
  double sum = 0, squares = 0;
  for (const double number : numbers) {
    sum += number;
    squares += number * number;
    // Bins include their lower limit. Numbers beyond all bins count in the outer ones.
    const auto bin = std::ranges::upper_bound(limits, number) - limits.begin() - 1;
    ++counts[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(bin, 0, std::ssize(counts) - 1))];
  }

  // From the empty bin before the first count, which shows its lower limit, to the last count.
  const auto is_count = [](double count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_count) - counts.begin();
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_count).base() - counts.begin();
  std::vector<double> bucket_limits, buckets;
  for (auto i = std::max<std::ptrdiff_t>(first - 1, 0); i < last; ++i) {
    bucket_limits.push_back(limits[static_cast<std::size_t>(i) + 1]);
    buckets.push_back(counts[static_cast<std::size_t>(i)]);
  }
  if (first == 0) {
    bucket_limits.insert(bucket_limits.begin(), limits.front());
    buckets.insert(buckets.begin(), 0);
  }

  const auto [low, high] = std::ranges::minmax(numbers);
  Message histogram;
  histogram.real(1, low).real(2, high).real(3, static_cast<double>(numbers.size()));
  histogram.real(4, sum).real(5, squares).reals(6, bucket_limits).reals(7, buckets);
  return Message().text(1, tag).message(5, histogram);
}

Message plugin_value(const std::string& tag, const std::string& plugin, const Message& content) {
  const Message data = Message().text(1, plugin).text(2, content.bytes());
  return Message().text(1, tag).message(9, Message().message(1, data));
}

Message text_value(const std::string& tag, const std::string& text) {
  const Message shape = Message().message(2, Message().integer(1, 1));
  Message tensor;
  tensor.integer(1, kStringType).message(2, shape).text(8, text);
  return plugin_value(tag + "/text_summary", "text", Message()).message(8, tensor);
}

Message summary_event(const Message& value, std::int64_t step, double time) {
  Message event;
  event.real(1, time).integer(2, step).message(5, Message().message(1, value));
  return event;
}

}  // namespace tern::train::detail
