package undercroft.lab.bench

import java.lang.reflect.Method
import org.openjdk.jmh.annotations.{Benchmark, Setup, TearDown}

/** Runs benchmarks once, without JMH's harness, for their results and never for their time. */
object Once:

  /** The result of every benchmark method of `state`, by name, each on a freshly set-up state. */
  def answers[A](fresh: () => A): Map[String, Any] =
    val methods = benchmarks(fresh().getClass)
    methods.map(method => method.getName.nn -> answer(fresh(), method.getName.nn)).toMap

  /** The result of one method. */
  def answer(state: Any, method: String): Any =
    val kind = state.getClass
    annotated(kind, classOf[Setup]).foreach(_.invoke(state))
    val benchmark = benchmarks(kind).find(_.getName == method).get
    // The parameters that JMH passes to a benchmark beside its own state: new counters for each call.
    val counts = benchmark.getParameterTypes.nn.map(_.nn.getConstructor().nn.newInstance())
    try benchmark.invoke(state, counts*)
    finally annotated(kind, classOf[TearDown]).foreach(_.invoke(state))

  /** The benchmark methods of a class, its own and those it inherits. */
  def benchmarks(kind: Class[?]): Seq[Method] = annotated(kind, classOf[Benchmark])

  private def annotated(
      kind: Class[?],
      annotation: Class[? <: java.lang.annotation.Annotation]
  ): Seq[Method] =
    kind.getMethods.nn.toSeq.map(_.nn).filter(_.isAnnotationPresent(annotation))
end Once
