/** Gathers the facts that are known when a run starts, such as the environment and the project. */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as os from "node:os"
import {
  type Attachment,
  type Briefing,
  type BriefingParts,
  type CurrentFile,
  attachmentNote,
  requestDocument
} from "../../domain/models/Briefing.ts"
import { firstLines } from "../../domain/text/Excerpt.ts"
import { pathsNamed } from "../../domain/files/PathList.ts"
import { languageOf } from "../../domain/files/Language.ts"
import { fitRulesAndReadme } from "../../domain/models/ProjectDescription.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { encodingNote } from "../../domain/text/TextEncoding.ts"
import { countLines, linesWithin } from "../../domain/text/LineRange.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Gate, mayRead } from "../permissions/Gate.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { beforeRun, questionOfAccess } from "../permissions/GateQuestion.ts"
import { ProjectMap } from "../files/ProjectMap.ts"
import { readDescriptions } from "../files/Descriptions.ts"
import { isFileAt, Workspace } from "../files/Workspace.ts"

export interface Request {
  readonly prompt: string
  /** The path of the file that the user is looking at, absolute or relative to the project. */
  readonly currentFile?: string
  readonly openFiles?: ReadonlyArray<string>
  readonly attachment?: Attachment
}

export type Surroundings = Omit<Briefing, "prompt" | "requestDocument">

/**
 * Says why a part of the request cannot be used, or why the window is too small for the first prompt. `detail` also
 * says what to do.
 */
export class BriefingError extends Schema.TaggedError<BriefingError>()("BriefingError", {
  part: Schema.Literals(["prompt", "current file", "open file", "context window"]),
  detail: Schema.String,
  /** True if a user or a rule denied reading the file. */
  isDenied: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `Cannot use the ${this.part}: ${this.detail}`
  }
}

const systemNames: Readonly<Record<string, string>> = { darwin: "macOS", linux: "Linux", win32: "Windows" }

const operatingSystem = Effect.sync(() => `${systemNames[os.platform()] ?? os.type()} (${os.arch()})`)

/** The login shell, or the command processor on Windows. */
const shell = Config.String("SHELL").pipe(
  Config.orElse(() => Config.String("ComSpec")),
  Config.option
)

/** The date as `2026-11-20 (Friday)`. It contains no time, so that all prompts of one day begin with the same text. */
const today = Effect.map(DateTime.now, (now) => {
  const at = DateTime.toDateUtc(now)
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0"))
  return `${at.getFullYear()}-${month}-${day} (${at.toLocaleDateString("en", { weekday: "long" })})`
})

const environmentOf = Effect.fnUntraced(function* (project: string) {
  const knownShell = yield* Effect.orElseSucceed(shell, () => Option.none<string>())
  return [
    `- Date: ${yield* today}`,
    `- Operating system: ${yield* operatingSystem}`,
    ...Option.match(knownShell, { onNone: () => [], onSome: (name) => [`- Shell: ${name}`] }),
    `- Workspace: ${project}`
  ].join("\n")
})

/**
 * A note for the user if the context window allows fewer lines of the current file than `mostLines`. Otherwise
 * undefined.
 */
const windowNote = ({ cutFrom, path, text }: CurrentFile, mostLines: number, window: number): string | undefined => {
  const shownLines = countLines(text)
  if (cutFrom === undefined || shownLines >= mostLines) return undefined
  return `Prompts hold the first ${shownLines} of ${cutFrom} lines of ${path}: the current file may have a quarter of the context window (${window} tokens). Tasks can read the rest; raise contextWindow to show more at once.`
}

/** Reads the files that the user passes with a request, if the rules allow it. */
const makeGivenFiles = Effect.gen(function* () {
  const path = yield* Path.Path
  const { contextWindow, limits } = yield* RunSettings
  const gate = yield* Gate
  const workspace = yield* Workspace

  /** The canonical path of a file that the user passes. Fails if the file may not be read. */
  const permitted = Effect.fnUntraced(function* (written: string, part: BriefingError["part"]) {
    const file = yield* Effect.mapError(
      workspace.canonical(written),
      ({ message }) => new BriefingError({ part, detail: message })
    )
    yield* Effect.mapError(
      gate.authorize(questionOfAccess(beforeRun, { _tag: "ReadFile", ...file })),
      ({ message }) => new BriefingError({ part, detail: message, isDenied: true })
    )
    return file
  })

  /** The path for the prompt: relative to the project for a file in the project, otherwise absolute. */
  const shownPath = (file: { readonly path: string; readonly inside: boolean }): string =>
    file.inside ? path.relative(workspace.root, file.path).split(path.sep).join("/") : file.path

  const readCurrentFile = Effect.fnUntraced(function* (written: string) {
    const part = "current file"
    const file = yield* permitted(written, part)
    const whole = yield* Effect.mapError(
      workspace.readText(file.path, limits.readFileBytes),
      ({ message }) => new BriefingError({ part, detail: message })
    )
    const most = Math.min(limits.currentFileLines, linesWithin(whole, charactersIn(contextWindow / 4)))
    const { omittedLines, text } = firstLines(whole, most)
    const note = encodingNote(yield* workspace.encoding(file.path))
    const more = {
      ...(omittedLines === 0 ? {} : { cutFrom: most + omittedLines }),
      ...(note === undefined ? {} : { encoding: note })
    }
    return { path: shownPath(file), language: languageOf(file.path), text, ...more } satisfies CurrentFile
  })

  const nameOpenFile = Effect.fnUntraced(function* (written: string) {
    const file = yield* permitted(written, "open file")
    if (yield* isFileAt(workspace, file.path)) return shownPath(file)
    return yield* new BriefingError({ part: "open file", detail: `There is no file at ${file.path}.` })
  })

  return { nameOpenFile, readCurrentFile }
})

export class Briefer extends Context.Service<Briefer>()("task-conductor/services/pipeline/Briefer", {
  make: Effect.gen(function* () {
    const { nameOpenFile, readCurrentFile } = yield* makeGivenFiles
    const path = yield* Path.Path
    const { contextWindow, limits } = yield* RunSettings
    const gate = yield* Gate
    const readTexts = yield* ReadTexts
    const workspace = yield* Workspace

    /* The map is cached, because several plans may be checked against one project. */
    const drawMap = yield* ProjectMap
    const mapOfProject = yield* drawMap(contextWindow, mayRead(gate)).pipe(
      Effect.provideService(Workspace, workspace),
      Effect.provideService(Path.Path, path),
      Effect.cached
    )

    const surroundings = Effect.fn("Briefer.surroundings")(function* (request: Omit<Request, "prompt">, prompt = "") {
      const currentFile = request.currentFile === undefined ? undefined : yield* readCurrentFile(request.currentFile)
      const openFiles = [...new Set(yield* Effect.forEach(request.openFiles ?? [], nameOpenFile))]
      const near = [...(currentFile === undefined ? [] : [currentFile.path]), ...openFiles]
      const inside = near.filter((file) => !path.isAbsolute(file))
      const named = [...inside, ...pathsNamed(prompt)]
      const described = yield* readDescriptions(workspace, { near: named, mayRead: mayRead(gate), above: true })
      const description = fitRulesAndReadme(described.files, contextWindow)
      const attachment = request.attachment && {
        ...request.attachment,
        room: Math.floor(charactersIn(contextWindow / 4))
      }
      const notes = [
        ...described.notes,
        description.note,
        currentFile && windowNote(currentFile, limits.currentFileLines, contextWindow),
        attachment && attachmentNote(attachment, attachment.room)
      ]
      yield* readTexts.noteRead(`${description.text}\n${description.readme}\n${currentFile?.text ?? ""}`, "project")
      yield* readTexts.noteRead(attachment?.text ?? "", "outside")
      const present = notes.flatMap((note) => note ?? [])
      const projectMap = yield* mapOfProject
      return {
        environment: yield* environmentOf(workspace.root),
        projectDescription: description.text,
        ...(description.readme === "" ? {} : { projectReadme: description.readme }),
        ...(description.files.length === 0 ? {} : { descriptionFiles: description.files }),
        ...(projectMap === "" ? {} : { projectMap }),
        openFiles,
        ...(currentFile === undefined ? {} : { currentFile }),
        ...(attachment === undefined ? {} : { attachment }),
        ...(present.length === 0 ? {} : { notes: present })
      } satisfies Surroundings
    })

    const brief = Effect.fn("Briefer.brief")(function* (request: Request) {
      if (request.prompt.trim() === "") {
        return yield* new BriefingError({ part: "prompt", detail: "it is empty. Say what is to be done." })
      }
      const { notes, ...facts } = yield* surroundings(request, request.prompt)
      const parts: BriefingParts = { prompt: request.prompt, ...facts }
      return { ...parts, requestDocument: requestDocument(parts), ...(notes === undefined ? {} : { notes }) }
    })

    return {
      /**
       * Makes the briefing of a run. Fails for an empty prompt, or for a given file that is missing, unreadable or
       * denied.
       */
      brief,
      /** Makes a briefing without a request, for a conversation before its first message. */
      surroundings
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
