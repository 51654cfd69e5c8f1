// Blocks a few networks and signals one attack, as the README's program does in TypeScript.
package main

import (
	"example.com/pulumi-packetfilter/sdk/go/packetfilter"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// A whole prefix-set is ours: what is not declared here is removed.
		blocked, err := packetfilter.NewPrefixSet(ctx, "blocked", &packetfilter.PrefixSetArgs{
			Arena: pulumi.String("edge"),
			Set:   pulumi.String("blocked"),
			Entries: pulumi.Map{
				"192.0.2.0/24": pulumi.Int(1),
				"203.0.113.7": pulumi.Map{
					"value":   pulumi.Int(2),
					"reason":  pulumi.String("SYN flood"),
					"ticket":  pulumi.String("INC-4711"),
					"expires": pulumi.String("2099-12-31T00:00:00Z"),
				},
				"2001:db8:bad::/48": pulumi.Int(1),
			},
			ForbiddenPrefixes: pulumi.StringArray{pulumi.String("198.51.100.0/24")},
		})
		if err != nil {
			return err
		}
		// One entry in a set that others also write to.
		_, err = packetfilter.NewPrefixSetEntry(ctx, "scanner", &packetfilter.PrefixSetEntryArgs{
			Arena:  pulumi.String("edge"),
			Set:    pulumi.String("partners"),
			Prefix: pulumi.String("203.0.113.4"),
			Value:  pulumi.Float64(7),
		})
		if err != nil {
			return err
		}
		// These recipients stay in the profile with rules for as long as the resource exists.
		_, err = packetfilter.NewCloudSignaling(ctx, "attack-4711", &packetfilter.CloudSignalingArgs{
			Prefixes: pulumi.StringArray{pulumi.String("198.51.100.7")},
			Reason:   pulumi.String("UDP flood"),
			Ticket:   pulumi.String("INC-4711"),
		})
		if err != nil {
			return err
		}
		found, err := packetfilter.GetProfiles(ctx, &packetfilter.GetProfilesArgs{Arena: "edge"})
		if err != nil {
			return err
		}
		names := pulumi.StringArray{}
		for _, profile := range found.Profiles {
			names = append(names, pulumi.String(profile.Name))
		}
		ctx.Export("url", blocked.Url)
		ctx.Export("held", blocked.Count)
		ctx.Export("profiles", names)
		return nil
	})
}
