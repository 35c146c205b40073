/**
 * `task-conductor check FILE...`: checks documents without a model. In a project, it also checks them against the
 * project's skills, tools and files. Reports each problem and what to do about it. `--fix` repairs a problem if the
 * text can mean only one thing.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { type CheckOptions, DocumentKind, fixDocument, type FixedDocument } from "../../kit/documents.ts"
import { replaceFile } from "../../kit/files.ts"
import { version } from "../../kit/program.ts"
import {
  exitCodes,
  Output,
  quietFailure,
  readInput,
  requireStays,
  switchFlag,
  textFlag,
  usageFailure,
  withHelp
} from "../../kit/terminal.ts"
import { printable, printableJson } from "../../kit/text.ts"
import { sarifLog, type SarifDocument } from "./SarifLog.ts"
import { linesOf } from "./TextSpan.ts"
import { type CheckStyle, checkText, totalText, type CheckedDocument, type FixState, sarifPath } from "./checkText.ts"

/** A folder that contains one of these counts as a project. */
export const projectMarkers = [".git", "task-conductor.json", ".task-conductor", ".agents", ".mcp.json", "AGENTS.md"]

/** The project folder. Undefined if only the text is checked. */
export const projectFolder = Effect.fn("projectFolder")(function* ({
  noProject,
  project
}: {
  readonly project: Option.Option<string>
  readonly noProject: boolean
}) {
  if (Option.isSome(project)) {
    return noProject
      ? yield* usageFailure("--project and --no-project exclude each other. Leave one out.")
      : project.value
  }
  if (noProject) return undefined
  const fs = yield* FileSystem.FileSystem
  for (const marker of projectMarkers) {
    if (yield* Effect.orElseSucceed(fs.exists(marker), () => false)) return "."
  }
  return undefined
})

/** A document with its findings. */
interface CheckedFile extends CheckedDocument, Omit<SarifDocument, "report"> {
  /** The document after repairs, if any. */
  readonly fixed: string
}

interface CheckOrder extends CheckOptions {
  readonly kind: DocumentKind
  readonly fix: boolean
}

type Fix = (text: string, name: string) => Effect.Effect<FixedDocument, { readonly message: string }>

/**
 * Checks a document. With `--fix`, the repaired text replaces the file. Symbolic links are followed, and the file keeps
 * its permissions.
 */
const checkFile = Effect.fnUntraced(function* (file: string, isFixed: boolean, fix: Fix) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* readInput(file)
  const { report, text: fixed } = yield* fix(text, file)
  const fixState: FixState = fixed === text ? "impossible" : isFixed ? "written" : "offered"
  if (fixState === "written" && file !== "-") {
    yield* requireStays(process.cwd(), file)
    yield* replaceFile(yield* fs.realPath(file), fixed)
  }
  const name = file === "-" ? "stdin" : file
  return { name, path: name, text, fixed, fixState, report, lines: linesOf(text) } satisfies CheckedFile
})

/** The checked documents in order, and the reasons why others could not be checked. */
const checkFiles = Effect.fn("checkFiles")(function* (files: ReadonlyArray<string>, isFixed: boolean, fix: Fix) {
  const [checked, failures] = yield* Effect.partition(new Set(files), (file) => checkFile(file, isFixed, fix))
  return { checked, failures: failures.map(({ message }) => message) }
})

/** Checks the named documents. If `project` is undefined, checks only their text. */
const checkDocuments = Effect.fn("checkDocuments")(function* (
  project: string | undefined,
  files: ReadonlyArray<string>,
  order: CheckOrder
) {
  if (project === undefined) {
    return yield* checkFiles(files, order.fix, (text) => Effect.sync(() => fixDocument(order.kind, text, order)))
  }
  const { emit, emitPaint } = yield* Output
  const warn = (warnings: ReadonlyArray<string>) =>
    Effect.forEach(warnings, (text) => emit(`${emitPaint.yellow("warning")}: ${printable(text)}`), { discard: true })
  /* Loaded only when needed, so that a check of the text alone starts faster. */
  const { inProject } = yield* Effect.promise(() => import("./projectCheck.ts"))
  return yield* inProject({ project, configuration: {}, warn }, ({ fix }) =>
    checkFiles(files, order.fix, (text, name) => fix(order.kind, text, { ...order, name }))
  )
})

const formats = ["human", "json", "sarif"] as const

interface Outcome {
  readonly checked: ReadonlyArray<CheckedFile>
  readonly failures: ReadonlyArray<string>
}

const humanText = ({ checked, failures }: Outcome, style: CheckStyle): string =>
  [
    ...checked.map((one) => checkText(one, style)),
    ...(checked.length + failures.length > 1
      ? [
          totalText(
            checked.map((one) => one.report),
            failures.length,
            style
          )
        ]
      : [])
  ].join("\n\n")

/**
 * Writes the reports as JSON. If only one file was given, the text is one object. Otherwise each report is an object on
 * a line of its own, with the name of its file.
 */
const jsonText = ({ checked, failures }: Outcome): string =>
  checked
    .map(({ name, report }) => printableJson(checked.length + failures.length > 1 ? { file: name, ...report } : report))
    .join("\n")

export const check = Command.make(
  "check",
  {
    files: Argument.String("FILE").pipe(
      Argument.withDescription("The documents to check; - is stdin"),
      Argument.atLeast(1)
    ),
    kind: Flag.Literals("kind", DocumentKind.literals).pipe(
      Flag.withDescription("The kind of the document: --kind refinement"),
      Flag.withDefault("task-list")
    ),
    project: textFlag(
      "project",
      "FOLDER",
      `Check against this project too: skills, tools, files, sizes. Default: the current folder if it has one of ${projectMarkers.join(", ")}`
    ).pipe(Flag.withAlias("p"), Flag.optional),
    noProject: switchFlag("no-project", "Check only the text, which is much faster"),
    finished: textFlag(
      "finished",
      "NAME",
      'A finished task, for a list that continues a run: --finished "Research 1"; repeatable'
    ).pipe(Flag.atLeast(0)),
    format: Flag.Literals("format", formats).pipe(
      Flag.withDescription("Format of the findings; sarif is for code hosts: --format sarif > check.sarif"),
      Flag.withDefault("human")
    ),
    json: switchFlag("json", "Short for --format json: one JSON object for each document"),
    fix: switchFlag(
      "fix",
      "Rewrite documents that have repairs, in the strict form. Documents with issues are not changed; - is written to stdout"
    )
  },
  Effect.fn("check")(function* ({ files, finished, fix, json, kind, ...options }) {
    const output = yield* Output
    const path = yield* Path.Path
    const format = json ? "json" : options.format
    if (json && options.format === "sarif") return yield* usageFailure("--json and --format sarif exclude each other.")
    const filters = fix && files.includes("-")
    if (filters && (format !== "human" || new Set(files).size > 1)) {
      return yield* usageFailure("--fix with - prints the document alone: leave out --format, --json and other files.")
    }
    const folder = yield* projectFolder(options)
    const order = { kind, finished, fix }
    const outcome = yield* checkDocuments(kind === "result" ? undefined : folder, files, order)
    const { checked, failures } = outcome
    for (const failure of failures) yield* output.emit(printable(failure))
    if (filters) {
      const style = { paint: output.emitPaint, columns: undefined }
      for (const one of checked) {
        if (one.report.verdict !== "accepted") yield* output.emit(checkText(one, style))
        if (one.report.verdict !== "rejected") yield* output.result(one.fixed)
      }
    } else if (format === "sarif") {
      const documents = checked.map((one) => ({
        ...one,
        path: one.name === "stdin" ? "stdin" : sarifPath(path, one.name)
      }))
      yield* output.result(printableJson(sarifLog(version, documents, failures), 2))
    } else if (checked.length > 0) {
      const style = { paint: output.resultPaint, columns: output.resultColumns() }
      yield* output.result(format === "json" ? jsonText(outcome) : humanText(outcome, style))
    }
    if (failures.length > 0) return yield* quietFailure(exitCodes.usage)
    if (checked.some((one) => one.report.verdict === "rejected")) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  withHelp(
    "Check task lists, refinements or results; in a project also its skills, tools and files. Exit code 1 if one is rejected",
    {
      "task-conductor check plan.md": "Check a task list",
      "task-conductor check plans/*.md --fix": "Fix harmless deviations",
      "task-conductor check plan.md --project ../api": "Find what run --plan would reject in a project",
      "task-conductor check - --kind refinement < answer.md": "Check a refinement from stdin",
      'task-conductor check plan.md --finished "Research 1" --json': "Check a list that continues a run",
      "task-conductor check plans/*.md --format sarif > check.sarif": "Write the findings for a code host"
    }
  )
)
