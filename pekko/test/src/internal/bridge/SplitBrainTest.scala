package undercroft.pekko
package internal.bridge

import com.typesafe.config.ConfigFactory

class SplitBrainTest extends undercroft.tools.Suite:
  private def warning(settings: String): Option[String] =
    val config = ConfigFactory.parseString(settings).nn.withFallback(ConfigFactory.load()).nn
    PekkoBridge.splitBrainWarning(config.resolve().nn)

  test("a cluster without a split brain resolver gets a warning"):
    assert(clue(warning("pekko.actor.provider = cluster")).exists(_.contains("both sides")))

  test("no warning: no cluster, or this module's settings, or a downing provider of the user's"):
    assertEquals(warning(""), None)
    assertEquals(warning("include \"undercroft-cluster\""), None)
    val own = "pekko.actor.provider = cluster, pekko.cluster.downing-provider-class = a.Resolver"
    assertEquals(warning(own), None)
