package lookups

/** A file of items, which are added in the order of their ids, from 0 on. */
trait Store extends AutoCloseable:
  /** Adds an item. */
  def add(id: Long): Unit

  /** Makes the added items durable: they survive a loss of power. */
  def commit(): Unit

  /** A reader of the committed items, for one thread. */
  def reader(): Reader

trait Reader extends AutoCloseable:
  /** The sum of the elements of an item's vector. */
  def sum(id: Long): Long

  /** Shows this reader the items committed since. */
  def refresh(): Unit
