package undercroft.pekko
package internal.codec

import internal.wire.*
import java.util.concurrent.ConcurrentHashMap

/** The registered codecs: by class for the sender, by manifest for the receiver. Thread-safe.
  *
  * A manifest of this node's own version has its reader in a table. Any other one gets a plan,
  * which is kept. When there are 256 plans, all are dropped.
  */
private[pekko] final class MessageRegistry(codecs: Seq[MessageCodec[?]]):
  import MessageRegistry.*

  private val families: Vector[Family] =
    codecs.iterator.map(codec => Family(codec.asInstanceOf[MessageCodec[AnyRef]])).toVector

  private val byName: Map[String, Family] =
    families.groupBy(_.codec.typeName).map: (typeName, sameName) =>
      val first = sameName.head
      sameName.iterator.flatMap(_.differenceFrom(first)).nextOption().foreach: (other, known) =>
        throw IllegalArgumentException(
          s"two codecs are called $typeName: $known and $other; give one of them another name by " +
            "MessageCodec.named"
        )
      typeName -> first

  private val byClass: Map[Class[?], Family] =
    families.foldLeft(Map.empty[Class[?], Family]): (known, family) =>
      family.codec.classes.foldLeft(known): (known, next) =>
        known.get(next) match
          case Some(other) if !other.agrees(family, next) =>
            throw IllegalArgumentException(
              s"${next.getName} has two codecs, ${other.manifests.head} and " +
                s"${family.manifests.head}; a class can have only one"
            )
          case Some(_) => known
          case None    => known.updated(next, family)

  /** The first codec reads a manifest of several, as it writes the messages of their class. */
  private val byManifest: Map[String, Reader] =
    families.reverseIterator.flatMap(_.entries).map(entry => entry.manifest -> entry.reader).toMap

  /** For a class without a codec the codec by functions of its nearest superclass or interface. */
  private val inherited = new ClassValue[Option[Family]]:
    override def computeValue(kind: Class[?]): Option[Family] =
      val candidates =
        families.filter(family => family.isByFunctions && family.kind.isAssignableFrom(kind))
      candidates.find: family =>
        !candidates.exists: other =>
          !other.kind.equals(family.kind) && family.kind.isAssignableFrom(other.kind)

  def classes: Seq[Class[?]] = byClass.keys.toSeq

  def entryOf(message: AnyRef): Entry =
    byClass.get(message.getClass) match
      case Some(family) => family.entryOf(message)
      case None         => inheritedEntryOf(message)

  private def inheritedEntryOf(message: AnyRef): Entry =
    inherited.get(message.getClass) match
      case Some(family) => family.entryOf(message)
      case None =>
        throw IllegalArgumentException(
          s"${message.getClass.getName} has no codec: pass MessageCodec[${message.getClass.getSimpleName}]" +
            " to UndercroftSerialization"
        )

  // ---- manifests of other versions

  private val plans = ConcurrentHashMap[String, Plan]()

  def readerOf(manifest: String): Reader = byManifest.get(manifest) match
    case Some(reader) => reader
    case None         => planned(manifest)

  private def planned(manifest: String): Reader =
    val known = plans.get(manifest)
    val plan =
      if known ne null then known
      else
        val created = Plan(manifest)
        if plans.size >= MaxPlans then plans.clear()
        if manifest.length <= WireManifest.MaxCharacters then plans.put(manifest, created): Unit
        created
    plan.reader

  /** The way to read messages with a manifest, or the reason why there is none. */
  private final class Plan(manifest: String):
    private val result: Either[MessageFormatException, Reader] =
      try Right(create())
      catch case error: MessageFormatException => Left(error)

    def reader: Reader = result match
      case Right(reader) => reader
      case Left(error)   => throw error.copied

    private def create(): Reader =
      val written = WireManifest.parse(manifest)
      val family = byName.getOrElse(
        written.typeName,
        throw MessageFormatException(
          MessageFault.UnknownType,
          written.subject,
          0,
          manifest.length,
          "no codec of this name is registered"
        )
      )
      val content = family.contentOf(written, manifest.length)
      val path = FieldPath(written.subject, "", manifest.length)
      Reader(written.subject, content.contentReaderOf(written.of, path))
  end Plan

  /** The number of plans. */
  def planCount: Int = plans.size
end MessageRegistry

private[pekko] object MessageRegistry:
  /** The most plans for manifests of other versions: as many as Artery compresses. */
  val MaxPlans = 256

  final class Reader(val subject: String, reader: WireReader[AnyRef]):
    def read(in: WireInput): AnyRef = reader.read(in)

  /** One case of a message type. */
  final class Entry(val of: WireManifest, content: MessageContent[AnyRef]):
    val manifest: String = of.show
    if manifest.length > WireManifest.MaxCharacters then
      throw IllegalArgumentException(
        s"the manifest of ${of.subject} has at most ${WireManifest.MaxCharacters} characters: " +
          s"${manifest.length}; use fewer or shorter names"
      )
    if of.of.depth > WireType.MaxDepth then
      throw IllegalArgumentException(
        s"the fields of ${of.subject} nest at most ${WireType.MaxDepth} deep: ${of.of.depth}"
      )
    val reader: Reader = Reader(of.subject, in => content.readContent(in))
    def write(message: AnyRef, out: WireOutput): Unit = content.writeContent(message, out)

  /** A message type with its cases. */
  final class Family(val codec: MessageCodec[AnyRef]):
    val entries: Vector[Entry] = codec.messages.map(Entry(_, _))
    def manifests: Vector[String] = entries.map(_.manifest)
    def entryOf(message: AnyRef): Entry = entries(codec.caseNumber(message))

    /** The class of the type itself. */
    def kind: Class[?] = codec.classes.head

    /** Whether the codec is one by functions, which take any value of the type. */
    def isByFunctions: Boolean = entries.head.of.isWhole

    /** The manifests or classes in which two codecs differ: this one's, and those of `first`. */
    def differenceFrom(first: Family): Option[(String, String)] =
      if !manifests.equals(first.manifests) then Some((manifests.head, first.manifests.head))
      else if !codec.classes.equals(first.codec.classes) then
        Some((kind.getName.nn, first.kind.getName.nn))
      else None

    /** The cases with a class. The classes of a type with cases begin with its own. */
    private def entriesOf(shared: Class[?]): Vector[Entry] =
      codec.classes.takeRight(entries.size).zip(entries).collect:
        case (kind, entry) if kind.equals(shared) => entry

    /** Whether two types that share a class write its values with the same fields. */
    def agrees(other: Family, shared: Class[?]): Boolean =
      other.entriesOf(shared).forall: entry =>
        entriesOf(shared).forall: mine =>
          mine.of.caseName != entry.of.caseName || mine.of.of == entry.of.of

    def contentOf(written: WireManifest, manifestLength: Int): MessageContent[AnyRef] =
      val candidates = codec.messages.filter((own, _) => own.isWhole == written.isWhole)
      candidates
        .collectFirst { case (own, content) if own.caseName == written.caseName => content }
        .getOrElse:
          throw MessageFormatException(
            MessageFault.UnknownCase,
            written.subject,
            0,
            manifestLength,
            s"expected ${MessageFormatException.shorten(entries.map(_.of.subject).mkString(" or "))}"
          )
  end Family
end MessageRegistry
