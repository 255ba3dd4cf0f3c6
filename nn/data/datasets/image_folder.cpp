#include <tern/nn/data/datasets/image_folder.h>

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/nn/data/detail/read_file.h>

namespace tern::data::datasets {

struct ImageFolder::Listing {
  std::vector<std::string> classes;
  std::vector<std::pair<std::string, std::int64_t>> samples;
};

namespace {

struct Entries {
  std::vector<std::string> folders, files;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Returns the sorted names in a folder. Links are followed, as torchvision does.
Entries entries_of(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  TERN_CHECK(folder, FileError, "ImageFolder: cannot read the folder ", path, ": ",
             tern::detail::system_reason(errno));
  Entries found;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) {
      struct stat facts;
      const std::string full = data::detail::join_path(path, name);
      is_folder = ::stat(full.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
    }
    (is_folder ? found.folders : found.files).push_back(name);
  }
  std::ranges::sort(found.folders);
  std::ranges::sort(found.files);
  return found;
}

bool is_image(const std::string& name) {
  std::string lower = name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower.ends_with(".jpg") || lower.ends_with(".jpeg") || lower.ends_with(".png");
}

/// Appends the folders below `path` and `path` itself.
void add_folders(const std::string& path, int depth, std::vector<std::string>& all) {
  constexpr int kDeepest = 40;  // links may lead back up
  TERN_CHECK(depth < kDeepest, FileError, "ImageFolder: the folders below ", path.substr(0, 200),
             " lie more than ", kDeepest, " deep; does a link lead back up?");
  all.push_back(path);
  for (const std::string& name : entries_of(path).folders) {
    add_folders(data::detail::join_path(path, name), depth + 1, all);
  }
}

}  // namespace

ImageFolder::ImageFolder(const std::string& root, ImageMode mode) : mode_(mode) {
  auto listing = std::make_shared<Listing>();
  listing->classes = entries_of(root).folders;
  TERN_CHECK(!listing->classes.empty(), FileError,
             "ImageFolder: Couldn't find any class folder in ", root,
             ". Each class has a folder of its own, for example ",
             data::detail::join_path(root, "cat/1.jpg"));
  std::string empty_classes;
  for (std::size_t i = 0; i < listing->classes.size(); ++i) {
    const std::size_t before = listing->samples.size();
    std::vector<std::string> folders;
    add_folders(data::detail::join_path(root, listing->classes[i]), 0, folders);
    std::ranges::sort(folders);
    for (const std::string& folder : folders) {
      for (const std::string& name : entries_of(folder).files) {
        if (!is_image(name)) continue;
        listing->samples.emplace_back(data::detail::join_path(folder, name),
                                      static_cast<std::int64_t>(i));
      }
    }
    if (listing->samples.size() == before) {
      empty_classes += (empty_classes.empty() ? "" : ", ") + listing->classes[i];
    }
  }
  TERN_CHECK(empty_classes.empty(), FileError, "ImageFolder: Found no valid file for the classes ",
             empty_classes, " in ", root, ". Supported extensions are: .jpg, .jpeg, .png");
  listing_ = std::move(listing);
}

Example<> ImageFolder::get(std::size_t index) {
  TERN_CHECK(index < listing_->samples.size(), IndexError, "ImageFolder: index ", index,
             " is out of range for ", listing_->samples.size(), " images");
  const auto& [path, target] = listing_->samples[index];
  return {read_image(path, mode_), scalar_tensor(target, TensorOptions(kLong).device(kCPU))};
}

std::optional<std::size_t> ImageFolder::size() const { return listing_->samples.size(); }

const std::vector<std::string>& ImageFolder::classes() const { return listing_->classes; }

std::map<std::string, std::int64_t> ImageFolder::class_to_idx() const {
  std::map<std::string, std::int64_t> numbers;
  for (const std::string& name : listing_->classes) {
    numbers.emplace(name, static_cast<std::int64_t>(numbers.size()));
  }
  return numbers;
}

const std::vector<std::pair<std::string, std::int64_t>>& ImageFolder::samples() const {
  return listing_->samples;
}

std::vector<std::int64_t> ImageFolder::targets() const {
  std::vector<std::int64_t> targets;
  for (const auto& [path, target] : listing_->samples) targets.push_back(target);
  return targets;
}

}  // namespace tern::data::datasets
