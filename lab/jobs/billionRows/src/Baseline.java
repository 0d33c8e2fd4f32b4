package billionRows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.TreeMap;

/** The challenge's naive program: lines, Strings and a HashMap, in one thread. */
public final class Baseline {
  private static final class Station {
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;
    private double sum;
    private long count;

    void add(double degrees) {
      min = Math.min(min, degrees);
      max = Math.max(max, degrees);
      sum += degrees;
      count++;
    }

    @Override
    public String toString() {
      double mean = Math.round(Math.round(sum * 10.0) / (double) count) / 10.0;
      return round(min) + "/" + mean + "/" + round(max);
    }

    private static double round(double degrees) {
      return Math.round(degrees * 10.0) / 10.0;
    }
  }

  public static void main(String[] args) throws IOException {
    var stations = new HashMap<String, Station>();
    try (var reader = Files.newBufferedReader(Path.of(args[0]))) {
      for (var line = reader.readLine(); line != null; line = reader.readLine()) {
        int end = line.indexOf(';');
        stations
            .computeIfAbsent(line.substring(0, end), name -> new Station())
            .add(Double.parseDouble(line.substring(end + 1)));
      }
    }
    System.out.println(new TreeMap<>(stations));
  }
}
