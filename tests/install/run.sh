#!/bin/sh
# run.sh find_package|add_subdirectory|plain <source folder> <build folder> <work folder>: builds and
# runs the consumer the way that a user would.
set -eu
way=$1 source=$2 build=$3 work=$4
cxx=${CXX:-c++}
rm -rf "$work"
mkdir -p "$work"

build_consumer() {
  cmake -S "$source/tests/install/consumer" -B "$work/build" "$@"
  cmake --build "$work/build" --parallel 2 --target consumer consumer_torch
  "$work/build/consumer"
  "$work/build/consumer_torch"
  [ ! -e "$work/build/consumer_text" ] || "$work/build/consumer_text"
}

case $way in
  find_package)
    cmake --install "$build" --prefix "$work/prefix"
    wanted=$(sed -n 's/^#define TERN_VERSION_M[AI][JN]OR //p' "$source/core/base/version.h" | paste -sd.)
    build_consumer -D CMAKE_BUILD_TYPE=Debug -D CMAKE_PREFIX_PATH="$work/prefix" -D WANTED="$wanted"
    [ ! -e "$work/prefix/lib/libtern_text.so" ] || test -e "$work/build/consumer_text"
    "$work/prefix/bin/tern-state" --help >"$work/help"
    # All libraries are installed, and programs can open each of them.
    (cd "$build/lib" && ls libtern*.so | grep -v emulated) >"$work/libraries"
    (cd "$work/prefix/lib" && ls -- *.so) | diff "$work/libraries" -
    "$source/tests/plugins/shipped.sh" "$work/shipped" "$work/prefix/lib" "$build"
    # find_package(Torch), where it is asked for and nowhere else.
    cmake -S "$source/tests/install/torch" -B "$work/torch" -D CMAKE_BUILD_TYPE=Debug \
      -D CMAKE_PREFIX_PATH="$work/prefix/share/tern/torch"
    cmake --build "$work/torch"
    (cd "$work/torch" && ./torch_program)
    cmake -S "$source/tests/install/torch" -B "$work/unasked" -D CMAKE_PREFIX_PATH="$work/prefix" >"$work/unasked.log" 2>&1 || true
    if grep "^Torch_DIR.*$work" "$work/unasked/CMakeCache.txt"; then exit 1; fi
    # The public headers, and no other.
    (cd "$work/prefix/include/tern" && find . -name '*.h*' -not -path '*/generated/*' | sed 's|^./||' | sort) >"$work/installed"
    absent=none
    [ -e "$work/prefix/lib/libtern_text.so" ] || absent=^text/
    (cd "$source" && sh cmake/public_headers.sh made | grep -v "$absent" | sort) | diff "$work/installed" -
    # Every installed header brings what it needs along.
    (cd "$work/prefix/include" && find tern -name '*.h*' | sed 's/.*/#include <&>/') >"$work/all.cpp"
    "$cxx" -std=c++20 -fsyntax-only -I"$work/prefix/include" "$work/all.cpp"
    # The same with pkg-config, from a folder that was moved.
    command -v pkg-config >/dev/null || "$source/cmake/setup.sh" pkg-config
    cp -a "$work/prefix" "$work/moved"
    export PKG_CONFIG_PATH="$work/moved/lib/pkgconfig"
    # shellcheck disable=SC2046  # the flags are words
    "$cxx" -std=c++20 "$source/tests/install/consumer/consumer.cpp" $(pkg-config --cflags --libs tern) \
      -Wl,-rpath,"$(pkg-config --variable=libdir tern)" -o "$work/consumer_pkg_config"
    "$work/consumer_pkg_config"
    if [ -e "$work/moved/lib/libtern_text.so" ]; then
      # shellcheck disable=SC2046  # the flags are words
      "$cxx" -std=c++20 "$source/tests/install/consumer/consumer_text.cpp" $(pkg-config --cflags --libs tern-text) \
        -Wl,-rpath,"$(pkg-config --variable=libdir tern)" -o "$work/consumer_text_pkg_config"
      "$work/consumer_text_pkg_config"
    fi
    test "$(pkg-config --modversion tern)" = "$(sed -n 's/.*PACKAGE_VERSION "\(.*\)".*/\1/p' "$work/prefix/lib/cmake/tern/tern-config-version.cmake" | head -1)"
    # With `!` before it, a command that is not the last one would never stop the script.
    if grep -rn "$build" "$work/prefix/lib/cmake" "$work/prefix/lib/pkgconfig"; then exit 1; fi
    ;;
  add_subdirectory)
    # As a part of a project the library is compiled by the commands by which it is compiled alone, so the consumer is linked
    # with the library of the build. With TERN_TEST_FULL all of it is compiled.
    if [ -n "${TERN_TEST_FULL:-}" ]; then
      build_consumer -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 \
        -D TERN_FOLDER="$source" -D TERN_CPU_SETS=baseline -D TERN_UNITY_JOIN=100
      exit
    fi
    export CMAKE_GENERATOR="Unix Makefiles" CMAKE_EXPORT_COMPILE_COMMANDS=ON CMAKE_BUILD_TYPE=Release
    cmake -S "$source/tests/install/consumer" -B "$work/build" -D TERN_FOLDER="$source"
    cmake -S "$source" -B "$work/alone" -D TERN_BUILD_TESTS=OFF -D TERN_BUILD_EXAMPLES=OFF -D TERN_BUILD_BENCHMARKS=OFF \
      -D TERN_CUDA=OFF -D TERN_MPI=OFF -D TERN_TEXT=OFF -D TERN_WERROR=OFF
    # commands BUILD FOLDER: how the sources are compiled into FOLDER, without its name.
    commands() { sed -n "s|$2||g; s/^ *\"command\": //p" "$1/compile_commands.json" | grep -v consumer | sort; }
    commands "$work/alone" "$work/alone" >"$work/commands_alone"
    commands "$work/build" "$work/build/tern" | diff "$work/commands_alone" -
    test "$(wc -l <"$work/commands_alone")" -gt 100
    mkdir -p "$work/build/tern/lib"
    cp -a "$build"/lib/libtern*.so* "$work/build/tern/lib"
    cmake --build "$work/build" --target consumer/fast consumer_torch/fast
    "$work/build/consumer"
    "$work/build/consumer_torch"
    ;;
  plain)
    # README's program with README's command, where a reader would have the build.
    mkdir -p "$work/build"
    ln -s "$build" "$work/build/release"
    awk -v programs="$work" -f "$source/tests/docs/snippets.awk" "$source"/README.md "$source"/docs/*.md
    mv "$work"/Readme*.cpp "$work/app.cpp"
    (cd "$work" && eval "$(sed -n "s|^g++ |'$cxx' |p" "$source/README.md")" && ./app && test -s net.json)
    # Programs of other pages include all that they use.
    for program in "$work"/[A-Z]*.cpp; do
      "$cxx" -std=c++20 -fsyntax-only -I"$build/include" "$program"
    done
    ;;
esac
