/**
 * The product as another build of the same version has it: a copy with another hash of its sources.
 */
import { cpSync, globSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** Makes the copy in this new folder; gives its version and the program to start. */
export const makeOtherBuild = (folder: string): { readonly version: string; readonly program: string } => {
  for (const part of ["bin", "dist", "prompts", "skills", "package.json"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  symlinkSync(realpathSync(join(root, "node_modules")), join(folder, "node_modules"))
  for (const file of globSync("dist/*/build-*.js", { cwd: folder })) {
    const path = join(folder, file)
    const source = readFileSync(path, "utf8")
    const changed = source.replaceAll(/\+[0-9a-f]{8}`/g, "+00000000`")
    if (changed === source) throw new Error(`${path} has no hash of its build`)
    writeFileSync(path, changed)
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }
  return { version: `${version}+00000000`, program: join(folder, "bin/task-conductor.cjs") }
}
