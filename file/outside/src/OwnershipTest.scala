package outside.file

import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path, StandardCopyOption}
import undercroft.file.format.ErrorKind
import undercroft.struct.*
import undercroft.file.*

/** Exclusive writing of a file, and the resolution of file names. */
class OwnershipTest extends undercroft.tools.Suite:
  import Trades.*

  test("sealing through a symbolic link seals the target file"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      val link = Files.createSymbolicLink(folder.resolve("current.rows"), day.toAbsolutePath)
      val table = Rows.open[Trade](link)
      table += Trade(10, 10)
      table.seal()
      assert(Files.isSymbolicLink(link))
      assertEquals((count(link), count(day)), (11L, 11L))
      assertEquals(failure(Rows.open[Trade](day))._1, ErrorKind.SEALED)

  test("migration through a symbolic link migrates the target file"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      val link = Files.createSymbolicLink(folder.resolve("current.rows"), Path.of("day.rows"))
      val wide = Rows.open[WideTrade](link)
      wide += WideTrade(10, 10)
      wide.commit()
      wide.close()
      assert(Files.isSymbolicLink(link))
      val read = Rows.openReadOnly[WideTrade](day)
      assertEquals(read.toVector, Vector.tabulate(11)(i => WideTrade(i, i)))
      read.close()

  test("migration and sealing keep the permissions of the file"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      undercroft.tools.Requirement.LINUX.require() // for POSIX permissions
      def permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(day))
      def set(permissions: String) =
        Files.setPosixFilePermissions(day, PosixFilePermissions.fromString(permissions))
      set("rw-------")
      Rows.open[WideTrade](day).close() // migrates the file
      assertEquals(permissions, "rw-------")
      Rows.open[WideTrade](day).seal()
      assertEquals(permissions, "rw-------")
      val other = written(folder.resolve("other.rows"), 10)
      Files.move(other, day, StandardCopyOption.REPLACE_EXISTING)
      set("rw-rw-rw-") // more than the process gives to new files
      Rows.open[Trade](day).seal()
      assertEquals(permissions, "rw-rw-rw-")
      assertEquals(count(day), 10L)

  test("creating a file does not replace a dangling symbolic link"):
    inFolder: folder =>
      val link = Files.createSymbolicLink(folder.resolve("link.rows"), Path.of("nowhere.rows"))
      assert(failure(Rows.create[Trade](link))._2.contains("nowhere.rows"))
      assert(Files.isSymbolicLink(link))

  test("a second writer through another hard link is rejected, and the first one continues"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      val link = Files.createLink(folder.resolve("other.rows"), day)
      val first = Rows.open[Trade](day)
      val (inUse, words) = failure(Rows.open[Trade](link))
      assertEquals(inUse, ErrorKind.IN_USE, words)
      first += Trade(10, 10)
      first.commit()
      first.close()
      assertEquals(count(link), 11L)
      Rows.open[Trade](link).close()

  test("a file that a writer has under another hard link is not migrated"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      val link = Files.createLink(folder.resolve("other.rows"), day)
      val first = Rows.open[Trade](link)
      assertEquals(failure(Rows.open[WideTrade](day))._1, ErrorKind.IN_USE)
      first += Trade(10, 10)
      first.commit()
      first.close()
      assertEquals(count(day), 11L)
      Rows.open[WideTrade](day).close()

  test("a second writer is rejected after the .lock file of the first was deleted"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      val first = Rows.open[Trade](day)
      Files.delete(folder.resolve("day.rows.lock"))
      assertEquals(failure(Rows.open[Trade](day))._1, ErrorKind.IN_USE)
      first.close()

  test("a refused create or open leaves no .lock file that it created"):
    inFolder: folder =>
      def lock(path: Path) = path.resolveSibling(s"${path.getFileName}.lock")
      val day = sealedFile(Rows, folder.resolve("day.rows"), 10)
      assertEquals(failure(Rows.create[Trade](day))._1, ErrorKind.EXISTS)
      assert(!Files.exists(lock(day)))
      assertEquals(failure(Rows.open[Trade](day))._1, ErrorKind.SEALED)
      assert(!Files.exists(lock(day)))
      // A folder in place of the temporary file keeps the new file from being written.
      val blocked = folder.resolve("blocked.rows")
      Files.createDirectories(folder.resolve("blocked.rows.uc.new/x"))
      failure(Rows.create[Trade](blocked)): Unit
      assert(!Files.exists(blocked) && !Files.exists(lock(blocked)))
      val growing = written(folder.resolve("growing.rows"), 3)
      assertEquals(failure(Rows.create[Trade](growing))._1, ErrorKind.EXISTS)
      assert(Files.exists(lock(growing)), "the lock file of a file that is not sealed remains")
      Rows.open[Trade](growing).close()

  test("a writer whose file another writer has changed throws and truncates nothing"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      val first = Rows.open[Trade](day)
      // Simulates a process that ignores locks: it copies the file, appends to the copy and copies
      // the bytes back into the original.
      val copy = Files.copy(day, folder.resolve("copy.rows"))
      val second = Rows.open[Trade](copy)
      for i <- 10 until 5000 do second += Trade(i, i)
      second.commit()
      second.close()
      val bytes = Files.readAllBytes(copy)
      val into = java.io.RandomAccessFile(day.toFile, "rw")
      try into.write(bytes)
      finally into.close()
      for refused <- Seq(() => first += Trade(-1, -1), () => first.commit(), () => first.seal()) do
        val (kind, words) = failure(refused())
        assertEquals(kind, ErrorKind.IN_USE, words)
      first.close()
      val read = Rows.openReadOnly[Trade](day)
      assertEquals((read.size, read(4999)), (5000L, Trade(4999, 4999)))
      read.close()

  test("commit to a deleted, renamed or replaced file throws with the reason"):
    inFolder: folder =>
      val day = folder.resolve("day.rows")
      val deleted = Rows.create[Trade](day)
      deleted += Trade(1, 1)
      deleted.commit()
      Files.delete(day)
      deleted += Trade(2, 2)
      assertEquals(failure(deleted.commit())._1, ErrorKind.NOT_FOUND)
      assertEquals(failure(deleted.seal())._1, ErrorKind.NOT_FOUND)
      assert(!Files.exists(day))
      deleted.close()

      val moved = Rows.create[Trade](day)
      moved += Trade(1, 1)
      moved.commit()
      Files.move(day, folder.resolve("moved.rows"))
      assertEquals(failure(moved.commit())._1, ErrorKind.NOT_FOUND)
      moved.close()
      assertEquals(count(folder.resolve("moved.rows")), 1L)

      val replaced = Rows.create[Trade](day)
      replaced += Trade(1, 1)
      replaced.commit()
      val replacement = written(folder.resolve("other.rows"), 7)
      Files.move(replacement, day, StandardCopyOption.REPLACE_EXISTING)
      assertEquals(failure(replaced.commit())._1, ErrorKind.REPLACED)
      assertEquals(failure(replaced.seal())._1, ErrorKind.REPLACED)
      replaced.close()
      assertEquals(count(day), 7L)
end OwnershipTest
