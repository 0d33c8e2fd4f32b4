import undercroft.memory.Region
import undercroft.pekko.*
import undercroft.struct.*

/** The texts of received messages. Several threads read messages, so the region is shared. */
val received: Region = Region.shared("received", limitBytes = 64 << 20)
given MessageCodec[TextRef] = MessageCodec.textRefs(received)

final case class Article(id: Int, body: TextRef) derives Struct, MessageCodec

@main def articles(): Unit =
  val (here, there) = (nodeWith(MessageCodec[Article]), nodeWith(MessageCodec[Article]))
  try
    val drafts = Region.shared("drafts")
    val draft = Article(1, TextRef("Below every house lies another.")(using drafts))
    val copy = sent(draft, here, there)
    drafts.close() // the sender's text is gone, and the receiver's copy is not
    println(copy)
  finally
    here.terminate()
    there.terminate()
    received.close()

// prints:
// Article(1,Below every house lies another.)
