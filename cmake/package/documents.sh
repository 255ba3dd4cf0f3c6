#!/bin/sh
# documents.sh <version> <maintainer> <folder>: writes the two changelogs of a Debian package: the project's, and
# Debian's, which names the release and its day.
set -eu
version=$1 maintainer=$2 folder=$3
umask 022
cd "$(dirname "$0")/../.."

gzip -9nc CHANGELOG.md >"$folder/changelog.gz"
day=$(sed -n "s/^## $version (\([0-9-]*\))$/\1/p" CHANGELOG.md)
gzip -9nc >"$folder/changelog.Debian.gz" <<END
tern ($version-1) unstable; urgency=medium

  * Release $version: see changelog.gz.

 -- $maintainer  $(LC_ALL=C date -u -R -d "${day:-now}")
END
