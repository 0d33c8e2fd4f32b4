package undercroft.tools

import FindJdk.Found

class FindJdkTest extends undercroft.tools.Suite:

  private val root = FunFixture[os.Path](_ => os.temp.dir(), os.remove.all(_))

  /** A folder that looks like a JDK of `version`. */
  private def jdk(home: os.Path, version: String): os.Path =
    os.write(
      home / "release",
      s"IMPLEMENTOR=\"test\"\nJAVA_VERSION=\"$version\"\n",
      createFolders = true
    )
    for tool <- Seq("java", "javac") do os.write(home / "bin" / tool, "", createFolders = true)
    home

  private def find(root: os.Path, env: (String, String)*): Option[String] =
    FindJdk(env.toMap, root, oldest = 25).map(_.home.relativeTo(root).toString)

  root.test("FindJdk searches /usr/lib/jvm and ignores JDK 17"): root =>
    jdk(root / "usr/lib/jvm/java-17", "17.0.15")
    assertEquals(find(root), None)
    jdk(root / "usr/lib/jvm/temurin-25", "25.0.3")
    assertEquals(find(root), Some("usr/lib/jvm/temurin-25"))

  root.test("FindJdk resolves the links of java on the PATH to its JDK"): root =>
    val home = jdk(root / "opt/jdk-25", "25.0.3")
    os.makeDir.all(root / "usr/bin")
    os.symlink(root / "etc-java", home / "bin/java")
    os.symlink(root / "usr/bin/java", root / "etc-java")
    assertEquals(
      find(root, "PATH" -> s"${root / "nowhere"}:${root / "usr/bin"}"),
      Some("opt/jdk-25")
    )

  root.test("FindJdk searches folders of SDKMAN, asdf, mise, IntelliJ and coursier"): root =>
    val home = root / "home/ada"
    for place <- Seq(
        home / ".sdkman/candidates/java/25.0.3-tem",
        home / ".asdf/installs/java/temurin-25",
        home / ".local/share/mise/installs/java/25",
        home / ".jdks/temurin-25",
        home / ".cache/coursier/jvm/temurin-25"
      )
    do
      jdk(place, "25.0.3")
      assertEquals(find(root, "HOME" -> home.toString), Some(place.relativeTo(root).toString))
      os.remove.all(place)

  root.test("FindJdk returns the JDK of JAVA_HOME before one with the preferred version"): root =>
    jdk(root / "usr/lib/jvm/temurin-25", "25.0.3")
    val named = jdk(root / "opt/jdk-26", "26")
    assertEquals(find(root, "JAVA_HOME" -> named.toString), Some("opt/jdk-26"))

  root.test("FindJdk ignores a JAVA_HOME that is too old, empty or missing"): root =>
    jdk(root / "usr/lib/jvm/temurin-25", "25.0.3")
    val old = jdk(root / "opt/jdk-17", "17.0.15")
    for name <- Seq(old.toString, "", (root / "nowhere").toString) do
      assertEquals(find(root, "JAVA_HOME" -> name), Some("usr/lib/jvm/temurin-25"))

  root.test("FindJdk ignores a folder without a compiler, a release file or a version"): root =>
    os.remove(jdk(root / "usr/lib/jvm/jre-25", "25.0.3") / "bin/javac")
    os.remove(jdk(root / "usr/lib/jvm/odd-25", "25.0.3") / "release")
    for version <- Seq("1.8.0_412", "", "x", "25.x", "-25", "25.") do
      jdk(root / "usr/lib/jvm" / s"java-$version", version): Unit
    assertEquals(find(root), None)

  private def found(version: String) = Found(os.root / version, Runtime.Version.parse(version))

  private def choice(named: Option[String], versions: String*): Option[String] =
    FindJdk.choose(named.map(found), versions.map(found), oldest = 25).map(_.home.last)

  test("FindJdk prefers the newest patch of 25 to a later release"):
    val versions = Seq("25-ea", "25.0.1", "27", "25.0.10", "25.0.9", "26.0.1")
    assertEquals(choice(None, versions*), Some("25.0.10"))

  test("FindJdk returns the newest later release if there is no 25"):
    assertEquals(choice(None, "17.0.15", "26", "27.0.1", "27"), Some("27.0.1"))

  test("FindJdk returns the first of two JDKs with the same version"):
    val twins = Seq(
      found("25.0.3").copy(home = os.root / "first"),
      found("25.0.3")
    )
    assertEquals(FindJdk.choose(None, twins, oldest = 25), twins.headOption)

  test("FindJdk returns None if every JDK is too old"):
    assertEquals(choice(Some("17.0.15"), "11.0.27", "21.0.7"), None)

  test("a JDK 25 before 25.0.3 has a warning, and later versions have none"):
    val warning = "JDK 25.0.2 has JDK-8377811 (G1 may corrupt pinned arrays): use 25.0.3 or later"
    assertEquals(found("25.0.2").warning, Some(warning))
    for version <- Seq("25.0.3", "26-ea") do assertEquals(found(version).warning, None, version)
end FindJdkTest
