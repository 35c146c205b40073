/**
 * Checks the links of results and answers against the project and the run. A wrong link is an issue for the next
 * attempt; after the last attempt, it is marked in the text. Statements about changes are compared with the calls.
 */
import { posix } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readConclusion } from "../../domain/documents/AnswerFormat.ts"
import { readResult } from "../../domain/documents/ResultFormat.ts"
import type { AnswerReading, Where } from "../../domain/findings/Issue.ts"
import { placeInAnswer } from "../../domain/findings/IssueText.ts"
import { type MarkdownDocument, readMarkdown } from "../../domain/markdown/Markdown.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import type { EvidenceCount, ResultDocument, TaskResult } from "../../domain/plan/TaskResult.ts"
import type { ChangeKinds } from "../../domain/runs/NotDone.ts"
import { toolsOfSkill } from "../../domain/skills/Skill.ts"
import { changeName } from "../../domain/tools/OpenChanges.ts"
import { builtInOrigin, type CallOutcome, fileTools } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { type CheckedText, Evidence, type EvidenceContext } from "../references/Evidence.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** Makes a path relative to the project, and removes `./` and `..` from it. */
const withinProject = (path: string, root: string): string => {
  const relative = path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : path
  return posix.normalize(`/${relative}`).replace(/^\/|\/$/g, "")
}

export const changeKinds = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const skills = yield* Skills
  const { root } = yield* Workspace
  const kinds: ChangeKinds = {
    /* The file that a call changes. A safe tool with an effect, such as adding a note, changes no file of the user. */
    changeOf: (call) => {
      const { arguments: values, name } = call
      const info = registry.find(name)
      if (info === undefined || info.effect === "pure" || info.risk === "safe") return undefined
      const { argv, path } = values
      if (info.origin === builtInOrigin && Array.isArray(argv)) {
        return { what: `anything with \`${argv.join(" ")}\``, target: name, isFile: false }
      }
      if (info.origin === builtInOrigin && fileTools.has(name) && typeof path !== "string") {
        return {
          what: changeName(call).replace(/^[AT]/, (letter) => letter.toLowerCase()),
          target: name,
          isFile: false
        }
      }
      if (info.origin !== builtInOrigin || typeof path !== "string") {
        return { what: `what ${name} changes`, target: name, isFile: false }
      }
      const file = withinProject(path, root)
      const isRemoval = name === "remove_file" || name === "move_file"
      return { what: `${file} (${name})`, target: `/${file}`, isFile: true, ...(isRemoval ? { isRemoval } : {}) }
    },
    /*
     * True for a skill whose tasks should change files. A skill for checks changes none, even if its commands need
     * approval.
     */
    promisesChange: ({ skill: name }) => {
      const skill = skills.find(name)
      if (skill?.requiresApproval !== true) return false
      const all = registry.tools.map((tool) => tool.name)
      return toolsOfSkill(skill, all).some((tool) => {
        const info = registry.find(tool)
        return info !== undefined && info.effect !== "pure" && info.risk !== "safe" && tool !== "run_command"
      })
    }
  }
  return kinds
})

/** The sources that a text may link to. */
interface EvidenceSources {
  readonly task?: string
  readonly briefing: Briefing
  readonly finished: ReadonlyArray<TaskResult>
  readonly calls: ReadonlyArray<CallOutcome>
  /** Other texts that the author of the checked text saw. */
  readonly material: ReadonlyArray<string>
}

/** The answer of a run, with the number of its links. */
export interface CheckedAnswer {
  readonly text: string
  readonly evidence: EvidenceCount
}

const callText = (outcome: CallOutcome): string => `${JSON.stringify(outcome.call.arguments)}\n${outcomeText(outcome)}`

const anchorsOf = ({ sections }: MarkdownDocument): ReadonlyArray<string> => sections.map(({ anchor }) => anchor)

/**
 * Makes the result of reading an answer, with corrected links in its value. After the last attempt, links that are
 * still wrong are marked in the value.
 */
const attempted = <A>(
  { count, issues, marked, marks, repairs, text }: CheckedText,
  before: AnswerReading<unknown>,
  valueOf: (text: string, evidence: EvidenceCount) => A
): AnswerReading<A> => {
  const all = [...before.repairs, ...repairs]
  const reading = { value: Option.some(valueOf(text, count)), issues, repairs: all }
  return issues.length === 0
    ? reading
    : { ...reading, fallback: { value: valueOf(marked, count), repairs: [...all, ...marks] } }
}

/**
 * Converts line numbers of the document to line numbers of the answer. In the answer, thoughts may stand before the
 * document.
 */
const inAnswer = (checked: CheckedText, document: string, answer: string): CheckedText => {
  if (checked.issues.length + checked.repairs.length + checked.marks.length === 0) return checked
  const place = placeInAnswer(document, answer)
  const placed = <A extends { readonly where: Where }>(found: A): A => ({ ...found, where: place(found.where) })
  return {
    ...checked,
    issues: checked.issues.map(placed),
    repairs: checked.repairs.map(placed),
    marks: checked.marks.map(placed)
  }
}

export const makeEvidenceReaders = Effect.gen(function* () {
  const evidence = yield* Evidence
  const { changeOf } = yield* changeKinds

  const contextOf = (
    text: string,
    { briefing, finished, material, task, ...own }: EvidenceSources
  ): EvidenceContext => {
    const calls = [...finished.flatMap((result) => result.calls), ...own.calls]
    return {
      task,
      finished: finished.map(({ name }) => name).filter((name) => name !== task),
      anchors: new Set([...anchorsOf(readMarkdown(text)), ...anchorsOf(readMarkdown(briefing.requestDocument))]),
      printed: calls.filter(({ call }) => call.name === "run_command").map(outcomeText),
      material: [
        briefing.prompt,
        briefing.requestDocument,
        ...material,
        ...calls.map(callText),
        ...finished.map(({ result }) => result.document)
      ],
      changed: new Set(
        calls.flatMap(({ call, result }) => {
          const change = result.success ? changeOf(call) : undefined
          return change?.isFile === true ? [change.target.slice(1)] : []
        })
      )
    }
  }

  return {
    readResult: Effect.fnUntraced(function* (answer: string, sources: EvidenceSources) {
      const reading: AnswerReading<ResultDocument> = readResult(answer)
      if (Option.isNone(reading.value) || reading.issues.length > 0) return reading
      const result = reading.value.value
      const found = yield* evidence.check(result.document, () => contextOf(result.document, sources))
      const checked = inAnswer(found, result.document, answer)
      return attempted(checked, reading, (document, count) => ({
        ...(document === result.document ? result : Option.getOrElse(readResult(document).value, () => result)),
        ...(count.checked === 0 ? {} : { evidence: count })
      }))
    }),
    readMessage: Effect.fnUntraced(function* (answer: string, sources: EvidenceSources) {
      const checked = yield* evidence.check(answer, () => contextOf(answer, sources))
      return attempted(checked, { value: Option.none(), issues: [], repairs: [] }, (text) => text)
    }),
    readAnswer: Effect.fnUntraced(function* (answer: string, sources: EvidenceSources) {
      const reading = readConclusion(answer, { hasResults: sources.finished.length > 0 })
      if (Option.isNone(reading.value) || reading.issues.length > 0) {
        return { ...reading, value: Option.none() } satisfies AnswerReading<CheckedAnswer>
      }
      const text = reading.value.value
      const checked = inAnswer(yield* evidence.check(text, () => contextOf(text, sources)), text, answer)
      const before = { value: Option.none(), issues: [], repairs: reading.repairs }
      return attempted(checked, before, (final, count): CheckedAnswer => ({ text: final, evidence: count }))
    })
  }
})
