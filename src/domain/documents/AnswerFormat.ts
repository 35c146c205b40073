/**
 * Reads the answer to the prompt: free markdown, or JSON if the user gave a JSON schema. Free markdown must hold text
 * and must not be a document of another stage.
 */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Reading, addIssue, addRepair, type Findings, noFindings } from "../findings/Issue.ts"
import { type MarkdownDocument, readMarkdown } from "../markdown/Markdown.ts"
import { turnHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import { fencedBlocks } from "../markdown/Outline.ts"
import { noEnd, unwrapped } from "./NoEnd.ts"
import { repeatedText, withoutRepeats } from "./RepeatedParagraphs.ts"
import { fenced } from "../markdown/PromptBlock.ts"
import { modelFaults, modelSentence, pathText } from "../text/SchemaText.ts"
import { jsonSchemaFault } from "../tools/JsonSchemaFault.ts"
import { isSchema, type JsonSchema, jsonSchemaCodec } from "../tools/ToolSchema.ts"

const documents = [
  { name: "a task list", knownHeadings: taskListHeadings, begins: ["original-prompt"], holds: "tasks" },
  { name: "a refinement", knownHeadings: turnHeadings, begins: ["task", "tool-calls"], holds: "tool-calls" }
]

/** If the text begins with the heading of another document: the name of that document, such as "a task list". */
const otherDocument = ({ lines, sections }: MarkdownDocument): string | undefined => {
  const first = lines.findIndex((line) => !line.isBlank)
  if (sections[0]?.line !== first + 1) return undefined
  return documents.find(({ begins, holds, knownHeadings }) => {
    const known = sections.map(({ heading }) => knownHeadings(heading))
    const keys = known.map((one) => (one?.exact === true ? one.key : ""))
    return begins.includes(keys[0] ?? "") && keys.includes(holds)
  })?.name
}

const isBlank = ({ fences, lines }: MarkdownDocument): boolean =>
  lines.every((line, index) => line.isBlank || (fences.has(index) && line.opening !== undefined))

const addShape = (findings: Findings, what: string, how: string): void =>
  addIssue(findings, "answer-shape", {}, { what, how })

/** Reads the answer to the prompt. With `hasResults`, the answer must not say that files cannot be accessed. */
export const readConclusion = (answer: string, { hasResults = false } = {}): Reading<string> => {
  const document = readMarkdown(answer)
  const findings = { issues: [...document.issues], repairs: [...document.repairs] }
  if (findings.issues.length > 0) return { value: Option.none(), ...findings }
  const otherKind = otherDocument(document)
  if (isBlank(document)) addIssue(findings, "answer-empty", {}, { what: "The answer holds no text." })
  else if (otherKind !== undefined) {
    addShape(findings, `The answer is ${otherKind}.`, "Write the answer to the prompt.")
  }
  const inside = unwrapped(document.text)
  const { dropped, text } = withoutRepeats(inside ?? document.text.trim())
  if (dropped > 0) addRepair(findings, "answer-repeats", {}, repeatedText(dropped))
  if (inside !== undefined) addRepair(findings, "answer-unwrapped", {}, "Read the answer out of the object around it.")
  const end = findings.issues.length === 0 ? noEnd(text, { hasFiles: hasResults }) : undefined
  if (end !== undefined) {
    addIssue(findings, "answer-unfinished", {}, { what: `The answer is none. ${end.what}`, how: end.how, quote: text })
  }
  return { value: Option.some(text), ...findings }
}

export interface AnswerSchema {
  readonly schema: JsonSchema
  readonly codec: Schema.Codec<unknown, unknown>
}

const readForm = (given: unknown): Result.Result<AnswerSchema, string> =>
  Result.map(jsonSchemaCodec(given, "apply"), (codec) => ({ schema: given as JsonSchema, codec }))

/** Compiles a JSON schema of the user. Fails with the reason if the program cannot use it. */
export const answerSchema = (given: unknown): Result.Result<AnswerSchema, string> => {
  const fault = isSchema(given) ? jsonSchemaFault(given) : undefined
  return fault === undefined ? readForm(given) : Result.fail(fault)
}

/**
 * The Effect schema that the caller passed in code, if any. The JSON schema of a saved order checks less: it cannot
 * check the format of a date, for example.
 */
export const AnswerCodec = Context.Reference<AnswerSchema["codec"] | undefined>(
  "task-conductor/domain/documents/AnswerFormat/AnswerCodec",
  { defaultValue: () => undefined }
)

/**
 * Compiles the JSON schema for the answer to an order. Dies if it does not compile, because the caller has already
 * checked the schema.
 */
export const formOf = (schemaJson: Schema.Json | undefined): Effect.Effect<AnswerSchema | undefined> =>
  schemaJson === undefined
    ? Effect.undefined
    : Effect.fromResult(readForm(schemaJson)).pipe(
        Effect.mapError((what) => new Error(what)),
        Effect.orDie,
        Effect.flatMap((form) => Effect.map(AnswerCodec, (codec = form.codec) => ({ ...form, codec })))
      )

export const answerForm = ({ schema }: AnswerSchema): string =>
  `## Form of the answer\n\nA program reads the answer. Write one JSON value that fits this JSON schema, and nothing else: no text around it, no markdown, no links. This replaces the instructions above about the form.\n\n${fenced(JSON.stringify(schema, null, 2), "json")}\n\n`

/** The JSON value in an answer: the whole answer, or its only code block. */
const jsonIn = (answer: string): Option.Option<unknown> => {
  const [first, ...others] = fencedBlocks(answer)
  const texts = [answer.trim(), ...(first === undefined || others.length > 0 ? [] : [first.text])]
  for (const text of texts) {
    const parsed = Result.try(() => JSON.parse(text) as unknown)
    if (Result.isSuccess(parsed)) return Option.some(parsed.success)
  }
  return Option.none()
}

/** The issue text for an answer that is not JSON. Such an answer counts as useless. */
export const notJson = "The answer is not JSON."

/** Reads a JSON answer. The value is the JSON text, indented by two spaces. */
export const readJsonAnswer = (answer: string, { codec }: AnswerSchema): Reading<string> => {
  const findings = noFindings()
  const json = jsonIn(answer)
  if (Option.isNone(json)) {
    addShape(findings, notJson, "Write one JSON value that fits the schema, and nothing else.")
    return { value: Option.none(), ...findings }
  }
  const { value } = json
  const decoded = Schema.decodeUnknownResult(codec)(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isFailure(decoded)) {
    for (const fault of modelFaults(decoded.failure, value)) {
      const subject = fault.path.length === 0 ? "The answer" : `"${pathText(fault.path)}"`
      addShape(findings, modelSentence(subject, fault), "Write all of the JSON again, as the schema wants it.")
    }
    return { value: Option.none(), ...findings }
  }
  return { value: Option.some(JSON.stringify(value, null, 2)), ...findings }
}
