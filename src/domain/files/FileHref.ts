/**
 * Paths as targets of markdown links and back: characters that mean something else in a target are percent-encoded, all
 * others stay readable. Called by whatever suggests or writes links to files.
 */

// oxlint-disable-next-line no-control-regex -- control characters would end the link
const special = /[%#<>\\\u0000-\u001f\u007f]/g

/** The target that leads to a path. Blanks and parentheses stay: they need angle brackets around the target. */
export const hrefOfPath = (path: string): string => path.replace(special, encodeURIComponent)

/** The path that a target of `hrefOfPath` leads to. */
export const pathOfHref = (href: string): string => href.replace(/%[0-7][\da-f]/gi, decodeURIComponent)

/** A target that needs no angle brackets either, for suggestions. */
export const bareHrefOfPath = (path: string): string =>
  hrefOfPath(path).replace(/[\s()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
