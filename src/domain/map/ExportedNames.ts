/**
 * Finds the names that a source file exports, line by line with simple patterns. An unusual export is missing in the
 * map, without other harm.
 */
import { languageOf } from "../files/Language.ts"

/** At most this many names of a file are listed. */
const mostNames = 40
const longestLine = 400

const script: ReadonlyArray<RegExp> = [
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|var|type|interface|enum|namespace) ([A-Za-z_$][\w$]*)/,
  /^(?:module\.)?exports\.([A-Za-z_$][\w$]*) *=/
]
const jvm: ReadonlyArray<RegExp> = [
  /^public (?:(?:abstract|final|static|sealed) )*(?:class|interface|enum|record) (\w+)/,
  /^(?:(?:open|abstract|data|sealed) )*(?:class|interface|object|fun) (\w+)/
]

const patterns: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  typescript: script,
  tsx: script,
  javascript: script,
  jsx: script,
  python: [/^(?:async )?def ([A-Za-z]\w*)/, /^class ([A-Za-z]\w*)/, /^from \.[\w.]* import \w+ as ([A-Za-z]\w*)$/],
  go: [/^func ([A-Z]\w*)/, /^type ([A-Z]\w*)/],
  rust: [/^pub (?:(?:async|unsafe|const) )*(?:fn|struct|enum|trait|type|mod|const|static|union) (\w+)/],
  java: jvm,
  kotlin: jvm,
  csharp: [/^\s{0,4}public (?:(?:abstract|sealed|static|partial) )*(?:class|interface|enum|record|struct) (\w+)/],
  php: [/^(?:(?:abstract|final) )*(?:class|interface|trait|function) (\w+)/],
  ruby: [/^\s{0,2}(?:class|module) ([A-Z]\w*)/, /^def ([a-z]\w*[?!]?)/]
}

/** The exported names of `export { a, b as c }`. */
const listed = (line: string): ReadonlyArray<string> => {
  const names = /^export (?:type )?\{([^}]*)\}/.exec(line)?.[1] ?? ""
  return names.split(",").flatMap((one) => /([A-Za-z_$][\w$]*)\s*$/.exec(one)?.[1] ?? [])
}

export const hasExportedNames = (path: string): boolean => patterns[languageOf(path)] !== undefined

/** The exported names of a file in order; empty for other languages. */
export const exportedNames = (path: string, text: string): ReadonlyArray<string> => {
  const exportPatterns = patterns[languageOf(path)]
  if (exportPatterns === undefined) return []
  const exported = new Set<string>()
  for (const whole of text.split(/\r?\n/)) {
    const line = whole.slice(0, longestLine)
    const names = exportPatterns.flatMap((pattern) => pattern.exec(line)?.[1] ?? [])
    for (const name of [...names, ...(exportPatterns === script ? listed(line) : [])]) exported.add(name)
    if (exported.size >= mostNames) break
  }
  return [...exported].filter((name) => name !== "default" && name.length <= 60).slice(0, mostNames)
}
