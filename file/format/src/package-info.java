/**
 * Struct files in plain Java, without dependencies: {@link StructFile} opens, reads and verifies them,
 * {@link StructWriter} writes them, and {@link FolderListing} and {@link FolderChange} read and change
 * folders of them.
 */
package undercroft.file.format;
