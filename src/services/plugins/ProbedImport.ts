/**
 * The child process that imports a plugin first: `node ProbedImport URL`. An import that hangs, exits or crashes
 * affects only this process. Sends one report to the parent process.
 */
import * as Cause from "effect/Cause"
import { causeText } from "../tools/ForeignCode.ts"
import { shareModules, watchSharedState } from "./SharedState.ts"

/** The report of the child to its parent. The parent gets none if the plugin ended the child. */
export interface ProbeReport {
  /** The problem as the end of a sentence. Absent if the import succeeded. */
  readonly problem?: string
}

const probe = async (url: string): Promise<ProbeReport> => {
  const changed = watchSharedState()
  shareModules({ url })
  try {
    await import(url)
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ERR_ACCESS_DENIED") {
      return { problem: "it writes a file or starts a program while it is imported. Do that in `tools` or in a tool" }
    }
    return { problem: causeText(Cause.die(thrown)) }
  }
  const name = changed()
  return name === undefined ? {} : { problem: `it changes ${name}, which all code in the program shares` }
}

const [url = ""] = process.argv.slice(2)
const report = await probe(url)
process.send?.(report, () => process.exit(0))
