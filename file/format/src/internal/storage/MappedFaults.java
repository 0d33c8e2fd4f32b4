package undercroft.file.format.internal.storage;

/** Protects reads of memory-mapped files against pages that are truncated meanwhile.
 *
 * If another program truncates a mapped file, HotSpot skips the faulting instruction and throws an
 * InternalError a little later. To skip an instruction it must know its length, and on x86-64 it
 * does not know that of every instruction that combines a load with its use: a load that widens an
 * Int to a Long crashes the JVM. So integers of a file are added to a zero that is not a
 * compile-time constant.
 */
public final class MappedFaults {
  private static int zero;

  private MappedFaults() {}

  /** 0, as a value that the JIT does not know. */
  public static int zero() {
    return zero;
  }

  /** Throws the deferred error of an earlier access now. The JVM checks for it when a method
   * returns; in a recursion of this depth, at least one call is not inlined.
   */
  public static void rethrow() {
    down(3);
  }

  private static int down(int depth) {
    return depth == 0 ? zero : down(depth - 1) + 1;
  }
}
