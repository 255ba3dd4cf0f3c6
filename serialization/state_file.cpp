#include <tern/serialization/state_file.h>

#include <cmath>
#include <new>

#include <tern/serialization/detail/formats.h>
#include <tern/serialization/detail/save_state.h>
#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/safetensors/detail/index.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern {

void detail::rethrow_named(const char* what, const std::string& path) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    detail::raise<OutOfMemoryError>(what, ": no memory for the content of '", path, "'");
  } catch (const FileError&) {
    throw;
  } catch (const OutOfMemoryError&) {
    throw;
  } catch (const DeviceError& error) {  // no FileError, because the file is not the cause
    detail::raise<DeviceError>(what, ": '", path, "': ", error.what());
  } catch (const Error& error) {
    detail::raise<FileError>(what, ": '", path, "': ", error.what());
  }
}

namespace {

/// Runs `work` and adds the path to errors that do not name the file.
template <class Work>
auto named(const char* what, const std::string& path, const Work& work) {
  try {
    return work();
  } catch (...) {
    detail::rethrow_named(what, path);
  }
}

/// Throws Error for values that no format can store or that the options forbid. `name` is the path
/// of keys to `state`.
void check_leaves_below(const State& state, const std::string& name, const SaveOptions& options,
                        bool may_be_meta) {
  const auto inner = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
  if (state.is_tensor()) {
    TERN_CHECK(may_be_meta || !state.tensor().device().is_meta(), Error, "tensor '", name,
               "' is on the device meta and has no elements");
  } else if (state.is_double() && !options.allow_non_finite) {
    TERN_CHECK(std::isfinite(state.to<double>()), Error, "value '", name, "' is ",
               state.to<double>(), ", but SaveOptions::allow_non_finite is false");
  } else if (state.is_list()) {
    for (std::size_t i = 0; i < state.size(); ++i) {
      check_leaves_below(state[i], inner(std::to_string(i)), options, may_be_meta);
    }
  } else if (state.is_dict()) {
    for (const auto& [key, value] : state) {
      check_leaves_below(value, inner(key), options, may_be_meta);
    }
  }
}

}  // namespace

bool is_reserved_metadata(std::string_view key, const SaveOptions& options) {
  return key == detail::kFormatKey || key == detail::kTreeKey || key == detail::kSaveKey ||
         (key == detail::kTotalSizeKey && options.max_shard_size != 0);
}

void detail::check_leaves(const State& state, const SaveOptions& options, bool may_be_meta) {
  check_leaves_below(state, "", options, may_be_meta);
}

void save_state(const State& state, const std::string& path, const SaveOptions& options) {
  detail::save_state(state, path, options, detail::system_calls());
}

void detail::save_state(const State& state, const std::string& path, const SaveOptions& options,
                        FileCalls& calls) {
  named("save", path, [&] {
    const Format& format = format_to_save(path);
    check_options(format, options, path);
    check_leaves(state, options);
    if (options.max_shard_size != 0 || has_index(path)) {
      return save_safetensors_shards(state, path, options, calls);
    }
    AtomicFile file(path, calls);
    format.write(state, options, file);
    file.commit();
  });
}

State load_state(const std::string& path, const LoadFileOptions& options) {
  return named("load", path, [&] {
    for (auto* const list : {options.metadata, options.skipped}) {
      if (list != nullptr) list->clear();
    }
    const std::string found = detail::find_safetensors(path);
    const detail::Format* const expected = detail::format_of_suffix("load", found);
    const detail::InputFile file(found);
    return detail::format_of_content(expected, file).read(file, options);
  });
}

void load(Tensor& tensor, const std::string& path) {
  State state = load_state(path);
  // libtorch's C++ frontend saves a tensor as a module with this one attribute.
  if (state.is_dict() && state.size() == 1 && state.contains("0")) state = State(state["0"]);
  TERN_CHECK(state.is_tensor(), FileError, "load: '", path, "' holds ", kind_name(state.kind()),
             ", not a tensor");
  tensor = state.tensor();
}

}  // namespace tern
