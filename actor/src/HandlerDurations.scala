package undercroft.actor

import internal.observe.DurationBuckets

/** A snapshot of the durations of the handlers of an actor system, as a histogram: see
  * [[ActorObservation.durations]]. Immutable, about 4 KB.
  *
  * Each message counts once, with the time that its handler took: also if the handler failed,
  * stashed the message, or left it unhandled. While actors run, a snapshot may lack messages that
  * other threads are recording.
  *
  * {{{
  * def report(system: ActorSystem): Unit =
  *   val durations = system.observe.durations
  *   println("p99: " + durations.quantile(0.99) / 1000 + " µs, longest: " + durations.maxNanos)
  * }}}
  */
final class HandlerDurations private[actor] (
    private[undercroft] val counts: Array[Long],
    val sumNanos: Long,
    val maxNanos: Long
):
  /** The number of messages. */
  val count: Long = counts.sum

  /** The duration in nanoseconds that the share `q` of the messages did not exceed; 0 without
    * messages. `quantile(1)` is the exact maximum; the relative error of others is at most
    * [[HandlerDurations.RelativeError]], before it is rounded to a nanosecond. Cost: about 500
    * additions.
    *
    * {{{
    * def median(system: ActorSystem): Long = system.observe.durations.quantile(0.5)
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `q` is not from 0 to 1
    */
  def quantile(q: Double): Long =
    if !(q >= 0 && q <= 1) then throw IllegalArgumentException(s"q must be from 0 to 1, but is $q")
    if count == 0 then 0L
    else if q == 1 then maxNanos
    else
      val rank = math.max(1L, math.ceil(q * count).toLong)
      var position = 0
      var sum = counts(0)
      while sum < rank && position < counts.length - 1 do
        position += 1
        sum += counts(position)
      math.min(maxNanos, math.round(DurationBuckets.middleNanos(position)))

  /** The durations that were recorded after an earlier snapshot of the same system. The maximum is
    * exact if it is a new one, else the upper bound of the bucket of the longest duration.
    *
    * {{{
    * def recent(system: ActorSystem, earlier: HandlerDurations): Long =
    *   system.observe.durations.since(earlier).quantile(0.99)
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `earlier` has messages that this snapshot lacks
    */
  def since(earlier: HandlerDurations): HandlerDurations =
    val difference = Array.tabulate(counts.length)(i => counts(i) - earlier.counts(i))
    if difference.exists(_ < 0) then
      throw IllegalArgumentException(
        s"earlier must be an earlier snapshot, but has $earlier, and this one $this"
      )
    val last = difference.lastIndexWhere(_ > 0)
    val longest =
      if last < 0 then 0L
      else if maxNanos > earlier.maxNanos then maxNanos
      else math.min(maxNanos, DurationBuckets.upperNanos(last).toLong)
    new HandlerDurations(difference, math.max(0L, sumNanos - earlier.sumNanos), longest)

  override def toString: String =
    s"$count messages, p50 ${quantile(0.5)} ns, p99 ${quantile(0.99)} ns, longest $maxNanos ns"
end HandlerDurations

object HandlerDurations:
  /** The largest relative error of a quantile, about 4.4 %. */
  val RelativeError: Double = DurationBuckets.RelativeError
