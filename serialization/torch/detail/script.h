#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>
#include <tern/serialization/zip/detail/writer.h>

namespace tern::detail {

// torch::save of libtorch's C++ frontend writes an archive of TorchScript: the ZIP archive of
// torch.save whose data.pkl is an object of the class __torch__.Module. The object's attributes
// are tensors, numbers, strings, lists and other such objects. Each object has a class of its own,
// __torch__.___torch_mangle_0.Module and so on, whose source in code/ lists the attributes with
// their types and says which of them are parameters or buffers. There is nothing to run in it.
// constants.pkl is an empty tuple.

struct ScriptModule;

/// An attribute of a ScriptModule.
struct ScriptAttribute {
  enum class Role : std::uint8_t { kPlain, kParameter, kBuffer };

  std::string name;
  std::string type;  // of TorchScript, such as "Tensor" or "List[int]"; empty for a module
  State value = nullptr;
  std::shared_ptr<ScriptModule> module = nullptr;  // null for all other types
  Role role = Role::kPlain;                        // of a tensor
};

/// An object in an archive of TorchScript.
struct ScriptModule {
  std::vector<ScriptAttribute> attributes;
};

/// Returns the type in TorchScript of a value that is no dictionary. A list of values of several
/// types is a tuple; an empty list is a list of tensors.
std::string script_type(const State& value);
/// Returns the type in TorchScript of a list as a tuple.
std::string tuple_type(const State& list);

/// Writes a whole archive. Throws Error for values on the device meta and for modules that are
/// nested deeper than State::kMaxDepth.
void write_script(const ScriptModule& root, ZipWriter& zip);

/// Returns true if the file is an archive of TorchScript.
bool is_script(const InputFile& file);

/// Reads a whole archive of libtorch's C++ frontend, or a file of torch.save. Modules become
/// dictionaries; tensors tell whether they require a gradient. Throws FileError for modules of
/// other classes, which are programs.
State read_script_tree(const InputFile& file);

/// Returns the state for load_state_dict() of the tree of an archive: the dictionary of an
/// optimizer in Python's form, or all tensors of a module by their names.
State flat_script(const State& tree);

/// Returns true for the tree of an optimizer.
bool is_script_optimizer(const State& tree);
/// Returns the state of an optimizer in Python's form.
State optimizer_of_script(const State& tree);
/// Returns the archive of an optimizer whose state is in Python's form.
ScriptModule script_of_optimizer(const State& state);

/// Returns the attributes for the items of a dictionary; inner dictionaries become modules.
ScriptModule script_of(const State& dict);

}  // namespace tern::detail
