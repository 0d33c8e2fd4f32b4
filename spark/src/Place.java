package undercroft.spark;

/** Where the values of a column are in the data of a file, in bytes.
 *
 * Value `k` of a row's own field is at `base + k * step`. Elements of an array are counted through
 * all rows: element `k` is number `k % count` of the array that is `k / count` of `outer`.
 */
record Place(Place outer, int count, long base, long step) {

  static Place of(long base, long step) {
    return new Place(null, 1, base, step);
  }

  long at(long k) {
    if (outer == null) return base + k * step;
    return outer.at(k / count) + base + k % count * step;
  }

  /** Where something inside of each value is. */
  Place inside(long offset) {
    return new Place(outer, count, base + offset, step);
  }

  /** Where the elements of an array in this place are. */
  Place elements(int count, long size) {
    return new Place(this, count, 0, size);
  }
}
