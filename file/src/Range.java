package undercroft.file;

/** The smallest and the largest value of a field in the rows `[from, until)`: two Longs, or two
 * Doubles, which leave NaN out and are infinite where there is nothing else.
 */
public record Range(long from, long until, Number least, Number most) {}
