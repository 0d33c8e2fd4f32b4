package outside.pekko

import scala.concurrent.duration.*
import undercroft.actor.*

/** Senders of one node to the books of others. */
abstract class NodeSuite extends PekkoSuite:

  /** The report of a book, asked again until there is a reply. */
  def report(book: ActorRef[Entry]): Booked =
    var result: Option[Booked] = None
    until:
      try result = Some(book.ask[Booked](5.seconds)(Entry.Report(_)))
      catch case _: AskTimeoutException => ()
      result.isDefined
    result.get
end NodeSuite
