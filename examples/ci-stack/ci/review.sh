#!/usr/bin/env bash
# What a change would do, tried on a copy of the node: an emulator that holds what the node held and answers as it does.
# The program of the target branch is carried out there, and the program of this one previewed. Needs no secret, sends
# nothing to a real node, and leaves preview.json, and report.md for people. Fails when a policy forbids the change.
#
# Both platforms say by variables what the change is compared with.
set -euo pipefail
base=${CI_MERGE_REQUEST_DIFF_BASE_SHA:-origin/${GITHUB_BASE_REF:-main}}
export PATH="$PWD/node_modules/.bin:$PATH"

# A place of its own for state, and a stack that exists only here.
work=$(mktemp -d)
mkdir "$work/state"
export PULUMI_BACKEND_URL="file://$work/state" PULUMI_CONFIG_PASSPHRASE=review PULUMI_STACK=review
export PULUMI_SKIP_UPDATE_CHECK=1

# The first line says where it listens; without one it has failed and said why.
coproc emulator { exec pulumi-packetfilter emulator --state ci/node-state.yaml --dialect ci/node.json --json; }
pid=$emulator_PID
trap 'kill "$pid" || :; rm -rf "$work"; git worktree prune' EXIT
read -r ready <&"${emulator[0]}"
of() { node -p "JSON.parse(process.argv[1]).$1" "$ready"; }
export PACKETFILTER_ENDPOINT PACKETFILTER_SIGNALING_URL PACKETFILTER_CLIENT_ID PACKETFILTER_SECRET_KEY
PACKETFILTER_ENDPOINT=$(of endpoint)
PACKETFILTER_SIGNALING_URL=$(of signalingUrl)
PACKETFILTER_CLIENT_ID=$(of 'clients[0].clientId')
PACKETFILTER_SECRET_KEY=$(of 'clients[0].secretKey')

git worktree add --quiet --detach "$work/base" "$base"
ln -s "$PWD/node_modules" "$work/base/node_modules"
pulumi stack init review
cp Pulumi.review.yaml "$work/base"
pulumi up --cwd "$work/base" --yes --skip-preview

# Once for the report, and once for the policies: as JSON the engine does not say which of them failed.
failed=0
pulumi preview --json > preview.json || failed=$?
pulumi-packetfilter report preview.json --key edge-sets/prod > report.md || failed=$?
if [ "$failed" != 0 ]; then
  cat report.md
  exit "$failed"
fi
pulumi preview --policy-pack node_modules/pulumi-packetfilter/policies/run
