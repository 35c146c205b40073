/**
 * The readable text of an HTML page, for a prompt. Works in one pass and in time linear to the page: no tree is built,
 * scripts and styles are skipped, block elements become line ends.
 */

/** Elements whose content is not text for a reader. */
const hidden: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "head"
])

const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 " +
    "h6 header hr li main nav ol p pre section summary table tbody thead tr ul"
  ).split(" ")
)

/** What an opening tag leaves in the text. */
const openings: Readonly<Record<string, string>> = {
  br: "\n",
  li: "\n- ",
  h1: "\n\n# ",
  h2: "\n\n## ",
  h3: "\n\n### ",
  h4: "\n\n#### ",
  h5: "\n\n##### ",
  h6: "\n\n###### ",
  p: "\n\n"
}

/** The characters of Latin-1 from 160 on, by their names in HTML. */
const latin1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml"

const entities: ReadonlyMap<string, string> = new Map([
  ...latin1.split(" ").map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["ndash", "\u2013"],
  ["mdash", "\u2014"],
  ["lsquo", "\u2018"],
  ["rsquo", "\u2019"],
  ["sbquo", "\u201A"],
  ["ldquo", "\u201C"],
  ["rdquo", "\u201D"],
  ["bdquo", "\u201E"],
  ["bull", "\u2022"],
  ["hellip", "\u2026"],
  ["larr", "\u2190"],
  ["rarr", "\u2192"],
  ["minus", "\u2212"],
  ["le", "\u2264"],
  ["ge", "\u2265"],
  ["ne", "\u2260"],
  ["infin", "\u221E"],
  ["euro", "\u20AC"],
  ["trade", "\u2122"],
  ["zwnj", ""],
  ["zwj", ""]
])

const isScalar = (point: number): boolean => point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w{1,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities.get(name) ?? whole
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return isScalar(point) ? String.fromCodePoint(point) : "\uFFFD"
  })

/** `<!--`, `</name`, `<name`, `<!` or `<?`; `<` before anything else is text. */
const tagStart = /<(?:!--|([/]?)([A-Za-z][^\s/>]*)|[!?])/g
/** The rest of a tag; a `>` in quotes does not end it. */
const tagEnd = /(?:[^>"']|"[^"]*"|'[^']*')*>/y

const indexAfter = (html: string, text: string, from: number): number => {
  const at = html.indexOf(text, from)
  return at === -1 ? html.length : at + text.length
}

/**
 * Finds where tags end. Once quotes do not close, they count for nothing in the rest of the page: looking for their end
 * again at every tag would take quadratic time.
 */
const makeEndOfTag = (html: string): ((from: number) => number) => {
  let quotesClose = true
  return (from) => {
    tagEnd.lastIndex = from
    if (quotesClose && tagEnd.test(html)) return tagEnd.lastIndex
    quotesClose = false
    return indexAfter(html, ">", from)
  }
}

/** Where the closing tag of a hidden element begins, or the end of the page. */
const closingTag = (html: string, name: string, from: number): number => {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi")
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

/** Collects text; outside of `<pre>` runs of blanks count as one, and as none at the start of a line. */
const makeWriter = () => {
  const parts: Array<string> = []
  let lineStart = true
  const put = (text: string) => {
    if (text === "") return
    parts.push(text)
    lineStart = text.endsWith("\n")
  }
  return {
    put,
    text: (raw: string, preformatted: boolean) => {
      const flowing = preformatted ? raw : raw.replace(/[ \t\r\n\f]+/g, " ")
      put(decodeEntities(lineStart && flowing.startsWith(" ") && !preformatted ? flowing.slice(1) : flowing))
    },
    result: () =>
      parts
        .join("")
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
        .trim()
  }
}

/** The text with one line per block, `#` before headings, `-` before list items; no links, no images. */
export const htmlText = (html: string): string => {
  const writer = makeWriter()
  const endOfTag = makeEndOfTag(html)
  let preformatted = 0
  let at = 0
  while (at < html.length) {
    tagStart.lastIndex = at
    const tag = tagStart.exec(html)
    writer.text(html.slice(at, tag?.index ?? html.length), preformatted > 0)
    if (tag === null) break
    const name = tag[2]?.toLowerCase() ?? ""
    const closes = tag[1] === "/"
    at = tag[0] === "<!--" ? indexAfter(html, "-->", tagStart.lastIndex) : endOfTag(tagStart.lastIndex)
    if (name === "pre") preformatted = Math.max(0, preformatted + (closes ? -1 : 1))
    if (!closes && hidden.has(name)) at = closingTag(html, name, at)
    else if (!closes && name in openings) writer.put(openings[name] ?? "")
    else if (closes && (name === "td" || name === "th")) writer.put("\t")
    else if (blocks.has(name)) writer.put("\n")
  }
  return writer.result()
}
