/**
 * `task-conductor report RUN`: writes one HTML page about a run.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { codeOf, explanationOf } from "../../kit/files.ts"
import {
  clusterFlag,
  CommandFailure,
  exitCodes,
  Output,
  requireStays,
  runArgument,
  storeOf,
  switchFlag,
  textFlag,
  usageFailure,
  withHelp
} from "../../kit/terminal.ts"
import { outputJson, printable } from "../../kit/text.ts"
import { ReportData } from "./ReportData.ts"
import { makeReport } from "./makeReport.ts"

const dataJson = (data: ReportData): string => outputJson(Schema.encodeSync(Schema.toCodecJson(ReportData))(data), 2)

/** Writes the page. Replaces an existing file only with --overwrite. Messages name the file as the user wrote it. */
const writePage = Effect.fn("writePage")(function* (file: string, html: string, overwrite: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).resolve(file)
  yield* requireStays(process.cwd(), file)
  yield* fs.writeFileString(path, html, { flag: overwrite ? "w" : "wx", mode: 0o600 }).pipe(
    Effect.catch((error) =>
      codeOf(error) === "EEXIST"
        ? usageFailure(`${file} exists. Use --overwrite to replace it, or --output with another name.`)
        : Effect.fail(
            new CommandFailure({
              text: `${file} cannot be written. ${explanationOf(error)} Name another file with --output.`,
              exitCode: exitCodes.failed
            })
          )
    )
  )
})

export const report = Command.make(
  "report",
  {
    run: runArgument,
    output: textFlag(
      "output",
      "FILE",
      "The file to write; report-RUN.html when absent, - for stdout: --output report.html"
    ).pipe(Flag.withAlias("o"), Flag.optional),
    overwrite: switchFlag("overwrite", "Replace the file if there is one"),
    cluster: clusterFlag,
    json: switchFlag("json", "Print the content of the page as one JSON object, and write no page")
  },
  Effect.fn("report")(function* ({ cluster, json, output, overwrite, run }) {
    const { emit, result } = yield* Output
    const { data, html, leftOut, runId } = yield* Effect.provide(makeReport(run), storeOf(cluster))
    if (leftOut !== undefined) yield* emit(`note: ${printable(leftOut)}`)
    if (json) return yield* result(dataJson(data))
    const file = Option.getOrElse(output, () => `report-${runId}.html`)
    if (file === "-") return yield* result(html)
    yield* writePage(file, html, overwrite)
    yield* emit(`Wrote ${printable(file)}. Open it in a browser.`)
  })
).pipe(
  withHelp("Write one HTML page with everything about a run. It needs no network", {
    "task-conductor report last --output report.html":
      "The answer, plan, timeline and every task of the newest run of this project",
    "task-conductor report last --json": "The same as data"
  })
)
