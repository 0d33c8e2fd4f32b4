import bufferjson.*
import com.github.plokhotnyuk.jsoniter_scala.core.*
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.file.{Files, Path}
import undercroft.buffer.*

final case class Bid(ticket: Int, price: Double, labels: List[String])
given JsonValueCodec[Bid] = JsonCodecMaker.make
given bids: JsonValueCodec[Vector[Bid]] = JsonCodecMaker.make

/** Writes all bids as one array of JSON to a compressed file. */
def saveBids(file: Path, all: Vector[Bid]): Unit =
  val sink = Compression.gzip(Files.newOutputStream(file).sink()).buffered
  try sink.writeJson(all)
  finally sink.close()

/** Parses the array while the file is decompressed: neither text nor bytes of it are in memory. */
def loadBids(file: Path): Vector[Bid] =
  val source = Compression.gunzip(Files.newInputStream(file).source()).buffered
  try source.readJson[Vector[Bid]]()
  finally source.close()

/** A message is its length and a bid; a malformed bid is skipped. */
def readBid(source: BufferedSource): Option[Bid] =
  val length = source.readInt()
  try Some(source.readJsonFrame[Bid](length))
  catch
    case _: JsonReaderException =>
      source.skip(length)
      None

@main def json(): Unit =
  val file = Files.createTempFile("bids", ".json.gz")
  saveBids(file, Vector.tabulate(10_000)(i => Bid(i, i * 0.5, List("new"))))
  println(loadBids(file).map(_.price).sum)
  Files.delete(file)

  val messages = Buffer()
  for text <- List("""{"ticket":1,"price":2.5}""", """{"ticket":}""", """{"ticket":3,"price":4}""")
  do
    messages.writeInt(text.length).writeUtf8(text)
  for _ <- 1 to 3 do println(readBid(messages))

  val lines = Buffer().writeUtf8("{\"ticket\":1,\"price\":2}\n\n{\"ticket\":2,\"price\":3}\n")
  println(lines.jsonLines[Bid](maxLineBytes = 1000).map(_.price).sum)

// prints:
// 2.49975E7
// Some(Bid(1,2.5,List()))
// None
// Some(Bid(3,4.0,List()))
// 5.0
