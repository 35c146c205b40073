/**
 * Finds the project instructions for the files of one task. Every prompt has the instructions for the whole project. A
 * folder's instructions are added once, when the task names, reads or changes a file there.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { pathsNamed } from "../../domain/files/PathList.ts"
import { rawBlock } from "../../domain/markdown/PromptBlock.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { DescriptionFile, fitDescription, isReadme } from "../../domain/models/ProjectDescription.ts"
import { forEachText } from "../../domain/grammar/ForEachForm.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { readDescriptions } from "../files/Descriptions.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate, mayRead } from "../permissions/Gate.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"

const Described = Schema.Struct({ files: Schema.Array(DescriptionFile), notes: Schema.Array(Schema.String) })

const hasFolder = (file: string): boolean => file.includes("/")

const namedBy = ({ expectedOutput, forEach, references, whatIsNeeded }: Task): ReadonlyArray<string> => [
  ...references.flatMap(({ kind, target }) => (kind === "file" ? [target] : [])),
  ...pathsNamed([whatIsNeeded, expectedOutput, forEach === undefined ? "" : forEachText(forEach)].join("\n"))
]

interface BesideOptions {
  readonly briefing: Briefing
  readonly budget: number
  readonly isReference?: (file: string) => boolean
}

/** The path in a call or a reference, relative to the project. */
const relativeTo = (root: string, file: string): string =>
  (file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file).replace(/^(?:\.\/)+/, "")

/**
 * The block of instructions for a message after the first one. It also names the files whose instructions do not fit.
 */
const blockOf = (instructions: string, omittedFiles: ReadonlyArray<string>): string => {
  const parts = [
    "They hold for files that were named, read or changed. Follow them, and correct what does not fit them.",
    instructions,
    omittedFiles.length === 0 ? "" : `There is no room here for ${omittedFiles.join(", ")}: read it.`
  ]
  return rawBlock("## Instructions of the project", parts.filter((part) => part !== "").join("\n\n"))
}

export const makeInstructions = Effect.gen(function* () {
  const activities = yield* Activities
  const events = yield* RunEvents
  const gate = yield* Gate
  const readTexts = yield* ReadTexts
  const { contextWindow } = yield* RunSettings
  const workspace = yield* Workspace
  const noted = new Set<string>()

  /** The given files in subfolders, without duplicates. Only subfolders have instructions of their own. */
  const nearOf = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
    [...new Set(files.map((file) => relativeTo(workspace.root, file)))].filter(
      (file) => hasFolder(file) && !/^(?:\/|\.\.\/)/.test(file)
    )

  const read = Effect.fnUntraced(function* (key: string, near: ReadonlyArray<string>, above: boolean) {
    const order = { near, mayRead: mayRead(gate), above }
    const { files, notes } = yield* activities.record({ key, success: Described }, readDescriptions(workspace, order))
    for (const text of notes) {
      if (noted.has(text)) continue
      noted.add(text)
      yield* events.publish({ type: "message", level: "warning", text })
    }
    return files
  })

  /**
   * Adds the instructions for the files that a task names. Omits instructions that a reference of the task already
   * shows.
   */
  const forTask = Effect.fnUntraced(function* (briefing: Briefing, task: Task, place: string) {
    const { currentFile, descriptionFiles = [], openFiles } = briefing
    const near = nearOf(namedBy(task))
    if (near.length === 0) return briefing
    const inView = nearOf([...(currentFile === undefined ? [] : [currentFile.path]), ...openFiles])
    const prompt = nearOf(pathsNamed(briefing.prompt))
    const all = yield* read(seenKey.instructions(task.name, place), [...near, ...inView, ...prompt], true)
    const isReference = (file: string): boolean =>
      task.references.some(({ kind, target }) => kind === "file" && relativeTo(workspace.root, target) === file)
    const wanted = all.filter(({ path }) => !isReadme(path) && !isReference(path))
    const isSame =
      wanted.length === descriptionFiles.length && wanted.every(({ path }) => descriptionFiles.includes(path))
    /*
     * Keeps a briefing that already has the wanted descriptions. Also keeps a briefing with at most one description if
     * none is wanted.
     */
    if (isSame || (wanted.length === 0 && descriptionFiles.length <= 1)) return briefing
    const { files, text } = fitDescription(wanted, contextWindow)
    yield* readTexts.noteRead(text, "project")
    return { ...briefing, projectDescription: text, descriptionFiles: files }
  })

  /** Returns the updated briefing and the new instructions for these files, as far as the budget allows. */
  const beside = Effect.fnUntraced(function* (
    key: string,
    files: ReadonlyArray<string>,
    { briefing, budget, isReference = () => false }: BesideOptions
  ) {
    const near = nearOf(files)
    const { descriptionFiles: shownFiles = [], projectDescription } = briefing
    const all = near.length === 0 ? [] : yield* read(key, near, false)
    const wanted = all.filter(
      ({ path }) => hasFolder(path) && !path.startsWith(".github/") && !shownFiles.includes(path) && !isReference(path)
    )
    if (wanted.length === 0) return { text: "", briefing }
    const windowBudget = charactersIn(contextWindow / 4) - projectDescription.length
    const fitted = fitDescription(wanted, contextWindow, Math.min(budget, windowBudget))
    yield* readTexts.noteRead(fitted.text, "project")
    const omittedFiles = wanted.filter(({ path }) => !fitted.files.includes(path)).map(({ path }) => path)
    const description = [projectDescription, fitted.text].filter((part) => part !== "").join("\n\n")
    const paths = wanted.map(({ path }) => path)
    return {
      text: blockOf(fitted.text, omittedFiles),
      briefing: { ...briefing, projectDescription: description, descriptionFiles: [...shownFiles, ...paths] }
    }
  })

  return { beside, forTask }
})

/**
 * The instructions for the files of a message in a conversation. Leaves out instructions that the model has already
 * seen, which `shownFiles` lists.
 */
export const besideShown = Effect.fnUntraced(function* (
  { beside }: Effect.Success<typeof makeInstructions>,
  key: string,
  files: ReadonlyArray<string>,
  shownFiles: Ref.Ref<ReadonlyArray<string>>,
  { briefing, ...options }: BesideOptions
) {
  const before = { ...briefing, descriptionFiles: yield* Ref.get(shownFiles) }
  const { briefing: after, text } = yield* beside(key, files, { ...options, briefing: before })
  yield* Ref.set(shownFiles, after.descriptionFiles ?? [])
  return text
})
