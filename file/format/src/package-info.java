/**
 * Struct files in plain Java, without dependencies: {@link StructFile} opens, reads and verifies them,
 * and {@link StructWriter} writes them.
 */
package undercroft.file.format;
