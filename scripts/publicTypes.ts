/**
 * Keeps of the declarations that the compiler wrote those that users can reach: from the entry points through what these
 * import. A declaration may import nothing but `effect`, because nothing else is installed for users.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** The text between the quotes of `from "..."` and `import("...")`. */
const importsOf = (declaration: string): ReadonlyArray<string> =>
  [...declaration.matchAll(/\b(?:from|import\()\s*"([^"]+)"/g)].map(([, specifier = ""]) => specifier)

/** The declaration that a relative import leads to; compilers write the ending of the source. */
const targetOf = (file: string, specifier: string): string =>
  resolve(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"))

const isInstalled = (specifier: string): boolean => /^(?:effect|task-conductor)(?:\/|$)/.test(specifier)

/** Deletes what cannot be reached. Fails with the imports that would not resolve. */
export const keepPublicTypes = (folder: string, entries: ReadonlyArray<string>): void => {
  const reached = new Set(entries.map((entry) => resolve(folder, `${entry}.d.ts`)))
  const unresolved: Array<string> = []
  for (const file of reached) {
    for (const specifier of importsOf(readFileSync(file, "utf8"))) {
      const target = specifier.startsWith(".") ? targetOf(file, specifier) : undefined
      if (target === undefined ? isInstalled(specifier) : existsSync(target)) {
        if (target !== undefined) reached.add(target)
      } else unresolved.push(`${file}: ${specifier}`)
    }
  }
  if (unresolved.length > 0) {
    throw new Error(`These imports of published declarations do not resolve for users:\n${unresolved.join("\n")}`)
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = resolve(join(folder, name))
    if (name.endsWith(".d.ts") && !reached.has(path)) rmSync(path)
  }
  removeEmptyFolders(folder)
}

const removeEmptyFolders = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name))
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true })
}
