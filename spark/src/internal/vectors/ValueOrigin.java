package undercroft.spark.internal.vectors;

/** The origin of values, for error messages.
 *
 * @param valuesPerRow the number of values in a row; values are numbered across all rows
 */
public record ValueOrigin(String file, String column, long first, long valuesPerRow) {

  /** The origin of a nested column of the same rows. */
  public ValueOrigin inside(String name) {
    return new ValueOrigin(file, column.isEmpty() ? name : column + "." + name, first, valuesPerRow);
  }

  /** The origin of the array elements of these rows. */
  public ValueOrigin elements(int count) {
    return new ValueOrigin(file, column, first, valuesPerRow * count);
  }

  /** The file, the row and the column of value `number`. */
  public String words(long number) {
    return file + ": row " + (first + number / valuesPerRow) + " of column " + column;
  }
}
