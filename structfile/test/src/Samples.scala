package undercroft.structfile

import java.nio.file.{Files, Path}
import undercroft.file.{Fault, StructFileException}
import undercroft.struct.*

/** Lets enums of Java be compared under strict equality. */
given faults: CanEqual[Fault | Null, Fault | Null] = CanEqual.derived

final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)

object Trade:
  def of(i: Long): Trade = Trade(i.toInt, (i * 7 % 1000).toInt, (i % 251).toInt, i % 3 == 0)

object Samples:
  /** A path in a folder of a test's own. */
  def path(): Path = Files.createTempDirectory("undercroft-structfile").nn.resolve("day.trades").nn

  /** The fault that an operation fails with, and its words. */
  def fault(body: => Any): (Fault, String) =
    try
      val _ = body
      throw AssertionError("nothing was wrong")
    catch case error: StructFileException => (error.fault.nn, error.getMessage.nn)
