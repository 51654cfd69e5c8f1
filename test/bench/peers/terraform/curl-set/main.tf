# Terraform's generic way without a provider: terraform_data, with curl when it is made and when it is destroyed. The state knows a hash of
# the entries and nothing of the node, so drift is never seen; and since provisioners run at create and destroy only, any change
# replaces the resource: the set is emptied, committed, and filled again.
locals {
  wanted = jsondecode(file("${path.module}/wanted.json"))
}

resource "terraform_data" "set" {
  input            = { endpoint = local.wanted.endpoint, url = local.wanted.url }
  triggers_replace = sha256(jsonencode(local.wanted.entries))

  provisioner "local-exec" {
    environment = { ENDPOINT = self.input.endpoint, NODE_URL = self.input.url }
    command     = <<-EOT
      set -eu
      send() { curl --silent --show-error --fail --output /dev/null --json @- "$ENDPOINT/fapi"; }
      jq --compact-output '{ url, cmd: "insert", data: (.entries | to_entries | map({ p: .key, v: .value })) }' wanted.json | send
      printf '{"url":"%s","cmd":"commit"}' "$NODE_URL" | send
    EOT
  }

  provisioner "local-exec" {
    when        = destroy
    environment = { ENDPOINT = self.input.endpoint, NODE_URL = self.input.url }
    command     = <<-EOT
      set -eu
      send() { curl --silent --show-error --fail --json @- "$ENDPOINT/fapi"; }
      printf '{"url":"%s","cmd":"list"}' "$NODE_URL" | send |
        jq --compact-output '{ url: env.NODE_URL, cmd: "delete", data: (.data | map({ a: .p })) }' | send
      printf '{"url":"%s","cmd":"commit"}' "$NODE_URL" | send
    EOT
  }
}
