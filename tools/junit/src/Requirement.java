package undercroft.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.AssumptionViolatedException;

/**
 * What a test needs beside a JDK. This is the only place that knows how to find it and what to
 * install or provide: a test calls {@link #require}, and is skipped with that sentence if the
 * machine lacks it. Thread-safe; each requirement is looked up once in a JVM.
 */
public enum Requirement {
  BASH("bash is not on the PATH: install bash", onPath("bash")),
  CHATTR(
      "a file cannot be made append-only: run as root, with chattr (e2fsprogs), on ext4 or xfs",
      Requirement::canChangeAttributes),
  CHROMIUM(
      "chromium is not on the PATH: install chromium (or chromium-browser, or google-chrome)",
      () -> chromium().isPresent()),
  CORE_DUMPS(
      "the system writes no core dumps to the working directory: set kernel.core_pattern to core, and allow"
          + " ulimit -c 8388608",
      () -> text("/proc/sys/kernel/core_pattern").filter(text -> !text.matches("(?s)[|/].*")).isPresent()),
  DEV_FULL("there is no /dev/full: provide the device", () -> Files.exists(Path.of("/dev/full"))),
  DEV_SHM("/dev/shm is not writable: mount a tmpfs there", () -> Files.isWritable(Path.of("/dev/shm"))),
  ERLANG("erl and erlc are not on the PATH: install erlang-base", onPath("erl", "erlc")),
  GCC("gcc is not on the PATH: install gcc", onPath("gcc")),
  GIT("git is not on the PATH: install git", onPath("git")),
  GXX("g++ is not on the PATH: install g++", onPath("g++")),
  KILL("kill is not on the PATH: install procps", onPath("kill")),
  LANCE(
      "no Python has lance: pip install pylance to python3, to out/python, or to the environment"
          + " UNDERCROFT_PYTHON_HOME",
      () -> PythonPackages.LANCE.isPresent()),
  LINUX("the system is not Linux", () -> System.getProperty("os.name").equals("Linux")),
  LOCKED_MEMORY("the process may not lock its memory: run as root, or raise ulimit -l", () -> true),
  MEMORY_6G(
      "the system has less than 6 GiB of memory: provide 6 GiB",
      () ->
          ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
              && system.getTotalMemorySize() >= 6L << 30),
  PYPI(
      "pip cannot install packages: install Python 3.10 or later with venv, and provide a package index",
      () -> onPath("python3").getAsBoolean()),
  PYSPARK(
      "no Python has the pyspark of this Spark's version: pip install it to python3, or to the environment"
          + " UNDERCROFT_PYTHON_HOME",
      () -> true),
  PYTHON3("python3 is not on the PATH: install python3", onPath("python3")),
  PYTHON_PACKAGES(
      "no Python has " + PythonPackages.NAMES + ": pip install them to python3, to"
          + " out/python, or to the environment UNDERCROFT_PYTHON_HOME",
      () -> PythonPackages.EXECUTABLE.isPresent()),
  SBT("the launcher of sbt could not be resolved: provide a Maven repository that has it", () -> true),
  SCALA_CLI("neither scala-cli nor a scala that is Scala CLI is on the PATH: install Scala CLI", () -> true),
  SMALL_DISK("the process may not mount a tmpfs: run as root, with mount and umount", SmallDisk::isMountable),
  THRIFT(
      "thrift is not on the PATH, or its C++ library or Boost's headers are missing: install"
          + " thrift-compiler, libthrift-dev and libboost-dev",
      () -> onPath("thrift").getAsBoolean() && hasHeaders("thrift/Thrift.h", "boost/version.hpp"));

  /** The file in the test's working directory with one line for each skipped test. */
  private static final Path SKIPPED = Path.of("skipped.txt");

  private final String sentence;
  private final BooleanSupplier look;
  private Boolean isMet;

  Requirement(String sentence, BooleanSupplier look) {
    this.sentence = sentence;
    this.look = look;
  }

  /** Whether the machine has it. */
  public synchronized boolean isMet() {
    if (isMet == null) isMet = look.getAsBoolean();
    return isMet;
  }

  /** Skips the test, if the machine lacks it. */
  public void require() {
    require(isMet());
  }

  /**
   * Skips the test, if `isMet` is false: for what only the test can find out. Appends the sentence to
   * `skipped.txt`.
   */
  public void require(boolean isMet) {
    if (isMet) return;
    synchronized (SKIPPED) {
      try {
        Files.writeString(SKIPPED, sentence + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new AssumptionViolatedException("skipped: " + sentence);
  }

  /** A program of the PATH. */
  public static Optional<Path> program(String name) {
    var folders = Optional.ofNullable(System.getenv("PATH")).orElse("").split(java.io.File.pathSeparator);
    return Stream.of(folders)
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  /** The executable of Chromium. */
  public static Optional<Path> chromium() {
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> program(name).stream())
        .findFirst();
  }

  /** The Python that has the packages of {@link #PYTHON_PACKAGES}; skips the test if there is none. */
  public static String python() {
    PYTHON_PACKAGES.require();
    return PythonPackages.EXECUTABLE.get();
  }

  /** The Python that has Lance; skips the test if there is none. */
  public static String pythonWithLance() {
    LANCE.require();
    return PythonPackages.LANCE.get();
  }

  private static BooleanSupplier onPath(String... names) {
    return () -> Stream.of(names).allMatch(name -> program(name).isPresent());
  }

  private static boolean hasHeaders(String... names) {
    return Stream.of(names)
        .allMatch(
            name ->
                Stream.of("/usr/include", "/usr/local/include").anyMatch(folder -> Files.exists(Path.of(folder, name))));
  }

  private static Optional<String> text(String file) {
    try {
      return Optional.of(Files.readString(Path.of(file)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Whether a command ends with 0. Its output is dropped. */
  static boolean succeeds(String... command) {
    try {
      var dropped = ProcessBuilder.Redirect.DISCARD;
      var builder = new ProcessBuilder(command).redirectOutput(dropped).redirectError(dropped);
      // The project's folder duckdb would be a Python package of that name, too.
      return builder.directory(new java.io.File("/")).start().waitFor() == 0;
    } catch (IOException e) {
      return false; // there is no such program
    } catch (InterruptedException e) {
      throw new IllegalStateException(List.of(command) + " was interrupted", e);
    }
  }

  private static boolean canChangeAttributes() {
    try {
      var file = Files.createTempFile("undercroft-attributes", "").toString();
      boolean isChanged = succeeds("chattr", "+a", file);
      if (isChanged) succeeds("chattr", "-a", file);
      Files.delete(Path.of(file));
      return isChanged;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The Python of a folder of this project, if it has the packages, or the one of the PATH. */
  private static final class PythonPackages {
    static final String NAMES = "duckdb, jpype, numpy, pandas, pyarrow, polars, pytest";

    /** Finds the packages without an import, which takes a second. */
    private static final String FIND =
        "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1].split(', '))))";

    static final Optional<String> EXECUTABLE = having(NAMES);
    static final Optional<String> LANCE = having("lance, pyarrow");

    private static Optional<String> having(String names) {
      return Stream.concat(
              Stream.ofNullable(System.getenv("UNDERCROFT_PYTHON_HOME")).map(home -> home + "/bin/python"),
              Stream.of("python3"))
          .filter(python -> succeeds(python, "-c", FIND, names))
          .findFirst();
    }
  }
}
