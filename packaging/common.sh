# shellcheck shell=sh disable=SC2034 # other scripts use the variables
# What the scripts of this folder share; they begin in the project's folder.

# section NAME: the lines of a section of packaging/description.
section() { sed -n "/^\[$1]/,/^\[/{/^[][#]/d;/^\$/d;p;}" packaging/description; }

version=$(sed -n 's/.*number = "\(.*\)"/\1/p' Sources/TweetCore/Version.swift)

# Where packages are put; PACKAGES names another folder.
made=${PACKAGES-.build/packages}

# The time that all packaged files have, so that the same commit gives the same bytes. The files of a tarball have the
# time of its commit.
package_time() {
  if [ -n "${SOURCE_DATE_EPOCH-}" ]; then
    echo "$SOURCE_DATE_EPOCH"
  elif [ -e .git ]; then
    git log -1 --format=%ct
  else
    date -r CHANGELOG.md +%s
  fi
}
