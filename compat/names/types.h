#pragma once

// c10/util/{Exception,irange,tempfile,intrusive_ptr,typeid}.h and c10/core/{Device,ScalarType}.h:
// names that only programs for libtorch use.

#include <stdlib.h>
#include <unistd.h>

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tern/compat/macros.h>
#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/warning.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/options.h>

namespace caffe2 {

/// A dtype as a class, as libtorch's Tensor::dtype() returns it. tern's returns a ScalarType, which
/// converts to this class and back.
class TypeMeta {
 public:
  /// Makes the meta of no type.
  TypeMeta() = default;
  /// Makes the meta of a dtype.
  TypeMeta(::tern::ScalarType dtype) : dtype_(dtype) {}
  /// Returns the meta of a C++ type.
  template <class T>
  static TypeMeta Make() {
    return {::tern::dtype_of<T>()};
  }
  /// Returns the meta of a dtype.
  static TypeMeta fromScalarType(::tern::ScalarType dtype) { return {dtype}; }
  /// Returns the name of a C++ type.
  template <class T>
  static std::string_view TypeName() {
    return Make<T>().name();
  }
  /// Returns the size of a C++ type.
  template <class T>
  static constexpr std::size_t ItemSize() {
    return sizeof(T);
  }

  /// Returns the size of an element in bytes.
  std::size_t itemsize() const { return dtype_ ? ::tern::element_size(*dtype_) : 0; }
  /// Returns the name of the C++ type: "float", "long int", "c10::Half".
  std::string_view name() const {
    if (!dtype_) return "nullptr (uninitialized)";
    switch (*dtype_) {
      case ::tern::kFloat:
        return "float";
      case ::tern::kDouble:
        return "double";
      case ::tern::kHalf:
        return "c10::Half";
      case ::tern::kBFloat16:
        return "c10::BFloat16";
      case ::tern::kLong:
        return "long int";
      case ::tern::kInt:
        return "int";
      case ::tern::kShort:
        return "short int";
      case ::tern::kChar:
        return "signed char";
      case ::tern::kByte:
        return "unsigned char";
      case ::tern::kBool:
        return "bool";
    }
    return "";
  }
  /// Returns true when this is the meta of the C++ type.
  template <class T>
  bool Match() const {
    return *this == Make<T>();
  }
  /// Returns true for a dtype, and for the given one.
  bool isScalarType() const { return dtype_.has_value(); }
  bool isScalarType(::tern::ScalarType dtype) const { return dtype_ == dtype; }
  /// Returns the dtype. Throws Error if there is none.
  ::tern::ScalarType toScalarType() const {
    TERN_CHECK(dtype_, ::tern::Error, "Unsupported TypeMeta in ATen: ", name());
    return *dtype_;
  }
  /// Converts to the dtype.
  operator ::tern::ScalarType() const { return toScalarType(); }

  /// Compares the types.
  friend bool operator==(const TypeMeta& a, const TypeMeta& b) { return a.dtype_ == b.dtype_; }
  friend bool operator==(const TypeMeta& a, ::tern::ScalarType b) { return a.dtype_ == b; }
  /// Writes the name.
  friend std::ostream& operator<<(std::ostream& out, const TypeMeta& type) {
    return out << type.name();
  }

 private:
  std::optional<::tern::ScalarType> dtype_;
};

}  // namespace caffe2

namespace tern::compat {

/// The integers of a half-open interval, for range-based loops.
template <class T>
class IntegerRange {
 public:
  /// An integer that counts up.
  class iterator {
   public:
    /// The kind of iterator.
    using iterator_category = std::input_iterator_tag;
    /// The type of the integers.
    using value_type = T;
    /// The type of a distance.
    using difference_type = std::ptrdiff_t;
    /// The type of a pointer to an integer.
    using pointer = const T*;
    /// The type that `*` returns.
    using reference = T;

    /// Starts at an integer.
    explicit iterator(T value) : value_(value) {}
    /// Returns the integer.
    T operator*() const { return value_; }
    /// Returns a pointer to the integer.
    const T* operator->() const { return &value_; }
    /// Goes on to the next integer.
    iterator& operator++() {
      ++value_;
      return *this;
    }
    /// Goes on to the next integer.
    iterator operator++(int) { return iterator(value_++); }
    /// Compares the integers.
    bool operator==(const iterator& other) const = default;

   private:
    T value_;
  };

  /// Takes the first integer and the one after the last.
  IntegerRange(T begin, T end) : begin_(begin), end_(end) {}
  /// Returns the first integer.
  iterator begin() const { return begin_; }
  /// Returns the end.
  iterator end() const { return end_; }

 private:
  iterator begin_, end_;
};

/// A file that the destructor closes and removes.
struct TempFile {
  TempFile() = default;
  /// Takes over a file.
  TempFile(std::string file_name, int descriptor) : fd(descriptor), name(std::move(file_name)) {}
  /// Takes over a file.
  TempFile(TempFile&& other) noexcept
      : fd(std::exchange(other.fd, -1)), name(std::exchange(other.name, {})) {}
  /// Exchanges the two.
  TempFile& operator=(TempFile&& other) noexcept {
    std::swap(fd, other.fd);
    std::swap(name, other.name);
    return *this;
  }
  ~TempFile() {
    if (fd < 0) return;
    unlink(name.c_str());
    close(fd);
  }
  /// Returns the descriptor, which stays open.
  int open() const { return fd; }

  /// The descriptor; -1 for none.
  int fd = -1;
  /// The path.
  std::string name;
};

/// A directory that the destructor removes. It must be empty by then.
struct TempDir {
  TempDir() = default;
  /// Takes over a directory.
  explicit TempDir(std::string directory_name) : name(std::move(directory_name)) {}
  /// Takes over a directory.
  TempDir(TempDir&& other) noexcept : name(std::exchange(other.name, {})) {}
  /// Exchanges the two.
  TempDir& operator=(TempDir&& other) noexcept {
    std::swap(name, other.name);
    return *this;
  }
  ~TempDir() {
    if (!name.empty()) rmdir(name.c_str());
  }

  /// The path.
  std::string name;
};

/// Returns a path for mkstemp() in the directory of temporary files.
inline std::string temporary_path(const std::string& prefix) {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char* directory = std::getenv(variable)) {
      return std::string(directory) + '/' + prefix + "XXXXXX";
    }
  }
  return "/tmp/" + prefix + "XXXXXX";
}

}  // namespace tern::compat

// In the namespace of ScalarType, where calls without a namespace find them.
namespace tern {

/// Returns the name of a dtype, such as Float.
inline const char* toString(ScalarType dtype) { return dtype_info(dtype).name; }
/// Returns the size of an element in bytes.
constexpr std::size_t elementSize(ScalarType dtype) { return element_size(dtype); }
/// Returns true for float16, bfloat16, float32 and float64.
constexpr bool isFloatingType(ScalarType dtype) { return is_floating_point(dtype); }
/// Returns true for float16 and bfloat16.
constexpr bool isReducedFloatingType(ScalarType dtype) {
  return dtype == kHalf || dtype == kBFloat16;
}
/// Returns true for integers, and for bool if `includeBool` is true.
constexpr bool isIntegralType(ScalarType dtype, bool includeBool) {
  return dtype == kBool ? includeBool : !is_floating_point(dtype);
}
/// Returns false: tern has no complex and no quantized dtypes.
constexpr bool isComplexType(ScalarType /*dtype*/) { return false; }
/// Returns false: tern has no quantized dtypes.
constexpr bool isQIntType(ScalarType /*dtype*/) { return false; }
/// Returns false for uint8 and bool.
constexpr bool isSignedType(ScalarType dtype) { return dtype != kByte && dtype != kBool; }
/// Returns can_cast().
constexpr bool canCast(ScalarType from, ScalarType to) { return can_cast(from, to); }
/// Returns promote_types().
constexpr ScalarType promoteTypes(ScalarType a, ScalarType b) { return promote_types(a, b); }
/// The dtype of a C++ type.
template <class T>
struct CppTypeToScalarType : std::integral_constant<ScalarType, dtype_of<T>()> {};
/// Returns the class form of a dtype, and back.
inline caffe2::TypeMeta scalarTypeToTypeMeta(ScalarType dtype) { return {dtype}; }
/// Returns the dtype of a TypeMeta.
inline ScalarType typeMetaToScalarType(caffe2::TypeMeta type) { return type.toScalarType(); }
/// Returns the dtype of a TypeMeta, if there is one.
inline std::optional<ScalarType> optTypeMetaToScalarType(std::optional<caffe2::TypeMeta> type) {
  return type ? std::optional<ScalarType>(type->toScalarType()) : std::nullopt;
}
/// Returns the default dtype.
inline ScalarType get_default_dtype_as_scalartype() { return get_default_dtype(); }
/// Returns "CPU", "CUDA" or "META", or that in lower case.
inline std::string DeviceTypeName(DeviceType type, bool lower_case = false) {
  if (lower_case) return device_type_name(type);
  return type == kCPU ? "CPU" : type == kCUDA ? "CUDA" : "META";
}

}  // namespace tern

namespace c10 {

using ::caffe2::TypeMeta;
using ::tern::SourceLocation;
using ::tern::Warning;
using ::tern::WarningHandler;
/// A warning about a mistake.
using UserWarning = Warning::UserWarning;
/// A warning about a call that will go away.
using DeprecationWarning = Warning::DeprecationWarning;

/// Gives a warning to the handler of this thread.
inline void warn(const Warning& warning) { ::tern::compat::give(warning); }

/// The handlers of warnings.
namespace WarningUtils {
using ::tern::get_warning_handler;
using ::tern::set_warning_handler;
using ::tern::WarningHandlerGuard;
/// Sets whether TORCH_WARN_ONCE() warns each time.
inline void set_warnAlways(bool on) noexcept { ::tern::compat::warns_always = on; }
/// Returns whether TORCH_WARN_ONCE() warns each time.
inline bool get_warnAlways() noexcept { return ::tern::compat::warns_always; }
/// Sets it for a scope.
struct WarnAlways {
  /// Sets it.
  explicit WarnAlways(bool on = true) : before(get_warnAlways()) { set_warnAlways(on); }
  ~WarnAlways() { set_warnAlways(before); }
  WarnAlways(const WarnAlways&) = delete;
  WarnAlways& operator=(const WarnAlways&) = delete;

 private:
  bool before;
};
}  // namespace WarningUtils

/// Returns the integers from `begin` to `end` without `end`; none if `end` is below `begin`.
template <std::integral Begin, std::integral End>
tern::compat::IntegerRange<End> irange(Begin begin, End end) {
  const auto first = static_cast<End>(begin);
  return {first, first < end ? end : first};
}
/// Returns the integers from 0 to `end` without `end`.
template <std::integral End>
tern::compat::IntegerRange<End> irange(End end) {
  return irange(End(), end);
}

using ::tern::compat::TempDir;
using ::tern::compat::TempFile;
/// Makes a temporary file, or returns nothing.
inline std::optional<TempFile> try_make_tempfile(std::string_view name_prefix = "torch-file-") {
  std::string path = ::tern::compat::temporary_path(std::string(name_prefix));
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return std::nullopt;
  return TempFile(std::move(path), descriptor);
}
/// Makes a temporary file. Throws Error if that fails.
inline TempFile make_tempfile(std::string_view name_prefix = "torch-file-") {
  if (auto file = try_make_tempfile(name_prefix)) return std::move(*file);
  ::tern::detail::raise<::tern::Error>("Error generating temporary file");
}
/// Makes a temporary directory, or returns nothing.
inline std::optional<TempDir> try_make_tempdir(std::string_view name_prefix = "torch-dir-") {
  std::string path = ::tern::compat::temporary_path(std::string(name_prefix));
  if (mkdtemp(path.data()) == nullptr) return std::nullopt;
  return TempDir(std::move(path));
}
/// Makes a temporary directory. Throws Error if that fails.
inline TempDir make_tempdir(std::string_view name_prefix = "torch-dir-") {
  if (auto directory = try_make_tempdir(name_prefix)) return std::move(*directory);
  ::tern::detail::raise<::tern::Error>("Error generating temporary directory");
}

/// The base class of objects that intrusive_ptr counts.
using intrusive_ptr_target = ::tern::RefCounted;
/// A pointer that shares the ownership of an object with a count.
template <class T>
using intrusive_ptr = ::tern::IntrusivePtr<T>;
using ::tern::make_intrusive;

using ::tern::canCast;
using ::tern::CppTypeToScalarType;
using ::tern::DeviceTypeName;
using ::tern::elementSize;
using ::tern::get_default_dtype_as_scalartype;
using ::tern::isComplexType;
using ::tern::isFloatingType;
using ::tern::isIntegralType;
using ::tern::isQIntType;
using ::tern::isReducedFloatingType;
using ::tern::isSignedType;
using ::tern::optTypeMetaToScalarType;
using ::tern::promoteTypes;
using ::tern::scalarTypeToTypeMeta;
using ::tern::toString;
using ::tern::typeMetaToScalarType;

}  // namespace c10

namespace torch {
using std::make_unique;
}  // namespace torch
