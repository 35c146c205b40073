/**
 * Converts paths to targets of markdown links and back. Only characters with a meaning in a target are percent-encoded,
 * so that paths stay readable.
 */
import { printable } from "../text/Printable.ts"

// oxlint-disable-next-line no-control-regex -- control characters would end the link
const special = /[%#<>\\\u0000-\u001f\u007f]/g

/** The target of a link to a path. Blanks and parentheses stay, so the target may need angle brackets. */
export const hrefOfPath = (path: string): string => path.replace(special, encodeURIComponent)

/** The target of a link to a path, encoded so that it needs no angle brackets. */
export const bareHrefOfPath = (path: string): string =>
  hrefOfPath(path).replace(/[\s()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * A link to a file or to one of its lines. Unbalanced brackets in the path are escaped, because they would end the link
 * text.
 */
export const fileLink = (path: string, line?: number): string => {
  const text = printable(path)
  const label = /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*$/.test(text) ? text : text.replace(/[[\]]/g, "\\$&")
  const target = `${hrefOfPath(path)}${line === undefined ? "" : `#L${line}`}`
  return `[${label}](${/[\s()]/.test(target) ? `<${target}>` : target})`
}
