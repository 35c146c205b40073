/**
 * Chooses images of tool results for the next message to a model with vision, within a budget. The message names the
 * paths of omitted images.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Picture, pictureCharacters } from "../../domain/models/ConversationMessage.ts"
import { stageModel } from "../../domain/models/Generation.ts"
import { type ModelCallId, seenKey } from "../../domain/runs/ActivityKey.ts"
import { ResultFile } from "../../domain/tools/ToolOutput.ts"
import type { CallOutcome } from "../../domain/tools/ToolCall.ts"
import { KeptFiles } from "../files/KeptFiles.ts"
import { Activities } from "../journal/Activities.ts"
import { CurrentServer } from "../providers/Provider.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** The maximum number of images in one message. */
export const mostImages = 4

/** The chosen images of a turn, and a sentence for each image, chosen or omitted. */
const ImageChoice = Schema.Struct({ shown: Schema.Array(ResultFile), lines: Schema.Array(Schema.String) })
type ImageChoice = typeof ImageChoice.Type

/** Identifies the next message: its stage, its task, and the skill, which can determine the model. */
interface ImageTarget {
  readonly id: Pick<ModelCallId, "round" | "stage">
  readonly skill?: { readonly model?: string } | undefined
  readonly task: string
}

/** An image and the tool that returned it. */
interface ResultImage {
  readonly tool: string
  readonly file: ResultFile
}

export interface ShownImages {
  readonly pictures: ReadonlyArray<Picture>
  readonly lines: ReadonlyArray<string>
}

const imagesOf = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyArray<ResultImage> =>
  outcomes.flatMap(({ call: { name: tool }, result: { files = [] } }) =>
    files.flatMap((file) => (file.isImage === true ? [{ tool, file }] : []))
  )

const leftOut = ({ file: { name, path }, tool }: ResultImage, why: string): string =>
  `The image ${name} of \`${tool}\` is left out: ${why}. It is ${path === undefined ? "not kept" : `kept as ${path}`}.`

/** Makes a picture for a message. A replay sends nothing, so its pictures have no bytes. */
const pictureOf = ({ mediaType, name }: ResultFile, bytes: Uint8Array = new Uint8Array()): Picture => ({
  path: name,
  mediaType,
  data: Buffer.from(bytes).toString("base64")
})

/** Returns a function that chooses the images for the next message. `budget` is the space for them, in characters. */
export const makeResultImages = Effect.gen(function* () {
  const activities = yield* Activities
  const kept = yield* KeptFiles
  const server = yield* CurrentServer
  const settings = yield* RunSettings

  /** True if the server says that the model has vision. */
  const sees = Effect.fnUntraced(function* (target: ImageTarget) {
    const { facts, serves = () => true } = server
    const model = target.skill?.model ?? stageModel(settings, target.id.stage)
    const name = model !== undefined && serves(model) ? model : settings.model
    return (yield* facts(name)).abilities.vision === true
  })

  /** Chooses the images within the budget. Adds the bytes of each read image to `bytes`, by hash. */
  const choose = Effect.fnUntraced(function* (
    target: ImageTarget,
    images: ReadonlyArray<ResultImage>,
    budget: number,
    bytes: Map<string, Uint8Array>
  ) {
    if (!(yield* sees(target))) {
      return { shown: [], lines: images.map((image) => leftOut(image, "this model sees no images")) }
    }
    const shownFiles: Array<ResultFile> = []
    const lines: Array<string> = []
    const mostShown = Math.min(mostImages, Math.floor(budget / pictureCharacters))
    for (const image of images) {
      const { file, tool } = image
      if (shownFiles.length >= mostShown) {
        lines.push(leftOut(image, "there is no room for it"))
        continue
      }
      const read = yield* kept.read(file)
      if (read === undefined) lines.push(leftOut(image, "it cannot be read any more"))
      else {
        bytes.set(file.hash, read)
        shownFiles.push(file)
        lines.push(`Image ${shownFiles.length} of this message is ${file.name} of \`${tool}\`.`)
      }
    }
    return { shown: shownFiles, lines }
  })

  return Effect.fnUntraced(function* (
    target: ImageTarget,
    turn: number,
    outcomes: ReadonlyArray<CallOutcome>,
    budget: number
  ): Effect.fn.Return<ShownImages> {
    const images = imagesOf(outcomes)
    if (images.length === 0) return { pictures: [], lines: [] }
    const key = seenKey.images(target.task, target.id.round, turn)
    const bytes = new Map<string, Uint8Array>()
    const choice: ImageChoice = yield* activities.record(
      { key, success: ImageChoice },
      choose(target, images, budget, bytes)
    )
    return { pictures: choice.shown.map((file) => pictureOf(file, bytes.get(file.hash))), lines: choice.lines }
  })
})
