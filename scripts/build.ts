/**
 * Builds what is published into `dist`: the bundles of rolldown.config.ts and the declarations for TypeScript.
 */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import bundles, { entryPoints } from "../rolldown.config.ts"
import { keepPublicTypes } from "./publicTypes.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Builds into a folder, which is emptied before. */
export const buildInto = async (target: string): Promise<void> => {
  rmSync(target, { recursive: true, force: true })
  const types = join(target, "types")
  const tsc = join(root, "node_modules/.bin/tsc")
  execFileSync(tsc, ["-p", join(root, "tsconfig.build.json"), "--outDir", types], { stdio: "inherit" })
  keepPublicTypes(types, Object.keys(entryPoints))
  for (const { name, ...options } of bundles) {
    await build({ ...options, cwd: root, output: { ...options.output, dir: join(target, name) } })
  }
}

if (import.meta.main) await buildInto(join(root, "dist"))
