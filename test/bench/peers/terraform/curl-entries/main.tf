# Terraform's generic way without a provider, for single entries: a terraform_data for each, with curl when it is made and when it is
# destroyed. The state knows what was sent and nothing of the node, so drift is never seen. A changed value replaces the resource: the
# entry is deleted, committed, inserted and committed again.
locals {
  wanted = jsondecode(file("${path.module}/wanted.json"))
}

resource "terraform_data" "entry" {
  for_each         = local.wanted.entries
  input            = { endpoint = local.wanted.endpoint, url = local.wanted.url, prefix = each.key, value = each.value }
  triggers_replace = [local.wanted.url, each.key, each.value]

  provisioner "local-exec" {
    environment = {
      ENDPOINT = self.input.endpoint
      INSERT   = jsonencode({ url = self.input.url, cmd = "insert", data = [{ p = self.input.prefix, v = self.input.value }] })
      COMMIT   = jsonencode({ url = self.input.url, cmd = "commit" })
    }
    command = <<-EOT
      set -eu
      send() { curl --silent --show-error --fail --output /dev/null --json "$1" "$ENDPOINT/fapi"; }
      send "$INSERT"
      send "$COMMIT"
    EOT
  }

  provisioner "local-exec" {
    when = destroy
    environment = {
      ENDPOINT = self.input.endpoint
      DELETE   = jsonencode({ url = self.input.url, cmd = "delete", data = [{ a = self.input.prefix }] })
      COMMIT   = jsonencode({ url = self.input.url, cmd = "commit" })
    }
    command = <<-EOT
      set -eu
      send() { curl --silent --show-error --fail --output /dev/null --json "$1" "$ENDPOINT/fapi"; }
      send "$DELETE"
      send "$COMMIT"
    EOT
  }
}
