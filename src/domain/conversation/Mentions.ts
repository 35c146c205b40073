/** Finds files that a message mentions as `@src/a.ts`, `@src/a.ts#L10-L20` or `@"my notes.md"`, pictures included. */

const mention = /(?<![^\s([{"'])@(?:"([^"\n]+)"|([^\s"']+))/g

/** The mentioned names in order, each once. A full stop after a name belongs to the sentence. */
export const mentionsIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(mention)].map(([, quoted, plain = ""]) => quoted ?? plain.replace(/[.,;:!?)\]}]+$/, "")))
]

/** Removes the `@` before these names. A model would take it for a part of the path. */
export const withoutMarks = (text: string, names: ReadonlyArray<string>): string =>
  names.reduce((rest, name) => rest.replaceAll(`@"${name}"`, () => name).replaceAll(`@${name}`, () => name), text)

export const mentionOf = (path: string): string => (/[\s"']/.test(path) ? `@"${path}"` : `@${path}`)

/** The unfinished mention at the end of a line; undefined if there is none. */
export const openMention = (line: string): string | undefined => /(?:^|[\s([{"'])@("[^"\n]*|[^\s"']*)$/.exec(line)?.[1]

/** The media type of a picture, from its first bytes. Undefined for other files. */
export const pictureType = (bytes: Uint8Array): string | undefined => {
  const head = String.fromCharCode(...bytes.subarray(0, 12))
  if (head.startsWith("\u0089PNG\r\n")) return "image/png"
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  return /^RIFF[^]{4}WEBP/.test(head) ? "image/webp" : undefined
}

/** True for the name of a picture in a format that models can read. */
export const isPictureName = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(path)
