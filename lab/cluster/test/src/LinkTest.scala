package undercroft.lab.cluster

import scala.concurrent.duration.{Duration, DurationInt}

/** Messages over each link arrive, all of them. */
class LinkTest extends munit.FunSuite:
  override val munitTimeout: Duration = 3.minutes

  private def passes(name: String)(open: => Link[AnyRef]): Unit = test(name):
    val link = open
    try
      for id <- 1 to 1000 do link.send(if id % 2 == 0 then Transfer(id, 1, 2, 3) else Letter(id))
      val end = System.nanoTime + 60_000_000_000L
      while link.count < 1000 && System.nanoTime < end do Thread.onSpinWait()
      assertEquals(link.count, 1000L)
    finally link.close()

  passes("a tell of structs")(Link.Ours())
  passes("a tell of CBOR")(Link.Plain(Node.Serializer.Cbor))
  passes("a tell of Java's serialization")(Link.Plain(Node.Serializer.Java))
  passes("reliable delivery of structs")(Link.OursReliable())
  passes("Pekko's reliable delivery of CBOR")(Link.PekkoReliable(Node.Serializer.Cbor))
