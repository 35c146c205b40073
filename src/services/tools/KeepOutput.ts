/** Stores the images and files of a tool's output. The result of the call contains their names. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { pictureType } from "../../domain/conversation/Mentions.ts"
import type { Limits } from "../../domain/configuration/Limits.ts"
import { counted } from "../../domain/text/Format.ts"
import { fileNameOf, type ResultFile, resultFileText, ToolOutput } from "../../domain/tools/ToolOutput.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { fileFailure } from "../files/FileFailure.ts"
import { textHash } from "../files/Hash.ts"
import { KeptFiles } from "../files/KeptFiles.ts"
import { withoutDeclaredSecrets } from "../runs/KnownSecrets.ts"

/** What a call gave, for the journal. The contents of `files` are already on disk. */
export interface CallData {
  readonly data: Schema.Json
  readonly files?: ReadonlyArray<ResultFile>
}

/** The maximum number of images and files of one call. */
export const mostFiles = 20

const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/

const mediaType = /^[a-z\d][\w!#$&^.+-]*\/[\w!#$&^.+-]+$/i

const bytesOf = (data: unknown): Uint8Array | undefined => {
  if (data instanceof Uint8Array) return data
  return typeof data === "string" && base64.test(data) ? Buffer.from(data, "base64") : undefined
}

/** An image or file before its check. */
interface ReadFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

const readFile = (output: unknown, usualName: string): Result.Result<ReadFile, string> => {
  const {
    data,
    mediaType: type,
    name = usualName
  } = Predicate.isObject(output) ? (output as Partial<ReadFile> & { data?: unknown }) : {}
  const plainType = typeof type === "string" ? type.split(";", 1).join("").trim() : ""
  if (!mediaType.test(plainType)) return Result.fail('has a "mediaType" such as "image/png"')
  if (typeof name !== "string") return Result.fail('has a "name" that is text')
  const bytes = bytesOf(data)
  if (bytes === undefined) return Result.fail('has its bytes or their base64 as "data"')
  return Result.succeed({ name: fileNameOf(name), mediaType: plainType.toLowerCase(), bytes })
}

const extension = (type: unknown): string => /^image\/(\w+)/.exec(String(type))?.[1]?.replace("jpeg", "jpg") ?? "bin"

/**
 * Reads the images and files of an output. If one of them is invalid, fails with a sentence that says what a file must
 * have.
 */
const readOutput = ({ files, images, text }: ToolOutput): Result.Result<ReadonlyArray<ReadFile>, string> => {
  if (typeof text !== "string" || !Array.isArray(images) || !Array.isArray(files)) {
    return Result.fail('A "ToolOutput" has a "text" and lists of "images" and "files".')
  }
  const read = [
    ...images.map((image, at) => readFile(image, `image-${at + 1}.${extension(image?.mediaType)}`)),
    ...files.map((file) => readFile(file, "file"))
  ]
  const [wrong] = read.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))
  return wrong === undefined
    ? Result.succeed(read.flatMap((one) => (Result.isSuccess(one) ? [one.success] : [])))
    : Result.fail(`Each of its images and files ${wrong}.`)
}

/** Removes the secrets of plugins from bytes that are text. */
const withoutSecrets = (bytes: Uint8Array): Uint8Array => {
  const text = Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  if (Result.isFailure(text)) return bytes
  const safe = withoutDeclaredSecrets(text.success)
  return safe === text.success ? bytes : new TextEncoder().encode(safe)
}

export type CallOutput = Schema.Json | ToolOutput

/** True for output with images or files. A plugin may use its own copy of the class, so the tag decides. */
export const isOutput = (value: unknown): value is ToolOutput => Predicate.isTagged(value, "ToolOutput")

/** Stores the images and files of an output within the limits of the run. */
export const makeKeepOutput = ({ toolFileBytes }: Pick<Limits, "toolFileBytes">) =>
  Effect.map(KeptFiles, (kept) =>
    Effect.fnUntraced(function* (tool: string, output: CallOutput): Effect.fn.Return<CallData, ToolFailure> {
      if (!isOutput(output)) return { data: output }
      const read = readOutput(output)
      if (Result.isFailure(read)) {
        const message = `The tool ${tool} returned images or files in an invalid form. ${read.failure} This is a fault of the tool.`
        return yield* new ToolFailure({ type: "internal_error", message })
      }
      const large = read.success.find(({ bytes }) => bytes.length > toolFileBytes)
      if (large !== undefined || read.success.length > mostFiles) {
        const what =
          large === undefined
            ? `returned ${counted(read.success.length, "image")} and files, ${mostFiles} are allowed`
            : `returned ${large.name} with ${large.bytes.length} bytes, ${toolFileBytes} are allowed (limits.toolFileBytes)`
        return yield* new ToolFailure({
          type: "output_limit",
          message: `The tool ${tool} ${what}; nothing of it was kept.`
        })
      }
      const files = yield* Effect.forEach(read.success, ({ bytes: given, mediaType: type, name }) =>
        Effect.gen(function* () {
          const bytes = withoutSecrets(given)
          const seen = pictureType(bytes)
          const file = { name, hash: textHash(bytes) }
          const path = yield* Effect.mapError(kept.keep(file, bytes), fileFailure("keep", name))
          return {
            ...file,
            mediaType: seen ?? type,
            bytes: bytes.length,
            ...(seen !== undefined && { isImage: true }),
            ...(path !== undefined && { path })
          } satisfies ResultFile
        })
      )
      return { data: [output.text, ...files.map(resultFileText)].filter((line) => line !== "").join("\n"), files }
    })
  )
