#pragma once

#include <cstddef>
#include <string>

namespace tern {

/// What happens to one call of the system that reads a file, or to all of them.
struct ReadFault {
  enum Kind {
    kNone,
    kError,      // the call fails with EIO
    kEnd,        // the call finds the end of the file, as if the file had become shorter
    kInterrupt,  // the call fails with EINTR
    kShort,      // every call reads a few bytes only
  } kind = kNone;
  long call = 0;  // the first call is 1; for all kinds but kShort
};

/// Makes reads of the library fail until the end of a scope. Counts the reads.
class ReadFaults {
 public:
  explicit ReadFaults(ReadFault fault);
  ReadFaults(const ReadFaults&) = delete;
  ReadFaults& operator=(const ReadFaults&) = delete;
  ~ReadFaults();
  /// Returns the number of calls so far.
  long calls() const;
};

}  // namespace tern
