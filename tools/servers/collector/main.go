// The OpenTelemetry Collector with the parts that the tests need: OTLP in, OTLP over HTTP out.
package main

import (
	"log"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func main() {
	settings := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Version: "0.165.0"},
		Factories: func() (otelcol.Factories, error) {
			receivers, _ := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
			exporters, _ := otelcol.MakeFactoryMap[exporter.Factory](otlphttpexporter.NewFactory())
			processors, err := otelcol.MakeFactoryMap[processor.Factory]()
			return otelcol.Factories{Receivers: receivers, Exporters: exporters, Processors: processors, Telemetry: otelconftelemetry.NewFactory()}, err
		},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			DefaultScheme:     "env",
			ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()},
		}},
	}
	if err := otelcol.NewCommand(settings).Execute(); err != nil {
		log.Fatal(err)
	}
}
