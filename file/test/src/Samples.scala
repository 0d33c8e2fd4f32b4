package undercroft.file

import java.nio.file.Path
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.struct.*

/** Lets Java enums be compared under strict equality. */
given kinds: CanEqual[ErrorKind | Null, ErrorKind | Null] = CanEqual.derived

final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)

object Trade:
  def of(i: Long): Trade = Trade(i.toInt, (i * 7 % 1000).toInt, (i % 251).toInt, i % 3 == 0)

object Samples:
  /** A path in a temporary folder that is created for the test. */
  def path(): Path =
    undercroft.tools.TemporaryFolders.create("undercroft-file").resolve("day.trades").nn

  /** The kind and the message of the exception that an operation throws. */
  def failure(body: => Any): (ErrorKind, String) =
    try
      val _ = body
      throw AssertionError("nothing was wrong")
    catch case error: StructFileException => (error.kind.nn, error.getMessage.nn)
