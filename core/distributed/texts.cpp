#include <tern/core/distributed/detail/texts.h>

#include <algorithm>
#include <cstring>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>

namespace tern::distributed::detail {
namespace {

/// Returns the bytes of a text, and zeros up to `size` bytes.
Tensor bytes_of(const std::string& text, std::int64_t size) {
  Tensor bytes = zeros({size}, kByte);
  if (!text.empty()) std::memcpy(bytes.data_ptr(), text.data(), text.size());
  return bytes;
}

std::string text_of(const Tensor& bytes, std::int64_t size) {
  return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(size)};
}

std::int64_t size_of(const std::string& text) { return static_cast<std::int64_t>(text.size()); }

}  // namespace

std::vector<std::string> all_gather_texts(const ProcessGroup& group, const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (const Tensor& size : group.all_gather(tensor({size_of(text)}, kLong))) {
    sizes.push_back(size.item<std::int64_t>());
  }
  std::vector<std::string> texts(sizes.size());
  const std::int64_t longest = *std::ranges::max_element(sizes);
  if (longest == 0) return texts;
  const std::vector<Tensor> all = group.all_gather(bytes_of(text, longest));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    texts[rank] = text_of(all[rank], sizes[rank]);
  }
  return texts;
}

std::string broadcast_text(const ProcessGroup& group, const std::string& text) {
  const Tensor size = tensor({size_of(text)}, kLong);
  group.broadcast(size);
  const auto count = size.item<std::int64_t>();
  const Tensor bytes = group.rank() == 0 ? bytes_of(text, count) : zeros({count}, kByte);
  group.broadcast(bytes);
  return text_of(bytes, count);
}

std::optional<Problem> call_on_all(const ProcessGroup& group,
                                   const std::function<void()>& function) {
  Problem problem{};
  std::string own;
  try {
    function();
  } catch (const std::exception& error) {
    problem.own = std::current_exception();
    own = error.what();
    if (own.empty()) own = "unknown error";
  }
  const std::vector<std::string> texts = all_gather_texts(group, own);
  const auto first = std::ranges::find_if(texts, [](const auto& text) { return !text.empty(); });
  if (first == texts.end()) return {};
  problem.rank = static_cast<std::size_t>(first - texts.begin());
  problem.text = *first;
  return problem;
}

void throw_on_all(const ProcessGroup& group, const char* who,
                  const std::function<void()>& function) {
  const std::optional<Problem> problem = call_on_all(group, function);
  if (!problem) return;
  if (problem->own) std::rethrow_exception(problem->own);
  tern::detail::raise<Error>(who, ": rank ", problem->rank, " failed: ", problem->text);
}

}  // namespace tern::distributed::detail
