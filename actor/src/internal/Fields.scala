package undercroft.actor.internal

import scala.quoted.*
import undercroft.actor.Slot

/** Code that reads and writes the fields of a message in a slot. */
private[internal] object Fields:
  import Form.Stored

  /** Reads a field of type `tpe`. */
  def read(using
      Quotes
  )(
      stored: Stored,
      tpe: quotes.reflect.TypeRepr,
      slot: Expr[Long]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    stored match
      case Stored.Primitive(name, at) => readPrimitive(name, Expr(at), slot).asTerm
      case Stored.Ordinal(at) =>
        val companion = Ref(tpe.dealias.typeSymbol.companionModule)
        Select.unique(companion, "fromOrdinal").appliedTo('{
          Slot.getInt($slot, ${ Expr(at) })
        }.asTerm)
      case Stored.Product(parts) =>
        val symbol = tpe.dealias.typeSymbol
        val values = parts.zip(Form.fieldsOf(symbol)).map((part, of) => read(part, of, slot))
        make(symbol, values)

  /** Makes a message, or a part of one. */
  def make(using
      Quotes
  )(
      symbol: quotes.reflect.Symbol,
      values: List[quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    New(TypeIdent(symbol)).select(symbol.primaryConstructor).appliedToArgs(values)

  /** Writes a field whose value is in a variable. */
  def write(using
      Quotes
  )(
      stored: Stored,
      tpe: quotes.reflect.TypeRepr,
      slot: Expr[Long],
      value: quotes.reflect.Term
  ): List[quotes.reflect.Term] =
    import quotes.reflect.*
    stored match
      case Stored.Primitive(name, at) =>
        List(writePrimitive(name, Expr(at), slot, value.asExpr).asTerm)
      case Stored.Ordinal(at) =>
        val ordinal = Select.unique(value, "ordinal").asExprOf[Int]
        List('{ Slot.setInt($slot, ${ Expr(at) }, $ordinal) }.asTerm)
      case Stored.Product(parts) =>
        val symbol = tpe.dealias.typeSymbol
        symbol.caseFields.zip(parts).zip(Form.fieldsOf(symbol)).flatMap:
          case ((field, part), of) => write(part, of, slot, value.select(field))

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

  private def writePrimitive(name: String, at: Expr[Int], slot: Expr[Long], value: Expr[Any])(using
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
