package undercroft.tools

/** Checks bundles against Maven Central's rules, and that the rules find each fault. */
class CentralBundleTest extends Suite:
  private val folder = FunFixture[os.Path](_ => os.temp.dir(), os.remove.all(_))

  private val pom =
    """<project>
      |  <groupId>org.acme</groupId><artifactId>lamp_3</artifactId><version>1.0</version>
      |  <packaging>jar</packaging>
      |  <name>lamp_3</name><description>a lamp</description><url>https://acme.org</url>
      |  <licenses><license><name>MIT</name><url>https://acme.org/mit</url></license></licenses>
      |  <developers><developer><name>Ada</name></developer></developers>
      |  <scm>
      |    <url>https://acme.org/lamp</url><connection>scm:git:x</connection>
      |    <developerConnection>scm:git:x</developerConnection>
      |  </scm>
      |  <dependencies><dependency>
      |    <groupId>org.acme</groupId><artifactId>wick</artifactId><version>2.0</version>
      |  </dependency></dependencies>
      |</project>""".stripMargin

  private val signature = "-----BEGIN PGP SIGNATURE-----".getBytes("UTF-8").nn

  private def artifact(folder: os.Path, pom: String = pom): CentralBundle.Artifact =
    os.write.over(folder / "lamp.pom", pom)
    for name <- Seq("main", "sources", "docs") do os.write.over(folder / s"$name.jar", name)
    val files = Seq(
      ".pom" -> folder / "lamp.pom",
      ".jar" -> folder / "main.jar",
      "-sources.jar" -> folder / "sources.jar",
      "-javadoc.jar" -> folder / "docs.jar"
    )
    CentralBundle.Artifact("org.acme", "lamp_3", "1.0", files)

  private def violations(
      folder: os.Path,
      artifact: CentralBundle.Artifact,
      isSigned: Boolean = true,
      dryRun: Boolean = false
  ): Seq[String] =
    val bundle = folder / "bundle.zip"
    CentralBundle.write(bundle, Seq(artifact), Option.when(isSigned)(_ => signature))
    CentralRules.violations(bundle, dryRun)

  folder.test("a bundle has each file with its signature and checksums in the repository's layout"):
    folder =>
      assertEquals(violations(folder, artifact(folder)), Nil)
      val entries = FixedJar.entriesOf(folder / "bundle.zip").toMap
      assertEquals(entries.size, 16)
      val jar = "org/acme/lamp_3/1.0/lamp_3-1.0.jar"
      assertEquals(String(entries(jar), "UTF-8"), "main")
      assertEquals(
        String(entries(s"$jar.sha1"), "UTF-8"),
        "b28b7af69320201d1cf206ebf28373980add1451"
      )

  folder.test("the same artifacts make the same bundle"): folder =>
    assertEquals(violations(folder, artifact(folder)), Nil)
    val first = os.read.bytes(folder / "bundle.zip").toVector
    assertEquals(violations(folder, artifact(folder)), Nil)
    assertEquals(os.read.bytes(folder / "bundle.zip").toVector, first)

  folder.test("a bundle without signatures violates the rules"): folder =>
    val missing = violations(folder, artifact(folder), isSigned = false)
    assertEquals(missing.map(_.split(": ").last), Seq.fill(4)("has no .asc"))

  folder.test("an artifact without sources or docs violates the rules"): folder =>
    val whole = artifact(folder)
    for suffix <- Seq("-sources.jar", "-javadoc.jar") do
      val part = whole.copy(files = whole.files.filterNot(_._1 == suffix))
      val name = "org/acme/lamp_3/1.0/lamp_3-1.0.pom"
      assertEquals(violations(folder, part), Seq(s"$name: has no $suffix"))

  folder.test("a wrong checksum, a stray file and a text for a signature violate the rules"):
    folder =>
      assertEquals(violations(folder, artifact(folder)), Nil)
      val jar = "org/acme/lamp_3/1.0/lamp_3-1.0.jar"
      val changed = FixedJar.entriesOf(folder / "bundle.zip").map {
        case (name, _) if name == s"$jar.md5" => (name, "0".getBytes("UTF-8").nn)
        case (name, _) if name == s"$jar.asc" => (name, "0".getBytes("UTF-8").nn)
        case entry                            => entry
      } :+ ("org/acme/readme.md5" -> Array.emptyByteArray)
      FixedJar.write(folder / "changed.zip", changed, None)
      assertEquals(
        CentralRules.violations(folder / "changed.zip", dryRun = false),
        Seq(
          "org/acme/readme.md5: the file that it belongs to is missing",
          s"$jar: .md5 is not its checksum",
          s"$jar: .asc is not a signature"
        )
      )

  for
    element <- Seq(
      "name",
      "description",
      "url",
      "licenses",
      "developers",
      "scm",
      "connection",
      "developerConnection"
    )
  do
    folder.test(s"a POM without <$element> violates the rules"): folder =>
      val without = pom.replaceFirst(s"(?s)<$element>.*?</$element>", "").nn
      assertNotEquals(without, pom)
      val messages = violations(folder, artifact(folder, without))
      assert(messages.nonEmpty)
      for message <- messages do assert(message.contains(element), message)

  folder.test("a POM whose dependency has no version violates the rules"): folder =>
    val without = pom.replace("<version>2.0</version>", "").nn
    assertEquals(
      violations(folder, artifact(folder, without)),
      Seq("org/acme/lamp_3/1.0/lamp_3-1.0.pom: wick has no version")
    )

  folder.test("a POM of other coordinates than its path's violates the rules"): folder =>
    val messages = violations(folder, artifact(folder, pom.replace("lamp_3<", "lamp<").nn))
    assertEquals(
      messages,
      Seq("org/acme/lamp_3/1.0/lamp_3-1.0.pom: its coordinates are org/acme/lamp/1.0/lamp-1.0")
    )

  folder.test("a snapshot version violates the rules, except in a dry run"): folder =>
    val snapshot = artifact(folder, pom.replace("2.0", "2.0-SNAPSHOT").nn)
    assertEquals(
      violations(folder, snapshot),
      Seq("org/acme/lamp_3/1.0/lamp_3-1.0.pom: contains a snapshot version")
    )
    assertEquals(violations(folder, snapshot, dryRun = true), Nil)

  folder.test("a throw-away key signs, and its signature is verified"): folder =>
    assume(Gpg.isInstalled, "gpg is not installed: nothing is signed")
    val file = folder / "lamp"
    os.write(file, "light")
    val gpg = Gpg.throwAway()
    try
      val signed = String(gpg.sign(file), "UTF-8")
      assert(signed.startsWith("-----BEGIN PGP SIGNATURE-----"), signed)
    finally gpg.close()

  test("a reserved host, a snapshot version and an empty value are placeholders"):
    val settings = Seq(
      "url" -> "https://undercroft.example/x",
      "version" -> "1.0-SNAPSHOT",
      "developer" -> "",
      "scm" -> "https://acme.org/lamp"
    )
    assertEquals(
      Placeholders.of(settings),
      Seq(
        "url is a placeholder: https://undercroft.example/x",
        "version is a snapshot: 1.0-SNAPSHOT",
        "developer is empty"
      )
    )
end CentralBundleTest
