package undercroft.cli
package internal.sql

/** Finds the numbers of a JSON text that a Double does not keep. */
private[cli] object JsonNumbers:
  import upickle.core.{ArrVisitor, ObjVisitor, StringVisitor, Visitor}

  /** Calls `report` with the path of keys and the text of each number. */
  def lost(json: String)(report: (Vector[String], String) => Unit): Unit =
    ujson.StringParser.transform(json, Numbers(report)): Unit

  /** Whether the Double nearest to a number has the same digits. */
  def isKept(number: String): Boolean =
    val exact = java.math.BigDecimal(number)
    val double = number.toDouble
    !double.isInfinite && {
      if exact.signum == 0 then true
      else if number.forall(c => c == '-' || c.isDigit) then
        java.math.BigDecimal(double).compareTo(exact) == 0
      else
        val digits = java.math.MathContext(exact.precision)
        java.math.BigDecimal(double).round(digits).nn.compareTo(exact) == 0
    }

  private final class Numbers(report: (Vector[String], String) => Unit)
      extends ujson.JsVisitor[Unit, Unit]:
    private var path = Vector[String]()

    def visitArray(length: Int, index: Int): ArrVisitor[Unit, Unit] = new ArrVisitor[Unit, Unit]:
      def subVisitor: Visitor[?, ?] = Numbers.this
      def visitValue(value: Unit, index: Int): Unit = ()
      def visitEnd(index: Int): Unit = ()

    def visitJsonableObject(length: Int, index: Int): ObjVisitor[Unit, Unit] =
      new ObjVisitor[Unit, Unit]:
        def visitKey(index: Int): Visitor[?, ?] = StringVisitor
        def visitKeyValue(key: Any): Unit = path = path :+ key.toString
        def subVisitor: Visitor[?, ?] = Numbers.this
        def visitValue(value: Unit, index: Int): Unit = path = path.init
        def visitEnd(index: Int): Unit = ()

    def visitFloat64StringParts(
        text: CharSequence,
        decimalIndex: Int,
        exponentIndex: Int,
        index: Int
    ): Unit =
      val number = text.toString
      if !isKept(number) then report(path, number)

    def visitNull(index: Int): Unit = ()
    def visitFalse(index: Int): Unit = ()
    def visitTrue(index: Int): Unit = ()
    def visitString(text: CharSequence, index: Int): Unit = ()
  end Numbers
end JsonNumbers
