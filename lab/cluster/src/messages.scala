package undercroft.lab.cluster

/** A message of 32 bytes. */
final case class Transfer(id: Long, from: Long, to: Long, amount: Long)

/** A message of about a thousand bytes. */
final case class Letter(id: Long, text: String)

object Letter:
  private val text = "The sum of all accounts is the same after each transfer. ".repeat(18)
  def apply(id: Long): Letter = Letter(id, text)
