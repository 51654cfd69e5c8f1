// Reads manifests of Kubernetes and of the Prometheus Operator from standard input as an API server does, and refuses what it does not know: kinds, fields, fields
// that stand there twice, and values of another type. Writes the objects as a list of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	if err := check(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(in io.Reader, out io.Writer) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apps.AddToScheme, core.AddToScheme, policy.AddToScheme, monitoring.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(in))
	var objects []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return json.NewEncoder(out).Encode(objects)
		}
		if err != nil {
			return err
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return err
		}
		objects = append(objects, object)
	}
}
