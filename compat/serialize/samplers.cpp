#include <tern/nn/data/samplers.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/nn/data/detail/sampler_state.h>
#include <tern/nn/data/samplers/distributed.h>
#include <tern/nn/data/samplers/stream.h>
#include <tern/serialization/archive.h>

// libtorch's archives of samplers.

namespace tern::data::samplers {
namespace {

const char* const kIndex = "index";
const char* const kRetrieved = "examples_retrieved_so_far";
const char* const kSampleIndex = "sample_index_";
const char* const kEpoch = "epoch_";

void write_count(serialize::OutputArchive& archive, const char* key, std::size_t count) {
  archive.write(key, full({}, static_cast<std::int64_t>(count), kLong), /*is_buffer=*/true);
}

std::size_t read_count(serialize::InputArchive& archive, const char* key) {
  Tensor count;
  archive.read(key, count, /*is_buffer=*/true);
  TERN_CHECK(count.dtype() == kLong && count.numel() == 1 && count.item<std::int64_t>() >= 0, Error,
             "'", key, "' must be a tensor with one integer that is not negative");
  return static_cast<std::size_t>(count.item<std::int64_t>());
}

}  // namespace

void detail::save_state(const State& state, serialize::OutputArchive& archive) {
  archive.write_items(state);
}

State detail::state_in(const serialize::InputArchive& archive) { return archive.state(); }

void SequentialSampler::save(serialize::OutputArchive& archive) const {
  write_count(archive, kIndex, index_);
}

void SequentialSampler::load(serialize::InputArchive& archive) {
  const std::size_t index = read_count(archive, kIndex);
  TERN_CHECK(index <= size_, Error, "SequentialSampler: the index must be at most ", size_,
             ", got ", index);
  index_ = index;
}

void RandomSampler::save(serialize::OutputArchive& archive) const {
  write_count(archive, kIndex, index_);
  archive.write("indices", tensor(order_), /*is_buffer=*/true);
}

void RandomSampler::load(serialize::InputArchive& archive) {
  const std::size_t index = read_count(archive, kIndex);
  Tensor indices;
  archive.read("indices", indices, /*is_buffer=*/true);
  TERN_CHECK(indices.dtype() == kLong && indices.dim() == 1, Error,
             "RandomSampler: 'indices' must have dtype Long and one dimension, got ",
             indices.scalar_type(), " and ", indices.sizes());
  std::vector<std::int64_t> order = indices.to_vector<std::int64_t>(), sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    TERN_CHECK(sorted[i] == static_cast<std::int64_t>(i), Error,
               "RandomSampler: 'indices' must have each index from 0 to ", sorted.size() - 1,
               " once");
  }
  TERN_CHECK(index <= order.size(), Error, "RandomSampler: the index must be at most ",
             order.size(), ", got ", index);
  order_ = std::move(order);
  index_ = index;
}

void StreamSampler::save(serialize::OutputArchive& archive) const {
  write_count(archive, kRetrieved, index_);
}

void StreamSampler::load(serialize::InputArchive& archive) {
  const std::size_t index = read_count(archive, kRetrieved);
  TERN_CHECK(index <= epoch_size_, Error, "StreamSampler: '", kRetrieved, "' must be at most ",
             epoch_size_, ", got ", index);
  index_ = index;
}

void DistributedSampler::save(serialize::OutputArchive& archive) const {
  write_count(archive, kSampleIndex, rank_ * count() + index());
}

void DistributedSampler::load(serialize::InputArchive& archive) {
  const std::size_t index = read_count(archive, kSampleIndex), begin = rank_ * count();
  TERN_CHECK(index >= begin && index - begin <= count(), Error, "the sampler of rank ", rank_,
             " has the examples from ", begin, " to ", begin + count(), ", but '", kSampleIndex,
             "' is ", index);
  State state = detail::state_of(draw(), index - begin);
  state.set("size", size());
  load_state_dict(state);
}

void DistributedRandomSampler::save(serialize::OutputArchive& archive) const {
  DistributedSampler::save(archive);
  write_count(archive, kEpoch, epoch());
}

void DistributedRandomSampler::load(serialize::InputArchive& archive) {
  const std::size_t before = epoch();
  set_epoch(read_count(archive, kEpoch));
  try {
    DistributedSampler::load(archive);
  } catch (...) {
    set_epoch(before);
    throw;
  }
}

}  // namespace tern::data::samplers
