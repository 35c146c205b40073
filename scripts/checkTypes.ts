/** `npm run check:types`: checks the types and the use of Effect in one pass, by the compiler of `@effect/tsgo`. */
import { execFileSync, spawnSync } from "node:child_process"

const compiler = execFileSync("effect-tsgo", ["get-exe-path"], { encoding: "utf8" }).trim()
const { error, status } = spawnSync(compiler, { stdio: "inherit" })
if (error !== undefined) console.error(error.message)
process.exitCode = status ?? 1
