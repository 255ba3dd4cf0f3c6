#pragma once

#include <string>

#include <tern/compat/names/c10.h>

namespace at {

/// How float32 matrix products may round; see set_float32_matmul_precision().
enum class Float32MatmulPrecision { HIGHEST, HIGH, MEDIUM };

/// The settings of libtorch that tern has.
class Context {
 public:
  /// Does the same as set_float32_matmul_precision().
  void setFloat32MatmulPrecision(const std::string& precision) {
    ::tern::set_float32_matmul_precision(precision);
  }
  /// Returns the precision named by get_float32_matmul_precision().
  Float32MatmulPrecision float32MatmulPrecision() const {
    const string_view name = ::tern::get_float32_matmul_precision();
    if (name == "highest") return Float32MatmulPrecision::HIGHEST;
    return name == "high" ? Float32MatmulPrecision::HIGH : Float32MatmulPrecision::MEDIUM;
  }

  /// Lets float32 products round to 10 bits of fraction, or forbids it.
  void setAllowTF32CuBLAS(bool on) {
    ::tern::set_float32_matmul_precision(on ? "high" : "highest");
  }
  /// Returns true unless the precision is "highest".
  bool allowTF32CuBLAS() const { return ::tern::get_float32_matmul_precision() != "highest"; }
  /// Returns cuda::is_available().
  bool hasCUDA() const { return ::tern::cuda::is_available(); }

  /// Does the same as use_deterministic_algorithms().
  void setDeterministicAlgorithms(bool on, bool warn_only) {
    ::tern::use_deterministic_algorithms(on, warn_only);
  }
  /// Returns are_deterministic_algorithms_enabled().
  bool deterministicAlgorithms() const { return ::tern::are_deterministic_algorithms_enabled(); }
  /// Returns is_deterministic_algorithms_warn_only_enabled().
  bool deterministicAlgorithmsWarnOnly() const {
    return ::tern::is_deterministic_algorithms_warn_only_enabled();
  }

  /// Sets backends::cudnn.enabled.
  void setUserEnabledCuDNN(bool on) { ::tern::backends::cudnn.enabled = on; }
  /// Returns backends::cudnn.enabled.
  bool userEnabledCuDNN() const { return ::tern::backends::cudnn.enabled; }
  /// Sets backends::cudnn.benchmark.
  void setBenchmarkCuDNN(bool on) { ::tern::backends::cudnn.benchmark = on; }
  /// Returns backends::cudnn.benchmark.
  bool benchmarkCuDNN() const { return ::tern::backends::cudnn.benchmark; }
  /// Sets backends::cudnn.deterministic.
  void setDeterministicCuDNN(bool on) { ::tern::backends::cudnn.deterministic = on; }
  /// Returns backends::cudnn.deterministic.
  bool deterministicCuDNN() const { return ::tern::backends::cudnn.deterministic; }
  /// Sets backends::cudnn.allow_tf32.
  void setAllowTF32CuDNN(bool on) { ::tern::backends::cudnn.allow_tf32 = on; }
  /// Returns backends::cudnn.allow_tf32.
  bool allowTF32CuDNN() const { return ::tern::backends::cudnn.allow_tf32; }
};

/// Returns the one Context.
inline Context& globalContext() {
  static Context context;
  return context;
}
/// Returns cuda::is_available().
inline bool hasCUDA() { return globalContext().hasCUDA(); }

}  // namespace at
