package undercroft.spark.internal.vectors;

/** The position of the values of a column in the data of a file, in bytes.
 *
 * Value `k` of a top-level field is at `base + k * step`. Array elements are numbered across all
 * rows: element `k` has index `k % count` in array `k / count` of `outer`.
 */
public record ValueRange(ValueRange outer, int count, long base, long step) {

  public static ValueRange of(long base, long step) {
    return new ValueRange(null, 1, base, step);
  }

  public long at(long k) {
    if (outer == null) return base + k * step;
    return outer.at(k / count) + base + k % count * step;
  }

  /** The position of a field nested in each value. */
  public ValueRange inside(long offset) {
    return new ValueRange(outer, count, base + offset, step);
  }

  /** The position of the elements of arrays at this position. */
  public ValueRange elements(int count, long size) {
    return new ValueRange(this, count, 0, size);
  }
}
