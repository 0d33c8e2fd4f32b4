/**
 * Zstandard for compressed struct files, by zstd-jni. On the class path it is found by
 * {@link java.util.ServiceLoader}; no program names it.
 */
package undercroft.file.compression;
