#!/bin/sh
# chroot.sh <folder of packages> <work folder>: installs the Debian packages in a fresh system of this machine's release,
# which debootstrap makes of MIRROR (debootstrap's own choice if not set), and does with them what a user does. As root.
set -eu
packages=$1 work=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "chroot.sh needs root"; exit 1; }
command -v debootstrap >/dev/null || "$source/cmake/setup.sh" debootstrap
fail() { echo "$*"; exit 1; }

root=$work/root
rm -rf --one-file-system "$work"
mkdir -p "$work"
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2086  # MIRROR may be empty
debootstrap --variant=minbase "$release" "$root" ${MIRROR:-} >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log"; exit 1; }

# inside COMMAND...: in the new system, with nothing of this machine's environment but the proxy.
inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} chroot "$root" "$@"
}
install() { inside apt-get install -y -qq --no-install-recommends "$@" >>"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; exit 1; }; }

# What a user has, then the packages: apt fetches only what they depend on.
install g++ cmake make pkg-config
mkdir "$root/packages" "$root/program"
cp "$packages"/*.deb "$root/packages"
for package in "$root"/packages/*.deb; do set -- "$@" "${package#"$root"}"; done
shift 2
install "$@"
inside dpkg -l | grep -i ' \(lib\)\?tern'
inside dpkg --audit

awk -v programs="$root/program" -f "$source/tests/docs/snippets.awk" "$source/README.md"
mv "$root"/program/Readme*.cpp "$root/program/app.cpp"
cp "$source/tests/install/program.cmake" "$root/program/CMakeLists.txt"
# shellcheck disable=SC2016  # the shell inside expands this
inside sh -euc '
  cd /program
  g++ -std=c++20 app.cpp $(pkg-config --cflags --libs tern) -o app
  ./app | tee by_pkg_config
  tern-state validate net.json
  cmake -S . -B build
  cmake --build build
  build/app | diff by_pkg_config -
  if ldd app | grep "not found"; then exit 1; fi'

# A program with tokenizers.
if [ -e "$(echo "$packages"/libtern-text-dev_*.deb)" ]; then
  cp "$source/tests/install/consumer/consumer_text.cpp" "$root/program"
  # shellcheck disable=SC2016  # as above
  inside sh -euc 'cd /program && g++ -std=c++20 consumer_text.cpp $(pkg-config --cflags --libs tern-text) -o text && ./text'
fi

# The plugins are found where the packages have them.
cp "$source/tests/install/devices.cpp" "$root/program"
# shellcheck disable=SC2016  # as above
inside sh -euc 'cd /program && g++ -std=c++20 devices.cpp $(pkg-config --cflags --libs tern) -o devices'
inside env TERN_SIMULATE_CUDA=2 /program/devices | grep '^2 devices$'
case $(ls "$packages") in
  *-cuda_*) expected='libcublasLt\|no NVIDIA driver\|No CUDA GPUs\|^[0-9]* devices' ;;
  *) expected='libtern_cuda.so was not found' ;;
esac
inside /program/devices | grep "$expected"

# Nothing stays behind.
inside sh -euc 'apt-get purge -y -qq "libtern*" tern-tools' >>"$work/apt.log" 2>&1
left=$(find "$root/usr" "$root/etc" -iname '*libtern*' -o -name tern -o -name 'tern-*')
[ -z "$left" ] || fail "left behind: $left"
echo "installed, used and removed: $(cd "$packages" && echo *.deb)"
rm -rf --one-file-system "$work"
