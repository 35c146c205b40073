/**
 * What a deny or ask rule may mean by a page: a host is denied on every port and in every spelling.
 */

const scheme = /^[a-z][a-z0-9+.-]*:\/\//

/** The text with its percent escapes read, where they are valid. */
const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** One part of a host name in the form that URLs have: other scripts in ASCII. */
const asciiLabel = (label: string): string =>
  /^[\u0020-\u007e]*$/.test(label) ? label : (URL.parse(`http://${label}`)?.hostname ?? label)

/** The pattern with its host in the form that URLs have, without the dot that may end it. Lower case. */
export const urlPattern = (pattern: string): string => {
  const [, before = "", host = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#\s:]+)(.*)$/s.exec(pattern) ?? []
  return host === "" ? pattern : `${before}${host.replace(/\.$/, "").split(".").map(asciiLabel).join(".")}${rest}`
}

/**
 * The texts by which a pattern may name a URL in lower case: all of it or what follows the scheme; the same without the
 * port, without the dot that may end a host, and with escapes read. Another text has only itself.
 */
export const urlForms = (url: string): ReadonlyArray<string> => {
  const [, before, host = "", rest = ""] = /^([^/]*\/\/)([^/?#]*)(.*)$/s.exec(url) ?? []
  if (before === undefined || !scheme.test(url)) return [url]
  const withoutDot = host.replace(/\.(?=:\d+$|$)/, "")
  const hosts = [host, withoutDot, withoutDot.replace(/:\d+$/, "")]
  const tails = [rest, unescaped(rest).toLowerCase()]
  const pages = hosts.flatMap((one) => tails.map((tail) => `${one}${tail}`))
  return [...new Set([...pages, ...pages.map((page) => `${before}${page}`)])]
}
