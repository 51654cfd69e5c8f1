#!/usr/bin/env bash
# What an engineer writes who has a file of entries, curl and jq:
#
#   sync.sh apply FILE    makes the set what the file says
#   sync.sh check FILE    prints how many entries differ, and changes nothing
#   sync.sh clear FILE    empties the set
#
# FILE is {"endpoint": …, "url": …, "entries": {prefix: value}}. It keeps no state: whatever else is in the set goes. It does not try again, and
# does not look whether the commit took effect; prefixes must be spelled as the node spells them.
set -euo pipefail
readonly mode=$1 file=$2
readonly chunk=1000

endpoint=$(jq --raw-output .endpoint "$file")
url=$(jq --raw-output .url "$file")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

send() { curl --silent --show-error --fail-with-body --json @- "$endpoint/fapi"; }
order() { printf '{"url":"%s","cmd":"%s"}' "$url" "$1" | send; }

order list >"$work/held"

# One line for each request that is needed, at most a thousand entries in each.
jq --compact-output --arg mode "$mode" --argjson chunk "$chunk" --slurpfile held "$work/held" '
  (if $mode == "clear" then {} else .entries end) as $wanted
  | (reduce $held[0].data[] as $entry ({}; .[$entry.p] = $entry.v)) as $there
  | ($wanted | to_entries | map(select($there[.key] != .value) | { p: .key, v: .value })) as $insert
  | ($there | keys_unsorted | map(select($wanted[.] == null) | { a: . })) as $delete
  | { url, cmd: "insert" } + (range(0; $insert | length; $chunk) as $at | { data: $insert[$at:$at + $chunk] }),
    { url, cmd: "delete" } + (range(0; $delete | length; $chunk) as $at | { data: $delete[$at:$at + $chunk] })
' "$file" >"$work/requests"

if [[ $mode == check ]]; then
  jq --slurp '[.[].data | length] | add // 0' "$work/requests" | sed 's/$/ entries differ/'
elif [[ -s $work/requests ]]; then
  while IFS= read -r request; do printf '%s' "$request" | send >"$work/answer"; done <"$work/requests"
  order commit >"$work/answer"
fi
