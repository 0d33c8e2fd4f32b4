package undercroft.arrow

/** A field with its own part of a batch: its node, its buffers, and those that its views refer to.
  */
private[arrow] final case class Located(
    field: InField,
    rows: Long,
    nulls: Long,
    buffers: Vector[Extent],
    views: Vector[Extent],
    children: Vector[Located]
):
  /** The bitmap of what is there, unless everything is. */
  def validity: Option[Extent] = buffers.headOption.filter(_.bytes > 0 && nulls != 0)

private[arrow] object Located:

  /** All fields of a batch, whose nodes and buffers are listed in the order of the fields. */
  def all(input: Input, fields: Vector[InField], head: Head): Vector[Located] =
    Cursor(input, head).all(fields)

  private final class Cursor(input: Input, head: Head):
    private var node = 0
    private var buffer = 0
    private var variadic = 0

    def all(fields: Vector[InField]): Vector[Located] = fields.map(one)

    private def one(field: InField): Located =
      if node >= head.nodes.size then throw missing(field, "node")
      val (rows, nulls) = head.nodes(node)
      node += 1
      // A dictionary's own values are elsewhere, here are their numbers.
      val (own, views) = field.dictionary match
        case Some(_) => (buffers(field, 2), Vector())
        case None =>
          val own = buffers(field, field.tpe.bufferCount)
          (own, if field.tpe.hasViews then buffers(field, viewed(field)) else Vector())
      val children = if field.dictionary.isDefined then Vector() else all(field.children)
      if rows < 0 || nulls < 0 || nulls > rows then
        throw input.damaged(head.at, s"`${field.name}` has $rows rows, and $nulls nulls")
      if nulls > 0 then
        for bitmap <- own.headOption if bitmap.bytes < Math.ceilDiv(rows, 8L) do
          throw input.damaged(
            bitmap.at,
            s"`${field.name}` has $nulls nulls in $rows rows and a bitmap of ${bitmap.bytes} bytes"
          )
      Located(field, rows, nulls, own, views, children)
    end one

    private def buffers(field: InField, count: Int): Vector[Extent] =
      if count > head.buffers.size - buffer then throw missing(field, "buffer")
      val own = head.buffers.slice(buffer, buffer + count)
      buffer += count
      own

    private def viewed(field: InField): Int =
      if variadic >= head.variadic.size then throw missing(field, "count of buffers")
      val count = head.variadic(variadic)
      variadic += 1
      if count < 0 || count > head.buffers.size then
        throw input.damaged(head.at, s"`${field.name}` has $count buffers")
      count.toInt

    private def missing(field: InField, what: String): ArrowException =
      input.damaged(head.at, s"a batch without a $what of `${field.name}`")
  end Cursor
end Located
