#!/bin/sh
# sh tools/sbom.sh PACKAGE.tgz > sbom.cdx.json
#
# What an installation of the packed package brings, as CycloneDX: what its users get, not what its development needs.
set -eu
case $1 in
  /*) package=$1 ;;
  *) package=$PWD/$1 ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "name": "program", "version": "0.0.0", "private": true }' > package.json
npm install --ignore-scripts --loglevel=error "$package" >&2
npm sbom --sbom-format cyclonedx --sbom-type application
