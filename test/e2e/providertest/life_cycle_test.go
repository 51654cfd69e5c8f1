// Package providertest takes the plugin through its life cycle with the harness that Pulumi publishes for providers: it attaches the engine to
// a plugin that it starts itself. conformance.servers.test.ts starts the node, and says by the environment where it is.
package providertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/providertest/pulumitest"
	"github.com/pulumi/providertest/pulumitest/assertpreview"
	"github.com/pulumi/providertest/pulumitest/assertrefresh"
	"github.com/pulumi/providertest/pulumitest/assertup"
	"github.com/pulumi/providertest/pulumitest/optnewstack"
	"github.com/pulumi/providertest/pulumitest/optrun"
	"github.com/pulumi/providertest/pulumitest/opttest"
)

// text is the program, without the entries of its set.
const text = `name: journey
runtime: yaml
resources:
  blocked:
    type: packetfilter:PrefixSet
    properties: { arena: edge, set: blocked, entries: %s }
  scanner:
    type: packetfilter:PrefixSetEntry
    properties: { arena: edge, set: partners, prefix: 203.0.113.4, value: 4294967295 }
`

func TestLifeCycle(t *testing.T) {
	// At the end it destroys the stack.
	test := pulumitest.NewPulumiTest(t, program(t, "{ 192.0.2.0/24: 1 }"), opttest.SkipInstall(),
		opttest.AttachProviderBinary("packetfilter", os.Getenv("PACKETFILTER_PLUGIN")))
	test.Up(t)
	assertup.HasNoChanges(t, test.Up(t))
	assertrefresh.HasNoChanges(t, test.Refresh(t))

	// The state that another process of the plugin wrote, in a stack of its own.
	alone := opttest.NewStackOptions(optnewstack.DisableAutoDestroy())
	test.Run(t, func(other *pulumitest.PulumiTest) { other.Up(t) }, optrun.WithOpts(alone))
	assertpreview.HasNoChanges(t, test.Preview(t))

	test.UpdateSource(t, program(t, "{ 192.0.2.0/24: 2, 203.0.113.7: 1 }"))
	changes := test.Preview(t)
	assertpreview.HasNoDeletes(t, changes)
	assertpreview.HasNoReplacements(t, changes)
	test.Up(t)
	test.Import(t, "packetfilter:index:PrefixSetEntry", "found", "prefixset://edge/partners#198.51.100.0/24", "")
}

// program writes the program with entries into a folder of its own.
func program(t *testing.T, entries string) string {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "Pulumi.yaml"), fmt.Appendf(nil, text, entries), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
