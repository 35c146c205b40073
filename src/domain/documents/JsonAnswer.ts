/**
 * The answer of a run or a message as JSON, for a person who gave a JSON schema for it: what the model is told, and how its
 * answer is read.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Reading } from "../findings/Issue.ts"
import { addIssue } from "../findings/IssueCode.ts"
import { fencedBlocks } from "../markdown/Outline.ts"
import { fenced } from "../markdown/PromptBlock.ts"
import { pathText } from "../text/SchemaProblems.ts"
import { problemSentence, schemaProblemsOf } from "../text/SchemaWords.ts"
import { jsonSchemaCodec, type JsonSchema } from "../tools/ToolSchema.ts"

/** A JSON schema for answers. */
export interface AnswerSchema {
  readonly schema: JsonSchema
  readonly codec: Schema.Codec<unknown, unknown>
}

/** The schema that a person gave; fails with what is wrong with it. */
export const answerSchema = (given: unknown): Result.Result<AnswerSchema, string> =>
  Result.map(jsonSchemaCodec(given, "apply"), (codec) => ({ schema: given as JsonSchema, codec }))

/** The schema of an order, which its caller has checked: one that cannot be read is a mistake of this program. */
export const formOf = (given: Schema.Json | undefined): Effect.Effect<AnswerSchema | undefined> =>
  given === undefined
    ? Effect.undefined
    : Effect.fromResult(answerSchema(given)).pipe(
        Effect.mapError((what) => new Error(what)),
        Effect.orDie
      )

/** What the model is told at the end of its prompt. */
export const answerForm = ({ schema }: AnswerSchema): string =>
  `## Form of the answer\n\nA program reads the answer. Write one JSON value that fits this JSON schema, and nothing else: no text around it, no markdown, no links. This holds instead of what is said above about the form.\n\n${fenced(JSON.stringify(schema, null, 2), "json")}\n\n`

/** The JSON of an answer: all of it, or its only code block. */
const jsonIn = (answer: string): Option.Option<unknown> => {
  const [first, ...others] = fencedBlocks(answer)
  const texts = [answer.trim(), ...(first === undefined || others.length > 0 ? [] : [first.text])]
  for (const text of texts) {
    const parsed = Result.try(() => JSON.parse(text) as unknown)
    if (Result.isSuccess(parsed)) return Option.some(parsed.success)
  }
  return Option.none()
}

/** Reads an answer; its value is the JSON on lines of its own. */
export const readJsonAnswer = (answer: string, { codec }: AnswerSchema): Reading<string> => {
  const findings: Parameters<typeof addIssue>[0] = { issues: [], repairs: [] }
  const found = jsonIn(answer)
  if (Option.isNone(found)) {
    const what = "The answer is not JSON."
    addIssue(
      findings,
      "answer-shape",
      {},
      { what, how: "Write one JSON value that fits the schema, and nothing else." }
    )
    return { value: Option.none(), ...findings }
  }
  const { value } = found
  const decoded = Schema.decodeUnknownResult(codec)(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isFailure(decoded)) {
    for (const problem of schemaProblemsOf(decoded.failure, value)) {
      const subject = problem.path.length === 0 ? "The answer" : `"${pathText(problem.path)}"`
      addIssue(
        findings,
        "answer-shape",
        {},
        { what: problemSentence(subject, problem), how: "Write all of the JSON again, as the schema wants it." }
      )
    }
    return { value: Option.none(), ...findings }
  }
  return { value: Option.some(JSON.stringify(value, null, 2)), ...findings }
}
