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

  root.test("the distribution's folder is searched, and 17 will not do"): root =>
    jdk(root / "usr/lib/jvm/java-17", "17.0.15")
    assertEquals(find(root), None)
    jdk(root / "usr/lib/jvm/temurin-25", "25.0.3")
    assertEquals(find(root), Some("usr/lib/jvm/temurin-25"))

  root.test("java on the PATH leads through its links to its JDK"): root =>
    val home = jdk(root / "opt/jdk-25", "25.0.3")
    os.makeDir.all(root / "usr/bin")
    os.symlink(root / "etc-java", home / "bin/java")
    os.symlink(root / "usr/bin/java", root / "etc-java")
    assertEquals(
      find(root, "PATH" -> s"${root / "nowhere"}:${root / "usr/bin"}"),
      Some("opt/jdk-25")
    )

  root.test("SDKMAN, asdf, mise, IntelliJ, coursier and macOS places are searched"): root =>
    val home = root / "home/ada"
    for place <- Seq(
        home / ".sdkman/candidates/java/25.0.3-tem",
        home / ".asdf/installs/java/temurin-25",
        home / ".local/share/mise/installs/java/25",
        home / ".jdks/temurin-25",
        home / ".cache/coursier/jvm/temurin-25",
        root / "Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home"
      )
    do
      jdk(place, "25.0.3")
      assertEquals(find(root, "HOME" -> home.toString), Some(place.relativeTo(root).toString))
      os.remove.all(place)

  root.test("the JDK that JAVA_HOME names is taken before a newer one"): root =>
    jdk(root / "usr/lib/jvm/temurin-25", "25.0.3")
    val named = jdk(root / "opt/jdk-26", "26")
    assertEquals(find(root, "JAVA_HOME" -> named.toString), Some("opt/jdk-26"))

  root.test("a JAVA_HOME that is too old, empty or not there is passed over"): root =>
    jdk(root / "usr/lib/jvm/temurin-25", "25.0.3")
    val old = jdk(root / "opt/jdk-17", "17.0.15")
    for name <- Seq(old.toString, "", (root / "nowhere").toString) do
      assertEquals(find(root, "JAVA_HOME" -> name), Some("usr/lib/jvm/temurin-25"))

  root.test("a folder without a compiler or without a release file is no JDK"): root =>
    os.remove(jdk(root / "usr/lib/jvm/jre-25", "25.0.3") / "bin/javac")
    os.remove(jdk(root / "usr/lib/jvm/odd-25", "25.0.3") / "release")
    assertEquals(find(root), None)

  private def found(version: String) =
    Found(os.root / version, JdkVersion.parse(version).getOrElse(fail(s"no version: $version")))

  private def choice(named: Option[String], versions: String*): Option[String] =
    FindJdk.choose(named.map(found), versions.map(found), oldest = 25).map(_.home.last)

  test("the newest patch of 25 comes before a later release"):
    assertEquals(choice(None, "25.0.1", "27", "25.0.10", "25.0.9", "26.0.1"), Some("25.0.10"))

  test("without a 25 the newest later release is taken"):
    assertEquals(choice(None, "17.0.15", "26", "27.0.1", "27"), Some("27.0.1"))

  test("of two that are alike the first found is taken"):
    val twins = Seq(
      Found(os.root / "first", JdkVersion(25, 0, 3)),
      Found(os.root / "b", JdkVersion(25, 0, 3))
    )
    assertEquals(FindJdk.choose(None, twins, oldest = 25), twins.headOption)

  test("nothing that will do is no choice"):
    assertEquals(choice(Some("17.0.15"), "1.8.0_412", "21.0.7"), None)
end FindJdkTest
