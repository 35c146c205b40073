/**
 * The product as npm would publish it, made in a folder of its own: compiled, bundled, packed.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import bundles from "../../rolldown.config.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Packs a folder; gives the path of the tarball, which is put into `target`. */
export const packFolder = (folder: string, target: string): string => {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", target]
  return join(target, execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim())
}

/** Builds the product; gives the folder, which holds what is published. */
export const buildProduct = async (target: string): Promise<string> => {
  const product = join(target, "product")
  mkdirSync(product, { recursive: true })
  for (const part of ["bin", "prompts", "skills", "schema", "docs", "LICENSE", "README.md", "package.json"]) {
    cpSync(join(root, part), join(product, part), { recursive: true })
  }
  const tsc = join(root, "node_modules/.bin/tsc")
  execFileSync(tsc, ["-p", join(root, "tsconfig.build.json"), "--outDir", join(product, "dist")], { stdio: "inherit" })
  for (const { output, ...options } of bundles) {
    await build({ ...options, cwd: root, output: { ...output, dir: join(product, "dist", basename(output.dir)) } })
  }
  return product
}
