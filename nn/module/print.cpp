#include <algorithm>
#include <ostream>
#include <string_view>

#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/type_name.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/printed_type.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/detail/summary_table.h>
#include <tern/nn/module.h>
#include <tern/nn/module/lazy_tensor.h>

namespace tern::nn {

void Module::pretty_print(std::ostream& stream) const { stream << name(); }

const char*& detail::printed_namespace() {
  static constinit const char* name = "tern";
  return name;
}

std::string detail::printed_type(const std::type_info& type) {
  std::string text = tern::detail::type_name(type);
  if (!tern::detail::as_libtorch) return text;
  constexpr std::string_view kOwn = "tern::";
  constexpr std::string_view kInside =
      ":_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (std::size_t at = text.find(kOwn); at != std::string::npos; at = text.find(kOwn, at + 1)) {
    const bool is_whole = at == 0 || kInside.find(text[at - 1]) == std::string_view::npos;
    const bool is_tensor = text.compare(at, 12, "tern::Tensor") == 0;
    if (is_whole) text.replace(at, 4, is_tensor ? "at" : printed_namespace());
  }
  return text;
}

namespace {

/// Prints a module without its submodules.
struct ModuleLine {
  const Module& module;

  friend std::ostream& operator<<(std::ostream& stream, const ModuleLine& line) {
    line.module.pretty_print(stream);
    return stream;
  }
};

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Module& module) {
  std::string all, indentation;
  const auto print_line = [&](const Module& line) {
    std::string text = tern::detail::text_of(ModuleLine{line});
    if (text.starts_with("tern::")) text.replace(0, 4, detail::printed_namespace());
    for (const char character : text) {
      all += character;
      if (character == '\n' && !tern::detail::as_libtorch) all += indentation;
    }
    if (!line.children_.is_empty()) all += "(\n";
  };
  // The modules whose submodules are being printed. A stack on the heap, because a tree may be too
  // deep for recursion.
  std::vector<std::pair<const Module*, std::size_t>> open;
  const auto print = [&](const Module& next) {
    print_line(next);
    if (next.children_.is_empty()) return false;
    open.emplace_back(&next, 0);
    indentation += "  ";
    return true;
  };
  print(module);
  while (!open.empty()) {
    auto& [parent, next] = open.back();
    if (next < parent->children_.size()) {
      const auto& [name, child] = parent->children_[next++];
      all += indentation;
      all += '(' + name + "): ";
      if (!print(*child)) all += '\n';
      continue;
    }
    indentation.resize(indentation.size() - 2);
    open.pop_back();
    all += indentation + ')';
    if (!open.empty()) all += '\n';
  }
  // libtorch sets the flag for the bools of a layer and leaves it set.
  const bool has_bools = all.find("=true") != all.npos || all.find("=false") != all.npos;
  if (tern::detail::as_libtorch && has_bools) stream << std::boolalpha;
  return stream << all;
}

// --- summary -------------------------------------------------------------------------------------

std::string detail::grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string detail::table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers) {
  std::vector<std::size_t> width(rows[0].size());
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(width[i] - row[i].size(), ' ');
      if (i == numbers) text += space;
      text += row[i];
      if (i + 1 < row.size()) text += (i == numbers ? "" : space) + "  ";
    }
    text += '\n';
  }
  return text;
}

std::string detail::totals(const Module& module) {
  std::int64_t total = 0, trainable = 0, bytes = 0, in_buffers = 0, buffer_bytes = 0;
  for (const Tensor& parameter : module.parameters()) {
    total += parameter.numel();
    trainable += parameter.requires_grad() ? parameter.numel() : 0;
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  }
  for (const Tensor& buffer : module.buffers()) {
    in_buffers += buffer.numel();
    buffer_bytes += static_cast<std::int64_t>(buffer.nbytes());
  }
  return "Total: " + grouped(total) + " parameters in " + grouped(bytes) + " bytes, " +
         grouped(trainable) + " trainable; " + grouped(in_buffers) + " in buffers of " +
         grouped(buffer_bytes) + " bytes\n";
}

std::string Module::summary() const {
  std::vector<std::vector<std::string>> rows = {{"Module", "Type", "Parameters", "Count"}};
  ModuleWalk::modules(*this, [&](const std::string& path, const Module& module) {
    std::string shapes;
    std::int64_t count = 0;
    for (const auto& [name, parameter] : module.named_parameters(/*recurse=*/false)) {
      shapes += tern::detail::text_of(shapes.empty() ? "" : ", ", name, ' ');
      shapes += is_lazy(parameter) ? "(uninitialized)" : tern::detail::text_of(parameter.sizes());
      count += parameter.numel();
    }
    rows.push_back({path.empty() ? "(self)" : path, module.name(), shapes, detail::grouped(count)});
  });
  return detail::table(rows, /*numbers=*/3) + detail::totals(*this);
}

}  // namespace tern::nn
