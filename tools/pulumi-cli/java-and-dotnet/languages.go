// The generators of Java and .NET that the module proxy has: both stand outside of Pulumi's own modules today, in ones that it does not have.
package main

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

var languages = map[string]language{
	"java": {
		sdk: func(pkg *schema.Package) (map[string][]byte, error) {
			return java.GeneratePackage(tool, pkg, nil, true)
		},
		program: func(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error) {
			files, problems, err := java.GenerateProgram(program)
			// The CLI moves the class App to this file, too.
			if text, ok := files["MyStack.java"]; ok {
				files = map[string][]byte{"src/main/java/generated_program/App.java": text}
			}
			return files, problems, err
		},
	},
	"dotnet": {
		sdk: func(pkg *schema.Package) (map[string][]byte, error) {
			http.DefaultClient.Transport = withoutLogo{}
			return dotnet.GeneratePackage(tool, pkg, nil, nil)
		},
		program: dotnet.GenerateProgram,
	},
}

func bindSchema(spec schema.PackageSpec) (*schema.Package, hcl.Diagnostics, error) {
	return schema.BindSpec(spec, schema.NewPluginLoader(nil))
}

func bindProgram(files []*syntax.File, pkg *schema.Package) (*pcl.Program, hcl.Diagnostics, error) {
	return pcl.BindProgram(files, pcl.Loader(known{pkg}))
}

// known finds the one package that a program here uses.
type known struct{ pkg *schema.Package }

func (k known) LoadPackage(string, *semver.Version) (*schema.Package, error) { return k.pkg, nil }

func (k known) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return k.pkg, nil
}

// withoutLogo answers the one request of the .NET generator, for the picture of its NuGet package, with an empty picture.
type withoutLogo struct{}

func (withoutLogo) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: request, Body: io.NopCloser(bytes.NewReader(nil))}, nil
}
