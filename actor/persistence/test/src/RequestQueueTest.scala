package undercroft.actor
package persistence

import internal.journal.RequestQueue
import java.util.ArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.LongAdder

class RequestQueueTest extends undercroft.tools.Suite:

  test("a closed queue takes all accepted requests and refuses the others"):
    var refusedInAll = 0L
    for _ <- 1 to 200 do
      val last = Object()
      val queue = RequestQueue[Object](last)
      val (accepted, refused) = (LongAdder(), LongAdder())
      val started = CountDownLatch(3)
      val senders = Vector.tabulate(3): index =>
        val factory = if index == 0 then Thread.ofVirtual else Thread.ofPlatform
        factory.start: () =>
          started.countDown()
          for _ <- 1 to 300 do
            if queue.offer(Object()) then accepted.increment() else refused.increment()
      started.await()
      val closer = Thread.ofPlatform.start: () =>
        queue.close()
        queue.close()
      val batch = ArrayList[Object]()
      var taken = 0
      var isOpen = true
      while isOpen do
        batch.clear()
        isOpen = queue.take(batch, 16)
        taken += batch.size
      senders.foreach(_.join())
      closer.join()
      assertEquals(taken - 1L, accepted.sum)
      assert(queue.isEmpty)
      assert(!queue.offer(Object()))
      refusedInAll += refused.sum
    end for
    assert(refusedInAll > 0, "no request came too late")
end RequestQueueTest
