/**
 * Converts paths to targets of markdown links and back. Characters with a meaning in a target are percent-encoded, all others
 * stay readable.
 */
import { printable } from "../text/Printable.ts"

// oxlint-disable-next-line no-control-regex -- control characters would end the link
const special = /[%#<>\\\u0000-\u001f\u007f]/g

/** The target of a link to a path. Blanks and parentheses stay, so that the target may need angle brackets. */
export const hrefOfPath = (path: string): string => path.replace(special, encodeURIComponent)

/** A target that needs no angle brackets. */
export const bareHrefOfPath = (path: string): string =>
  hrefOfPath(path).replace(/[\s()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** A link to a file or one of its lines. Escapes unbalanced brackets, which would end its text. */
export const fileLink = (path: string, line?: number): string => {
  const text = printable(path)
  const label = /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*$/.test(text) ? text : text.replace(/[[\]]/g, "\\$&")
  const target = `${hrefOfPath(path)}${line === undefined ? "" : `#L${line}`}`
  return `[${label}](${/[\s()]/.test(target) ? `<${target}>` : target})`
}
