/**
 * `npm run check:types`: checks the types and the use of Effect in one pass, by the compiler of `@effect/tsgo`. What it found is
 * kept, so that the next check reads only what has changed since.
 */
import { execFileSync, spawnSync } from "node:child_process"

const cache = "node_modules/.cache/task-conductor-types"

const compiler = execFileSync("effect-tsgo", ["get-exe-path"], { encoding: "utf8" }).trim()
const { error, status } = spawnSync(compiler, ["--incremental", "--tsBuildInfoFile", cache], { stdio: "inherit" })
if (error !== undefined) console.error(error.message)
process.exitCode = status ?? 1
