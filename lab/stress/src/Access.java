package undercroft.lab.stress;

import undercroft.memory.internal.cage.Cage;
import undercroft.memory.InvalidFreeException;
import undercroft.memory.Malloc;
import undercroft.memory.StaleReferenceException;

/** Reads, writes and frees by reference; returns the outcome as text. */
final class Access {
  static final long OWN = 0x1111_1111_1111_1111L;
  static final long FOREIGN = 0x2222_2222_2222_2222L;

  private Access() {}

  static long write(long reference, long value) {
    Cage.setLong(reference, 0, value);
    return reference;
  }

  static String read(long reference) {
    try {
      return word(Cage.getLong(reference, 0));
    } catch (StaleReferenceException e) {
      return "refused";
    }
  }

  static String word(long value) {
    return value == OWN ? "own" : value == FOREIGN ? "foreign" : value == 0 ? "zero" : "torn";
  }

  static String free(long reference) {
    try {
      Malloc.free(reference);
      return "freed";
    } catch (InvalidFreeException e) {
      return "refused";
    }
  }
}
