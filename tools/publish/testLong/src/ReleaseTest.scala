package undercroft.tools.publish

import undercroft.tools.{CentralRules, FixedJar, Gpg}

/** Checks the bundle of a dry run of `./mill release`. */
class ReleaseTest extends undercroft.tools.Suite:
  private val bundle = os.Path(sys.env("UNDERCROFT_BUNDLE"))

  test("the bundle of a dry run conforms to Maven Central's rules, except for its version"):
    assume(Gpg.isInstalled, "gpg is not installed: the bundle has no signatures")
    assertEquals(CentralRules.violations(bundle, dryRun = true), Nil)

  test("the bundle has every library with a bill of materials, and the versions of all"):
    val names = FixedJar.entriesOf(bundle).map(_._1)
    val artifacts = names.filter(_.endsWith(".pom")).map(_.stripSuffix(".pom"))
    assert(artifacts.size >= 14, artifacts)
    val (versions, libraries) = artifacts.partition(_.contains("/undercroft-bom-"))
    assertEquals(versions.size, 1)
    val missing = libraries.filterNot(name => names.contains(s"$name-cyclonedx.json"))
    assertEquals(missing, Nil)
end ReleaseTest
