package undercroft.lab.stress;

import java.util.concurrent.ArrayBlockingQueue;
import undercroft.memory.Malloc;

/** A thread that allocates blocks for other threads to free, which are never their owners. */
final class BlockOwner {
  private static final int AHEAD = 1024;
  private static final ArrayBlockingQueue<Long> blocks = new ArrayBlockingQueue<>(AHEAD);

  static {
    var thread = new Thread(BlockOwner::allocate, "third");
    thread.setDaemon(true);
    thread.start();
  }

  private BlockOwner() {}

  static long block() {
    try {
      return blocks.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void allocate() {
    try {
      while (true) blocks.put(Malloc.allocateBlock(64, 8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
