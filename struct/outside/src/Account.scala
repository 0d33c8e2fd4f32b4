package outside.privatefields

import undercroft.struct.*

/** Structs with private fields, in another file than their uses. */
case class Account(id: Int, private val pin: Int) derives Struct
object Account:
  def pins(rows: Rows[Account]): Vector[Int] = rows.map(_.pin).toVector
  def pinOf(ref: Ref[Account]): Int = ref.pin
  def change(ref: Ref[Account], pin: Int): Unit = ref.pin = pin

case class Secret[A](private val value: A, id: Int) derives Struct
case class Safe(account: Option[Account], n: Int) derives Struct
