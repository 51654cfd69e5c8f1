// Command packetfilter-generate writes the SDK of a schema for one language, with the generators that the CLI's language hosts use:
// the hosts that can be built from the module proxy are older than `pulumi package add`, which asks them to do it.
//
//	packetfilter-generate LANGUAGE SCHEMA FOLDER
//
// With a program in PCL, the form in which `pulumi import` and `pulumi convert` hand one to the generator of a language, it writes that
// program in place of the SDK:
//
//	packetfilter-generate LANGUAGE SCHEMA FOLDER PROGRAM
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-packetfilter"

// goModule is what the Go language host writes beside the packages of a local SDK.
const goModule = `module example.com/pulumi-packetfilter/sdk/go

go 1.25

require github.com/pulumi/pulumi/sdk/v3 v3.256.0
`

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: packetfilter-generate nodejs|python|go SCHEMA FOLDER [PROGRAM]")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(language, file, folder string, program []string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	pkg, problems, err := schema.BindSpecWithContext(context.Background(), spec, schema.NewPluginLoader(nil), schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if problems.HasErrors() {
		return problems
	}
	var files map[string][]byte
	if len(program) > 0 {
		files, err = translate(language, program[0], pkg)
	} else {
		files, err = generate(language, pkg)
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

func generate(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, true, schema.NewPluginLoader(nil))
	case "python":
		return python.GeneratePackage(tool, pkg, nil, schema.NewPluginLoader(nil))
	case "go":
		files, err := golang.GeneratePackage(tool, pkg, nil)
		if err == nil {
			files["go.mod"] = []byte(goModule)
		}
		return files, err
	default:
		return nil, fmt.Errorf("there is no generator of %q: nodejs, python or go", language)
	}
}

// translate writes a program of PCL in a language.
func translate(language, file string, pkg *schema.Package) (map[string][]byte, error) {
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
	// A program names no version.
	known := map[string]schema.PackageReference{pkg.Name + ":": pkg.Reference()}
	loader := schema.NewCachedLoaderWithEntries(schema.NewPluginLoader(nil), known)
	program, problems, err := pcl.BindProgram(parser.Files, loader)
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		return nil, problems
	}
	var files map[string][]byte
	switch language {
	case "nodejs":
		files, problems, err = nodejs.GenerateProgram(program)
	case "python":
		files, problems, err = python.GenerateProgram(program)
	case "go":
		files, problems, err = golang.GenerateProgram(program)
	default:
		return nil, fmt.Errorf("there is no generator of %q: nodejs, python or go", language)
	}
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		return nil, problems
	}
	return files, nil
}
