/** What a tool can return beside text: images for vision models, and files for the user. */
import * as Schema from "effect/Schema"
import { printable } from "../text/Printable.ts"
import { bytesText } from "../text/Format.ts"

/** An image of a result. */
export interface OutputImage {
  /** The name of the image; `image-1.png` and so on if absent. */
  readonly name?: string
  /** The media type, such as `image/png`. */
  readonly mediaType: string
  /** The bytes, also in base64. */
  readonly data: Uint8Array | string
}

/**
 * A file that a tool returns, such as a table or an archive. The result names it, and its bytes are stored beside the
 * result.
 */
export interface OutputFile {
  /** The name of the file, which the result shows to the model and the user. */
  readonly name: string
  /** The media type, such as `text/csv`. */
  readonly mediaType: string
  /** The bytes, also in base64. */
  readonly data: Uint8Array | string
}

/**
 * A result with images or files. Models with vision see the images: PNG, JPEG, GIF and WebP. The files are kept with
 * the run, and the model reads their names and sizes.
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

/** The description of a file of a result. Its bytes are stored elsewhere. */
export const ResultFile = Schema.Struct({
  name: Schema.String,
  mediaType: Schema.String,
  bytes: Schema.Int,
  /** SHA-256 of the bytes, in hex. */
  hash: Schema.String,
  /** True for an image in a format that models can see. */
  isImage: Schema.optionalKey(Schema.Boolean),
  /** The path in the folder of the run or conversation; absent if the bytes were not kept. */
  path: Schema.optionalKey(Schema.String)
})
export type ResultFile = typeof ResultFile.Type

const mostName = 80

/** A safe file name: without folders, and without characters that a file system or terminal could misread. */
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

/** A file in the text of a result: `[image shot.png: image/png, 48 kB, kept as files/0f3a-shot.png]`. */
export const resultFileText = (file: ResultFile): string => {
  const { bytes, isImage = false, mediaType, name } = file
  return `[${isImage ? "image" : "file"} ${name}: ${mediaType}, ${bytesText(bytes)}, ${keptText(file)}]`
}
