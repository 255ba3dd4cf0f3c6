#!/bin/sh
# Installs what is needed to build tern, on Debian and Ubuntu, without asking. Does nothing if everything is
# there; on other systems CMake names what is missing. With arguments, installs these packages instead.
set -eu

packages="g++ cmake ninja-build libeigen3-dev nlohmann-json3-dev zlib1g-dev libgtest-dev
          libcli11-dev libstb-dev libjpeg-dev libutf8proc-dev libsentencepiece-dev libopenmpi-dev openmpi-bin"
[ $# -eq 0 ] || packages="$*"

command -v dpkg-query >/dev/null || exit 0

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=absent
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Install these packages first:$missing" >&2; exit 1; }
  as_root=sudo
fi
echo "Installing$missing"
$as_root apt-get update -qq || echo "Package lists are not fresh; going on with the old ones." >&2
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
