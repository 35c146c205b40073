/**
 * The marks within a line of markdown, as a terminal shows them: emphasis and code in style, links as text that can be
 * followed. A link to a file is its path with the line, as editors and terminals recognise it.
 */
import type { Paint } from "./Colour.ts"

const parts =
  /(`+)([^`]|[^`].*?[^`])\1(?!`)|!?\[((?:\\.|[^\]\\])*)\]\((?:<([^>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+"[^"]*")?\)|\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__|(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])|<(https?:\/\/[^\s>]+)>|\\([!-/:-@[-`{-~])/g

/** `src/a.ts#L12-L40` as `src/a.ts:12`, which names the place where to begin. */
const placeOf = (href: string): string => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href
  const [, path = href, line] = /^([^#]*)#L(\d+)(?:-L?\d+)?$/.exec(href) ?? []
  try {
    return `${decodeURIComponent(path.replace(/^\.\//, ""))}${line === undefined ? "" : `:${line}`}`
  } catch {
    return href
  }
}

const linkText = (title: string, href: string, paint: Paint): string => {
  const place = placeOf(href)
  const text = title.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")
  const bare = text.replaceAll("`", "")
  const isSame =
    bare === href || bare === place || place === bare.replace(/#L(\d+).*$/, ":$1") || place.startsWith(`${bare}:`)
  if (href === "" || href.startsWith("#")) return text
  return isSame || text === "" ? paint.cyan(place) : `${text} (${paint.cyan(place)})`
}

/** Marks without their ends take the longer to look for, the longer the line is: such a line stays as it is. */
const longestLine = 4000

/** The line with its marks as styles. */
export const inlineText = (line: string, paint: Paint): string =>
  line.length > longestLine ? line : withStyles(line, paint)

const withStyles = (line: string, paint: Paint): string =>
  line.replace(
    parts,
    (
      whole: string,
      _ticks: string | undefined,
      code: string | undefined,
      title: string | undefined,
      angled: string | undefined,
      href: string | undefined,
      strong: string | undefined,
      strongToo: string | undefined,
      emphasis: string | undefined,
      address: string | undefined,
      escaped: string | undefined
    ) => {
      if (code !== undefined) return paint.cyan(code.replace(/^ (.*\S.*) $/, "$1"))
      if (title !== undefined) return linkText(title, angled ?? href ?? "", paint)
      const bold = strong ?? strongToo
      if (bold !== undefined) return paint.bold(inlineText(bold, paint))
      if (emphasis !== undefined) return inlineText(emphasis, paint)
      return address === undefined ? (escaped ?? whole) : paint.cyan(address)
    }
  )
