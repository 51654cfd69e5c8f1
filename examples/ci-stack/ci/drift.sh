#!/usr/bin/env bash
# Fails when the node is no longer what the program says. Run it after ci/apply.sh, or entries that have just expired count.
# What to do then: see what it is (--diff), and either bring it into the program or run "pulumi up --refresh".
set -euo pipefail
export PULUMI_STACK=prod PULUMI_SKIP_UPDATE_CHECK=1
pulumi preview --refresh --expect-no-changes
