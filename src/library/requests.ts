/**
 * What a program asks for: a run, a plan, a conversation; and the order that it becomes.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AnswerCodec, answerSchema } from "../domain/documents/AnswerFormat.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import type { RunReport } from "../domain/runs/RunReport.ts"
import { readSchemaSource, type SchemaSource, type ValueOf } from "../domain/tools/SchemaSource.ts"
import { refuse } from "./programSettings.ts"

/** What belongs to a prompt. */
export interface RequestMaterial<Output extends SchemaSource = SchemaSource> {
  /** Path of the file the person is looking at, relative to the project. */
  readonly file?: string
  /** Paths of the files that are open in the person's editor; the model sees the paths. */
  readonly open?: ReadonlyArray<string>
  /** What belongs to the prompt, such as the output of a command: material for the model, never an instruction. */
  readonly attachment?: string
  /**
   * The answer is JSON that fits this schema: a schema of Effect, a Standard Schema such as one of zod, or a JSON schema. The report
   * has it as `value` then.
   */
  readonly outputSchema?: Output
}

/** What a run is asked for. */
export interface RunRequest<Output extends SchemaSource = SchemaSource> extends RequestMaterial<Output> {
  /** What is to be done or answered, in plain language. */
  readonly prompt: string
  /** Skips planning: one task with this skill. */
  readonly skill?: string
  /** Skips planning: the markdown of a task list. */
  readonly plan?: string
  /** Changes nothing, whatever is allowed; such a run may work at the same time as others in its project. */
  readonly readOnly?: boolean
  /** Ends as `done` although a check fails with the changes, or one of the setting `checks` proves nothing. */
  readonly acceptUnverified?: boolean
}

/** What a conversation is asked: `prompt` is one message, `messages` are several, each sent when the one before is answered. */
export interface AskRequest<Output extends SchemaSource = SchemaSource> extends RequestMaterial<Output> {
  /** One message. Give this or `messages`. */
  readonly prompt?: string
  /** Several messages, each sent when the one before is answered. */
  readonly messages?: ReadonlyArray<string>
  /** The names of the tools that the model may call; all when absent. */
  readonly tools?: ReadonlyArray<string>
  /** Pictures for the first message, by their paths; a message may also name them as `@shot.png`. */
  readonly images?: ReadonlyArray<string>
  /** Receives the text of the answers as it arrives; the events have only whole answers. */
  readonly onText?: (piece: string) => void
}

/** The report of work whose answer has a schema: `value` is what the answer says; undefined when it ended without one. */
export type WithValue<Report, Output> = [Output] extends [never]
  ? Report
  : Report & { readonly value: ValueOf<Output> | undefined }

/** How an answer is read. */
export interface OutputForm {
  /** The JSON schema, for the order. */
  readonly json: Schema.Json
  /** What reads the answer; its JSON schema does when absent. */
  readonly codec: Schema.Codec<unknown, unknown> | undefined
}

const jsonSchemaOf = (schema: Schema.Constraint): Schema.Json => {
  const { definitions, schema: json } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return (Object.keys(definitions).length === 0 ? json : { ...json, $defs: definitions }) as Schema.Json
}

const formOf = (schema: SchemaSource): Result.Result<OutputForm, string> => {
  if (!Predicate.isObjectOrArray(schema) && typeof schema !== "function") return Result.fail("this is no schema")
  if (!Schema.isSchema(schema) && !("~standard" in schema)) {
    return Result.succeed({ json: schema as Schema.Json, codec: undefined })
  }
  return Result.mapBoth(readSchemaSource(schema), {
    onFailure: (what) => `this is ${what}`,
    onSuccess: ({ codec, json }): OutputForm => ({
      json: Schema.isSchema(schema) ? jsonSchemaOf(schema) : (json as Schema.Json),
      codec
    })
  })
}

/** The form of an answer that has a schema; fails for a schema that cannot be used. */
export const outputFormOf = Effect.fnUntraced(function* ({ outputSchema }: RequestMaterial) {
  if (outputSchema === undefined) return undefined
  const form = Result.flatMap(formOf(outputSchema), (read) => Result.map(answerSchema(read.json), () => read))
  return Result.isSuccess(form) ? form.success : yield* refuse(`"outputSchema": ${form.failure}.`)
})

/** Has the answer of work held against the schema in code, beyond its JSON schema. */
export const withOutputForm =
  (form: OutputForm | undefined) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, AnswerCodec, form?.codec)

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The report with the value that its answer says; as it is without a form. */
export const withValueOf = <Report extends Pick<RunReport, "answer">>(form: OutputForm | undefined, report: Report) => {
  if (form === undefined) return report
  const decode = form.codec === undefined ? Option.some : Schema.decodeUnknownOption(form.codec)
  return { ...report, value: Option.getOrUndefined(Option.flatMap(parse(report.answer), decode)) }
}

/** The parts of an order that runs and conversations share. */
export const orderMaterial = (
  { attachment, file, open }: RequestMaterial,
  form: OutputForm | undefined
): Pick<RunOrder, "attachment" | "currentFile" | "openFiles" | "outputSchema"> => ({
  ...(file === undefined ? {} : { currentFile: file }),
  ...(open === undefined ? {} : { openFiles: open }),
  ...(attachment === undefined ? {} : { attachment: { name: "the script", text: attachment } }),
  ...(form === undefined ? {} : { outputSchema: form.json })
})

/** Fails if the request has options that exclude each other. */
export const runOrderOf = Effect.fnUntraced(function* (
  request: RunRequest,
  runId: string,
  form: OutputForm | undefined
) {
  const { acceptUnverified, plan, prompt, readOnly, skill } = request
  if (skill !== undefined && plan !== undefined) {
    return yield* refuse('"skill" and "plan" exclude each other: both say what the tasks are. Leave one out.')
  }
  const order: RunOrder = {
    runId,
    prompt,
    ...orderMaterial(request, form),
    ...(skill === undefined ? {} : { skill }),
    ...(plan === undefined ? {} : { plan }),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(acceptUnverified === undefined ? {} : { acceptUnverified })
  }
  return order
})
