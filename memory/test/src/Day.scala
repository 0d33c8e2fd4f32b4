package undercroft.memory

import internal.cage.Cage
import java.lang.foreign.ValueLayout.JAVA_LONG

/** Checks all kinds of memory in one run that prints "all good": for forked JVMs. */
object Day:
  private def check(problem: String, good: Boolean): Unit =
    if !good then throw AssertionError(problem)

  private def refused(body: => Unit): Boolean =
    try
      body
      false
    catch case _: (MemoryException | IllegalStateException) => true

  def main(args: Array[String]): Unit =
    for _ <- 1 to 3 do
      regions()
      segments()
      malloc()
      reservations()
    println(Cage.space.description)
    println("all good")

  private def regions(): Unit =
    val leaked = Region.named("day"):
      val blocks =
        (1 to 2000).map(i => (Region.current.allocateBlock(8L * i % 5000 + 8, 8), i.toLong))
      check("zeroed", blocks.forall((b, _) => Cage.getLong(b.bits, 0) == 0))
      for (b, i) <- blocks do Cage.setLong(b.bits, 0, i)
      check("kept", blocks.forall((b, i) => Cage.getLong(b.bits, 0) == i))
      blocks.head._1
    val e =
      try
        val _ = Cage.getLong(leaked.bits, 0)
        None
      catch case e: StaleReferenceException => Some(e.getMessage)
    check(s"named: $e", e.exists(_.contains("region \"day\"")))

  private def segments(): Unit =
    val region = Region.shared()
    val segment = region.allocate(1.MiB, 64)
    check("zero", segment.get(JAVA_LONG, 8) == 0)
    segment.set(JAVA_LONG, 8, 7)
    check("one memory", Cage.getLong(Cage.addressOf(segment).bits, 8) == 7)
    val inner = segment.asSlice(4096, 8)
    Cage.setLong(Cage.addressOf(inner).bits, 0, 9)
    check("slices", segment.get(JAVA_LONG, 4096) == 9)
    check("inside", Cage.isInside(segment))
    region.close()
    check("closed segment", refused(segment.get(JAVA_LONG, 8): Unit))
    check("closed region", refused(region.allocate(8, 8): Unit))

  private def malloc(): Unit =
    val block = Malloc.allocateBlock(100, 8)
    Cage.setLong(block.bits, 0, 5)
    check("malloc", Cage.getLong(block.bits, 0) == 5)
    check("bounds", refused(Cage.getLong(block.bits, 96): Unit))
    Malloc.free(block, 100)
    check("freed", refused(Cage.getLong(block.bits, 0): Unit))
    check("twice", refused(Malloc.free(block)))
    val segment = Malloc.allocate(64, 8)
    segment.set(JAVA_LONG, 8, 3)
    Malloc.free(segment)
    check("freed segment", refused(segment.get(JAVA_LONG, 8): Unit))

  private def reservations(): Unit =
    val reservation = Reservation(1.GiB)
    reservation.segment(3.MiB).set(JAVA_LONG, 2.MiB, 11)
    check("grown", Cage.getLong(reservation.address.bits, 2.MiB) == 11)
    check("not grown", refused(Cage.getLong(reservation.address.bits, 100.MiB): Unit))
    val segment = reservation.segment(8.MiB)
    reservation.close()
    check("closed", refused(segment.get(JAVA_LONG, 0): Unit))
    check("closed", refused(Cage.getLong(reservation.address.bits, 0): Unit))
end Day
