package outside.pekko.messages

import undercroft.memory.*
import undercroft.pekko.*
import undercroft.struct.*

final case class Article(id: Int, title: TextRef, more: Option[TextRef], data: BytesRef)
    derives Struct
final case class PlainArticle(id: Int, title: String, more: Option[String], data: IArray[Byte])
final case class ShortArticle(id: Int, title: Text[8], more: Option[Text[8]], data: IArray[Byte])
final case class Good(article: Int, weight: Double) derives Struct, CanEqual
final case class HeavyGood(article: Int, weight: Double, isHeavy: Boolean) derives Struct
final case class Shipment(id: Int, goods: RowsRef[Good], spare: Option[RowsRef[Good]])
    derives Struct
final case class NewShipment(id: Int, goods: RowsRef[HeavyGood], spare: Option[RowsRef[Good]])
enum Library:
  case Bring(articles: Vector[TextRef])
  case Close

/** Texts and bytes out of line, which the receiver copies to memory that the application named. */
class OutOfLineTest extends SerializationSuite:

  private def codecs(memory: => Allocator): MessageCodec[Article] =
    given MessageCodec[TextRef] = MessageCodec.textRefs(memory)
    given MessageCodec[BytesRef] = MessageCodec.bytesRefs(memory)
    MessageCodec[Article].named("Article")

  private val plain = MessageCodec[PlainArticle].named("Article")

  private def shared[A](body: Region => A): A =
    val region = Region.shared("received")
    try body(region)
    finally region.close()

  private def article(title: String)(using Allocator): Article =
    Article(7, TextRef(title), Some(TextRef(title)), BytesRef(title.getBytes))

  test("texts and bytes of any length are the receiver's own after the sender's region is closed"):
    shared: received =>
      for text <- Seq("", "é €", "a price " * 10_000) do
        val sent = Region.shared("sender")
        val message = article(text)(using sent)
        val copy = send(message, codecs(sent), codecs(received)).asInstanceOf[Article]
        sent.close()
        intercept[StaleReferenceException](if text.isEmpty then throw stale
        else message.title.string)
        assertEquals(copy.id, 7)
        assertEquals(copy.title.string, text)
        assertEquals(copy.more.map(_.string), Some(text))
        assertEquals(String(copy.data.toArray), text)

  private def stale: StaleReferenceException =
    val region = Region.shared("stale")
    val text = TextRef("x")(using region)
    region.close()
    intercept[StaleReferenceException](text.string)

  test("runs of structs are the receiver's own, as the bytes are that they are stored as"):
    shared: received =>
      given MessageCodec[BytesRef] = MessageCodec.bytesRefs(received)
      val codec = MessageCodec[Shipment].named("Shipment")
      val sent = Region.shared("sender")
      val goods = Vector.tabulate(10_000)(i => Good(i, i * 0.5))
      val run = RowsRef.from(goods)(using sent)
      val copy = send(Shipment(7, run, Some(RowsRef.empty)), codec, codec).asInstanceOf[Shipment]
      sent.close()
      assertEquals(copy.goods.toVector, goods)
      assertEquals(copy.goods.sumOf(_.weight), goods.map(_.weight).sum)
      assertEquals(copy.spare.map(_.size), Some(0L))
      intercept[StaleReferenceException](run(0)): Unit
      // A node with another layout of the structs gets an error when it reads them.
      val other = MessageCodec[NewShipment].named("Shipment")
      val message = Shipment(7, RowsRef.from(goods)(using received), None)
      val newer = send(message, codec, other).asInstanceOf[NewShipment]
      intercept[LayoutMismatchException](newer.goods(0)): Unit
      intercept[LayoutMismatchException](newer.goods.sumOf(_.article)): Unit

  test("a run of structs without memory of the receiver does not compile"):
    val errors = compileErrors("MessageCodec[Shipment]")
    assert(errors.contains("is a BytesRef, whose bytes belong to a region of this node"), errors)

  test("texts in the cases and collections of an enum"):
    shared: received =>
      given MessageCodec[TextRef] = MessageCodec.textRefs(received)
      val codec = MessageCodec[Library].named("Library")
      val texts = Vector.tabulate(100)(n => s"article $n")
      val message = Library.Bring(texts.map(TextRef(_)(using received)))
      send(message, codec, codec) match
        case Library.Bring(articles) => assertEquals(articles.map(_.string), texts)
        case other                   => fail(s"$other")

  test(
    "a node whose class has a String or an IArray exchanges messages with one that has references"
  ):
    shared: received =>
      val references = codecs(received)
      val text = "a vault"
      val back = send(article(text)(using received), references, plain).asInstanceOf[PlainArticle]
      assertEquals(
        (back.title, back.more, back.data.toList),
        (text, Some(text), text.getBytes.toList)
      )
      val there = send(back, plain, references).asInstanceOf[Article]
      assertEquals(there.title.string, text)
      val short = MessageCodec[ShortArticle].named("Article")
      val bounded =
        ShortArticle(1, Text[8](text), Some(Text[8](text)), IArray.from(text.getBytes))
      assertEquals(send(bounded, short, references).asInstanceOf[Article].title.string, text)

  test("the memory is asked for each value, so a region can be replaced"):
    val first = Region.shared("first")
    shared: second =>
      var current = first
      val codec = codecs(current)
      val old = send(article("old")(using first), codec, codec).asInstanceOf[Article]
      current = second
      val young = send(article("young")(using second), codec, codec).asInstanceOf[Article]
      first.close()
      assertEquals(young.title.string, "young")
      intercept[StaleReferenceException](old.title.string): Unit

  test("without memory the message is rejected with the reason, and the next one is read"):
    shared: received =>
      val small = Region.shared("small", limitBytes = 1 << 20)
      try
        var current: Allocator = small
        val codec = codecs(current)
        val text = "x" * 3_000_000
        val error = fault(MessageFault.Rejected)(
          send(article(text)(using received), codecs(received), codec)
        )
        says(error, "no memory for the", "MemoryLimitException")
        current = received
        val read = send(article(text)(using received), codec, codec).asInstanceOf[Article]
        assertEquals(read.title.string, text)
      finally small.close()

  test("a region of another thread and a closed region reject the message"):
    shared: received =>
      Region.scoped:
        val scoped = summon[Region]
        val message = article("text")(using received)
        val sender = serializer(codecs(received))
        val (bytes, manifest) = (sender.toBinary(message), sender.manifest(message))
        var error: Option[MessageFormatException] = None
        val thread = Thread.ofPlatform.start: () =>
          error = Some(
            fault(MessageFault.Rejected)(serializer(codecs(scoped)).fromBinary(bytes, manifest))
          )
        thread.join()
        says(error.get, "no memory for the", "RegionThreadException")
      val closed = Region.shared("closed")
      closed.close()
      says(
        fault(MessageFault.Rejected)(
          send(article("text")(using received), codecs(received), codecs(closed))
        ),
        "no memory for the",
        "closed"
      )

  test("a text of a closed region is an error at its sender"):
    val region = Region.shared("gone")
    val message = article("text")(using region)
    region.close()
    intercept[StaleReferenceException](serializer(codecs(region)).toBinary(message)): Unit

  test("a forged text with a NUL is refused, and stores nothing"):
    shared: received =>
      val forged = PlainArticle(1, "a\u0000b", None, IArray.empty[Byte])
      says(
        fault(MessageFault.InvalidValue)(send(forged, plain, codecs(received))),
        "has a NUL at index 1"
      )

  test("blocks of Malloc are freed one by one"):
    val codec = codecs(Malloc)
    val sent = article("a text")(using Malloc)
    val copy = send(sent, codec, codec).asInstanceOf[Article]
    for article <- Seq(sent, copy) do
      Malloc.free(TextRef.address(article.title))
      article.more.foreach(text => Malloc.free(TextRef.address(text)))
      Malloc.free(BytesRef.address(article.data))
      intercept[StaleReferenceException](article.title.string): Unit
end OutOfLineTest
