import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;

/**
 * One node of an OpenSearch cluster on loopback; SIGTERM ends it cleanly, SIGKILL is the loss of a node.
 *
 * java -cp 'classes:lib/*' Nodes FOLDER NUMBER HTTP_PORT,… TRANSPORT_PORT,… (one of each for each node; numbers begin at 0)
 */
public class Nodes {
  static final class LocalNode extends Node {
    LocalNode(Environment environment, Collection<Class<? extends Plugin>> plugins) {
      super(environment, plugins, false);
    }
  }

  private static final List<String> PLUGINS = List.of(
      "transport.Netty4Plugin",
      "analysis.common.CommonAnalysisPlugin",
      "painless.PainlessPlugin",
      "index.reindex.ReindexPlugin",
      "index.mapper.MapperExtrasPlugin",
      "geo.GeoModulePlugin");

  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]).toAbsolutePath();
    int number = Integer.parseInt(arguments[1]);
    String[] httpPorts = arguments[2].split(",");
    String[] transportPorts = arguments[3].split(",");
    List<String> names = new ArrayList<>();
    List<String> seeds = new ArrayList<>();
    for (int i = 0; i < transportPorts.length; i++) {
      names.add("node" + i);
      seeds.add("127.0.0.1:" + transportPorts[i]);
    }
    String name = names.get(number);
    Files.createDirectories(home.resolve("config"));
    Settings settings = Settings.builder()
        .put("path.home", home.toString())
        .put("path.data", home.resolve("data").toString())
        .put("cluster.name", "cartulary-" + transportPorts[0])
        .put("node.name", name)
        .put("network.host", "127.0.0.1")
        .put("http.port", httpPorts[number])
        .put("transport.port", transportPorts[number])
        .put("http.type", "netty4")
        .put("transport.type", "netty4")
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .put("action.auto_create_index", false)
        .putList("discovery.seed_hosts", seeds)
        .putList("cluster.initial_cluster_manager_nodes", names)
        .build();
    List<Class<? extends Plugin>> plugins = new ArrayList<>();
    for (String plugin : PLUGINS)
      plugins.add(Class.forName("org.opensearch." + plugin).asSubclass(Plugin.class));
    Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> name);
    Node node = new LocalNode(environment, plugins);
    node.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        node.close();
      } catch (Exception error) {
        error.printStackTrace();
      }
    }));
    Thread.currentThread().join();
  }
}
