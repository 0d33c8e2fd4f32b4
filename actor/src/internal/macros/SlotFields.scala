package undercroft.actor
package internal.macros

import internal.mailbox.MessageSlot
import scala.quoted.*
import undercroft.struct.internal.macros.schema.StoredTypes as Behind

/** Generates code that reads and writes the fields of a message in a slot. */
private[internal] object SlotFields:
  import SlotLayout.Stored

  /** Reads a field of type `tpe` from a slot. */
  def read(using
      Quotes
  )(
      stored: Stored,
      tpe: quotes.reflect.TypeRepr,
      slot: Expr[Long]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    remade(stored, tpe)((name, at) => readPrimitive(name, Expr(at), slot).asTerm)

  /** Constructs a field of type `tpe` from its leaves, each identified by its type and offset. */
  def remade(using
      Quotes
  )(
      stored: Stored,
      tpe: quotes.reflect.TypeRepr
  )(leaf: (String, Int) => quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    stored match
      case Stored.Primitive(name, at) => leaf(name, at)
      case Stored.As(inner) =>
        Behind.decode(tpe.dealias, remade(inner, Behind.of(tpe.dealias).get)(leaf))
      case Stored.Optional(at, part) =>
        val of = SlotLayout.optionOf(tpe).get
        of.asType match
          case '[t] =>
            val isThere = leaf("Boolean", at).asExprOf[Boolean]
            val value = remade(part, of)(leaf).asExprOf[t]
            '{ if $isThere then Some($value) else None }.asTerm
      case Stored.Product(parts) =>
        val symbol = tpe.dealias.typeSymbol
        make(
          symbol,
          parts.zip(SlotLayout.fieldsOf(symbol)).map((part, of) => remade(part, of)(leaf))
        )
    end match
  end remade

  /** Constructs a message, or a part of one. */
  def make(using
      Quotes
  )(
      symbol: quotes.reflect.Symbol,
      values: List[quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    New(TypeIdent(symbol)).select(symbol.primaryConstructor).appliedToArgs(values)

  /** Splits the value of a field, held in a variable, into its leaves: primitives with type and
    * offset. All must be computed before any is written, because user code may run among them.
    */
  def leaves(using
      Quotes
  )(
      stored: Stored,
      tpe: quotes.reflect.TypeRepr,
      value: quotes.reflect.Term
  ): List[(String, Int, quotes.reflect.Term)] =
    import quotes.reflect.*
    stored match
      case Stored.Primitive(name, at) => List((name, at, value))
      case Stored.As(inner) =>
        leaves(inner, Behind.of(tpe.dealias).get, Behind.encode(tpe.dealias, value))
      case Stored.Optional(at, part) =>
        val of = SlotLayout.optionOf(tpe).get
        of.asType match
          case '[t] =>
            val option = value.asExprOf[Option[t]]
            val inner = leaves(part, of, '{ $option.get }.asTerm).map: (name, at, leaf) =>
              val zeroValue = zero(name).asTerm
              val choice = If('{ $option.isEmpty }.asTerm, zeroValue, leaf)
              (name, at, Typed(choice, Inferred(zeroValue.tpe.widen)))
            ("Boolean", at, '{ ! $option.isEmpty }.asTerm) :: inner
      case Stored.Product(parts) =>
        val symbol = tpe.dealias.typeSymbol
        SlotLayout.partsOf(symbol).zip(parts).zip(SlotLayout.fieldsOf(symbol)).flatMap:
          case ((field, part), of) => leaves(part, of, value.select(field))
    end match
  end leaves

  private def zero(name: String)(using Quotes): Expr[Any] = name match
    case "Boolean" => '{ false }
    case "Byte"    => '{ 0.toByte }
    case "Short"   => '{ 0.toShort }
    case "Char"    => '{ 0.toChar }
    case "Int"     => '{ 0 }
    case "Long"    => '{ 0L }
    case "Float"   => '{ 0f }
    case _         => '{ 0.0 }

  private def readPrimitive(name: String, at: Expr[Int], slot: Expr[Long])(using
      Quotes
  ): Expr[Any] = name match
    case "Boolean" => '{ MessageSlot.getBoolean($slot, $at) }
    case "Byte"    => '{ MessageSlot.getByte($slot, $at) }
    case "Short"   => '{ MessageSlot.getShort($slot, $at) }
    case "Char"    => '{ MessageSlot.getChar($slot, $at) }
    case "Int"     => '{ MessageSlot.getInt($slot, $at) }
    case "Long"    => '{ MessageSlot.getLong($slot, $at) }
    case "Float"   => '{ MessageSlot.getFloat($slot, $at) }
    case _         => '{ MessageSlot.getDouble($slot, $at) }

  /** Writes a leaf that `leaves` computed. */
  def write(name: String, at: Expr[Int], slot: Expr[Long], value: Expr[Any])(using
      Quotes
  ): Expr[Unit] = name match
    case "Boolean" => '{ MessageSlot.setBoolean($slot, $at, ${ value.asExprOf[Boolean] }) }
    case "Byte"    => '{ MessageSlot.setByte($slot, $at, ${ value.asExprOf[Byte] }) }
    case "Short"   => '{ MessageSlot.setShort($slot, $at, ${ value.asExprOf[Short] }) }
    case "Char"    => '{ MessageSlot.setChar($slot, $at, ${ value.asExprOf[Char] }) }
    case "Int"     => '{ MessageSlot.setInt($slot, $at, ${ value.asExprOf[Int] }) }
    case "Long"    => '{ MessageSlot.setLong($slot, $at, ${ value.asExprOf[Long] }) }
    case "Float"   => '{ MessageSlot.setFloat($slot, $at, ${ value.asExprOf[Float] }) }
    case _         => '{ MessageSlot.setDouble($slot, $at, ${ value.asExprOf[Double] }) }
end SlotFields
