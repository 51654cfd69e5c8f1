// Command packetfilter-local-sdk writes the SDK of a schema for one language, with the generators that the CLI's language hosts use:
// the hosts that can be built from the module proxy are older than `pulumi package add`, which asks them to do it.
//
//	packetfilter-local-sdk LANGUAGE SCHEMA FOLDER
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
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
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: packetfilter-local-sdk nodejs|python|go SCHEMA FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(language, file, folder string) error {
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
	files, err := generate(language, pkg)
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
