package undercroft.spark;

/** Where values come from, for whoever has to say that one of them is wrong.
 *
 * @param each
 *     how many values a row has, which are counted through all rows
 */
record Origin(String file, String column, long first, long each) {

  /** The same rows' values of a column that is inside of this one. */
  Origin inside(String name) {
    return new Origin(file, column.isEmpty() ? name : column + "." + name, first, each);
  }

  /** Elements of arrays of these rows. */
  Origin elements(int count) {
    return new Origin(file, column, first, each * count);
  }

  /** The file, the row and the column of value `number`. */
  String words(long number) {
    return file + ": row " + (first + number / each) + " of column " + column;
  }
}
