package undercroft.actor

import internal.cell.StashQueue
import internal.mailbox.MessageQueue

/** The memory of a stash. */
class StashQueueTest extends undercroft.tools.Suite:
  private val count = 1000

  private def filled(): StashQueue =
    val queue = StashQueue()
    for n <- 1 to count do queue.insert(s"$n", n)
    assert(queue.capacity >= count, s"${queue.capacity}")
    queue

  private val removals = List[(String, StashQueue => AnyRef | Null)](
    ("pollFirst", _.pollFirst()),
    ("takeFirst", _.takeFirst(_ => true))
  )

  for (name, remove) <- removals do
    test(s"a queue that $name has emptied is small again, and works as before"):
      val queue = filled()
      for n <- 1 to count do assertEquals(remove(queue), s"$n")
      assert(queue.capacity <= MessageQueue.KeptCapacity, s"${queue.capacity}")
      assertEquals(remove(queue), null)
      for n <- count to 1 by -1 do queue.insert(s"$n", n)
      for n <- 1 to count do assertEquals(remove(queue), s"$n")
end StashQueueTest
