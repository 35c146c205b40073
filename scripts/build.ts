/**
 * Builds what is published into `dist`: the bundles of rolldown.config.ts and the declarations for TypeScript.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import bundles, { entryPoints } from "../rolldown.config.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The text between the quotes of `from "..."` and `import("...")`. */
const importsOf = (declaration: string): ReadonlyArray<string> =>
  [...declaration.matchAll(/(?<!")\b(?:from|import\()\s*"([^"]+)"/g)].map(([, specifier = ""]) => specifier)

/** The declaration that a relative import leads to; compilers write the ending of the source. */
const targetOf = (file: string, specifier: string): string =>
  resolve(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"))

const isInstalled = (specifier: string): boolean => /^(?:effect|task-conductor)(?:\/|$)/.test(specifier)

/**
 * Keeps of the declarations that the compiler wrote those that the entry points reach. A declaration may import nothing but
 * `effect`, because nothing else is installed for users: it fails with the imports that would not resolve.
 */
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
  const written = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => resolve(folder, name))
  for (const path of written) if (path.endsWith(".d.ts") && !reached.has(path)) rmSync(path)
  /* A folder comes before what lies in it. */
  for (const path of written.toReversed()) {
    if (!path.endsWith(".d.ts") && readdirSync(path).length === 0) rmSync(path, { recursive: true })
  }
}

if (import.meta.main) {
  const dist = join(root, "dist")
  rmSync(dist, { recursive: true, force: true })
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
  keepPublicTypes(join(dist, "types"), Object.keys(entryPoints))
  await build(bundles)
}
