#!/bin/sh
# versions.sh: checks that the tools whose results depend on their version have the expected version.
version=14
result=0
for tool in clang-format clang-tidy clang++; do
  found=$("$tool-$version" --version 2>&1 | grep -o 'version [0-9]*' | head -n 1)
  if [ "$found" != "version $version" ]; then
    [ "$tool" = clang++ ] && package=clang-$version || package=$tool-$version
    echo "$tool-$version is needed, found ${found:-none}: Debian package $package"
    result=1
  fi
done
exit $result
