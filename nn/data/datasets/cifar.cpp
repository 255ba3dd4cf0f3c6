#include <tern/nn/data/datasets/cifar.h>

#include <algorithm>
#include <cstring>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/index/index.h>
#include <tern/core/ops/index/indexing.h>
#include <tern/nn/data/detail/read_file.h>

namespace tern::data::datasets {
namespace {

constexpr std::size_t kPixels = std::size_t{3} * 32 * 32, kRecord = 1 + kPixels;

std::string folder_of(const std::string& root) {
  const std::string inner = data::detail::join_path(root, "cifar-10-batches-bin");
  return data::detail::path_exists(inner) ? inner : root;
}

Tensor scaled(const Tensor& bytes) { return bytes.to(kFloat).div(255); }

}  // namespace

CIFAR10::CIFAR10(const std::string& root, Mode mode) : mode_(mode) {
  const std::string folder = folder_of(root);
  std::vector<std::string> names = {"test_batch.bin"};
  if (mode == Mode::kTrain) {
    names.clear();
    for (int i = 1; i <= 5; ++i) names.push_back("data_batch_" + std::to_string(i) + ".bin");
  }
  std::vector<std::string> files;
  std::size_t records = 0;
  for (const std::string& name : names) {
    const std::string path = data::detail::join_path(folder, name);
    TERN_CHECK(data::detail::path_exists(path), FileError, "CIFAR10: no file ", path,
               "; unpack the binary version of the set, cifar-10-binary.tar.gz, into ", root);
    files.push_back(data::detail::read_file("CIFAR10", path));
    const std::string& bytes = files.back();
    TERN_CHECK(bytes.size() % kRecord == 0 && !bytes.empty(), FileError, "CIFAR10: ", path,
               " is cut off or no file of CIFAR-10, expected records of ", kRecord,
               " bytes, found ", bytes.size(), " bytes, which end at byte ", bytes.size() % kRecord,
               " of record ", bytes.size() / kRecord);
    for (std::size_t at = 0; at < bytes.size(); at += kRecord) {
      const auto label = static_cast<unsigned char>(bytes[at]);
      TERN_CHECK(label < 10, FileError, "CIFAR10: ", path,
                 ": expected a label from 0 to 9 at byte ", at, ", found ", int{label});
    }
    records += bytes.size() / kRecord;
  }
  const auto count = static_cast<std::int64_t>(records);
  images_ = empty({count, 3, 32, 32}, TensorOptions(kByte).device(kCPU));
  targets_ = empty({count}, TensorOptions(kLong).device(kCPU));
  auto* pixels = images_.data_ptr<std::uint8_t>();
  auto* target = targets_.data_ptr<std::int64_t>();
  for (const std::string& bytes : files) {
    for (std::size_t at = 0; at < bytes.size(); at += kRecord, pixels += kPixels) {
      *target++ = static_cast<unsigned char>(bytes[at]);
      std::memcpy(pixels, bytes.data() + at + 1, kPixels);
    }
  }
}

Example<> CIFAR10::get(std::size_t index) {
  const auto i = static_cast<std::int64_t>(index);
  return {scaled(images_[i]), targets_[i]};
}

Example<> CIFAR10::gather(ArrayRef<std::size_t> indices) const {
  const Tensor chosen = tensor(std::vector<std::int64_t>(indices.begin(), indices.end()));
  return {scaled(images_.index_select(0, chosen)), targets_.index_select(0, chosen)};
}

std::optional<std::size_t> CIFAR10::size() const {
  return static_cast<std::size_t>(targets_.size(0));
}

const std::vector<std::string>& CIFAR10::classes() {
  static const std::vector<std::string> names = {
      "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  return names;
}

}  // namespace tern::data::datasets
