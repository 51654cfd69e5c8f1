import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.packetfilter.PrefixSet;
import com.pulumi.packetfilter.PrefixSetArgs;
import com.pulumi.packetfilter.PrefixSetEntry;
import com.pulumi.packetfilter.PrefixSetEntryArgs;
import java.util.Map;

/** The program of docs/guides/languages.md. */
public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    private static void stack(Context context) {
        // A whole prefix-set is ours: what is not declared here is removed.
        var blocked = new PrefixSet("blocked", PrefixSetArgs.builder()
            .arena("edge")
            .set("blocked")
            .entries(Map.of(
                "192.0.2.0/24", 1,
                "198.51.100.0/24", Map.of("value", 4_294_967_295.0, "reason", "SYN flood")))
            .build());

        // One entry of a set that others also write to.
        var scanner = new PrefixSetEntry("scanner", PrefixSetEntryArgs.builder()
            .arena("edge")
            .set("partners")
            .prefix("203.0.113.4")
            .value(4_294_967_295.0)
            .build());

        context.export("count", blocked.count());
        context.export("value", scanner.value());
    }
}
