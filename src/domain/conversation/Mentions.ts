/**
 * The files that a person names in a message as `@src/a.ts`, `@src/a.ts#L10-L20` or `@"my notes.md"`, and pictures among them.
 */

const mention = /(?<![^\s([{"'])@(?:"([^"\n]+)"|([^\s"']+))/g

/** Each once, in their order; a full stop behind a name is the end of the sentence. */
export const mentionsIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(mention)].map(([, quoted, plain = ""]) => quoted ?? plain.replace(/[.,;:!?)\]}]+$/, "")))
]

/** The text with these names as a model writes them; a sign before a path would become a part of it. */
export const withoutMarks = (text: string, names: ReadonlyArray<string>): string =>
  names.reduce((rest, name) => rest.replaceAll(`@"${name}"`, () => name).replaceAll(`@${name}`, () => name), text)

export const mentionOf = (path: string): string => (/[\s"']/.test(path) ? `@"${path}"` : `@${path}`)

/** The mention that a line ends with, while it is typed; nothing for any other line. */
export const openMention = (line: string): string | undefined => /(?:^|[\s([{"'])@("[^"\n]*|[^\s"']*)$/.exec(line)?.[1]

/** What a picture is by its first bytes; nothing for anything else. */
export const pictureType = (bytes: Uint8Array): string | undefined => {
  const head = String.fromCharCode(...bytes.subarray(0, 12))
  if (head.startsWith("\u0089PNG\r\n")) return "image/png"
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  return /^RIFF[^]{4}WEBP/.test(head) ? "image/webp" : undefined
}

/** True for the name of a picture that models can see. */
export const isPictureName = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(path)
