import undercroft.memory.*
import undercroft.struct.*

case class Tick(at: Long, price: Int) derives Struct

@main def blocks(): Unit =
  given Allocator = Malloc // one block at a time, freed one at a time, by any thread
  val tick = Ref(Tick(at = 1, price = 250))
  println(tick.price)
  Malloc.free(Ref.address(tick))
  try println(tick.price)
  catch case _: StaleReferenceException => println("used after free")
  try Malloc.free(Ref.address(tick))
  catch case _: InvalidFreeException => println("freed twice")

// prints:
// 250
// used after free
// freed twice
