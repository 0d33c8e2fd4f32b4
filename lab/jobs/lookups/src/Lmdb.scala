package lookups

import java.nio.ByteOrder.{BIG_ENDIAN, nativeOrder}
import java.nio.file.{Files, Path}
import java.nio.ByteBuffer
import org.lmdbjava.{DbiFlags, Env, EnvFlags, PutFlags, Txn}

/** Items in LMDB, by lmdbjava: the key is the id, big-endian, so that items are appended. */
final class Lmdb(path: Path) extends Store:
  private val env = Env.create()
    .setMapSize(1L << 36)
    .setMaxDbs(1)
    .open(path.toFile, EnvFlags.MDB_NOSUBDIR, EnvFlags.MDB_NORDAHEAD)
  private val items = env.openDbi("items", DbiFlags.MDB_CREATE)
  private val key = ByteBuffer.allocateDirect(8).order(BIG_ENDIAN)
  private val value = ByteBuffer.allocateDirect(Items.Length * 4).order(nativeOrder)
  private var added: Option[Txn[ByteBuffer]] = None

  def add(id: Long): Unit =
    val txn = added.getOrElse(env.txnWrite())
    added = Some(txn)
    for index <- 0 until Items.Length do value.putFloat(index * 4, Items.element(id, index))
    if !items.put(txn, key.putLong(0, id), value, PutFlags.MDB_APPEND) then
      throw IllegalStateException(s"item $id is there")

  def commit(): Unit =
    added.foreach: txn =>
      txn.commit()
      txn.close()
    added = None

  def reader(): Reader = new Reader:
    private val txn = env.txnRead()
    private val key = ByteBuffer.allocateDirect(8).order(BIG_ENDIAN)

    def sum(id: Long): Long =
      val vector = items.get(txn, key.putLong(0, id)).order(nativeOrder)
      var (sum, index) = (0f, 0)
      while index < Items.Length do
        sum += vector.getFloat(index * 4)
        index += 1
      sum.toLong

    def refresh(): Unit =
      txn.reset()
      txn.renew()
    def close(): Unit = txn.close()

  def close(): Unit =
    commit()
    env.close()
end Lmdb
