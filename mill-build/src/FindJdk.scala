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
    val compilers = Seq(home / "bin" / "javac", home / "bin" / "javac.exe")
    val release = home / "release"
    if !compilers.exists(os.isFile(_)) || !os.isFile(release) then None
    else
      os.read.lines(release).collectFirst { case s"JAVA_VERSION=\"$version\"" => version }
        .flatMap(version => scala.util.Try(Runtime.Version.parse(version)).toOption)
        .map(Found(home, _))

  /** Every folder below `root` that a JDK may live in, in a fixed order. */
  private def places(env: Map[String, String], root: os.Path): Seq[os.Path] =
    val home = env.get("HOME").orElse(env.get("USERPROFILE")).flatMap(path(_, root))
    val cache = env.get("XDG_CACHE_HOME").flatMap(path(_, root)).orElse(home.map(_ / ".cache"))
    val data = home.map(_ / ".local" / "share")
    val jvms = Seq(
      Some(root / "usr" / "lib" / "jvm"),
      Some(root / "usr" / "java"),
      Some(root / "opt" / "java"),
      env.get("SDKMAN_DIR").flatMap(path(_, root)).orElse(home.map(_ / ".sdkman"))
        .map(_ / "candidates" / "java"),
      Some(root / "Library" / "Java" / "JavaVirtualMachines"),
      home.map(_ / "Library" / "Java" / "JavaVirtualMachines"),
      env.get("ASDF_DATA_DIR").flatMap(path(_, root)).orElse(home.map(_ / ".asdf"))
        .map(_ / "installs" / "java"),
      env.get("MISE_DATA_DIR").flatMap(path(_, root)).orElse(data.map(_ / "mise"))
        .map(_ / "installs" / "java"),
      home.map(_ / ".jdks"),
      cache.map(_ / "coursier" / "jvm"),
      home.map(_ / "Library" / "Caches" / "Coursier" / "jvm")
    )
    val inFolders =
      jvms.flatten.flatMap(children).flatMap(jvm => Seq(jvm, jvm / "Contents" / "Home"))
    (onPath(env, root) ++ inFolders).distinct
  end places

  /** The homes of the `java` commands on the PATH, behind their links. */
  private def onPath(env: Map[String, String], root: os.Path): Seq[os.Path] =
    env.getOrElse("PATH", "").split(java.io.File.pathSeparatorChar).toSeq
      .flatMap(path(_, root))
      .flatMap(folder => Seq(folder / "java", folder / "java.exe"))
      .filter(os.isFile(_))
      .map(java => os.Path(java.toNIO.toRealPath()) / os.up / os.up)

  private def children(folder: os.Path): Seq[os.Path] =
    if os.isDir(folder) then os.list(folder).filter(os.isDir(_)) else Nil

  /** The absolute path in an environment variable; None if its text is not an absolute path. */
  private def path(text: String, root: os.Path): Option[os.Path] =
    if text.isBlank then None else scala.util.Try(os.Path(text, root)).toOption
end FindJdk
