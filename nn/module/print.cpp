#include <algorithm>
#include <sstream>

#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/module.h>

namespace tern::nn {

void Module::pretty_print(std::ostream& stream) const { stream << name(); }

const char*& detail::printed_namespace() {
  static constinit const char* name = "tern";
  return name;
}

std::ostream& operator<<(std::ostream& stream, const Module& module) {
  std::string indentation;
  const auto print_line = [&](const Module& line) {
    std::ostringstream own;
    line.pretty_print(own);
    std::string text = own.str();
    if (text.starts_with("tern::")) text.replace(0, 4, detail::printed_namespace());
    for (const char character : text) {
      stream << character;
      if (character == '\n') stream << indentation;
    }
    if (!line.children_.is_empty()) stream << "(\n";
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
      stream << indentation << '(' << name << "): ";
      if (!print(*child)) stream << '\n';
      continue;
    }
    indentation.resize(indentation.size() - 2);
    open.pop_back();
    stream << indentation << ')';
    if (!open.empty()) stream << '\n';
  }
  return stream;
}

namespace {

struct Row {
  std::string path, type, shapes, count;
};

/// Formats 652824 as 652,824.
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

Row row_of(const std::string& path, const Module& module) {
  std::string shapes;
  std::int64_t count = 0;
  for (const auto& [name, parameter] : module.named_parameters(/*recurse=*/false)) {
    shapes += tern::detail::text_of(shapes.empty() ? "" : ", ", name, ' ', parameter.sizes());
    count += parameter.numel();
  }
  return {path.empty() ? "(self)" : path, module.name(), shapes, grouped(count)};
}

}  // namespace

std::string Module::summary() const {
  std::vector<Row> rows = {{"Module", "Type", "Parameters", "Count"}};
  ModuleWalk::modules(*this, [&](const std::string& path, const Module& module) {
    rows.push_back(row_of(path, module));
  });
  Row width;  // the length of the widest entry of each column
  for (const Row& row : rows) {
    width.path.resize(std::max(width.path.size(), row.path.size()));
    width.type.resize(std::max(width.type.size(), row.type.size()));
    width.shapes.resize(std::max(width.shapes.size(), row.shapes.size()));
    width.count.resize(std::max(width.count.size(), row.count.size()));
  }
  std::ostringstream out;
  const auto left = [&out](const std::string& text, std::size_t columns) {
    out << text << std::string(columns - text.size() + 2, ' ');
  };
  for (const Row& row : rows) {
    left(row.path, width.path.size());
    left(row.type, width.type.size());
    left(row.shapes, width.shapes.size());
    out << std::string(width.count.size() - row.count.size(), ' ') << row.count << '\n';
  }
  std::int64_t total = 0, trainable = 0, bytes = 0, in_buffers = 0;
  for (const Tensor& parameter : parameters()) {
    total += parameter.numel();
    trainable += parameter.requires_grad() ? parameter.numel() : 0;
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  }
  for (const Tensor& buffer : buffers()) in_buffers += buffer.numel();
  out << "Total: " << grouped(total) << " parameters in " << grouped(bytes) << " bytes, "
      << grouped(trainable) << " trainable; " << grouped(in_buffers) << " in buffers\n";
  return out.str();
}

}  // namespace tern::nn
