package undercroft.struct
package internal.entries

/** The keys, values or entries of a map or set, as `load` returns them for a place. */
private[struct] final class EntryView[A](table: EntryTable, load: EntryLoad[A])
    extends View[A]:
  def iterator: Iterator[A] = EntryIterator(table, load)
end EntryView

/** Loads a key, a value or both from the entry at a place that was found after a sequence was
  * taken.
  */
private[struct] trait EntryLoad[+A]:
  def apply(sequence: Long, place: Long): A

private final class EntryIterator[A](table: EntryTable, load: EntryLoad[A]) extends Iterator[A]:
  private val before = table.changes
  private var place = checked(_ => table.firstEntry)

  def hasNext: Boolean = place >= 0

  def next(): A =
    if place < 0 then
      throw java.util.NoSuchElementException("the iterator has returned all entries")
    checked: sequence =>
      val loaded = load(sequence, place)
      place = table.entryAfter(place)
      loaded

  /** The result of reading the table, if it has not changed. */
  private inline def checked[R](inline read: Long => R): R =
    try
      val sequence = table.read()
      table.checkUnchanged(before)
      val result = read(sequence)
      table.settle(sequence)
      result
    catch case error: RuntimeException => throw table.translate(error)
end EntryIterator
