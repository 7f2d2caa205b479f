import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.mapper.MapperExtrasPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/** One OpenSearch node in this process: java -cp 'jars/*' OpenSearchNode.java HOME setting=value ... */
public class OpenSearchNode extends Node {
    private static final List<Class<? extends Plugin>> MODULES =
        List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, MapperExtrasPlugin.class, PainlessPlugin.class);

    OpenSearchNode(Settings settings) {
        super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "node"), MODULES, false);
    }

    public static void main(String[] arguments) throws Exception {
        Settings.Builder settings = Settings.builder().put("path.home", arguments[0]);
        for (int i = 1; i < arguments.length; i++) {
            String[] setting = arguments[i].split("=", 2);
            if (setting[1].contains(",")) {
                settings.putList(setting[0], setting[1].split(","));
            } else {
                settings.put(setting[0], setting[1]);
            }
        }
        Files.createDirectories(Path.of(arguments[0], "config"));
        new OpenSearchNode(settings.build()).start();
        Thread.currentThread().join();
    }
}
