/**
 * The product as npm would publish it, in a folder of its own; it was built before the tests (see builtProduct.ts).
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Packs a folder; gives the path of the tarball, which is put into `target`. */
export const packFolder = (folder: string, target: string): string => {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", target]
  return join(target, execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim())
}

/** Copies what is published; gives the folder. */
export const copyProduct = (target: string): string => {
  const product = join(target, "product")
  mkdirSync(product, { recursive: true })
  for (const part of "bin dist prompts skills templates schema docs examples CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md package.json".split(
    " "
  )) {
    cpSync(join(root, part), join(product, part), { recursive: true })
  }
  return product
}
