package undercroft.buffer.netty
package internal.channel

import io.netty.channel.{Channel, ChannelOption}
import io.netty.util.AttributeKey
import java.util.concurrent.atomic.AtomicInteger

/** Keeps a channel that has a source and a sink open at the end of its input: Netty would close it,
  * and the replies would be lost. A channel with one of them is closed by Netty as before.
  */
private[netty] object HalfClosure:
  /** Bits of the ends that a channel has. */
  val (source, sink) = (1, 2)
  private val both = source | sink
  private val key = AttributeKey.valueOf[AtomicInteger]("undercroft.buffer.netty.ends")

  def add(channel: Channel, end: Int): Unit =
    val ends = channel.attr(key)
    ends.setIfAbsent(AtomicInteger()): Unit
    ends.get.accumulateAndGet(end, _ | _): Unit
    allow(channel)

  /** Called again when the channel becomes active: with the option, Netty would read before. */
  def allow(channel: Channel): Unit =
    val ends = channel.attr(key).get
    if channel.isActive && ends != null && ends.get == both then
      // a channel without half-closure does not know the option
      channel.config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, java.lang.Boolean.TRUE): Unit
end HalfClosure
