/**
 * The product as npm would publish it, made in a folder of its own: compiled, bundled, packed.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildInto } from "../../scripts/build.ts"

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
  await buildInto(join(product, "dist"))
  return product
}
