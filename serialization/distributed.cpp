#include <tern/serialization/distributed.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/distributed/detail/texts.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/detail/formats.h>
#include <tern/serialization/detail/save_on_ranks.h>
#include <tern/serialization/detail/save_state.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/safetensors/detail/index.h>
#include <tern/serialization/safetensors/detail/shard_files.h>

namespace tern::detail {
namespace {

using distributed::ProcessGroup;

// Runs `step` on each rank, which may do nothing there. If it throws on some, calls `undo` and
// throws the first error on all.
void on_all(const ProcessGroup& group, const std::string& path, const std::function<void()>& step,
            const std::function<void()>& undo = {}) {
  const auto problem = distributed::detail::call_on_all(group, step);
  if (!problem) return;
  if (undo) undo();
  raise<FileError>("save: '", path, "': rank ", problem->rank, ": ", problem->text);
}

// A line for each tensor, which must be the same on all ranks.
std::string lines_of(const FlatState& flat) {
  std::string lines;
  for (const auto& [name, tensor] : flat.tensors) {
    lines += tern::detail::text_of("'", name, "' of ", dtype_info(tensor.scalar_type()).python_name,
                                   " ", tensor.sizes(), "\n");
  }
  return lines;
}

// Returns the rank that writes each tensor.
std::vector<std::size_t> owners_of(const ProcessGroup& group, const std::string& path,
                                   const FlatState& flat) {
  const std::string mine = lines_of(flat);
  const std::string first = distributed::detail::broadcast_text(group, mine);
  on_all(group, path, [&] {
    TERN_CHECK(mine == first, FileError,
               "its state has other tensors than that of rank 0: names, dtypes and sizes must be "
               "the same on all ranks");
  });
  const auto count = static_cast<std::int64_t>(flat.tensors.size());
  if (count == 0) return {};
  const Tensor has = zeros({count}, kByte);
  auto* const is_here = has.data_ptr<std::uint8_t>();
  for (std::size_t i = 0; i < flat.tensors.size(); ++i) {
    is_here[i] = flat.tensors[i].second.device().is_meta() ? 0 : 1;
  }
  const std::vector<Tensor> on_ranks = group.all_gather(has);
  std::vector<std::size_t> owners;
  for (std::int64_t i = 0; i < count; ++i) {
    std::size_t owner = 0;
    while (owner < on_ranks.size() && on_ranks[owner][i].item<std::uint8_t>() == 0) ++owner;
    TERN_CHECK(owner < on_ranks.size(), FileError, "save: '", path, "': tensor '",
               flat.tensors[static_cast<std::size_t>(i)].first,
               "' is on the device meta on all ranks and has no elements");
    owners.push_back(owner);
  }
  return owners;
}

// The files of a save by several ranks.
class DividedSave {
 public:
  DividedSave(const ProcessGroup& group, const std::string& path, const SaveOptions& options,
              FileCalls& calls)
      : group_(group), path_(path), options_(options), calls_(calls) {}

  void save(const FlatState& flat, const std::vector<std::size_t>& owners) {
    SafetensorsContent content;
    on_all(group_, path_, [&] {
      TERN_CHECK(path_.ends_with(kShardSuffix), FileError,
                 "the state is divided over the ranks, which only .safetensors files can be");
      content = safetensors_content(flat, options_, path_);
      divide(content.tensors, flat, owners);
    });
    // Rank 0 alone takes the lock: the others would wait for it.
    std::optional<FolderLock> lock;
    std::vector<std::string> old;
    std::string names;
    on_all(group_, path_, [&] {
      if (group_.rank() != 0) return;
      lock.emplace(path_, calls_);
      old = files_of_index(path_);
      names = save_id();
      for (const std::string& name : shard_paths(path_, shards_.size())) names += '\n' + name;
    });
    read_names(distributed::detail::broadcast_text(group_, names));
    on_all(
        group_, path_, [&] { write(); }, [&] { remove_files(written_, calls_); });
    AtomicFile* index = nullptr;
    std::unique_ptr<AtomicFile> file;
    const auto commit = [&] {
      if (group_.rank() != 0) return;
      content.metadata.emplace_back(kSaveKey, id_);
      file = std::make_unique<AtomicFile>(path_ + std::string(kIndexSuffix), calls_);
      index = file.get();
      index->write(index_text(shards_, paths_, content.metadata));
      index->commit();
    };
    bool is_in_place = false;
    on_all(group_, path_, commit, [&] {
      const Tensor in_place = tensor({index != nullptr && index->in_place() ? 1 : 0}, kLong);
      group_.broadcast(in_place);
      is_in_place = in_place.item<std::int64_t>() != 0;
      if (!is_in_place) remove_files(written_, calls_);
    });
    on_all(group_, path_, [&] {
      if (group_.rank() != 0) return;
      std::erase(old, path_ + std::string(kIndexSuffix));
      old.push_back(path_);
      remove_old(path_, old, paths_, calls_);
      lock->sync(path_);
    });
  }

 private:
  // Finds the files of all ranks, in the order of the ranks.
  void divide(const ShardTensors& tensors, const FlatState& flat,
              const std::vector<std::size_t>& owners) {
    const auto owner_of = [&](const NamedTensor* tensor) {
      return owners[static_cast<std::size_t>(tensor - flat.tensors.data())];
    };
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(group_.size()); ++rank) {
      ShardTensors part;
      std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(part),
                   [&](const NamedTensor* tensor) { return owner_of(tensor) == rank; });
      for (ShardTensors& shard : split(part, options_.max_shard_size)) {
        shards_.push_back(std::move(shard));
        owners_.push_back(rank);
      }
    }
  }

  void read_names(const std::string& names) {
    std::size_t begin = names.find('\n');
    id_ = names.substr(0, begin);
    while (begin != names.npos) {
      const std::size_t end = names.find('\n', begin + 1);
      paths_.push_back(names.substr(begin + 1, end == names.npos ? end : end - begin - 1));
      begin = end;
    }
  }

  void write() {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      if (owners_[i] != static_cast<std::size_t>(group_.rank())) continue;
      AtomicFile file(paths_[i], calls_);
      write_shard(shards_[i], id_, options_, file);
      written_.push_back(paths_[i]);
      file.commit();
    }
  }

  const ProcessGroup& group_;
  const std::string& path_;
  const SaveOptions& options_;
  FileCalls& calls_;
  std::vector<ShardTensors> shards_;  // of all ranks
  std::vector<std::size_t> owners_;   // of the shards
  std::vector<std::string> paths_;    // of the shards
  std::string id_;
  std::vector<std::string> written_;  // by this rank
};

}  // namespace

void save_on_ranks(const State& state, const std::string& path, const ProcessGroup& group,
                   const SaveOptions& options, FileCalls& calls) {
  const NoGradGuard no_grad;
  FlatState flat;
  on_all(group, path, [&] {
    check_options(format_to_save(path), options, path);
    flat = flatten(state);
  });
  const std::vector<std::size_t> owners = owners_of(group, path, flat);
  if (std::ranges::all_of(owners, [](std::size_t owner) { return owner == 0; })) {
    return on_all(group, path, [&] {
      if (group.rank() == 0) save_state(state, path, options, calls);
    });
  }
  on_all(group, path, [&] { check_leaves(state, options, /*may_be_meta=*/true); });
  DividedSave(group, path, options, calls).save(flat, owners);
}

}  // namespace tern::detail

namespace tern::distributed {

void save_state(const State& state, const std::string& path, const ProcessGroup& group,
                const SaveOptions& options) {
  tern::detail::save_on_ranks(state, path, group, options, tern::detail::system_calls());
}

}  // namespace tern::distributed
