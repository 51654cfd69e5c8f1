package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
)

// endsWithin is the longest wait for a plugin process whose run has ended.
const endsWithin = 10 * time.Second

// pluginProcess is a running plugin. It stays for several deployments: each attaches it anew.
type pluginProcess struct {
	process *exec.Cmd
	stdin   io.Closer
	conn    *grpc.ClientConn
	client  pulumirpc.ResourceProviderClient
	// calls is where the calls of the present run are noted.
	calls atomic.Pointer[record]
	uses  int
}

// pool keeps the plugin processes that no run is using.
type pool struct {
	launcher string
	version  string
	// deployments limits those that one process serves.
	deployments int
	m           sync.Mutex
	free        []*pluginProcess
}

// take gives a plugin process to a run: one that waits, or a new one.
func (p *pool) take(calls *record) (*pluginProcess, error) {
	p.m.Lock()
	if last := len(p.free) - 1; last >= 0 {
		found := p.free[last]
		p.free = p.free[:last]
		p.m.Unlock()
		found.calls.Store(calls)
		return found, nil
	}
	p.m.Unlock()
	return p.start(calls)
}

func (p *pool) start(calls *record) (*pluginProcess, error) {
	process := exec.Command(p.launcher)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("the plugin %s does not start: %w", p.launcher, err)
	}
	lines := bufio.NewReader(stdout)
	port, err := lines.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the plugin %s printed no port: %w", p.launcher, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	found := &pluginProcess{process: process, stdin: stdin}
	found.calls.Store(calls)
	found.conn, err = grpc.NewClient("127.0.0.1:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<28), grpc.MaxCallSendMsgSize(1<<28)),
		grpc.WithUnaryInterceptor(found.intercept))
	if err != nil {
		return nil, err
	}
	found.client = pulumirpc.NewResourceProviderClient(found.conn)
	return found, nil
}

// give takes a process back after a run.
func (p *pool) give(process *pluginProcess) {
	process.calls.Store(nil)
	process.detach()
	process.uses++
	if process.uses >= p.deployments {
		process.end()
		process.wait()
		return
	}
	p.m.Lock()
	defer p.m.Unlock()
	p.free = append(p.free, process)
}

func (p *pool) close() {
	p.m.Lock()
	defer p.m.Unlock()
	for _, process := range p.free {
		process.end()
	}
	for _, process := range p.free {
		_ = process.process.Wait()
	}
}

// detach ends the deployment in order, as the signal of an engine does that has ended: its state has what the plugin noted as sent.
// Without it a plugin that ends, or is killed before it is attached anew, leaves notes as of a killed run.
func (p *pluginProcess) detach() {
	ctx, cancel := context.WithTimeout(context.Background(), endsWithin)
	defer cancel()
	_, _ = p.client.Attach(ctx, &pulumirpc.PluginAttach{})
}

// wait returns once the process is over: the next run finds what it has left.
func (p *pluginProcess) wait() {
	ended := make(chan struct{})
	go func() {
		_ = p.process.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(endsWithin):
	}
}

// end closes the standard input of the plugin, which then ends by itself.
func (p *pluginProcess) end() {
	_ = p.conn.Close()
	_ = p.stdin.Close()
}

func (p *pluginProcess) kill() {
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
	_ = p.conn.Close()
}

// call is a call of the provider by the engine.
type call struct {
	Method  string         `json:"method"`
	Name    string         `json:"name"`
	Preview bool           `json:"preview,omitempty"`
	Inputs  map[string]any `json:"inputs,omitempty"`
	Outcome string         `json:"outcome"`
	Error   string         `json:"error,omitempty"`
	// Began and Ended are places in the order of all beginnings and ends of calls of the run.
	Began int `json:"began"`
	Ended int `json:"ended"`
	// Process tells the provider processes of a run apart.
	Process int `json:"process"`
	// Changes and Replaces are the answer to a diff.
	Changes             string   `json:"changes,omitempty"`
	Replaces            []string `json:"replaces,omitempty"`
	Diffs               []string `json:"diffs,omitempty"`
	DeleteBeforeReplace bool     `json:"deleteBeforeReplace,omitempty"`
	Ms                  int64    `json:"ms"`
}

// record is the sequence of calls of a run.
type record struct {
	m       sync.Mutex
	next    int
	calls   []*call
	began   chan struct{}
	seen    map[string]int
	process map[*pluginProcess]int
}

func newRecord() *record {
	return &record{began: make(chan struct{}), seen: map[string]int{}, process: map[*pluginProcess]int{}}
}

func (r *record) begin(c *call, of *pluginProcess) {
	r.m.Lock()
	defer r.m.Unlock()
	if _, known := r.process[of]; !known {
		r.process[of] = len(r.process)
	}
	c.Process = r.process[of]
	c.Began = r.next
	r.next++
	r.calls = append(r.calls, c)
	if c.Method == "check" {
		r.seen[c.Name]++
		close(r.began)
		r.began = make(chan struct{})
	}
}

func (r *record) end(c *call, err error) {
	r.m.Lock()
	defer r.m.Unlock()
	c.Ended = r.next
	r.next++
	c.Outcome = "ok"
	if err != nil {
		c.Outcome, c.Error = "failed", err.Error()
	}
}

// done is a copy of the calls so far; those that have not ended have no outcome.
func (r *record) done() []call {
	r.m.Lock()
	defer r.m.Unlock()
	all := []call{}
	for _, c := range r.calls {
		all = append(all, *c)
	}
	return all
}

// checked waits until a check of a resource has begun, or a time has passed, or the channel is closed.
func (r *record) checked(name string, ended <-chan struct{}, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		r.m.Lock()
		seen, began := r.seen[name] > 0, r.began
		r.m.Unlock()
		if seen {
			return
		}
		select {
		case <-began:
		case <-ended:
			return
		case <-timer.C:
			return
		}
	}
}

func (p *pluginProcess) intercept(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn,
	invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	calls, c := p.calls.Load(), noted(request)
	if calls == nil || c == nil {
		return invoke(ctx, method, request, reply, conn, options...)
	}
	began := time.Now()
	calls.begin(c, p)
	err := invoke(ctx, method, request, reply, conn, options...)
	c.Ms = time.Since(began).Milliseconds()
	if diff, ok := reply.(*pulumirpc.DiffResponse); ok && err == nil {
		c.Changes, c.Replaces, c.Diffs = diff.Changes.String(), diff.Replaces, diff.Diffs
		c.DeleteBeforeReplace = diff.DeleteBeforeReplace
	}
	if checked, ok := reply.(*pulumirpc.CheckResponse); ok && err == nil && len(checked.Failures) > 0 {
		c.Error = checked.Failures[0].Reason
	}
	calls.end(c, err)
	return err
}

// noted is the call of a request about a resource; nil for all other requests.
func noted(request any) *call {
	switch r := request.(type) {
	case *pulumirpc.CheckRequest:
		return about("check", r.Urn, r.News, false)
	case *pulumirpc.DiffRequest:
		return about("diff", r.Urn, r.News, false)
	case *pulumirpc.CreateRequest:
		return about("create", r.Urn, r.Properties, r.Preview)
	case *pulumirpc.ReadRequest:
		return about("read", r.Urn, r.Inputs, false)
	case *pulumirpc.UpdateRequest:
		return about("update", r.Urn, r.News, r.Preview)
	case *pulumirpc.DeleteRequest:
		return about("delete", r.Urn, r.OldInputs, false)
	}
	return nil
}

// about makes a call of a request; provider resources themselves are left out.
func about(method, urn string, inputs *structpb.Struct, preview bool) *call {
	parts := strings.Split(urn, "::")
	if len(parts) < 4 || !strings.Contains(parts[2], tokens) {
		return nil
	}
	return &call{Method: method, Name: parts[3], Inputs: plain(inputs.AsMap()), Preview: preview}
}

func secretValue(plaintext, ciphertext string) any {
	text := plaintext
	if text == "" {
		bytes, err := base64.StdEncoding.DecodeString(ciphertext)
		if err != nil {
			return ciphertext
		}
		text = string(bytes)
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}
