package outside.privatefields

import undercroft.struct.*

/** Structs with private fields, in another file than their uses. */
case class Account(id: Int, private val pin: Int) derives Struct
object Account:
  def pins(rows: Rows[Account]): Vector[Int] = rows.map(_.pin).toVector
  def pinOf(ref: Ref[Account]): Int = ref.pin
  def change(ref: Ref[Account], pin: Int): Unit = ref.pin = pin

object Bank:
  case class Vault(id: Int, private[Bank] val code: Int, protected val owner: Int) derives Struct
  object Vault:
    def ownerOf(ref: Ref[Vault]): Int = ref.owner
  class Lent(id: Int) extends Vault(id, 0, 0):
    def ownerOf(ref: Ref[Vault]): Int = ref.owner
  def codeOf(ref: Ref[Vault]): Int = ref.code
  def change(ref: Ref[Vault], code: Int): Unit = ref.code = code

case class Secret[A](private val value: A, id: Int) derives Struct
case class Safe(account: Option[Account], n: Int) derives Struct
