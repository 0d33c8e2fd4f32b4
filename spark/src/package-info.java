/**
 * Struct files as tables of Apache Spark: {@code spark.read.format("undercroft").load(path)}. Spark
 * finds {@link UndercroftSource} by its short name.
 */
package undercroft.spark;
