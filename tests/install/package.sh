#!/bin/sh
# package.sh <source folder> <build folder> <work folder>: builds the Debian packages and uses what is in them from a
# folder, as far as that needs no root; chroot.sh installs them.
set -eu
source=$1 build=$2 work=$3
cxx=${CXX:-c++}
for program in dpkg-deb dpkg-shlibdeps file; do
  command -v $program >/dev/null || { echo "$program is not installed (Debian packages dpkg-dev and file)"; exit 77; }
done
[ -e "$build/CPackConfig.cmake" ] || { echo "this build makes no packages: its compiler names no folder of Debian's"; exit 77; }
fail() { echo "$*"; exit 1; }

rm -rf "$work"
mkdir -p "$work/root"
cpack --config "$build/CPackConfig.cmake" -B "$work/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
if grep -i warning "$work/log"; then exit 1; fi

# number NAME: a number of the version.
number() { sed -n "s/^#define TERN_VERSION_$1 //p" "$source/core/base/version.h"; }
soversion=$(number MAJOR).$(number MINOR)
version=$soversion.$(number PATCH)
library=libtern$soversion
cuda=
[ ! -e "$build/lib/libtern_cuda.so" ] || cuda=$library-cuda
mpi=
[ ! -e "$build/lib/libtern_mpi.so" ] || mpi=$library-mpi

text= sentencepiece=
if [ -e "$build/lib/libtern_text.so" ]; then
  text=libtern-text$soversion
  [ ! -e "$build/lib/libtern_sentencepiece.so" ] || sentencepiece=$text-sentencepiece
fi

# The packages, their versions, and what they depend on.
printf '%s\n' libtern-dev "$library" ${cuda:+"$cuda"} ${mpi:+"$mpi"} ${text:+libtern-text-dev "$text"} \
  ${sentencepiece:+"$sentencepiece"} tern-tools | sort >"$work/expected"
for package in "$work"/packages/*.deb; do dpkg-deb -f "$package" Package; done | sort | diff "$work/expected" -
# depends NAME PATTERN...: the field Depends of the package matches each pattern.
depends() {
  name=$1
  shift
  listed=$(dpkg-deb -f "$work/packages/$name"_*.deb Depends)
  for pattern in "$@"; do
    echo "$listed" | grep -q -- "$pattern" || fail "$name depends on '$listed', without '$pattern'"
  done
}
same="$library (= $version-1)"
depends "$library" 'libc6 (>= ' 'libstdc++6 (>= '
depends libtern-dev "^$same\$"
depends tern-tools "$same, libc6 (>= "
if [ -n "$cuda" ]; then
  depends "$cuda" "$same, libc6 (>= "
  if dpkg-deb -f "$work/packages/$cuda"_*.deb Depends | grep -Ei 'cu(da|blas|solver|dnn)'; then exit 1; fi
fi
[ -z "$mpi" ] || depends "$mpi" "$same, libc6 (>= " 'libopenmpi3'
if [ -n "$text" ]; then
  depends "$text" "$same, libc6 (>= " 'libstdc++6 (>= ' 'libutf8proc2 (>= '
  depends libtern-text-dev "libtern-dev (= $version-1)" "$text (= $version-1)"
  if dpkg-deb -f "$work/packages/$text"_*.deb Depends | grep sentencepiece; then exit 1; fi
  dpkg-deb -I "$work/packages/$text"_*.deb shlibs | grep -qx "libtern_text $soversion $text (>= $version)"
fi
[ -z "$sentencepiece" ] || depends "$sentencepiece" "$text (= $version-1)" libsentencepiece0
# No other package needs what these bring.
for package in "$work"/packages/*.deb; do
  case $package in */libtern-text*) continue ;; esac
  if dpkg-deb -f "$package" Depends | grep -E 'utf8proc|sentencepiece'; then exit 1; fi
done
# What dpkg-shlibdeps does not see: the loader of glibc 2.36 first reads packed relocations.
if readelf -V "$build/lib/libtern.so" | grep -q GLIBC_ABI_DT_RELR; then
  depends "$library" 'libc6 (>= 2\.3[6-9])'
fi
dpkg-deb -I "$work/packages/$library"_*.deb shlibs | grep -qx "libtern $soversion $library (>= $version)"
dpkg-deb -I "$work/packages/$library"_*.deb triggers | grep -qx 'activate-noawait ldconfig'

# No file is in two packages. Documents, stripped libraries in Debian's folders, no path of the build.
for package in "$work"/packages/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar t | grep -v '/$'
  dpkg-deb -x "$package" "$work/root"
done | sort >"$work/files"
uniq -d "$work/files" | diff /dev/null -
while read -r name; do
  for document in copyright changelog.gz changelog.Debian.gz; do
    test -s "$work/root/usr/share/doc/$name/$document" || fail "$name has no $document"
  done
  gzip -dc "$work/root/usr/share/doc/$name/changelog.Debian.gz" | grep -q "^tern ($version-1) "
done <"$work/expected"
set -- "$work"/root/usr/lib/*/libtern.so."$version"
libraries=$(dirname "$1")
test -h "$libraries/libtern.so.$soversion" -a -h "$libraries/libtern.so"
for file in "$libraries/libtern.so" ${text:+"$libraries/libtern_text.so"} "$libraries/tern-$soversion"/*.so "$work/root/usr/bin/tern-state"; do
  if readelf -SdW "$file" | grep -E ' \.symtab | \.debug|\((RPATH|RUNPATH)\)'; then exit 1; fi
done
"$source/cmake/abi.sh" "$build/lib/libtern.so" "$libraries/libtern.so" | grep -q ': 0 symbols gone, 0 added$'
if grep -rn "$build" "$libraries/cmake" "$libraries/pkgconfig"; then exit 1; fi
(cd "$work/root/usr/include/tern" && find . -name '*.h*' -not -path '*/generated/*' | sed 's|^./||' | sort) >"$work/headers"
absent=none
[ -n "$text" ] || absent=^text/
(cd "$source" && sh cmake/public_headers.sh made | grep -v "$absent" | sort) | diff "$work/headers" -

# Programs can open each library, and libtern its plugins. The loader knows the folder, as it does of installed packages.
LD_LIBRARY_PATH="$libraries" "$source/tests/plugins/shipped.sh" "$work/shipped" "$libraries" "$build" "$libraries/tern-$soversion"

# README's program, by pkg-config and by find_package, and the tools with its file.
command -v pkg-config >/dev/null || "$source/cmake/setup.sh" pkg-config
export LD_LIBRARY_PATH="$libraries" PKG_CONFIG_PATH="$libraries/pkgconfig"
test "$(pkg-config --modversion tern)" = "$version"
mkdir "$work/program"
awk -v programs="$work/program" -f "$source/tests/docs/snippets.awk" "$source/README.md"
cp "$source/tests/install/program.cmake" "$work/program/CMakeLists.txt"
cd "$work/program"
mv Readme*.cpp app.cpp
# shellcheck disable=SC2046  # the flags are words
"$cxx" -std=c++20 app.cpp $(pkg-config --cflags --libs tern) -o app
./app | tee by_pkg_config
"$work/root/usr/bin/tern-state" validate net.json
cmake -S . -B build -D CMAKE_PREFIX_PATH="$work/root/usr" -D CMAKE_CXX_COMPILER="$cxx" -D WANTED="$soversion"
cmake --build build
build/app | diff by_pkg_config -

# A program with tokenizers, in both ways.
if [ -n "$text" ]; then
  # shellcheck disable=SC2046  # as above
  "$cxx" -std=c++20 "$source/tests/install/consumer/consumer_text.cpp" $(pkg-config --cflags --libs tern-text) -o text
  ./text
  cmake -S "$source/tests/install/consumer" -B consumer -D CMAKE_PREFIX_PATH="$work/root/usr" -D CMAKE_CXX_COMPILER="$cxx" \
    -D WANTED="$soversion"
  cmake --build consumer --target consumer_text
  consumer/consumer_text
fi
rm -rf "$work"
