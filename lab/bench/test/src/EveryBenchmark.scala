package undercroft.lab.bench

import java.lang.reflect.Modifier
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*

/** No benchmark is without a test that it computes what it claims. */
class EveryBenchmark extends munit.FunSuite:

  /** The classes that the suites of this module run. A new benchmark is tested, then named here. */
  private val tested = Set(
    "Allocation",
    "AosSum",
    "ArticleArithmetic",
    "ClassTags",
    "FieldAccess",
    "FirstDay",
    "Growth",
    "HeapGather",
    "InPlaceLoop",
    "NewBytes",
    "RandomGather",
    "RefGather",
    "RegionAllocation",
    "SecondDay",
    "TwoArrayMap",
    "WideRows"
  )

  private val found =
    val location = classOf[Measured].getProtectionDomain.nn.getCodeSource.nn.getLocation.nn.toURI
    val folder = Path.of(location).nn.resolve("undercroft/lab/bench").nn
    val files = Files.list(folder).nn
    val names =
      try files.iterator.nn.asScala.map(_.getFileName.toString).toSeq
      finally files.close()
    val classes = names.collect { case s"$name.class" =>
      Class.forName(s"undercroft.lab.bench.$name").nn
    }
    classes.filter(kind =>
      !Modifier.isAbstract(kind.getModifiers) && Once.benchmarks(kind).nonEmpty
    )

  test("every benchmark class is run by a test"):
    assertEquals(found.map(_.getSimpleName).toSet, tested)
end EveryBenchmark
