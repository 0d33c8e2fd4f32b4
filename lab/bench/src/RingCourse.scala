package undercroft.lab.bench

import java.lang.management.ManagementFactory
import java.util.concurrent.locks.LockSupport
import scala.jdk.CollectionConverters.*

/** A ring from the start of its JVM: prints how many messages were handled by the end of each 10
  * ms, and on a second line how many collections of garbage there had been by then.
  *
  * The messages are those of the first node, times the nodes: exact to a round.
  */
object RingCourse:
  val stepMillis = 10

  def main(args: Array[String]): Unit = args match
    case Array("erlang", nodes, millis) =>
      val erlang = ErlangRing.start()
      println(erlang.ask(s"time $nodes $millis"))
      println(Seq.fill(millis.toInt / stepMillis)(0).mkString(" "))
      erlang.close()
    case Array(system, nodes, millis) =>
      val from = System.nanoTime
      Rings.open(system, nodes.toInt) match
        case ring: JvmRing =>
          // The last message has two thousand million hops to go, and ends with the JVM.
          Thread.ofPlatform.daemon.start(() =>
            ring.pass(1, Int.MaxValue / nodes.toInt * nodes.toInt): Unit
          ): Unit
          val marks = (1 to millis.toInt / stepMillis).map: step =>
            val at = from + step * stepMillis * 1_000_000L
            while System.nanoTime < at do LockSupport.parkNanos(at - System.nanoTime)
            (ring.ofFirst * nodes.toLong, collections)
          println(marks.map(_._1).mkString(" "))
          println(marks.map(_._2).mkString(" "))
          System.exit(0)
        case other => throw IllegalStateException(s"$other is not measured over time")
    case _ => throw IllegalArgumentException("SYSTEM NODES MILLIS")

  private def collections: Long =
    ManagementFactory.getGarbageCollectorMXBeans.nn.asScala.map(_.getCollectionCount).sum
end RingCourse
