/** What a tool returns beside text: images, which models that see are shown, and files, which are kept for the user. */
import * as Schema from "effect/Schema"
import { printable } from "../text/Printable.ts"
import { bytesText } from "../text/Format.ts"

export interface OutputImage {
  /** `image-1.png` and so on when absent. */
  readonly name?: string
  /** Such as `image/png`. */
  readonly mediaType: string
  /** The bytes, or their base64. */
  readonly data: Uint8Array | string
}

export interface OutputFile {
  readonly name: string
  /** Such as `text/csv`. */
  readonly mediaType: string
  /** The bytes, or their base64. */
  readonly data: Uint8Array | string
}

/**
 * A result with images or files. Models that see get the images: PNG, JPEG, GIF and WebP. The files are kept with the run, and the model
 * reads their names and sizes.
 *
 * ```ts
 * return new ToolOutput({ text: "The page as it looks now.", images: [{ mediaType: "image/png", data: bytes }] })
 * ```
 */
export class ToolOutput {
  readonly _tag = "ToolOutput"
  readonly text: string
  readonly images: ReadonlyArray<OutputImage>
  readonly files: ReadonlyArray<OutputFile>

  constructor({
    files = [],
    images = [],
    text
  }: {
    readonly text: string
    readonly images?: ReadonlyArray<OutputImage>
    readonly files?: ReadonlyArray<OutputFile>
  }) {
    this.text = text
    this.images = images
    this.files = files
  }
}

/** What is known of a file of a result; its bytes are elsewhere. */
export const ResultFile = Schema.Struct({
  name: Schema.String,
  mediaType: Schema.String,
  bytes: Schema.Int,
  /** SHA-256 of the bytes, in hex. */
  hash: Schema.String,
  /** True for an image of a kind that models see. */
  isImage: Schema.optionalKey(Schema.Boolean),
  /** Where it is kept, in the folder of the run or of the conversation; absent where nothing is kept. */
  path: Schema.optionalKey(Schema.String)
})
export type ResultFile = typeof ResultFile.Type

const mostName = 80

/** The name of a file without folders, and without what a file system or a terminal could misread. */
export const fileNameOf = (given: string): string => {
  const last =
    printable(given)
      .split(/[/\\]/)
      .at(-1)
      ?.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
      .trim() ?? ""
  const name = last.replace(/^\.+/, "").slice(-mostName)
  return name === "" ? "file" : name
}

const keptText = ({ path }: ResultFile): string => (path === undefined ? "not kept" : `kept as ${path}`)

/** `[image shot.png: image/png, 48 kB, kept as files/0f3a-shot.png]`, as it stands in the text of the result. */
export const resultFileText = (file: ResultFile): string => {
  const { bytes, isImage = false, mediaType, name } = file
  return `[${isImage ? "image" : "file"} ${name}: ${mediaType}, ${bytesText(bytes)}, ${keptText(file)}]`
}
