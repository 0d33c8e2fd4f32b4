package undercroft.structfile.internal

import scala.quoted.*
import undercroft.struct.internal.CaseNames

/** Looks up, at compile time, what the cases of the enums in a struct are called. */
object NamedCases:

  /** The names by the path of the number, with dots, in the order of the numbers. */
  inline def of[T]: Map[String, Vector[String]] = ${ found[T] }

  private def found[T: Type](using Quotes): Expr[Map[String, Vector[String]]] =
    val pairs = CaseNames.of[T].map: (path, names) =>
      '{ (${ Expr(path) }, ${ Expr(names) }.toVector) }
    '{ Map(${ Varargs(pairs) }*) }
end NamedCases
