package undercroft.lab.bench

// How much does the shortest call into C cost, marked as critical and plain?

import org.openjdk.jmh.annotations.*

/** `sched_getcpu`, which reads a number that the kernel keeps in the process. */
@State(Scope.Thread)
class Downcall extends Measured:
  @Benchmark def criticalDowncall(): Int = LibC.cpu()
  @Benchmark def plainDowncall(): Int = LibC.cpuByPlainCall()
