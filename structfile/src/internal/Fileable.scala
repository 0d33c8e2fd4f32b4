package undercroft.structfile.internal

import scala.quoted.*
import undercroft.struct.internal.Outside

/** Refuses, at compile time, what means nothing in a file. */
object Fileable:

  inline def check[T]: Unit = ${ checked[T] }

  private def checked[T: Type](using Quotes): Expr[Unit] =
    import quotes.reflect.*
    Outside.reference[T].foreach: (path, reference) =>
      report.errorAndAbort(
        s"${TypeRepr.of[T].dealias.typeSymbol.name} cannot be in a file: `$path` is a $reference, " +
          "which refers to this process's memory; keep a key or an index in its place"
      )
    '{ () }
end Fileable
