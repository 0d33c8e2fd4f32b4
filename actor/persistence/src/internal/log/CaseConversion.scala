package undercroft.actor
package persistence
package internal.log

import scala.jdk.CollectionConverters.*
import undercroft.file.format.{Field, Schema, SchemaConversion, StructFile}

/** Converts rows of a file whose enum had fewer cases. A struct file is converted to a class only
  * if each case with fields is in the file. The rows of a log that are older than a case do not
  * have it, so they are converted to the class without the cases that were added.
  */
private[persistence] object CaseConversion:

  def of(file: StructFile, to: Schema): SchemaConversion =
    val target = Schema(
      to.name,
      to.layout,
      to.order,
      to.stride,
      fieldsIn(file.schema.fields.asScala.toList, to.fields.asScala.toList).asJava
    )
    SchemaConversion.of(file, target)

  /** The fields of `to`, without members of a union that the file does not have. */
  private def fieldsIn(from: List[Field], to: List[Field]): List[Field] =
    to.map: field =>
      from.find(_.name == field.name) match
        case Some(older) => fieldIn(older, field)
        case scala.None  => field

  private def fieldIn(from: Field, to: Field): Field = (from, to) match
    case (older: Field.Record, record: Field.Record) =>
      Field.Record(record.name, record.typeName, fieldsIn(parts(older), parts(record)).asJava)
    case (older: Field.Union, union: Field.Union) =>
      val names = older.members.asScala.map(_.name).toSet
      val members = union.members.asScala.toList.filter(member => names(member.name))
      Field.Union(
        union.name,
        union.typeName,
        fieldsIn(older.members.asScala.toList, members).asJava
      )
    case _ => to

  private def parts(record: Field.Record): List[Field] = record.fields.asScala.toList
end CaseConversion
