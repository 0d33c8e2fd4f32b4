package undercroft.file.format;

/** The smallest and the largest value of a field in the rows `[from, until)`: two Longs, or two
 * Doubles. NaNs are ignored; if there are only NaNs, the bounds are infinite.
 */
public record BlockStatistics(long from, long until, Number min, Number max) {}
