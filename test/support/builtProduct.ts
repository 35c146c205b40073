/**
 * Builds the product before the tests when a source is newer than what was built: tests that start the command line start
 * what users start.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

const root = join(import.meta.dirname, "../..")

/** The times of change of what lies in a folder of the repository; its folders count, since files may be removed. */
const timesOf = (folder: string): ReadonlyArray<number> => {
  const all = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return all.map(({ name, parentPath }) => statSync(join(parentPath, name)).mtimeMs)
}

const isCurrent = (): boolean => {
  try {
    const single = ["package.json", "rolldown.config.ts", "tsconfig.build.json"]
    const sources = [...timesOf("src"), ...single.map((file) => statSync(join(root, file)).mtimeMs)]
    return Math.max(...sources) < Math.min(...timesOf("dist"))
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
