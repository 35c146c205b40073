/**
 * The program as it is packed, and machines on which nothing else is installed: a home folder, and the program on the path.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { copyProduct, packFolder } from "./packedProduct.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

export interface Machine {
  /** It holds the tarball of the program in `task-conductor`, as a clone in which it was packed. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** `npx` without npm: the program that is installed in the folder, else the one on the path. */
const commands = {
  "task-conductor": (program: string) => `exec "${process.execPath}" "${program}" "$@"`,
  npx: () => 'local="node_modules/.bin/$1"; [ -x "$local" ] && exec "$local" "${@:2}"; exec "$@"'
}

/** Packs the product, unpacks the tarball below `root` and puts its command into a folder for the path. */
export const installPacked = (root: string): void => {
  mkdirSync(join(root, "packed"))
  const tarball = packFolder(copyProduct(root), join(root, "packed"))
  const modules = join(root, "lib/node_modules")
  mkdirSync(join(modules, "task-conductor"), { recursive: true })
  execFileSync("tar", ["xzf", tarball, "-C", join(modules, "task-conductor"), "--strip-components=1"])
  symlinkSync(join(repository, "node_modules/effect"), join(modules, "effect"))
  mkdirSync(join(root, "bin"))
  for (const [name, script] of Object.entries(commands)) {
    const program = join(modules, "task-conductor/bin/task-conductor.cjs")
    writeFileSync(join(root, "bin", name), `#!/usr/bin/env bash\n${script(program)}\n`)
    chmodSync(join(root, "bin", name), 0o755)
  }
}

/** What npm needs to install from a registry on the loopback. */
export const npmEnvironment = (root: string, registry: string): Machine["env"] => ({
  npm_config_registry: registry,
  npm_config_cache: join(root, "cache"),
  npm_config_update_notifier: "false",
  npm_config_audit: "false",
  npm_config_fund: "false"
})

/** A new machine with what was installed below `root`. */
export const openMachine = (root: string, more: Machine["env"]): Machine => {
  const home = join(mkdtempSync(join(root, "machine-")), "you")
  mkdirSync(home)
  symlinkSync(join(root, "packed"), join(home, "task-conductor"))
  const env = {
    PATH: [join(root, "bin"), dirname(process.execPath), process.env["PATH"]].join(":"),
    HOME: home,
    OLLAMA_HOST: "127.0.0.1:1",
    NODE_COMPILE_CACHE: join(root, "compile-cache"),
    ...more
  }
  return { home, env }
}

/** The settings of a compiler for a program of a user that takes the types of installed packages. */
export const strictlyCompiled = (...files: ReadonlyArray<string>): object => ({
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "NodeNext",
    target: "ES2024",
    noEmit: true,
    types: [],
    skipLibCheck: false
  },
  files
})
