package undercroft.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Builders of JVMs of the same version as this one, for tests that read their output. */
public final class ChildJvm {
  /** A JVM prints `Picked up` and the options that it takes from these variables. */
  private static final List<String> OPTIONS = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  /** The `java` that runs this process. */
  public static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /** A builder of `java` with arguments, without options of the environment. */
  public static ProcessBuilder builder(List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(JAVA);
    command.addAll(arguments);
    return withoutOptions(new ProcessBuilder(command));
  }

  /** A builder of `java` with arguments, without options of the environment. */
  public static ProcessBuilder builder(String... arguments) {
    return builder(List.of(arguments));
  }

  /** Removes the options of the environment: for a program that starts a JVM itself. */
  public static ProcessBuilder withoutOptions(ProcessBuilder builder) {
    builder.environment().keySet().removeAll(OPTIONS);
    return builder;
  }

  private ChildJvm() {}
}
