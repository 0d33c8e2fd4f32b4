package undercroft.file;

/** For code that reads the data of files: what it does about pages that go while it reads.
 *
 * Where another program makes a file shorter, HotSpot skips an access to what is gone and throws an
 * InternalError a little later. To skip an instruction it has to know its length, and on x86-64 it
 * does not know that of every instruction that is made of a load and its use: at an Int that becomes
 * a Long the JVM ends. So integers of a file are added to a zero that the compiler does not know.
 */
public final class Mapping {
  private static int zero;

  private Mapping() {}

  /** 0, which the compiler does not know. */
  public static int zero() {
    return zero;
  }

  /** Throws now what the JVM has to throw for an access before, if that failed. The JVM looks for it
   * when a method returns: of one that calls itself that deep at least one call is really made.
   */
  public static void settle() {
    down(3);
  }

  private static int down(int depth) {
    return depth == 0 ? zero : down(depth - 1) + 1;
  }
}
