package undercroft.actor.internal

import scala.quoted.*
import undercroft.actor.Slot
import undercroft.struct.internal.Stored as Behind

/** Code that reads and writes the fields of a message in a slot. */
private[internal] object Fields:
  import Form.Stored

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

  /** Makes a field of type `tpe` of its leaves, each known by its name and place. */
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
        Behind.loaded(tpe.dealias, remade(inner, Behind.of(tpe.dealias).get)(leaf))
      case Stored.Optional(at, part) =>
        val of = Form.optionOf(tpe).get
        of.asType match
          case '[t] =>
            val isThere = leaf("Boolean", at).asExprOf[Boolean]
            val value = remade(part, of)(leaf).asExprOf[t]
            '{ if $isThere then Some($value) else None }.asTerm
      case Stored.Product(parts) =>
        val symbol = tpe.dealias.typeSymbol
        make(symbol, parts.zip(Form.fieldsOf(symbol)).map((part, of) => remade(part, of)(leaf)))
    end match
  end remade

  /** Makes a message, or a part of one. */
  def make(using
      Quotes
  )(
      symbol: quotes.reflect.Symbol,
      values: List[quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    New(TypeIdent(symbol)).select(symbol.primaryConstructor).appliedToArgs(values)

  /** What a field whose value is in a variable comes to: primitives, each with its name and place.
    * All are to be computed before any is written: a user's code may be among them.
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
        leaves(inner, Behind.of(tpe.dealias).get, Behind.stored(tpe.dealias, value))
      case Stored.Optional(at, part) =>
        val of = Form.optionOf(tpe).get
        of.asType match
          case '[t] =>
            val option = value.asExprOf[Option[t]]
            val inner = leaves(part, of, '{ $option.get }.asTerm).map: (name, at, leaf) =>
              val none = zero(name).asTerm
              val either = If('{ $option.isEmpty }.asTerm, none, leaf)
              (name, at, Typed(either, Inferred(none.tpe.widen)))
            ("Boolean", at, '{ ! $option.isEmpty }.asTerm) :: inner
      case Stored.Product(parts) =>
        val symbol = tpe.dealias.typeSymbol
        Form.partsOf(symbol).zip(parts).zip(Form.fieldsOf(symbol)).flatMap:
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
    case "Boolean" => '{ Slot.getBoolean($slot, $at) }
    case "Byte"    => '{ Slot.getByte($slot, $at) }
    case "Short"   => '{ Slot.getShort($slot, $at) }
    case "Char"    => '{ Slot.getChar($slot, $at) }
    case "Int"     => '{ Slot.getInt($slot, $at) }
    case "Long"    => '{ Slot.getLong($slot, $at) }
    case "Float"   => '{ Slot.getFloat($slot, $at) }
    case _         => '{ Slot.getDouble($slot, $at) }

  /** Writes what `leaves` computed. */
  def write(name: String, at: Expr[Int], slot: Expr[Long], value: Expr[Any])(using
      Quotes
  ): Expr[Unit] = name match
    case "Boolean" => '{ Slot.setBoolean($slot, $at, ${ value.asExprOf[Boolean] }) }
    case "Byte"    => '{ Slot.setByte($slot, $at, ${ value.asExprOf[Byte] }) }
    case "Short"   => '{ Slot.setShort($slot, $at, ${ value.asExprOf[Short] }) }
    case "Char"    => '{ Slot.setChar($slot, $at, ${ value.asExprOf[Char] }) }
    case "Int"     => '{ Slot.setInt($slot, $at, ${ value.asExprOf[Int] }) }
    case "Long"    => '{ Slot.setLong($slot, $at, ${ value.asExprOf[Long] }) }
    case "Float"   => '{ Slot.setFloat($slot, $at, ${ value.asExprOf[Float] }) }
    case _         => '{ Slot.setDouble($slot, $at, ${ value.asExprOf[Double] }) }
end Fields
