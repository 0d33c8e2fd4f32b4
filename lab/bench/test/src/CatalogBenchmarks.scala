package undercroft.lab.bench

import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import undercroft.buffer.{Buffer, SegmentMemory, SegmentPool, withIovecs}
import undercroft.tools.Requirement
import undercroft.thrift.{MessageTransportException, ThriftDeserializer, ThriftSerializer}

/** The catalog that crosses to C++ is the same on either side. */
class CatalogBenchmarks extends undercroft.tools.Suite:
  /** A test with the library in C++, which the build compiles. */
  private def crossing(name: munit.TestOptions)(body: CatalogLibrary => Unit): Unit =
    test(name):
      Requirement.GXX.require()
      Requirement.THRIFT.require()
      body(CatalogLibrary.library.get)

  crossing("a catalog has one megabyte per table"): _ =>
    val writer = ThriftSerializer()
    for tables <- Seq(1, 3) do
      val size = writer.serialize(Catalogs.thrift(tables)).size
      assertEquals(size, tables * Catalogs.TableBytes.toLong + Catalogs.Around)
    writer.close()

  crossing("C++ finds the values in a catalog written in each way".tag(LongTest)): _ =>
    for tables <- Seq(1, 9) do
      val expected = Catalogs.summary(tables).sum: Any
      def sized[S <: CatalogScene](state: S)(set: S => Unit): S =
        set(state)
        state
      val scenes = Seq[() => CatalogScene](
        () => sized(CatalogOutput())(_.megabytes = tables),
        () => sized(CatalogRows())(_.megabytes = tables),
        () => sized(CatalogArray())(_.megabytes = tables)
      )
      for scene <- scenes; (method, answer) <- Once.answers(scene) do
        assertEquals(answer, expected, s"$method of $tables")

  crossing("Java finds the files of a catalog written by C++ in each way"): library =>
    val (bytes, summary) = library.encode(Catalogs.FilesOfMegabyte / 100, files = 100)
    val size = bytes.segment.byteSize
    bytes.close()
    assert((size - 1_000_000).abs < 50_000, size)
    val answers = Once.answers: () =>
      val state = CatalogToJava()
      state.megabytes = 1
      state
    assertEquals(
      answers.toMap,
      Seq("nativeBytes", "copiedArray").map(_ -> (summary.sum: Any)).toMap
    )

  crossing("C++ reads a catalog from an iovec array with pieces of any size"): library =>
    val writer = ThriftSerializer()
    val bytes = writer.serialize(Catalogs.thrift(2)).segment
    val arena = Arena.ofConfined()
    try
      for pieceBytes <- Seq(101L, 8192L, 1_000_003L) do
        val count = (bytes.byteSize + pieceBytes - 1) / pieceBytes
        val vectors = arena.allocate(16 * count, 8)
        for i <- 0L until count do
          val from = i * pieceBytes
          val size = Math.min(pieceBytes, bytes.byteSize - from)
          vectors.set(ValueLayout.ADDRESS, i * 16, bytes.asSlice(from, size))
          vectors.set(ValueLayout.JAVA_LONG, i * 16 + 8, size)
        assertEquals(library.decode(vectors, count), Catalogs.summary(2), s"$pieceBytes")
    finally
      arena.close()
      writer.close()

  crossing("C++ reads a catalog from the segments of its Buffer"): library =>
    val writer = ThriftSerializer()
    for memory <- SegmentMemory.values do
      val pool = SegmentPool.lockFree(memory = memory)
      val buffer = Buffer(using pool)
      assertEquals(writer.serialize(Catalogs.thrift(2), buffer), buffer.size)
      val size = buffer.size
      assertEquals(size, 2 * Catalogs.TableBytes.toLong + Catalogs.Around)
      val summary = buffer.withIovecs(vectors => library.decode(vectors, vectors.byteSize / 16))
      assertEquals(summary, Catalogs.summary(2))
      assertEquals(buffer.copiedBytes, if memory == SegmentMemory.Native then 0L else size)
      assertEquals(buffer.size, size)
      buffer.clear()
      pool.assertNoLeaks()
    writer.close()

  crossing("an error in C++ throws with the message of C++"): library =>
    val writer = ThriftSerializer()
    val bytes = writer.serialize(Catalogs.thrift(1)).segment
    val cut = intercept[IllegalStateException](library.decode(bytes.asSlice(0, 500_000)))
    assertEquals(cut.getMessage, "C++ answered: the catalog ends too early")
    val lying = bytes.toArray(ValueLayout.JAVA_BYTE)
    java.util.Arrays.fill(lying, 15, 19, 0x7f.toByte) // how many tables there are
    val arena = Arena.ofConfined()
    val native = arena.allocate(lying.length, 8).copyFrom(MemorySegment.ofArray(lying))
    val declared = intercept[IllegalStateException](library.decode(native))
    assertEquals(declared.getMessage, "C++ answered: TProtocolException: Invalid data")
    arena.close()
    writer.close()

  crossing("a catalog written by C++ is read in place and freed by C++ once"): library =>
    val (bytes, summary) = library.encode(partitions = 10, files = 100)
    val freed = library.freed
    assertEquals((summary.files, summary.blocks), (1000L, 1500L))
    val reader = ThriftDeserializer()
    val catalog = reader.deserialize(CatalogClasses.make("Catalog"), bytes.segment)
    assertEquals(reader.position, bytes.segment.byteSize)
    val sums = Catalogs.files(catalog).flatten.zipWithIndex.map: (file, i) =>
      assertEquals(CatalogClasses.field(file, 1), s"written-by-c++-$i.parquet")
      CatalogClasses.field(file, 2) match
        case length: java.lang.Long => length.longValue
        case other                  => fail(s"$other is no length")
    assertEquals(sums.sum, 1000L * (999 * 1000 / 2))
    // And back again, unchanged.
    val writer = ThriftSerializer()
    val again = writer.serialize(catalog)
    assertEquals(library.decode(again.segment), summary)
    val cut = bytes.segment.asSlice(0, bytes.segment.byteSize / 2)
    intercept[MessageTransportException]:
      reader.deserialize(CatalogClasses.make("Catalog"), cut)
    writer.close()
    assertEquals(library.freed, freed)
    bytes.close()
    bytes.close()
    assertEquals(library.freed, freed + 1)
end CatalogBenchmarks
