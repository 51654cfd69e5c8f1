#!/bin/sh
# Previews the program with the policies, against an emulator: no node, account or secret is needed.
# If port 8080 is in use, as by an emulator of your own: EMULATOR_PORT=8081 sh check.sh
set -eu
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
npx pulumi-packetfilter emulator --port "${EMULATOR_PORT:-8080}" --background --pid-file "$state/emulator.pid"
trap 'npx pulumi-packetfilter emulator stop --pid-file "$state/emulator.pid"; rm -rf "$state" Pulumi.check.yaml' EXIT
npx pulumi-packetfilter plugin install
export PULUMI_BACKEND_URL="file://$state" PULUMI_CONFIG_PASSPHRASE=check
pulumi stack init check
pulumi config set packetfilter:endpoint "http://127.0.0.1:${EMULATOR_PORT:-8080}"
pulumi preview --policy-pack node_modules/pulumi-packetfilter/policies/run
