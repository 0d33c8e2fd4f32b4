package undercroft.tools

/** Finds the JDK that builds everything, wherever a system keeps its JDKs.
  *
  * The build compiles this file into itself, and the tests of `tools` compile it again to test it.
  */
object FindJdk:

  /** A JDK on this machine: its folder, and the version in its `release` file. */
  final case class Found(home: os.Path, version: Runtime.Version):
    /** What to know of the version before relying on it; None where nothing is known. */
    def warning: Option[String] =
      Option.when(version.feature == 25 && version.compareTo(Runtime.Version.parse("25.0.3")) < 0)(
        s"JDK $version has JDK-8377811 (G1 may corrupt pinned arrays): use 25.0.3 or later"
      )

  /** The JDK to use: the one JAVA_HOME names if it will do, else the newest patch of `oldest`'s
    * release, else the newest later one; the first found where two are alike.
    */
  def apply(env: Map[String, String], root: os.Path, oldest: Int): Option[Found] =
    val named = env.get("JAVA_HOME").flatMap(path(_, root)).flatMap(jdkAt)
    choose(named, places(env, root).flatMap(jdkAt), oldest)

  /** Chooses among the JDKs that were found; reads no files. */
  def choose(named: Option[Found], found: Seq[Found], oldest: Int): Option[Found] =
    def newest(jdks: Seq[Found]) =
      jdks.reduceOption((a, b) => if b.version.compareTo(a.version) > 0 then b else a)
    named.filter(_.version.feature >= oldest)
      .orElse(newest(found.filter(_.version.feature == oldest)))
      .orElse(newest(found.filter(_.version.feature > oldest)))

  /** The JDK in a folder; None where its `release` file or its compiler is missing, or its version
    * is that of Java 8, or no version.
    */
  def jdkAt(home: os.Path): Option[Found] =
    val release = home / "release"
    if !os.isFile(home / "bin" / "javac") || !os.isFile(release) then None
    else
      os.read.lines(release).collectFirst { case s"JAVA_VERSION=\"$version\"" => version }
        .flatMap(version => scala.util.Try(Runtime.Version.parse(version)).toOption)
        .map(Found(home, _))

  /** The folders of version managers: the variable that names one, its default below the home
    * folder, and the folder of JDKs in it.
    */
  private val managers = Seq(
    ("SDKMAN_DIR", ".sdkman", "candidates/java"),
    ("ASDF_DATA_DIR", ".asdf", "installs/java"),
    ("MISE_DATA_DIR", ".local/share/mise", "installs/java"),
    ("XDG_CACHE_HOME", ".cache", "coursier/jvm")
  )

  /** Every folder below `root` that a JDK may live in, in a fixed order. */
  private def places(env: Map[String, String], root: os.Path): Seq[os.Path] =
    val home = env.get("HOME").flatMap(path(_, root))
    val managed = managers.flatMap { (variable, default, jdks) =>
      env.get(variable).flatMap(path(_, root)).orElse(home.map(_ / os.SubPath(default)))
        .map(_ / os.SubPath(jdks))
    }
    val systems = Seq("usr/lib/jvm", "usr/java", "opt/java").map(root / os.SubPath(_))
    val folders = systems ++ managed ++ home.map(_ / ".jdks")
    (onPath(env, root) ++ folders.filter(os.isDir(_)).flatMap(os.list(_))).distinct

  /** The homes of the `java` commands on the PATH, behind their links. */
  private def onPath(env: Map[String, String], root: os.Path): Seq[os.Path] =
    env.getOrElse("PATH", "").split(java.io.File.pathSeparatorChar).toSeq
      .flatMap(path(_, root))
      .map(_ / "java")
      .filter(os.isFile(_))
      .map(java => os.Path(java.toNIO.toRealPath()) / os.up / os.up)

  /** The absolute path in an environment variable; None if its text is not an absolute path. */
  private def path(text: String, root: os.Path): Option[os.Path] =
    if text.isBlank then None else scala.util.Try(os.Path(text, root)).toOption
end FindJdk
