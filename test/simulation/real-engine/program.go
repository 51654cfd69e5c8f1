package main

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/providers"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	sdktokens "github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// arrivesWithin is the longest wait for the engine to take up a registration before the next one is sent.
const arrivesWithin = 5 * time.Second

// declared is a resource of a program.
type declared struct {
	Type    string         `json:"type"`
	Name    string         `json:"name"`
	Args    map[string]any `json:"args"`
	Options struct {
		Protect             bool     `json:"protect"`
		RetainOnDelete      bool     `json:"retainOnDelete"`
		DeleteBeforeReplace *bool    `json:"deleteBeforeReplace"`
		IgnoreChanges       []string `json:"ignoreChanges"`
		Aliases             []string `json:"aliases"`
		DependsOn           []string `json:"dependsOn"`
		ReplaceOnChanges    []string `json:"replaceOnChanges"`
		// Instance is the number of the provider resource, counted from 1.
		Instance *int `json:"instance"`
	} `json:"options"`
}

// program registers resources as a program of the Node SDK does: a stack resource, provider resources, then all others in the order in
// which they are declared. One that depends on others waits until the engine has answered about those.
func (r *running) program(stack string, what *run, version string) deploytest.ProgramFunc {
	return func(_ plugin.RunInfo, monitor *deploytest.ResourceMonitor) error {
		root, err := monitor.RegisterResource("pulumi:pulumi:Stack", project+"-"+stack, false)
		if err != nil {
			return unlessEnded(err)
		}
		references, err := registerProviders(monitor, root.URN, what, version)
		if err != nil {
			return unlessEnded(err)
		}
		p := &registrations{
			running: r, monitor: monitor, root: root.URN, references: references, version: version,
			answered: map[string]chan struct{}{}, urns: map[string]resource.URN{},
		}
		for _, d := range what.Program {
			p.answered[d.Name] = make(chan struct{})
		}
		for _, d := range what.Program {
			p.begin(d)
		}
		p.all.Wait()
		if p.failure == nil {
			p.failure = monitor.RegisterResourceOutputs(root.URN, resource.PropertyMap{})
		}
		return unlessEnded(p.failure)
	}
}

// registrations are the resources of a program that is running.
type registrations struct {
	*running
	monitor    *deploytest.ResourceMonitor
	root       resource.URN
	references []string
	version    string
	// answered closes once the engine has answered about a resource.
	answered map[string]chan struct{}
	all      sync.WaitGroup
	// sending keeps registrations in order: the next is sent once the engine has taken up the one before.
	sending sync.Mutex
	state   sync.Mutex
	urns    map[string]resource.URN
	failure error
}

func (p *registrations) begin(d declared) {
	p.all.Add(1)
	if len(d.Options.DependsOn) == 0 {
		p.register(d, nil)
		return
	}
	go func() {
		dependencies := []resource.URN{}
		for _, name := range d.Options.DependsOn {
			if answered, known := p.answered[name]; known {
				<-answered
				p.state.Lock()
				urn := p.urns[name]
				p.state.Unlock()
				if urn != "" {
					dependencies = append(dependencies, urn)
				}
			}
		}
		p.register(d, dependencies)
	}()
}

func (p *registrations) register(d declared, dependencies []resource.URN) {
	p.sending.Lock()
	defer p.sending.Unlock()
	answered := p.answered[d.Name]
	go func() {
		defer p.all.Done()
		defer close(answered)
		response, err := p.monitor.RegisterResource(
			sdktokens.Type(tokens+d.Type), d.Name, true, p.options(d, dependencies))
		p.state.Lock()
		defer p.state.Unlock()
		if err != nil {
			if p.failure == nil {
				p.failure = err
			}
			return
		}
		p.urns[d.Name] = response.URN
	}()
	p.calls.checked(d.Name, answered, arrivesWithin)
}

func (p *registrations) options(d declared, dependencies []resource.URN) deploytest.ResourceOptions {
	o := d.Options
	options := deploytest.ResourceOptions{
		Parent: p.root, Inputs: resource.NewPropertyMapFromMap(d.Args), Dependencies: dependencies, Version: p.version,
		IgnoreChanges: o.IgnoreChanges, ReplaceOnChanges: o.ReplaceOnChanges, DeleteBeforeReplace: o.DeleteBeforeReplace,
		SupportsResultReporting: true, AliasSpecs: true,
	}
	// No argument is an output of another resource.
	options.PropertyDeps = map[resource.PropertyKey][]resource.URN{}
	for name := range options.Inputs {
		options.PropertyDeps[name] = []resource.URN{}
	}
	if o.Protect {
		options.Protect = &o.Protect
	}
	if o.RetainOnDelete {
		options.RetainOnDelete = &o.RetainOnDelete
	}
	for _, former := range o.Aliases {
		options.Aliases = append(options.Aliases,
			&pulumirpc.Alias{Alias: &pulumirpc.Alias_Spec_{Spec: &pulumirpc.Alias_Spec{Name: former}}})
	}
	if o.Instance != nil {
		options.Provider = p.references[*o.Instance-1]
	}
	return options
}

// registerProviders registers the provider resources, each with the configuration of the stack, and returns references to them.
func registerProviders(monitor *deploytest.ResourceMonitor, root resource.URN, what *run, version string) (
	[]string, error,
) {
	references := []string{}
	for i := range what.Instances {
		response, err := monitor.RegisterResource(
			sdktokens.Type(providers.MakeProviderType("packetfilter")), fmt.Sprintf("instance-%d", i+1), true,
			deploytest.ResourceOptions{
				Parent: root, Inputs: resource.NewPropertyMapFromMap(what.Config), Version: version,
				SupportsResultReporting: true,
			})
		if err != nil {
			return nil, err
		}
		id := response.ID
		if id == "" {
			id = providers.UnknownID
		}
		reference, err := providers.NewReference(response.URN, id)
		if err != nil {
			return nil, err
		}
		references = append(references, reference.String())
	}
	return references, nil
}

// unlessEnded leaves out the error with which an engine that gives up answers registrations: programs end in silence then.
func unlessEnded(err error) error {
	if code := status.Code(err); code == codes.Unavailable || code == codes.Canceled {
		return nil
	}
	return err
}

// configuration puts the stack's configuration into the engine's form: objects and lists as JSON, all else as text.
func configuration(given map[string]any) (config.Map, error) {
	settings := config.Map{}
	for name, value := range given {
		key := config.MustMakeKey("packetfilter", name)
		switch value := value.(type) {
		case map[string]any, []any:
			text, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			settings[key] = config.NewObjectValue(string(text))
		default:
			settings[key] = config.NewValue(fmt.Sprint(value))
		}
	}
	return settings, nil
}
