package lookups

// The steps of a program, for all stores in a JVM alike; each prints its nanoseconds and a sum.

import java.nio.file.Path
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicBoolean
import scala.util.Using

object Steps:
  /** The lookups whose sum is printed. */
  private val Checked = 100

  /** The items of a commit: when a file is written, and while another thread looks up. */
  private val Batch = 10_000
  private val Few = 100

  def main(args: Array[String]): Unit = args match
    case Array(program, step, path, items, count) =>
      Using.resource(open(program, Path.of(path))): store =>
        step match
          case "write"  => write(store, items.toLong)
          case "cold"   => read(store, step, items.toLong, count.toLong)
          case "warm"   => read(store, step, items.toLong, count.toLong)
          case "beside" => beside(store, items.toLong, count.toLong)
    case _ =>
      throw IllegalArgumentException("arguments must be PROGRAM STEP PATH ITEMS COUNT")

  private def open(program: String, path: Path): Store = program match
    case "Ours"   => Ours(path)
    case "Lmdb"   => Lmdb(path)
    case "Sqlite" => Sqlite(path)

  /** Adds all items, and commits now and then. */
  private def write(store: Store, items: Long): Unit =
    val start = System.nanoTime
    add(store, 0, items, Batch)
    println(f"write=${perItem(start, items)}%.1f sum=0")

  private def add(store: Store, from: Long, until: Long, batch: Int): Unit =
    for first <- from until until by batch do
      for id <- first until (first + batch).min(until) do store.add(id)
      store.commit()

  /** Looks up items, of which the first ones are in the sum. A file that is in the cache is read
    * `count` times before.
    */
  private def read(store: Store, step: String, items: Long, count: Long): Unit =
    Using.resource(store.reader()): reader =>
      if step == "warm" then lookUp(reader, count, 2 * count, items): Unit
      val start = System.nanoTime
      val sum = lookUp(reader, 0, Checked, items)
      lookUp(reader, Checked, count, items): Unit
      println(f"$step=${perItem(start, count)}%.1f sum=$sum")

  private def lookUp(reader: Reader, from: Long, until: Long, items: Long): Long =
    var (position, sum) = (from, 0L)
    while position < until do
      sum += reader.sum(Items.wanted(position, items))
      position += 1
    sum

  /** Looks items up in one thread, while another adds some and commits each few. */
  private def beside(store: Store, items: Long, count: Long): Unit =
    Using.resource(store.reader()): reader =>
      val isDone = AtomicBoolean()
      Using.resource(Executors.newSingleThreadExecutor()): executor =>
        val lookups = executor.submit: () =>
          var lookups = 0L
          while !isDone.get do
            lookUp(reader, lookups, lookups + Few, items): Unit
            lookups += Few
          lookups
        val start = System.nanoTime
        try add(store, items, items + count, Few)
        finally isDone.set(true)
        val append = perItem(start, count)
        val beside = append * count / lookups.get
        reader.refresh()
        val sum = (items until items + count by Few).map(reader.sum).sum
        println(f"append=$append%.1f beside=$beside%.1f sum=$sum")

  private def perItem(start: Long, count: Long): Double =
    (System.nanoTime - start).toDouble / count
end Steps
