/**
 * Makes the tarball of a package as npm does: the files of a folder below `package/`, compressed.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

const block = 512

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`

/** The header of a file. A long path is divided at a slash, its beginning has a field of its own. */
const header = (path: string, size: number, mode: number): Buffer => {
  const cut = path.length > 100 ? path.indexOf("/", path.length - 101) : -1
  const bytes = Buffer.alloc(block)
  bytes.write(path.slice(cut + 1), 0)
  bytes.write(`${octal(mode, 8)}${octal(0, 8)}${octal(0, 8)}${octal(size, 12)}${octal(0, 12)}${" ".repeat(8)}0`, 100)
  bytes.write("ustar\u000000", 257)
  bytes.write(path.slice(0, Math.max(cut, 0)), 345)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${octal(sum, 7)} `, 148)
  return bytes
}

const entry = (folder: string, path: string): Buffer => {
  const content = readFileSync(join(folder, path))
  const { mode } = statSync(join(folder, path))
  const rest = Buffer.alloc((block - (content.length % block)) % block)
  return Buffer.concat([header(`package/${path}`, content.length, mode & 0o777), content, rest])
}

/** The paths of all files, without what is installed for the package itself. */
const filesOf = (folder: string, below = ""): ReadonlyArray<string> =>
  readdirSync(join(folder, below), { withFileTypes: true }).flatMap((found) => {
    const path = below === "" ? found.name : `${below}/${found.name}`
    if (found.isDirectory()) return path === "node_modules" ? [] : filesOf(folder, path)
    return found.isFile() ? [path] : []
  })

export const tarballOf = (folder: string): Buffer =>
  gzipSync(Buffer.concat([...filesOf(folder).map((path) => entry(folder, path)), Buffer.alloc(2 * block)]), {
    level: 1
  })
