#!/usr/bin/env bash
# What a change would do, tried on a copy of the node: an emulator that holds what the node held and answers as it does.
# The program of the target branch is carried out there, and the program in the working folder previewed. Needs no secret and
# sends nothing to a real node. Fails when a policy forbids the change; leaves preview.json and policies.ndjson in the folder
# review-results, from which ci/comment.mjs makes the report.
#
# Policies, scripts and their packages come from the folder of this script, which in a pipeline holds the target branch: a change
# is not judged by what it brings itself. Both platforms say by variables what the change is compared with.
#
# A commit may bring a symbolic link under any name, so nothing is written into the working folder but, at the end, the folder
# review-results, made new.
set -euo pipefail
# The change may have brought such a folder: whatever fails from here on, none of it is taken for what the review left.
rm -rf review-results
target=$(cd "$(dirname "$0")/.." && pwd)
base=${CI_MERGE_REQUEST_DIFF_BASE_SHA:-origin/${GITHUB_BASE_REF:-main}}
export PATH="$target/node_modules/.bin:$PATH"

# A place of its own for state and results, and a stack that exists only here.
work=$(mktemp -d)
mkdir "$work/state" "$work/review"
export PULUMI_BACKEND_URL="file://$work/state" PULUMI_CONFIG_PASSPHRASE=review PULUMI_STACK=review
export PULUMI_SKIP_UPDATE_CHECK=1

# Returns once it serves, with the line that says where it listens; fails with the reason where it does not start.
end() {
  pulumi-packetfilter emulator stop --pid-file "$work/emulator.pid" || true
  # The name may be taken by what the program of the change made: it is removed, and neither followed nor moved into.
  rm -rf review-results
  mv -T "$work/review" review-results
  rm -rf "$work"
  git worktree prune
}
trap end EXIT
ready=$(pulumi-packetfilter emulator --background --pid-file "$work/emulator.pid" --json \
  --state "$target/ci/node-state.yaml" --dialect "$target/ci/node.json")
of() { node -p "JSON.parse(process.argv[1]).$1" "$ready"; }
export PACKETFILTER_ENDPOINT PACKETFILTER_SIGNALING_URL PACKETFILTER_CLIENT_ID PACKETFILTER_SECRET_KEY
PACKETFILTER_ENDPOINT=$(of endpoint)
PACKETFILTER_SIGNALING_URL=$(of signalingUrl)
PACKETFILTER_CLIENT_ID=$(of 'clients[0].clientId')
PACKETFILTER_SECRET_KEY=$(of 'clients[0].secretKey')

git worktree add --quiet --detach "$work/base" "$base"
ln -s "$target/node_modules" "$work/base/node_modules"
pulumi stack init review --cwd "$work/base"
pulumi up --cwd "$work/base" --yes --skip-preview

# The engine loads the policies, which read their file, before it runs the program of the change.
export PACKETFILTER_POLICIES="$target/packetfilter-policies.yaml" PACKETFILTER_POLICIES_REPORT="$work/review/policies.ndjson"
failed=0
pulumi preview --json --config-file "$work/base/Pulumi.review.yaml" \
  --policy-pack "$target/node_modules/pulumi-packetfilter/policies/run" > "$work/review/preview.json" || failed=$?
pulumi-packetfilter report "$work/review/preview.json" --policies "$work/review/policies.ndjson" --output text || failed=$?
exit "$failed"
