package undercroft.lab.bench

import java.lang.management.ManagementFactory
import java.util.concurrent.FutureTask
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import scala.jdk.CollectionConverters.*

/** A ring from the start of its JVM. Prints three lines: the number of messages handled by the end
  * of each step, the number of garbage collections by then, and its [[Facts]].
  *
  * The messages of a step are the count of the first node times the number of nodes: exact to a
  * round. Every node counts the messages of the whole run, which fails if one is missing.
  */
object RingCourse:

  /** The parameters of a run.
    *
    * @param messages
    *   number to handle, however long it takes; 0 to handle messages for `millis`
    */
  final case class Plan(
      system: String,
      nodes: Int,
      tokens: Int,
      workNanos: Int,
      millis: Int,
      messages: Long
  ):
    def words: Seq[String] = Seq(system) ++ Seq(nodes, tokens, workNanos, millis).map(_.toString) :+
      messages.toString

    /** Ten milliseconds, or a thousandth of a long run. */
    def stepMillis: Int = math.max(10, millis / 10_000 * 10)

    /** Messages between two reads of the clock: whole rounds. */
    def hopsOfPass: Int = math.max(1, passHops / (1 + workNanos / 20) / nodes) * nodes

    /** The reason why a ring cannot run by this plan. */
    def refusal: Option[String] =
      if nodes < 1 then Some(s"nodes must be at least 1, but are $nodes")
      else if workNanos < 0 then Some(s"work must be at least 0 ns, but is $workNanos ns")
      else if messages < 0 || messages % nodes != 0 then
        Some(s"messages must be a multiple of $nodes, the nodes, but are $messages")
      else if messages == 0 && millis < stepMillis then
        Some(s"millis must be at least $stepMillis, but are $millis")
      else
        val lastPass = messages % hopsOfPass
        val most = if lastPass == 0 then hopsOfPass.toLong else lastPass
        Option.when(tokens < 1 || tokens > most)(
          s"tokens must be from 1 to $most, but are $tokens"
        )
  end Plan

  object Plan:
    def of(words: Seq[String]): Plan = words match
      case Seq(system, nodes, tokens, work, millis, messages) =>
        Plan(system, nodes.toInt, tokens.toInt, work.toInt, millis.toInt, messages.toLong)
      case _ =>
        throw IllegalArgumentException(
          "SYSTEM NODES TOKENS WORK-NANOS MILLIS MESSAGES, not " + words
        )

  /** The totals of a whole run; 0 for unknown values. The quantiles are of a round's messages. */
  final case class Facts(
      handled: Long,
      spawnMillis: Long,
      wallMillis: Long,
      cpuMillis: Long,
      p50Nanos: Long,
      p99Nanos: Long,
      p999Nanos: Long
  ):
    def numbers: Seq[Long] =
      Seq(handled, spawnMillis, wallMillis, cpuMillis, p50Nanos, p99Nanos, p999Nanos)

  object Facts:
    def of(numbers: Seq[Long]): Option[Facts] = numbers match
      case Seq(handled, spawn, wall, cpu, p50, p99, p999) =>
        Some(Facts(handled, spawn, wall, cpu, p50, p99, p999))
      case _ => None

  /** Messages between two reads of the clock: about ten milliseconds. */
  private val passHops = 1_000_000

  def main(args: Array[String]): Unit =
    // The threads of a system would keep the JVM alive after an exception.
    val code =
      try
        run(args.toSeq)
        0
      catch
        case error: Throwable =>
          error.printStackTrace()
          1
    System.exit(code)

  private def run(args: Seq[String]): Unit =
    val from = System.nanoTime
    val (handled, collections, facts) = args match
      case Seq("idle", millis) =>
        val facts = idle("undercroft", settleMillis = 500, millis.toInt)
        (Seq(facts.handled), Seq(0L), facts)
      case words =>
        val plan = Plan.of(words)
        if plan.system == "erlang" then erlang(plan) else onJvm(plan, from)
    println(handled.mkString(" "))
    println(collections.mkString(" "))
    println(facts.numbers.mkString(" "))

  /** An idle system of a thousand actors, `settleMillis` after a million messages: the facts
    * contain the processor time that the process used.
    */
  def idle(system: String, settleMillis: Int, millis: Int): Facts =
    val ring = Rings.open(system, 1000)
    try
      val handled = ring.pass(1, passHops)
      waitFor(settleMillis)
      val (from, cpu) = (System.nanoTime, cpuNanos)
      waitFor(millis)
      val used = (cpuNanos - cpu) / 1_000_000
      Facts(handled, 0, millisSince(from), used, 0, 0, 0)
    finally ring.close()

  private def waitFor(millis: Int): Unit =
    val from = System.nanoTime
    while millisSince(from) < millis do LockSupport.parkNanos(1_000_000L * millis)

  private def erlang(plan: Plan): (Seq[Long], Seq[Long], Facts) =
    if plan.tokens != 1 || plan.workNanos != 0 then
      throw IllegalArgumentException("the ring in Erlang has one token, and no work")
    val erlang = ErlangRing.start()
    val from = System.nanoTime
    val handled =
      if plan.messages > 0 then Seq(erlang.ask(s"ring ${plan.nodes} 1 ${plan.messages}").toLong)
      else
        val marks = erlang.ask(s"time ${plan.nodes} ${plan.millis} ${plan.stepMillis}")
        marks.split(' ').toSeq.map(_.toLong)
    val facts = Facts(handled.last, 0, millisSince(from), erlang.cpuMillis, 0, 0, 0)
    erlang.close()
    (handled, handled.map(_ => 0L), facts)

  private def onJvm(plan: Plan, from: Long): (Seq[Long], Seq[Long], Facts) =
    val ring = Rings.open(plan.system, plan.nodes, plan.workNanos) match
      case jvm: JvmRing => jvm
      case other        => throw IllegalStateException(s"$other is not measured over time")
    val spawned = millisSince(from)
    val rounds = if plan.tokens == 1 then ring.timed() else Rounds()
    val handled = AtomicLong()
    val until = if plan.messages > 0 then Long.MaxValue else from + plan.millis * 1_000_000L
    val passing = FutureTask[Unit](() => pass(plan, ring, handled, until))
    Thread.ofPlatform.daemon.start(passing): Unit
    val marks = Seq.newBuilder[(Long, Long)]
    var step = 1
    def isDone =
      if plan.messages > 0 then passing.isDone
      else
        val hasFailed = passing.isDone && System.nanoTime < until
        hasFailed || step > plan.millis / plan.stepMillis
    while !isDone do
      val at = from + step * plan.stepMillis * 1_000_000L
      while System.nanoTime < at do LockSupport.parkNanos(at - System.nanoTime)
      marks += ((ring.ofFirst * plan.nodes, collections))
      step += 1
    passing.get(): Unit // throws if the thread did
    val wall = millisSince(from)
    if handled.get < 0 then throw IllegalStateException(s"${plan.system} lost messages: $plan")
    def hop(share: Double) = rounds.quantile(share) / plan.nodes
    val (p50, p99, p999) = (hop(0.5), hop(0.99), hop(0.999))
    val entries = marks.result()
    val facts = Facts(handled.get, spawned, wall, cpuNanos / 1_000_000, p50, p99, p999)
    (entries.map(_._1), entries.map(_._2), facts)
  end onJvm

  /** Sends messages round until `until`, and counts them; a negative count if one is missing. */
  private def pass(plan: Plan, ring: JvmRing, handled: AtomicLong, until: Long): Unit =
    for why <- plan.refusal do throw IllegalArgumentException(why)
    val cap = plan.hopsOfPass
    def isOver =
      if plan.messages > 0 then handled.get >= plan.messages else System.nanoTime >= until
    while handled.get >= 0 && !isOver do
      val hops =
        if plan.messages > 0 then math.min(cap.toLong, plan.messages - handled.get).toInt else cap
      val counted = ring.pass(plan.tokens, hops)
      if counted == hops then handled.addAndGet(hops): Unit else handled.set(Long.MinValue)
  end pass

  private def millisSince(from: Long): Long = (System.nanoTime - from) / 1_000_000

  private def cpuNanos: Long = ManagementFactory.getOperatingSystemMXBean match
    case bean: com.sun.management.OperatingSystemMXBean => bean.getProcessCpuTime
    case _                                              => 0

  private def collections: Long =
    ManagementFactory.getGarbageCollectorMXBeans.nn.asScala.map(_.getCollectionCount).sum
end RingCourse
