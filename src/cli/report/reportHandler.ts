/**
 * What `report` does once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { makeReport } from "../../app/runReport.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import { ReportData } from "../../domain/report/ReportData.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { codeOf } from "../../services/files/FileFailure.ts"
import { CommandFailure, exitCodes, usageFailure } from "../terminal/Failure.ts"

/** The report of a run of this machine. */
export const pageOf = (run: string) => Effect.provide(makeReport(run), layerRuns)

export const dataJson = (data: ReportData): string =>
  outputJson(Schema.encodeSync(Schema.toCodecJson(ReportData))(data), 2)

/** Writes the page; a file that is there is only replaced on request. Messages name it as it was given. */
export const writePage = Effect.fn("writePage")(function* (file: string, html: string, overwrite: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).resolve(file)
  yield* fs.writeFileString(path, html, { flag: overwrite ? "w" : "wx", mode: 0o600 }).pipe(
    Effect.catch((error) => {
      const code = codeOf(error)
      return code === "EEXIST"
        ? usageFailure(`${file} exists. Use --overwrite to replace it, or --output with another name.`)
        : Effect.fail(
            new CommandFailure({
              text: `${file} cannot be written: the system says ${code}.`,
              exitCode: exitCodes.failed
            })
          )
    })
  )
})
