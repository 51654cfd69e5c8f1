// Runs the Pulumi engine in this process, for programs that the simulation describes as data.
//
// Commands come as JSON lines on standard input, each with an id; answers go as JSON lines to standard output, in the order in
// which they end. Several stacks can run at the same time. The process ends with its standard input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// command is a line of standard input.
type command struct {
	ID int `json:"id"`
	// Op is run, cancel, kill, restore or forget.
	Op string `json:"op"`
	// Stack names the stack that run, restore and forget are about.
	Stack string `json:"stack"`
	Run   *run   `json:"run"`
	// Of is the id of the run that cancel and kill are about.
	Of int `json:"of"`
	// RunsAgo says which former state restore brings back.
	RunsAgo int `json:"runsAgo"`
}

type answer struct {
	ID     int     `json:"id"`
	Result any     `json:"result,omitempty"`
	Error  *string `json:"error,omitempty"`
}

type service struct {
	output  sync.Mutex
	m       sync.Mutex
	stacks  map[string]*stackState
	running map[int]*running
	plugins *pool
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: real-engine LAUNCHER VERSION DEPLOYMENTS")
		os.Exit(2)
	}
	deployments, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fmt.Fprintf(os.Stderr, "the deployments of one plugin process are no number: %v\n", err)
		os.Exit(2)
	}
	s := &service{
		stacks:  map[string]*stackState{},
		running: map[int]*running{},
		plugins: &pool{launcher: os.Args[1], version: os.Args[2], deployments: deployments},
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			fmt.Fprintf(os.Stderr, "a line that is no command: %v\n", err)
			os.Exit(2)
		}
		s.take(c)
	}
	s.plugins.close()
}

// take begins a command. Runs go on beside each other; all others are done when it returns.
func (s *service) take(c command) {
	switch c.Op {
	case "run":
		r := newRunning()
		s.m.Lock()
		s.running[c.ID] = r
		s.m.Unlock()
		stack := s.stack(c.Stack)
		go func() {
			result, err := r.start(stack, c.Run, s.plugins)
			s.m.Lock()
			delete(s.running, c.ID)
			s.m.Unlock()
			s.answer(c.ID, result, err)
		}()
	case "cancel", "kill":
		s.m.Lock()
		r := s.running[c.Of]
		s.m.Unlock()
		if r != nil && c.Op == "cancel" {
			r.cancel()
		} else if r != nil {
			r.kill()
		}
		s.answer(c.ID, r != nil, nil)
	case "restore":
		s.answer(c.ID, s.stack(c.Stack).restore(c.RunsAgo), nil)
	case "forget":
		s.m.Lock()
		delete(s.stacks, c.Stack)
		s.m.Unlock()
		s.answer(c.ID, true, nil)
	default:
		s.answer(c.ID, nil, fmt.Errorf("there is no command %q", c.Op))
	}
}

func (s *service) stack(name string) *stackState {
	s.m.Lock()
	defer s.m.Unlock()
	if s.stacks[name] == nil {
		s.stacks[name] = &stackState{name: name}
	}
	return s.stacks[name]
}

func (s *service) answer(id int, result any, err error) {
	a := answer{ID: id, Result: result}
	if err != nil {
		text := err.Error()
		a = answer{ID: id, Error: &text}
	}
	line, err := json.Marshal(a)
	if err != nil {
		line, _ = json.Marshal(map[string]any{"id": id, "error": err.Error()})
	}
	s.output.Lock()
	defer s.output.Unlock()
	_, _ = os.Stdout.Write(append(line, '\n'))
}
