import undercroft.memory.*

@main def regions(): Unit =
  Region.scoped: // for this thread; freed at the end of the block
    val block = Region.allocate(64) // an FFM segment, zeroed
    println(block.byteSize)

  val shared = Region.shared("orders") // for several threads; closed by hand
  val segment = shared.allocate(64, 8)
  shared.close()
  try shared.allocate(64, 8)
  catch case error: RegionClosedException => println(error.getMessage)
  try segment.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0)
  catch case error: IllegalStateException => println(error.getMessage)

  val budget = Budget("cache", limitBytes = 1.MiB) // the limit of several regions together
  Region.within(budget):
    try Region.allocate(2.MiB)
    catch case error: MemoryLimitException => println(error.getMessage)

// prints:
// 64
// region "orders" is closed
// Already closed
// asked for 2097152 bytes, but only 1048576 are available in the budget of cache
