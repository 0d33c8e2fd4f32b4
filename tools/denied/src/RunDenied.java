package undercroft.tools;

import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs test classes by JUnit alone, because Mill's own runner needs Unsafe, after showing that Unsafe
 * is denied here. Exits with 1 if a test fails.
 */
public final class RunDenied {
  public static void main(String[] names) throws Exception {
    requireDenied();
    var classes = new Class<?>[names.length];
    for (int i = 0; i < names.length; i++) classes[i] = Class.forName(names[i]);
    var junit = new JUnitCore();
    junit.addListener(
        new RunListener() {
          @Override
          public void testFailure(Failure failure) {
            System.out.println("X " + failure.getDescription() + "\n" + failure.getTrimmedTrace());
          }
        });
    var result = junit.run(classes);
    System.out.println(
        "With Unsafe denied: "
            + (result.getRunCount() - result.getFailureCount())
            + " passed, "
            + result.getFailureCount()
            + " failed");
    System.exit(result.wasSuccessful() && result.getRunCount() > 0 ? 0 : 1);
  }

  @SuppressWarnings("removal")
  private static void requireDenied() throws Exception {
    var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    var unsafe = (sun.misc.Unsafe) field.get(null);
    try {
      unsafe.allocateMemory(8);
    } catch (RuntimeException denied) {
      return;
    }
    throw new IllegalStateException("Unsafe is not denied in this JVM");
  }
}
