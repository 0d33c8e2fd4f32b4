package undercroft.file.internal

import undercroft.struct.internal.macros.schema.LayoutCheck
import undercroft.struct.internal.macros.schema.ProcessLocal
import scala.quoted.*
import undercroft.struct.Struct

/** Rejects, at compile time, structs with process-local fields, and a Struct whose layout differs
  * from the one that the calling code was compiled for.
  */
object Fileable:

  inline def check[T](struct: Struct[T]): Unit = ${ checked[T]('struct) }

  /** As [[check]], but accepts texts, bytes and runs out of line, whose contents are copied. */
  inline def checkWithContents[T](struct: Struct[T]): Unit = ${ checkedWithContents[T]('struct) }

  private def checked[T: Type](struct: Expr[Struct[T]])(using Quotes): Expr[Unit] =
    agreement(struct, ProcessLocal.reference[T])

  private def checkedWithContents[T: Type](struct: Expr[Struct[T]])(using Quotes): Expr[Unit] =
    agreement(struct, ProcessLocal.referenceBesideContents[T])

  private def agreement[T: Type](
      struct: Expr[Struct[T]],
      reference: Option[(String, String)]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    reference.foreach: (path, reference) =>
      val part = if path.isEmpty then "a row" else s"`$path`"
      report.errorAndAbort(
        s"${TypeRepr.of[T].dealias.typeSymbol.name} cannot be in a file: $part is a $reference, " +
          "which refers to this process's memory; keep a key or an index in its place"
      )
    LayoutCheck.agreement(struct)
end Fileable
