package undercroft.actor
package internal.cell

/** A node of the inbound queue: a message, and the number of messages before it. */
private[actor] final class InboundNode(
    var message: AnyRef | Null,
    var next: InboundNode | Null,
    val number: Long
)

private[actor] object InboundNode:
  /** The initial head of every inbound queue. */
  val First: InboundNode = InboundNode(null, null, 0)

  /** The head of every closed inbound queue. */
  val Closed: InboundNode = InboundNode(null, null, 0)
