/**
 * Builds the product before the tests when a source is newer than what was built: tests that start the command line start
 * what users start.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import type { TestProject } from "vitest/node"

const root = join(import.meta.dirname, "../..")

/** What the build writes among the sources, and the folder that it changes by that. */
const isBuilt = (path: string): boolean => /^src\/plugins\/cluster(?:$|\/dist(?:\/|$))/.test(path)

/** The times of change of what lies in a folder of the repository; its folders count, since files may be removed. */
const timesOf = (folder: string, isCounted = (_path: string): boolean => true): ReadonlyArray<number> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => isCounted(relative(root, path)))
    .map((path) => statSync(path).mtimeMs)

const isCurrent = (): boolean => {
  try {
    const single = ["package.json", "rolldown.config.ts", "tsconfig.build.json"]
    const sources = timesOf("src", (path) => !isBuilt(path))
    const newest = Math.max(...sources, ...single.map((file) => statSync(join(root, file)).mtimeMs))
    return newest < Math.min(...timesOf("dist"), ...timesOf("src/plugins/cluster/dist"))
  } catch {
    return false
  }
}

const build = (): void => {
  if (isCurrent()) return
  execFileSync("npm", ["run", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
}

export default (project: TestProject): void => {
  build()
  project.onTestsRerun(() => Promise.resolve(build()))
}
