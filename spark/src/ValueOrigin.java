package undercroft.spark;

/** The origin of values, for error messages.
 *
 * @param valuesPerRow the number of values in a row; values are numbered across all rows
 */
record ValueOrigin(String file, String column, long first, long valuesPerRow) {

  /** The origin of a nested column of the same rows. */
  ValueOrigin inside(String name) {
    return new ValueOrigin(file, column.isEmpty() ? name : column + "." + name, first, valuesPerRow);
  }

  /** The origin of the array elements of these rows. */
  ValueOrigin elements(int count) {
    return new ValueOrigin(file, column, first, valuesPerRow * count);
  }

  /** The file, the row and the column of value `number`. */
  String words(long number) {
    return file + ": row " + (first + number / valuesPerRow) + " of column " + column;
  }
}
