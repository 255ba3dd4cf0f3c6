#!/bin/sh
# bundle.sh BUILD PLUGIN FILE [PROGRAM...]: packs what a machine with a GPU needs into FILE (.tar.xz): libtern, its
# plugins (PLUGIN is libtern_cuda.so, or "none"), the programs (those of programs.txt, unless named), what they read, and
# the libraries of this system that they need, without the C library and NVIDIA's. Everything is stripped and finds the
# rest where it is unpacked. MANIFEST in it says what it is. TERN_XZ_LEVEL (6) is how hard to compress. Fails if FILE exceeds 40 MB.
set -eu
build=$(cd "$1" && pwd) plugin=$(realpath "$2") file=$(realpath -m "$3")
[ "$2" != none ] || plugin=none
shift 3
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
[ $# -gt 0 ] || set -- $(grep -v '^#' "$here/programs.txt")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/tern-gpu
mkdir -p "$root/bin" "$root/lib" "$root/scripts" "$root/source"

cp "$build"/lib/libtern.so.?.? "$build/lib/libtern_sim.so" "$root/lib"
[ "$plugin" = none ] || cp "$plugin" "$root/lib/libtern_cuda.so"
missing=
for program in "$@"; do
  if [ -e "$build/bin/$program" ]; then cp "$build/bin/$program" "$root/bin"; else missing="$missing $program"; fi
done
strip "$root"/bin/* "$root"/lib/*

# Other systems may lack these or have older ones.
for library in $(ldd "$root"/bin/* "$root"/lib/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u); do
  case $(basename "$library") in
    libtern*|libc.so*|libm.so*|libdl.so*|librt.so*|libpthread.so*|libresolv.so*|libcu*|libnv*) ;;
    *) cp -L "$library" "$root/lib" ;;
  esac
done
# A library that is built has the folders of this machine.
for library in "$root"/lib/libtern*; do
  echo "file(RPATH_SET FILE $library NEW_RPATH \"\$ORIGIN\")" >> "$work/rpath.cmake"
done
cmake -P "$work/rpath.cmake" 2> "$work/rpath.log" || { cat "$work/rpath.log"; exit 1; }
for part in "$root"/bin/* "$root"/lib/*; do
  if readelf -d "$part" | grep -E 'R(UN)?PATH' | grep -Eq '\[(.*:)?(/|:|\])'; then
    echo "$part looks for libraries in a folder of this machine" >&2
    exit 1
  fi
done

# What tests and peers read.
cd "$source"
for script in queued cuda_step bandwidth models; do cp "benchmarks/peers/$script.py" "$root/scripts"; done
cp cmake/gpu/*.py cmake/gpu/*.awk cmake/gpu/programs.txt "$root/scripts"
find core/ops nn/optim \( -name '*.h' -o -name '*.inc' \) -exec cp --parents {} "$root/source" \;
cp -r --parents tests/golden tests/ops/cases "$root/source"
find tests \( -name '*.txt' -o -name '*.jsonl' \) ! -name CMakeLists.txt -exec cp --parents {} "$root/source" \;
find "$root/source" -name '*.py' -exec rm {} +
cp cmake/verify_gpu.sh "$root"
sed -n 's/^TERN_SLOT(\([a-z0-9_]*\),.*/\1/p' "$build/include/tern/generated/kernel_slots.def" > "$root/scripts/slots.txt"

architectures=$(sed -n 's/^TERN_CUDA_ARCHITECTURES:[A-Z]*=//p' "$(dirname "$plugin")/../CMakeCache.txt" 2>/dev/null || true)
{
  echo "tern $(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=//p' "$build/CMakeCache.txt"), commit" \
    "$(git log -1 --format=%h 2>/dev/null || echo unknown)$(git diff --quiet HEAD 2>/dev/null || echo ' and changes')"
  echo "packed $(date -u '+%Y-%m-%d %H:%M') UTC with $(getconf GNU_LIBC_VERSION)"
  if [ "$plugin" = none ]; then
    echo "without libtern_cuda.so"
  else
    echo "libtern_cuda.so: $(wc -c < "$root/lib/libtern_cuda.so") bytes for ${architectures:-unknown GPUs}"
    # It names two of these only when they are opened.
    echo "opens: $(grep -aoE 'lib(cublasLt|cusolver|cudnn)\.so\.[0-9]+' "$root/lib/libtern_cuda.so" | sort -u | tr '\n' ' ')"
  fi
  [ -z "$missing" ] || echo "not built:$missing"
  echo
  (cd "$root" && sha256sum bin/* lib/*)
} > "$root/MANIFEST"

mkdir -p "$(dirname "$file")"
# A system with CMake may have no xz.
echo "file(ARCHIVE_CREATE OUTPUT $file PATHS tern-gpu FORMAT paxr COMPRESSION XZ COMPRESSION_LEVEL ${TERN_XZ_LEVEL:-6})" \
  > "$work/archive.cmake"
(cd "$work" && cmake -P archive.cmake)
size=$(wc -c < "$file")
echo "$file: $size bytes${missing:+, without$missing}"
[ "$size" -le 40000000 ] || { echo "a bundle may have 40,000,000 bytes" >&2; exit 1; }
