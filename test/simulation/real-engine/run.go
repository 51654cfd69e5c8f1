package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/secrets/b64"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	sdktokens "github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

const (
	project = "simulation"
	// usualParallel is the default of the engine on two cores.
	usualParallel = 8
	// killedWithin is the longest wait for an engine whose plugins were killed; what it does after that is of no interest.
	killedWithin = 10 * time.Second
)

// run is one command of the engine for one stack.
type run struct {
	// Command is preview, up, refresh or destroy.
	Command string `json:"command"`
	// Config holds the stack's configuration without its namespace, packetfilter.
	Config map[string]any `json:"config"`
	// Instances is the number of provider resources; they are configured as the stack is.
	Instances int        `json:"instances"`
	Program   []declared `json:"program"`
	// IsDeaf keeps the provider processes from sharing what they want.
	IsDeaf  bool `json:"isDeaf"`
	Options struct {
		Refresh         bool     `json:"refresh"`
		Targets         []string `json:"targets"`
		Excludes        []string `json:"excludes"`
		Replace         []string `json:"replace"`
		ContinueOnError bool     `json:"continueOnError"`
		Parallel        int32    `json:"parallel"`
	} `json:"options"`
}

// outcome is what is known after a run.
type outcome struct {
	Failed bool   `json:"failed"`
	Error  string `json:"error,omitempty"`
	Killed bool   `json:"killed,omitempty"`
	Calls  []call `json:"calls"`
	// Steps are the operations that the engine announced, in their order.
	Steps       []step          `json:"steps"`
	State       []resourceState `json:"state"`
	Pending     []string        `json:"pending,omitempty"`
	Invalid     []string        `json:"invalid,omitempty"`
	Diagnostics []diagnostic    `json:"diagnostics"`
	Writes      int             `json:"writes"`
	Ms          int64           `json:"ms"`
}

// step is an operation that the engine announced: op as the engine names it, and the properties before and after.
type step struct {
	Op     string         `json:"op"`
	Name   string         `json:"name"`
	Type   string         `json:"type"`
	Old    *resourceState `json:"old,omitempty"`
	Inputs map[string]any `json:"inputs,omitempty"`
}

type diagnostic struct {
	Severity string `json:"severity"`
	About    string `json:"about"`
	Message  string `json:"message"`
}

// running is a run under way.
type running struct {
	source      *cancel.Source
	context     *cancel.Context
	calls       *record
	checkpoints *checkpoints
	killed      chan struct{}
	m           sync.Mutex
	isKilled    bool
	plugins     []*pluginProcess
	isDeaf      bool
	// inPlace is the file that keeps the plugins from sharing; a later engine may get the address of this one.
	inPlace string
}

func newRunning() *running {
	ctx, source := cancel.NewContext(context.Background())
	return &running{
		source: source, context: ctx, calls: newRecord(), checkpoints: &checkpoints{}, killed: make(chan struct{}),
	}
}

// cancel is the first Ctrl-C.
func (r *running) cancel() { r.source.Cancel() }

// kill ends engine and plugins at once: nothing is written to the state any more.
func (r *running) kill() {
	r.checkpoints.freeze()
	r.m.Lock()
	defer r.m.Unlock()
	if r.isKilled {
		return
	}
	r.isKilled = true
	for _, process := range r.plugins {
		process.kill()
	}
	close(r.killed)
	r.source.Cancel()
	r.source.Terminate()
}

// load attaches a plugin process to this deployment.
func (r *running) load(plugins *pool, host plugin.Host) (plugin.Provider, error) {
	process, err := plugins.take(r.calls)
	if err != nil {
		return nil, err
	}
	r.m.Lock()
	if r.isKilled {
		process.kill()
	}
	r.plugins = append(r.plugins, process)
	r.m.Unlock()
	if r.isDeaf {
		if err := r.deafen(host.ServerAddr()); err != nil {
			return nil, err
		}
	}
	_, err = process.client.Attach(context.Background(), &pulumirpc.PluginAttach{Address: host.ServerAddr()})
	return plugin.NewProviderWithClient(nil, process.client, false), err
}

// deafen puts a file in the place of the folder in which the provider processes of the engine at this address share what they want.
func (r *running) deafen(address string) error {
	shared := filepath.Join(os.Getenv("PULUMI_HOME"), fmt.Sprintf("packetfilter-%d", os.Getuid()))
	if err := os.MkdirAll(shared, 0o700); err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	file := filepath.Join(shared, "deployment-"+port)
	r.m.Lock()
	r.inPlace = file
	r.m.Unlock()
	// An engine that is over had this address, and its plugins live on.
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o600)
}

func (r *running) start(stack *stackState, what *run, plugins *pool) (*outcome, error) {
	r.isDeaf = what.IsDeaf
	before, err := stack.snapshot()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	events, collected := collect()
	host := func(_ context.Context, d, status diag.Sink, _ plugin.DebugContext) (plugin.Host, error) {
		loader := deploytest.NewProviderLoaderWithHost("packetfilter", semver.MustParse(plugins.version),
			func(host plugin.Host) (plugin.Provider, error) { return r.load(plugins, host) }, deploytest.WithHandshake)
		program := deploytest.NewLanguageRuntime(r.program(stack.name, what, plugins.version))
		return deploytest.NewPluginHost(d, status, program, loader), nil
	}
	secrets := b64.NewBase64SecretsManager()
	dryRun := what.Command == "preview"
	ctx := &engine.Context{Cancel: r.context, Events: events, PluginManager: framework.NopPluginManager{}}
	var manager *backend.SnapshotManager
	if !dryRun {
		manager = backend.NewSnapshotManager(r.checkpoints, secrets, before, nil)
		ctx.SnapshotManager = manager
	}
	ended := make(chan error, 1)
	go func() {
		err := r.operate(stack, what, before, host, ctx, dryRun)
		if manager != nil {
			if closed := manager.Close(); err == nil {
				err = closed
			}
		}
		close(events)
		ended <- err
	}()
	select {
	case err = <-ended:
	case <-r.killed:
		select {
		case <-ended:
		case <-time.After(killedWithin):
		}
		err = fmt.Errorf("killed")
	}
	r.giveBack(plugins)
	result := &outcome{
		Failed: err != nil, Calls: r.calls.done(), Ms: time.Since(began).Milliseconds(), Killed: r.isKilled,
		Invalid: r.checkpoints.invalid, Writes: r.checkpoints.writes,
	}
	if err != nil {
		result.Error = err.Error()
	}
	collected.m.Lock()
	result.Diagnostics, result.Steps = collected.diagnostics, collected.steps
	collected.m.Unlock()
	after := r.checkpoints.last
	if after == nil {
		after = stack.newest()
	}
	if !dryRun {
		stack.history = append(stack.history, after)
	}
	result.State, result.Pending = shown(after), pending(after)
	return result, nil
}

func (r *running) giveBack(plugins *pool) {
	r.m.Lock()
	defer r.m.Unlock()
	if r.inPlace != "" {
		_ = os.Remove(r.inPlace)
	}
	if r.isKilled {
		return
	}
	for _, process := range r.plugins {
		plugins.give(process)
	}
}

func (r *running) operate(stack *stackState, what *run, before *deploy.Snapshot, host engine.HostFactory,
	ctx *engine.Context, dryRun bool,
) error {
	name, err := sdktokens.ParseStackName(stack.name)
	if err != nil {
		return err
	}
	settings, err := configuration(what.Config)
	if err != nil {
		return err
	}
	target := deploy.Target{Name: name, Config: settings, Decrypter: config.NopDecrypter, Snapshot: before}
	info := framework.NewUpdateInfo(
		workspace.Project{Name: project, Runtime: workspace.NewProjectRuntimeInfo("test", nil)}, target)
	urns := urnsOf(stack, what)
	options := engine.UpdateOptions{
		Parallel: what.Options.Parallel, Refresh: what.Options.Refresh, ContinueOnError: what.Options.ContinueOnError,
		Targets: urns(what.Options.Targets), Excludes: urns(what.Options.Excludes),
		ReplaceTargets: urns(what.Options.Replace), HostFactory: host, SkipPluginPreInstall: true,
	}
	if options.Parallel == 0 {
		options.Parallel = usualParallel
	}
	switch what.Command {
	case "preview", "up":
		_, _, err = engine.Update(info, ctx, options, dryRun)
	case "refresh":
		_, _, err = engine.Refresh(info, ctx, options, false)
	case "destroy":
		_, _, err = engine.Destroy(info, ctx, options, false)
	default:
		err = fmt.Errorf("there is no command %q of the engine", what.Command)
	}
	return err
}

// urnsOf finds the urns of names, in the program or in the state.
func urnsOf(stack *stackState, what *run) func(names []string) deploy.UrnTargets {
	types := map[string]string{}
	for _, r := range shown(stack.newest()) {
		types[r.Name] = r.Type
	}
	for _, d := range what.Program {
		types[d.Name] = d.Type
	}
	return func(names []string) deploy.UrnTargets {
		all := []resource.URN{}
		for _, name := range names {
			kind := types[name]
			if kind == "" {
				kind = "PrefixSet"
			}
			all = append(all, resource.NewURN(
				sdktokens.QName(stack.name), project, "", sdktokens.Type(tokens+kind), name))
		}
		return deploy.NewUrnTargetsFromUrns(all)
	}
}

// told is what the events of a run have said so far.
type told struct {
	m           sync.Mutex
	diagnostics []diagnostic
	steps       []step
}

// collect takes the events of a run until the channel closes.
func collect() (chan engine.Event, *told) {
	events, found := make(chan engine.Event), &told{diagnostics: []diagnostic{}, steps: []step{}}
	go func() {
		for event := range events {
			found.take(event)
		}
	}()
	return events, found
}

func (t *told) take(event engine.Event) {
	t.m.Lock()
	defer t.m.Unlock()
	switch payload := event.Payload().(type) {
	case engine.DiagEventPayload:
		if payload.Ephemeral || payload.Severity == diag.Debug {
			return
		}
		about := ""
		if payload.URN != "" {
			about = payload.URN.Name()
		}
		message := strings.TrimSpace(colors.Never.Colorize(payload.Message))
		t.diagnostics = append(t.diagnostics,
			diagnostic{Severity: string(payload.Severity), About: about, Message: message})
	case engine.ResourcePreEventPayload:
		if m := payload.Metadata; m.Op != deploy.OpSame && strings.HasPrefix(string(m.Type), tokens) {
			t.steps = append(t.steps, announced(m))
		}
	}
}

func announced(m engine.StepEventMetadata) step {
	kind := strings.TrimPrefix(string(m.Type), tokens)
	result := step{Op: string(m.Op), Name: m.URN.Name(), Type: kind}
	if m.Old != nil {
		result.Old = &resourceState{
			Name: m.Old.URN.Name(), Type: kind, ID: string(m.Old.ID),
			Inputs: values(m.Old.Inputs), Outputs: values(m.Old.Outputs), PendingDelete: m.Old.Delete,
			Protect: m.Old.Protect, RetainOnDelete: m.Old.RetainOnDelete,
		}
	}
	if m.New != nil {
		result.Inputs = values(m.New.Inputs)
	}
	return result
}

// values are properties as plain JSON, without the envelopes of secrets.
func values(properties resource.PropertyMap) map[string]any {
	return properties.MapRepl(nil, func(v resource.PropertyValue) (any, bool) {
		if v.IsSecret() {
			return values(resource.PropertyMap{"it": v.SecretValue().Element})["it"], true
		}
		if v.IsComputed() || v.IsOutput() {
			return plugin.UnknownStringValue, true
		}
		return nil, false
	})
}
