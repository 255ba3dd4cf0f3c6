#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tern::testing {

/// A message of protocol buffers without its schema: its fields in the order of the file.
class WireMessage {
 public:
  /// Parses `bytes`. Throws std::runtime_error if they are no message.
  explicit WireMessage(const std::string& bytes);

  /// Returns how often a field occurs.
  std::size_t count(unsigned field) const;
  /// Returns the content of a string, bytes or message.
  std::string text(unsigned field, std::size_t index = 0) const;
  WireMessage message(unsigned field, std::size_t index = 0) const;
  /// Returns an integer, and 0 for a missing one.
  std::int64_t integer(unsigned field) const;
  double real(unsigned field) const;
  float real32(unsigned field) const;
  /// Returns a packed list of doubles.
  std::vector<double> reals(unsigned field) const;

 private:
  struct Field {
    unsigned number, kind;
    std::uint64_t integer;
    std::string bytes;
  };
  const Field& field(unsigned number, unsigned kind, std::size_t index = 0) const;

  std::vector<Field> fields_;
};

/// Returns the records of an event file. Throws std::runtime_error for a wrong length or checksum.
std::vector<WireMessage> read_events(const std::string& bytes);

}  // namespace tern::testing
