#pragma once

#include <string>

#include "serialization/reject.h"

// What a JSON file may not be.

namespace tern {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' to replace");
  return text.replace(at, from.size(), to);
}

/// The text of a file that fits the models, and broken variants of it.
class JsonReject : public RejectTest {
 protected:
  JsonReject() {
    save(net_, path_);
    good_ = read_file(path_);
  }

  /// `text` as a file is refused, strictly and not where the file is wrong in itself.
  template <class E = FileError>
  void rejects(const std::string& text, const std::string& part,
               std::vector<bool> strictness = std::is_same_v<E, FileError>
                                                  ? std::vector<bool>{true, false}
                                                  : std::vector<bool>{true}) {
    SCOPED_TRACE(text.substr(0, 200));
    write_file(path_, text);
    expect_refused<E>(path_, part, strictness);
  }
  /// The same with `to` in the place of `from`.
  template <class E = FileError>
  void rejects_changed(const std::string& from, const std::string& to, const std::string& part) {
    rejects<E>(replaced(good_, from, to), part);
  }

  /// A file with one tensor made of these fields.
  static std::string file_of(const std::string& fields) {
    return R"({"format": "tern.state_dict", "version": 1, "tensors": {"w": {)" + fields + "}}}";
  }
  static std::string data(const std::string& dtype, const std::string& shape,
                          const std::string& elements) {
    return file_of(R"("dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data": )" +
                   elements);
  }
  static std::string plain(const std::string& value) { return "{\"w\": " + value + "}"; }

  const std::string path_ = scratch_.path();
  Net& net_ = on_cpu_.net;
  std::string good_;
};

}  // namespace tern
