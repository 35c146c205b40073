/**
 * Programs of a machine without bubblewrap whose `setpriv` knows Landlock: its own where it is new enough, else `setpriv.py`.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const outputOf = (program: string, ...words: ReadonlyArray<string>) =>
  spawnSync(program, words, { encoding: "utf8" }).stdout?.trim() ?? ""
const python = () => outputOf("python3", "-c", "import os, sys; print(os.path.realpath(sys.executable))")
const standIn = fileURLToPath(new URL("setpriv.py", import.meta.url))

/** Puts `setpriv`, `sh`, `cat` and `node` into an empty folder, which is the search path then. */
export const putLandlockPrograms = (folder: string): void => {
  const knows = outputOf("setpriv", "--help").includes("--seccomp-filter")
  const words = knows ? outputOf("which", "setpriv") : `${python()} ${standIn}`
  writeFileSync(join(folder, "setpriv"), `#!/bin/sh\nexec ${words} "$@"\n`)
  chmodSync(join(folder, "setpriv"), 0o755)
  for (const name of ["sh", "cat"]) symlinkSync(`/bin/${name}`, join(folder, name))
  symlinkSync(process.execPath, join(folder, "node"))
}
