/**
 * Collects the reports that tests wrote into build folders. Links are not followed, because the command may have
 * created them.
 */
import { lstat, readdir, readFile } from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"

/**
 * The maximum size of all reports together, in bytes. If they are larger, no report is read, because a part of the
 * reports would give wrong totals.
 */
const mostOfReports = 16_777_216

/** The names in a folder; none if it is a link or no folder. */
const namesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const info = await lstat(folder).catch(() => undefined)
  return info?.isDirectory() === true ? readdir(folder).catch(() => []) : []
}

const pathsIn = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await namesIn(folder)).map((name) => path.join(folder, name))

/** The folders of reports in a build folder, such as `surefire-reports` in `target`. */
const reportFolders = async (folder: string): Promise<ReadonlyArray<string>> => {
  const wanted = { target: /^(?:surefire|failsafe)-reports$/, build: /^test-results$/ }[path.basename(folder)]
  if (wanted === undefined) return []
  const found = (await pathsIn(folder)).filter((one) => wanted.test(path.basename(one)))
  return path.basename(folder) === "target" ? found : (await Promise.all(found.map(pathsIn))).flat()
}

/** The reports written after `began`, with their sizes. */
const reportsIn = async (folders: ReadonlyArray<string>, began: number) => {
  const files = (await Promise.all(folders.map(pathsIn))).flat()
  const infos = await Promise.all(
    files
      .filter((file) => /^TEST-.*\.xml$/.test(path.basename(file)))
      .map(async (file) => ({ file, info: await lstat(file).catch(() => undefined) }))
  )
  return infos.flatMap(({ file, info }) =>
    info?.isFile() === true && info.mtimeMs >= began ? [{ file, size: info.size }] : []
  )
}

/** The texts of the reports in these build folders that were written after `began` (milliseconds). */
export const testReports = Effect.fn("testReports")((folders: ReadonlyArray<string>, began: number) =>
  Effect.promise(async () => {
    const reports = await reportsIn((await Promise.all(folders.map(reportFolders))).flat(), began)
    const size = reports.reduce((sum, report) => sum + report.size, 0)
    if (size > mostOfReports) return []
    return Promise.all(reports.map(({ file }) => readFile(file, "utf8").catch(() => "")))
  })
)
