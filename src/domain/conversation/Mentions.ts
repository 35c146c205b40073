/**
 * Finds the files that a user mentions in a message as `@src/a.ts`, `@src/a.ts#L10-L20` or `@"my notes.md"`. These
 * files may be pictures.
 */

const mention = /(?<![^\s([{"'])@(?:"([^"\n]+)"|([^\s"']+))/g

/** The names of the mentioned files, in order, each once. A full stop after a name belongs to the sentence. */
export const mentionsIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(mention)].map(([, quoted, plain = ""]) => quoted ?? plain.replace(/[.,;:!?)\]}]+$/, "")))
]

/** The text in which these names have no `@` before them. A model would take the `@` for a part of the path. */
export const withoutMarks = (text: string, names: ReadonlyArray<string>): string =>
  names.reduce((rest, name) => rest.replaceAll(`@"${name}"`, () => name).replaceAll(`@${name}`, () => name), text)

export const mentionOf = (path: string): string => (/[\s"']/.test(path) ? `@"${path}"` : `@${path}`)

/** The unfinished mention at the end of a typed line. Undefined if the line ends in another way. */
export const openMention = (line: string): string | undefined => /(?:^|[\s([{"'])@("[^"\n]*|[^\s"']*)$/.exec(line)?.[1]

/** The media type of a picture, recognised by its first bytes. Undefined for any other file. */
export const pictureType = (bytes: Uint8Array): string | undefined => {
  const head = String.fromCharCode(...bytes.subarray(0, 12))
  if (head.startsWith("\u0089PNG\r\n")) return "image/png"
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  return /^RIFF[^]{4}WEBP/.test(head) ? "image/webp" : undefined
}

/** True for the name of a picture in a format that models can read. */
export const isPictureName = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(path)
