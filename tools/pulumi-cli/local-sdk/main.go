// Command packetfilter-generate writes the SDK of a schema for one language, with the generators that the CLI's language hosts use:
// the hosts that can be built from the module proxy are older than `pulumi package add`, which asks them to do it.
//
//	packetfilter-generate LANGUAGE SCHEMA FOLDER
//
// With a program in PCL, the form in which `pulumi import` and `pulumi convert` hand one to the generator of a language, it writes that
// program in place of the SDK:
//
//	packetfilter-generate LANGUAGE SCHEMA FOLDER PROGRAM
//
// languages.go has the languages. The command packetfilter-generate-older is the same file with those of ../java-and-dotnet.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-packetfilter"

// language has the generators of one language: of an SDK, and of a program.
type language struct {
	sdk     func(*schema.Package) (map[string][]byte, error)
	program func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error)
}

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		fmt.Fprintf(os.Stderr, "usage: %s %s SCHEMA FOLDER [PROGRAM]\n", filepath.Base(os.Args[0]), names())
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func names() string {
	all := make([]string, 0, len(languages))
	for name := range languages {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, "|")
}

func write(name, file, folder string, program []string) error {
	generators, known := languages[name]
	if !known {
		return fmt.Errorf("there is no generator of %q: %s", name, names())
	}
	pkg, err := read(file)
	if err != nil {
		return err
	}
	var files map[string][]byte
	if len(program) == 0 {
		files, err = generators.sdk(pkg)
	} else {
		files, err = translate(generators, program[0], pkg)
	}
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func read(file string) (*schema.Package, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	pkg, problems, err := bindSchema(spec)
	if err == nil && problems.HasErrors() {
		err = problems
	}
	return pkg, err
}

// translate writes a program of PCL in a language.
func translate(generators language, file string, pkg *schema.Package) (map[string][]byte, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	parser := syntax.NewParser()
	if err := parser.ParseFile(text, filepath.Base(file)); err != nil {
		return nil, err
	}
	if parser.Diagnostics.HasErrors() {
		return nil, parser.Diagnostics
	}
	program, problems, err := bindProgram(parser.Files, pkg)
	if err == nil && problems.HasErrors() {
		err = problems
	}
	if err != nil {
		return nil, err
	}
	files, problems, err := generators.program(program)
	if err == nil && problems.HasErrors() {
		err = problems
	}
	return files, err
}
