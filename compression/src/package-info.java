/**
 * Codecs of compressed struct files and Arrow files: Zstandard by zstd-jni, LZ4 by Commons Compress.
 * On the class path they are found by {@link java.util.ServiceLoader}; no program names them.
 */
package undercroft.compression;
