package main

import (
	"github.com/hashicorp/hcl/v2"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// goModule is what the Go language host writes beside the packages of a local SDK.
const goModule = `module example.com/pulumi-packetfilter/sdk/go

go 1.25

require github.com/pulumi/pulumi/sdk/v3 v3.256.0
`

var languages = map[string]language{
	"nodejs": {
		sdk: func(pkg *schema.Package) (map[string][]byte, error) {
			return nodejs.GeneratePackage(tool, pkg, nil, nil, true, schema.NewPluginLoader(nil))
		},
		program: nodejs.GenerateProgram,
	},
	"python": {
		sdk: func(pkg *schema.Package) (map[string][]byte, error) {
			return python.GeneratePackage(tool, pkg, nil, schema.NewPluginLoader(nil))
		},
		program: python.GenerateProgram,
	},
	"go": {
		sdk: func(pkg *schema.Package) (map[string][]byte, error) {
			files, err := golang.GeneratePackage(tool, pkg, nil)
			if err == nil {
				files["go.mod"] = []byte(goModule)
			}
			return files, err
		},
		program: func(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error) {
			return golang.GenerateProgram(program)
		},
	},
}

func bindSchema(spec schema.PackageSpec) (*schema.Package, hcl.Diagnostics, error) {
	return schema.BindSpec(spec, schema.NewPluginLoader(nil), schema.ValidationOptions{})
}

func bindProgram(files []*syntax.File, pkg *schema.Package) (*pcl.Program, hcl.Diagnostics, error) {
	// A program names no version.
	known := map[string]schema.PackageReference{pkg.Name + ":": pkg.Reference()}
	return pcl.BindProgram(files, schema.NewCachedLoaderWithEntries(schema.NewPluginLoader(nil), known))
}
