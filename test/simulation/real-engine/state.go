package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/resource/stack/snapshot"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

const tokens = "packetfilter:index:"

// stackState is what a backend keeps of a stack: its checkpoints, the newest last.
type stackState struct {
	name    string
	history []*apitype.DeploymentV3
}

// snapshot is the newest checkpoint as the engine reads it; nil for a stack without one.
func (s *stackState) snapshot() (*deploy.Snapshot, error) {
	if len(s.history) == 0 || s.history[len(s.history)-1] == nil {
		return nil, nil
	}
	return stack.DeserializeDeploymentV3(
		context.Background(), *s.history[len(s.history)-1], stack.Base64SecretsProvider{})
}

func (s *stackState) newest() *apitype.DeploymentV3 {
	if len(s.history) == 0 {
		return nil
	}
	return s.history[len(s.history)-1]
}

// restore brings back the state of so many runs ago, as `pulumi stack import` does; without so many runs it changes nothing.
func (s *stackState) restore(runsAgo int) []resourceState {
	if runs := len(s.history); runsAgo < runs {
		s.history = append(s.history, s.history[runs-1-runsAgo])
	} else if runsAgo == runs {
		s.history = append(s.history, nil)
	}
	return shown(s.newest())
}

// checkpoints takes each state that the engine writes, as a self-managed backend does, until it is frozen by a kill.
type checkpoints struct {
	m       sync.Mutex
	last    *apitype.DeploymentV3
	frozen  bool
	writes  int
	invalid []string
}

func (c *checkpoints) Save(deployment apitype.TypedDeployment) error {
	c.m.Lock()
	defer c.m.Unlock()
	if c.frozen {
		return nil
	}
	c.writes++
	if err := snapshot.VerifyIntegrity(deployment.Deployment); err != nil {
		c.invalid = append(c.invalid, err.Error())
	}
	c.last = deployment.Deployment
	return nil
}

func (c *checkpoints) freeze() {
	c.m.Lock()
	defer c.m.Unlock()
	c.frozen = true
}

// resourceState is a resource of a state, as the simulation compares it.
type resourceState struct {
	Name           string         `json:"name"`
	Type           string         `json:"type"`
	ID             string         `json:"id"`
	Inputs         map[string]any `json:"inputs"`
	Outputs        map[string]any `json:"outputs"`
	PendingDelete  bool           `json:"pendingDelete,omitempty"`
	Protect        bool           `json:"protect,omitempty"`
	RetainOnDelete bool           `json:"retainOnDelete,omitempty"`
	PendingReplace bool           `json:"pendingReplace,omitempty"`
	InitErrors     []string       `json:"initErrors,omitempty"`
}

// shown lists the resources of this package in the order of the state; stack and providers are left out.
func shown(deployment *apitype.DeploymentV3) []resourceState {
	all := []resourceState{}
	if deployment == nil {
		return all
	}
	for _, r := range deployment.Resources {
		if !strings.HasPrefix(string(r.Type), tokens) {
			continue
		}
		all = append(all, resourceState{
			Name: r.URN.Name(), Type: strings.TrimPrefix(string(r.Type), tokens), ID: string(r.ID),
			Inputs: plain(r.Inputs), Outputs: plain(r.Outputs), PendingDelete: r.Delete, Protect: r.Protect,
			RetainOnDelete: r.RetainOnDelete, PendingReplace: r.PendingReplacement, InitErrors: r.InitErrors,
		})
	}
	return all
}

// pending lists the operations that the state says are under way: `creating blocked`.
func pending(deployment *apitype.DeploymentV3) []string {
	all := []string{}
	if deployment == nil {
		return all
	}
	for _, o := range deployment.PendingOperations {
		all = append(all, fmt.Sprintf("%s %s", o.Type, o.Resource.URN.Name()))
	}
	return all
}

// plain takes the envelopes of secrets away.
func plain(properties map[string]any) map[string]any {
	result := map[string]any{}
	for name, value := range properties {
		result[name] = inTheClear(value)
	}
	return result
}

func inTheClear(value any) any {
	switch value := value.(type) {
	case *apitype.SecretV1:
		return secretValue(value.Plaintext, value.Ciphertext)
	case apitype.SecretV1:
		return secretValue(value.Plaintext, value.Ciphertext)
	case []any:
		all := []any{}
		for _, one := range value {
			all = append(all, inTheClear(one))
		}
		return all
	case map[string]any:
		switch value[resource.SigKey] {
		case resource.SecretSig:
			if inner, ok := value["value"]; ok {
				return inTheClear(inner)
			}
			plaintext, _ := value["plaintext"].(string)
			ciphertext, _ := value["ciphertext"].(string)
			return secretValue(plaintext, ciphertext)
		case resource.OutputValueSig:
			return inTheClear(value["value"])
		}
		return plain(value)
	default:
		return value
	}
}
