package undercroft.file.format

import undercroft.file.format.internal.folder.{FolderChange, FolderListing, FolderManifest}
import java.nio.file.{Files, Path}
import java.util.List as JavaList

/** Listings of folders that change meanwhile. */
class FolderListingTest extends undercroft.tools.Suite:

  private def added(folder: Path, rows: Int): Unit =
    val change = FolderChange.begin(folder)
    try
      Files.copy(Samples.sealedFile(FileLayout.COLUMNS, rows, 100), change.newFile(""))
      change.commit(): Unit
    finally change.close()

  /** A folder of one file without a manifest. */
  private def folder(): Path =
    val folder = Samples.path().getParent
    Files.copy(Samples.sealedFile(FileLayout.COLUMNS, 10, 100), folder.resolve("a.cols"))
    folder

  test("a folder whose first manifest is published while its files are listed has its files"):
    val path = folder()
    def listing(path: Path): JavaList[FolderManifest.Entry] =
      added(path, 20)
      FolderListing.files(path)
    val listed = FolderListing.current(path, listing(_))
    assertEquals((listed.number, listed.entries.size), (1L, 2))
    assert(listed.entries.stream.allMatch(_.length > 0), listed.text)

  test("a file that the first change of a folder removes while it is listed is no error"):
    val path = folder()
    def listing(path: Path): JavaList[FolderManifest.Entry] =
      val change = FolderChange.begin(path)
      try
        change.first.entries.forEach(change.remove(_))
        change.commit(): Unit
      finally change.close()
      throw new StructFileException(
        path.resolve("a.cols"),
        0,
        ErrorKind.NOT_FOUND,
        "cannot open it"
      )
    assertEquals(FolderListing.current(path, listing(_)).entries.size, 0)

  test("a file that is missing without a change is an error"):
    val path = folder()
    def listing(path: Path): JavaList[FolderManifest.Entry] =
      throw new StructFileException(
        path.resolve("a.cols"),
        0,
        ErrorKind.NOT_FOUND,
        "cannot open it"
      )
    assertEquals(Samples.failure(FolderListing.current(path, listing(_)))._1, ErrorKind.NOT_FOUND)

  test("files that a change removes before they are opened are opened from the next manifest"):
    val path = folder()
    var calls = 0
    val names = FolderListing.opening(
      path,
      listed =>
        calls += 1
        if calls == 1 then
          added(path, 20)
          throw StructFileException(path, 0, ErrorKind.NOT_FOUND, "cannot open it")
        listed.names.size
    )
    assertEquals((calls, names), (2, 2))
    val (kind, _) = Samples.failure:
      FolderListing.opening[Int](
        path,
        _ =>
          calls += 1
          throw StructFileException(path, 0, ErrorKind.NOT_FOUND, "cannot open it")
      )
    assertEquals((calls, kind), (3, ErrorKind.NOT_FOUND))
end FolderListingTest
