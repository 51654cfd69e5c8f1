#!/usr/bin/env bash
# What a change would do, tried on a copy of the node: an emulator that holds what the node held and answers as it does.
# The program of the target branch is carried out there, and the program of the change previewed. Needs no secret and sends
# nothing to a real node. Fails when a policy forbids the change; leaves preview.json and policies.ndjson in the folder
# review-results, from which ci/comment.mjs makes the report.
#
#   ci/review.sh [REPOSITORY]     default: the working folder; tried is its commit HEAD, in GitLab that of the pipeline
#
# Policies, scripts, packages and settings of the tools come from the folder of this script, which in a pipeline holds the target
# branch: a change is not judged by what it brings itself. Of the change, program and data alone go into a new folder elsewhere,
# by the list in ci/files.mjs; nothing runs where its other files are. Both platforms say by variables what it is compared with.
set -euo pipefail
# There may be one of a job before this one: whatever fails from here on, it is not taken for what this one left.
rm -rf review-results
target=$(cd "$(dirname "$0")/.." && pwd)
repository=$(cd "${1:-.}" && pwd)
change=${CI_COMMIT_SHA:-HEAD}
base=${CI_MERGE_REQUEST_DIFF_BASE_SHA:-origin/${GITHUB_BASE_REF:-main}}
export PATH="$target/node_modules/.bin:$PATH"
# Whoever runs this may have allowed code elsewhere.
unset PACKETFILTER_ALLOW_CODE

# A place of its own for state, programs and results, and a stack that exists only here.
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

for side in base change; do
  node "$target/ci/files.mjs" "$repository" "${!side}" "$target" "$work/$side"
  ln -s "$target/node_modules" "$work/$side/node_modules"
done
pulumi stack init review --cwd "$work/base"
pulumi up --cwd "$work/base" --yes --skip-preview

# The engine loads the policies, which read their file, before it runs the program of the change.
export PACKETFILTER_POLICIES="$target/packetfilter-policies.yaml" PACKETFILTER_POLICIES_REPORT="$work/review/policies.ndjson"
failed=0
pulumi preview --cwd "$work/change" --json --config-file "$work/base/Pulumi.review.yaml" \
  --policy-pack "$target/node_modules/pulumi-packetfilter/policies/run" > "$work/review/preview.json" || failed=$?
pulumi-packetfilter report "$work/review/preview.json" --policies "$work/review/policies.ndjson" --output text || failed=$?
exit "$failed"
