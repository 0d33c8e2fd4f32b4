package undercroft.pekko
package internal.macros

import scala.quoted.*

/** Reports types that contain themselves: the manifest of such a message would not end. */
private[pekko] object RecursionCheck:

  def check(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      around: List[quotes.reflect.TypeRepr] = Nil
  ): Unit =
    import quotes.reflect.*
    val complete = collection.mutable.ListBuffer.empty[TypeRepr]

    /** Whether a type has a codec of the user, which may end the recursion. */
    def hasOwnCodec(inner: TypeRepr): Boolean = inner.asType match
      case '[t] =>
        Expr.summon[MessageCodec[t]].exists: codec =>
          !codec.asTerm.underlyingArgument.symbol.name.startsWith("derived$")

    def visit(tpe: TypeRepr, around: List[TypeRepr]): Unit =
      if around.exists(_ =:= tpe) then
        val path = (tpe :: around).reverse.dropWhile(outer => !(outer =:= tpe))
        val name = tpe.typeSymbol.name
        report.errorAndAbort(
          s"$name cannot be a message: it contains itself " +
            s"(${path.map(_.typeSymbol.name).mkString(" > ")}): send its parts as a flat " +
            "collection, with indices in place of the inner values"
        )
      else if !complete.exists(_ =:= tpe) then
        if around.isEmpty || !isClass(tpe) || !hasOwnCodec(tpe) then
          parts(tpe).foreach(inner => visit(inner.dealias, tpe :: around))
        complete += tpe

    def isClass(tpe: TypeRepr): Boolean = MessageTypes.isSum(tpe) || MessageTypes.isCase(tpe)

    def parts(tpe: TypeRepr): List[TypeRepr] =
      if isReference(tpe) then Nil
      else if isLibrary(tpe) then tpe.typeArgs
      else if MessageTypes.isSum(tpe) then
        MessageTypes
          .cases(tpe)
          .filter(caseType => MessageTypes.objectOf(caseType).isEmpty)
          .flatMap(caseType => MessageTypes.fields(caseType).map(_._2))
      else if MessageTypes.isCase(tpe) then MessageTypes.fields(tpe).map(_._2)
      else tpe.typeArgs

    def isLibrary(tpe: TypeRepr): Boolean =
      val name = tpe.typeSymbol.fullName
      name.startsWith("scala.") || name.startsWith("undercroft.struct.")

    def isReference(tpe: TypeRepr): Boolean =
      tpe <:< TypeRepr.of[undercroft.actor.ActorRef[Nothing]] ||
        tpe <:< TypeRepr.of[org.apache.pekko.actor.typed.ActorRef[Nothing]]

    visit(tpe, around)
  end check
end RecursionCheck
