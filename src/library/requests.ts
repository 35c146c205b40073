/** The requests of programs for runs, plans and conversations, and the orders made from them. */
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

/** What a prompt may contain besides its text. */
export interface RequestMaterial<Output extends SchemaSource = SchemaSource> {
  /** The file that the user is looking at, relative to the project. */
  readonly file?: string
  /** The files that are open in the user's editor. The model sees only the paths. */
  readonly open?: ReadonlyArray<string>
  /** Material for the prompt, such as the output of a command. The model must not follow instructions in it. */
  readonly attachment?: string
  /**
   * The schema of the answer: an Effect schema, a Standard Schema (for example from zod), or a JSON schema. With it,
   * the answer is JSON, and the report contains it as `value`.
   */
  readonly outputSchema?: Output
}

/** A request for a run, with settings for this run alone. */
export interface RunRequest<Output extends SchemaSource = SchemaSource> extends RequestMaterial<Output> {
  /** The request to the model in plain language. */
  readonly prompt: string
  /** The name of a skill. The run then has one task with this skill, without planning. */
  readonly skill?: string
  /** The markdown of a task list, which the run carries out without planning. */
  readonly plan?: string
  /** True if nothing may be changed, whatever the rules say. Such a run can work beside other runs in its project. */
  readonly readOnly?: boolean
  /**
   * True if the run may end as `done` in two cases in which it otherwise may not: its changes make a check fail, or a
   * check that the user named proves nothing.
   */
  readonly acceptUnverified?: boolean
}

/** The request for a conversation: `prompt` is one message, `messages` are several. */
export interface AskRequest<Output extends SchemaSource = SchemaSource> extends RequestMaterial<Output> {
  /** One message. Give either this or `messages`. */
  readonly prompt?: string
  /** Several messages. Each message is sent after the answer to the previous message. */
  readonly messages?: ReadonlyArray<string>
  /** The tools that the model may call. Default: all. */
  readonly tools?: ReadonlyArray<string>
  /** Paths of pictures for the first message. The message can also name a picture as `@shot.png`. */
  readonly images?: ReadonlyArray<string>
  /** Receives the text of the answers while it arrives. The events contain only whole answers. */
  readonly onText?: (piece: string) => void
}

/** A report with the decoded answer as `value`. If the work ended without an answer, `value` is undefined. */
export type WithValue<Report, Output> = [Output] extends [never]
  ? Report
  : Report & { readonly value: ValueOf<Output> | undefined }

/** The schema of an answer, and the codec that decodes the answer. */
export interface OutputForm {
  /** The JSON schema of the answer, for the order. */
  readonly json: Schema.Json
  /** The codec of the answer. Undefined if the program gave a plain JSON schema. */
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

/** The form of an answer; undefined without a schema. Fails for an unusable schema. */
export const outputFormOf = Effect.fnUntraced(function* ({ outputSchema }: RequestMaterial) {
  if (outputSchema === undefined) return undefined
  const form = Result.flatMap(formOf(outputSchema), (read) => Result.map(answerSchema(read.json), () => read))
  return Result.isSuccess(form) ? form.success : yield* refuse(`"outputSchema": ${form.failure}.`)
})

/** Carries out work whose answer must fit the schema in code, not only the JSON schema. */
export const withOutputForm =
  (form: OutputForm | undefined) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, AnswerCodec, form?.codec)

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The report with the decoded answer; unchanged without a form. */
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

/** The order for a run. Fails for options that exclude each other. */
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
