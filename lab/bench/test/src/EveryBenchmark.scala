package undercroft.lab.bench

import java.lang.reflect.Modifier
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*

/** Every benchmark has a test of its result. */
class EveryBenchmark extends undercroft.tools.Suite:

  /** The classes that the suites of this module run. A new benchmark is tested, then named here. */
  private val tested = Set(
    "ActorAsk",
    "ActorFanIn",
    "ActorFlood",
    "ActorSpawn",
    "ActorsAlive",
    "Allocation",
    "AnySize",
    "AosSum",
    "ArraySize",
    "ArraysBenchmark",
    "ArraysInScala3",
    "ArticleArithmetic",
    "AtomicAccess",
    "BillionRows",
    "BinaryTrees",
    "BufferHandOff",
    "BufferOperations",
    "CatalogArray",
    "CatalogOutput",
    "CatalogRows",
    "CatalogToJava",
    "ClassTags",
    "ColdCompilation",
    "ColumnFold",
    "ColumnFoldInC",
    "CommandStart",
    "CommandTables",
    "CompressedScan",
    "DaySql",
    "Downcall",
    "ExchangeFirstDay",
    "EventSourced",
    "FieldAccess",
    "FileAppend",
    "FileLines",
    "FileOpen",
    "FileScan",
    "FirstDay",
    "FirstTouch",
    "FreshProcess",
    "FolderOpen",
    "GenericCode",
    "GroupByQuestions",
    "Growth",
    "GrowthEnd",
    "GrowthRules",
    "GrowthRulesOfGibibyte",
    "HandedOver",
    "HeapGather",
    "InPlaceLoop",
    "InliningCliff",
    "LargeMapGrowth",
    "LinesShuffled",
    "LiveBlocks",
    "LiveTrees",
    "MapAccess",
    "MapGrowth",
    "MapMemory",
    "MapScan",
    "MapText",
    "MixedSegments",
    "NewBlocks",
    "NewBytes",
    "OkioReleases",
    "OneWrite",
    "OperationsInARow",
    "OrderBookDay",
    "OrderedMaps",
    "PointLookups",
    "PoolPairs",
    "Programs",
    "PythonTables",
    "RandomGather",
    "RefGather",
    "RegionAllocation",
    "RemoteFrees",
    "Ring",
    "RingFromStart",
    "RingMessages",
    "RingOnClient",
    "RingRecorded",
    "RingTail",
    "RingTrust",
    "RingWork",
    "Savina",
    "SecondDay",
    "SegmentGather",
    "SortLongs",
    "SortObjects",
    "SortRows",
    "SqlResults",
    "SystemAtRest",
    "TextFilters",
    "TextSql",
    "ToArrays",
    "TwoArrayMap",
    "WarmCompilation",
    "WideFields",
    "WidePlaces",
    "WidePlacesInC",
    "WideRows",
    "WritesInARow"
  )

  private val kinds = benchmarks(classOf[Measured]) ++ benchmarks(ArraysBenchmarks.scala213)

  /** The benchmark classes that were compiled into the folder of one of them. */
  private def benchmarks(one: Class[?]): Seq[Class[?]] =
    val location = one.getProtectionDomain.nn.getCodeSource.nn.getLocation.nn.toURI
    val folder = Path.of(location).nn.resolve(one.getPackageName.nn.replace('.', '/')).nn
    val files = Files.list(folder).nn
    val names =
      try files.iterator.nn.asScala.map(_.getFileName.toString).toSeq
      finally files.close()
    val classes = names.collect { case s"$name.class" =>
      Class.forName(s"${one.getPackageName}.$name").nn
    }
    classes.filter(kind =>
      !Modifier.isAbstract(kind.getModifiers) && Once.benchmarks(kind).nonEmpty
    )
  end benchmarks

  test("every benchmark class is run by a test"):
    assertEquals(kinds.map(_.getSimpleName).toSet, tested)
end EveryBenchmark
