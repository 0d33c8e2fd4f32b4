package undercroft.tools;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs test classes by JUnit alone, because Mill's own runner needs Unsafe. If the first argument is
 * `denied`, it requires first that Unsafe is denied in this JVM; the second names the tests in the
 * last line. Writes `test-report.xml`, the failures to `failures.txt`, and exits with 1 if a test
 * fails.
 */
public final class RunTests {
  public static void main(String[] args) throws Exception {
    boolean isDenied = args[0].equals("denied");
    if (isDenied) requireDenied();
    var classes = new Class<?>[args.length - 2];
    for (int i = 0; i < classes.length; i++) classes[i] = Class.forName(args[i + 2]);
    var junit = new JUnitCore();
    var failures = new StringBuilder();
    junit.addListener(
        new RunListener() {
          @Override
          public void testFailure(Failure failure) {
            String shown = "X " + failure.getDescription() + "\n" + failure.getTrimmedTrace();
            System.out.println(shown);
            failures.append(shown).append('\n');
          }

          @Override
          public void testAssumptionFailure(Failure failure) {
            System.out.println("skipped: " + failure.getDescription() + ": " + failure.getMessage());
          }

          @Override
          public void testStarted(Description test) {
            System.out.println(test);
          }
        });
    var result = junit.run(classes);
    int skipped = result.getAssumptionFailureCount();
    int passed = result.getRunCount() - result.getFailureCount() - skipped;
    System.out.println(
        args[1] + (isDenied ? ", with Unsafe denied: " : ": ")
            + passed + " passed, " + result.getFailureCount() + " failed, " + skipped + " skipped");
    Files.writeString(
        Path.of("test-report.xml"),
        String.format(
            Locale.ROOT,
            "<testsuites tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\"></testsuites>%n",
            result.getRunCount(), result.getFailureCount(), skipped));
    if (!failures.isEmpty()) Files.writeString(Path.of("failures.txt"), failures);
    System.exit(result.wasSuccessful() ? 0 : 1);
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
