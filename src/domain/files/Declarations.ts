/**
 * Finds declarations line by line, with simple patterns for each language: functions, methods, types and file-level
 * names. Unusual declarations are missed, and local variables do not count.
 */

export const sourceLines = (text: string | null): ReadonlyArray<string> => (text ?? "").split(/\r?\n/)

export const wordPattern = (name: string): string => `(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`

/** A pattern for blanks at the beginning of a line and any number of these words. */
const after = (words: string): string => `^\\s*(?:(?:${words})\\s+)*`

const patterns = (...all: ReadonlyArray<string | RegExp>): ReadonlyArray<RegExp> => all.map((one) => new RegExp(one))

const script = patterns(
  `${after("export|default|declare|abstract|async")}(?:function\\b\\s*\\*?|class|interface|enum|const enum|namespace|module)\\s+([A-Za-z_$][\\w$]*)`,
  `${after("export|declare")}type\\s+([A-Za-z_$][\\w$]*)\\s*[=<]`,
  /^(?:export\s+|declare\s+)*(?:const|let|var)\s+([A-Za-z_$][\w$]*)/,
  /^\s+(?:const|let|var)\s+([A-Za-z_$][\w$]*)[^=]*=\s*(?:async\s*)?(?:function\b|\([^()]*\)[^=]*=>|[\w$]+\s*=>)/,
  /^\s*(?:[\w$]+\.)+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|class\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/,
  /^\s+([\w$]+)\s*:\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>)/,
  `${after("public|private|protected|static|async|override|readonly|abstract|accessor|get|set")}\\*?([\\w$#]+)\\s*(?:<[^>]*>)?\\((?!.*\\bfunction\\b)[^;]*\\)[^;=]*\\{\\s*$`,
  /^\s+(?:(?:public|private|protected|static|async|override|abstract|get|set)\s+)+([\w$#]+)\s*[(<]/
)

const types = "class|interface|@interface|enum|record|struct|namespace|record struct|record class"
const members =
  "public|protected|private|internal|static|final|abstract|sealed|non-sealed|synchronized|native|default|strictfp|virtual|override|async|extern|unsafe|partial|readonly|required|new|file|volatile|transient"
/**
 * Patterns for Java and C#. A type and a name with parameters declare a method. A name with parameters but no type
 * declares a constructor.
 */
const typed = patterns(
  `^\\s*(?:(?:${members}|ref)\\s+)*(?:${types})\\s+([A-Za-z_]\\w*)`,
  `^\\s+(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:(?:${members})\\s+)*(?:<[^>]+>\\s+)?(?!(?:return|throw|else|case|assert|yield|await|new|using|goto|in|is|as)\\b)[A-Za-z_][\\w.<>,?\\[\\]]*(?:, ?[\\w.<>?\\[\\]]+)*\\s+([A-Za-z_]\\w*)(?:<[^>]*>)?\\s*\\([^;=]*(?:[;{]\\s*|=>.*)?$`,
  /^\s+(?:public|protected|private|internal)\s+([A-Za-z_]\w*)\s*\(/,
  /^\s+([A-Z]\w*)\s*\((?!.*\bnew\b)[^;=]*\)[^;=]*\{\s*$/,
  /^\s+(?:(?:public|protected|private|internal|static|override|virtual|required)\s+)+[\w.<>,?[\]]+\s+([A-Za-z_]\w*)\s*(?:\{\s*(?:get|set|init)?\b|=>|\{?\s*$)/,
  /^\s+(?:public|protected|private|internal)\s+(?:(?:static|final|const|readonly)\s+)+[\w.<>,?[\]]+\s+([A-Za-z_]\w*)\s*[=;]/
)

const kotlin = patterns(
  `${after("@\\w+|public|private|protected|internal|open|abstract|final|override|suspend|inline|infix|operator|tailrec|data|sealed|enum|annotation|inner|value|companion|external|expect|actual|fun(?=\\s+interface)")}(?:fun|class|interface|object|typealias)\\s+(?:<[^>]*>\\s*)?(?:[\\w<>?, *]+\\.)?([A-Za-z_]\\w*)`,
  /^(?:(?:public|private|internal|const|lateinit|override)\s+)*(?:val|var)\s+(?:[\w<>?]+\.)?([A-Za-z_]\w*)/
)
const swiftWords =
  "@\\w+(?:\\([^)]*\\))?|public|private|fileprivate|internal|open|static|class(?=\\s+func)|final|override|mutating|nonmutating|convenience|required|indirect|nonisolated|prefix|postfix|infix"
const swift = patterns(
  `${after(swiftWords)}(?:func|class|struct|enum|protocol|extension|actor|typealias)\\s+([A-Za-z_]\\w*)`,
  `${after(swiftWords)}(init|deinit|subscript)[?!]?\\s*[(<{]`,
  /^(?:(?:public|private|fileprivate|internal)\s+)*(?:let|var)\s+([A-Za-z_]\w*)/
)

const c = patterns(
  /^\s*(?:typedef\s+)?(?:template\s*<.*>\s*)?(?:struct|class|enum(?:\s+class)?|union|namespace)\s+([A-Za-z_]\w*)[^;()=]*$/,
  /^#\s*define\s+([A-Za-z_]\w*)/,
  /^typedef\b.*?([A-Za-z_]\w*)(?:\[[^\]]*\])?;\s*$/,
  // C: a type, which may be a macro call, then a name with parameters. The line does not end with a semicolon.
  /^(?:[A-Z_]+\([^()]*\)\s*|(?:[A-Za-z_][\w:<>,]*[\s*&]+)+)((?:[A-Za-z_]\w*::)*~?[A-Za-z_]\w*)\s*\([^;]*$/,
  /^([A-Za-z_]\w*)\s*\([^;]*\)?\s*\{?$/,
  /^\s+(?:(?:static|virtual|inline|explicit|constexpr|const|friend)\s+)*(?:[A-Za-z_][\w:<>,]*[\s*&]+)*(~?[A-Za-z_]\w*)\s*\([^;=]*\)[^;=(]*\{\s*$/
)

const ruby = patterns(
  /^\s*(?:(?:private|protected|public|module_function|private_class_method)\s+)?def\s+(?:self\.)?([A-Za-z_]\w*[?!]?)/,
  /^\s*(?:class|module)\s+([A-Z][\w:]*)/,
  /^\s*([A-Z][A-Z0-9_]+)\s*=(?!=)/
)
const php = patterns(
  `${after("public|private|protected|static|final|abstract|readonly")}(?:function\\s+&?|class\\s+|interface\\s+|trait\\s+|enum\\s+)([A-Za-z_]\\w*)`,
  `${after("public|private|protected|final")}const\\s+(?:\\w+\\s+)?([A-Z]\\w*)\\s*=`
)
const shell = patterns(
  /^\s*(?:function\s+)?([\w:.-]+)\s*\(\)\s*(?:[{(].*)?$/,
  /^\s*function\s+([\w:.-]+)/,
  /^(?:(?:export|readonly|declare|typeset)\s+(?:-\w+\s+)*)?([A-Z][A-Z0-9_]+)=/
)
const python = patterns(
  /^\s*(?:async\s+)?def\s+([A-Za-z_]\w*)/,
  /^\s*class\s+([A-Za-z_]\w*)/,
  /^([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=(?!=)/
)
const go = patterns(/^func\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)/, /^(?:type|var|const)\s+([A-Za-z_]\w*)/)
const rust = patterns(
  /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|default|extern(?:\s+"[^"]*")?)\s+)*(?:fn|struct|enum|trait|type|mod|union|static(?:\s+mut)?|const)\s+([A-Za-z_]\w*)/,
  /^\s*(?:unsafe\s+)?impl\b(?:<.*?>)?\s+(?:.*\sfor\s+)?&?(?:\w+::)*([A-Za-z_]\w*)/,
  /^\s*macro_rules!\s+([A-Za-z_]\w*)/
)
const general = patterns(
  `${after("export|default|public|private|protected|internal|static|final|abstract|override|open|local|pub|async")}(?:function|class|interface|type|enum|struct|trait|def|defp|defmodule|func|fun|fn|sub|module|record|object|protocol|proc|package)\\s+([A-Za-z_$][\\w$.]*)`,
  /^([A-Z][A-Z0-9_]{3,})\s*=(?!=)/
)

const byLanguage: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  typescript: script,
  tsx: script,
  javascript: script,
  jsx: script,
  vue: script,
  svelte: script,
  python,
  go,
  rust,
  java: typed,
  csharp: typed,
  kotlin,
  swift,
  c,
  cpp: c,
  cuda: c,
  objectivec: c,
  ruby,
  php,
  bash: shell
}

/** Languages of prose and data, in which nothing is declared. */
const others: ReadonlySet<string> = new Set(
  "csv diff gitignore ini json json5 jsonc jsonl latex markdown mdx page rst text toml xml yaml".split(" ")
)

export const isProgram = (language: string): boolean => language !== "" && !others.has(language)

/** Keywords that look like calls: `if (…)`, `while (…)`. */
const control: ReadonlySet<string> = new Set(
  "if else for while switch catch return do try with function await throw typeof super new sizeof defined foreach lock using when unless until elif match select case".split(
    " "
  )
)

const comment = /^\s*(?:\/\/|\/\*|\*(?:[\s/*]|$)|#(?!\s*define)|--|;;|""")/
/** Only this many characters of a line are searched for a declaration. */
const longestHead = 240

/** The name that this line declares, if any. `language` is a result of `languageOf`. */
export const declaredName = (line: string, language: string): string | undefined => {
  if (!isProgram(language) || comment.test(line)) return undefined
  const head = line.trimEnd().slice(0, longestHead)
  for (const pattern of byLanguage[language] ?? general) {
    const name = pattern.exec(head)?.[1]
    if (name !== undefined && !control.has(name)) return name
  }
  return undefined
}

export interface Declaration {
  /** The index of the line that declares the name, from 0. */
  readonly index: number
  readonly name: string
  /** The number of characters before the declaration. */
  readonly depth: number
}

export const indentOf = (line: string): number => line.length - line.trimStart().length

export const declarationsOf = (lines: ReadonlyArray<string>, language: string): ReadonlyArray<Declaration> =>
  lines.flatMap((line, index) => {
    const name = declaredName(line, language)
    return name === undefined ? [] : [{ index, name, depth: indentOf(line) }]
  })

/**
 * The declarations around a line, the outermost first. A declaration on the line itself is included. Blocks are
 * recognised by indentation.
 */
export const declarationsAround = (
  lines: ReadonlyArray<string>,
  all: ReadonlyArray<Declaration>,
  index: number
): ReadonlyArray<Declaration> => {
  const enclosing: Array<Declaration> = []
  const nearestAbove = all.findLastIndex((one) => one.index <= index)
  let below = all[nearestAbove]?.index === index ? Number.MAX_SAFE_INTEGER : indentOf(lines[index] ?? "")
  // Searches upwards. A declaration around the line is indented less than the line and all lines between them. Labels,
  // and lines that begin with a bracket or `#`, are not compared.
  for (let at = nearestAbove, last = index; at >= 0 && below > 0; at--) {
    const declaration = all[at]
    if (declaration === undefined) break
    for (let line = declaration.index + 1; line < last; line++) {
      const text = lines[line] ?? ""
      if (text.trim() !== "" && !/^[#)\]}{]|^\w+:$/.test(text.trim())) below = Math.min(below, indentOf(text))
    }
    last = declaration.index
    if (declaration.depth < below) {
      enclosing.unshift(declaration)
      below = declaration.depth
    }
  }
  return enclosing
}
