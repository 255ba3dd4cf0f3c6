#pragma once

#include <cstdint>

#include <backends/cuda/emulator/emulator.h>

// Shared memory that knows who has read and written each element since the last barrier. What is
// undefined on a GPU is an error of the launch: an access that another thread's access may come
// before or after, a read of what no thread of the block has written, and an index out of bounds.

namespace tern::emulator {

/// The accesses to one element.
class Accesses {
 public:
  void read();
  void write();

 private:
  std::uint64_t written_at_ = 0, read_at_ = 0;  // as Moment::now
  unsigned writer_ = 0, reader_ = 0;
  bool many_read_ = false;
};

/// Returns the index, or 0 and an error of the launch if there is no such element.
std::int64_t checked_index(std::int64_t index, std::int64_t count);

template <class T>
class SharedElement {
 public:
  operator T() {  // NOLINT(google-explicit-constructor): like a T
    accesses_.read();
    return value_;
  }
  SharedElement& operator=(const T& x) {
    accesses_.write();
    value_ = x;
    return *this;
  }
  SharedElement& operator=(SharedElement& x) { return *this = static_cast<T>(x); }
  SharedElement& operator+=(const T& x) { return *this = static_cast<T>(*this) + x; }

 private:
  T value_;
  Accesses accesses_;
};

template <class T, unsigned kCount>
class SharedArray {
 public:
  SharedElement<T>& operator[](std::int64_t i) { return elements_[checked_index(i, kCount)]; }

 private:
  SharedElement<T> elements_[kCount];
};

template <class T, unsigned kRows, unsigned kColumns>
class SharedMatrix {
 public:
  SharedArray<T, kColumns>& operator[](std::int64_t row) {
    return rows_[checked_index(row, kRows)];
  }

 private:
  SharedArray<T, kColumns> rows_[kRows];
};

}  // namespace tern::emulator
