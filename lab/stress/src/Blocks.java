package undercroft.lab.stress;

import java.util.HashSet;
import undercroft.memory.Malloc;

/** Blocks of Malloc, three in each page. */
final class Blocks {
  private static final int BYTES = 16_000;

  private Blocks() {}

  /** Allocates blocks of three pages or more: the page of the block with index 1 is full, and is not
   * the current one.
   */
  static long[] allocate() {
    long[] blocks = new long[7];
    for (int i = 0; i < blocks.length; i++) blocks[i] = Malloc.allocateBlock(BYTES, 8);
    return blocks;
  }

  /** Frees all blocks but the one with index 1. */
  static void freeOthers(long[] blocks) {
    for (int i = 0; i < blocks.length; i++) if (i != 1) Malloc.free(blocks[i]);
  }

  /** Allocates blocks again, and frees them; returns whether one was given out twice. */
  static String again() {
    var distinct = new HashSet<Long>();
    long[] blocks = allocate();
    for (long block : blocks) distinct.add(block);
    for (long block : distinct) Malloc.free(block);
    return distinct.size() == blocks.length ? "apart" : "same";
  }
}
