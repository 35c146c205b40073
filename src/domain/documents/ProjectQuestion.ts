/**
 * Decides whether a request is about the project. If it is, the answer must rest on the project. A request that brings
 * its own material is not about the project. Any other request is about the project in these cases:
 * - It mentions the project ("this project").
 * - It asks for a file or a place.
 * - It names a file or a declaration. A declaration may be written in words ("the rate limit" for `rateLimit`).
 */
import { fileName } from "../files/PathList.ts"
import { searchTermsOf } from "../excerpts/SearchTerms.ts"

/** A longer request counts as one that brings its own material. */
const mostRequestLines = 12
const mostRequestCharacters = 1500

const says =
  /\b(?:this|our) (?:\w+ )?(?:project|repo|repository|code ?base|code|app|application|program|package|module|folder|directory|library|server|service|tool|test suite|build)\b|\b(?:the|my) (?:project|repo|repository|code ?base)\b/i
const asksFile =
  /\b(?:which|what) (?:(?:source|test|config(?:uration)?) )?(?:files?|folders?|director(?:y|ies)|modules?|tests?|scripts?)\b(?! (?:formats?|systems?|types?|extensions?|managers?|servers?|sizes?))/i
const asksPlace = /\bwhere\b/i
const asksExistence = /\b(?:is|are) there\b|\b(?:do|does) (?:we|it) have\b/i
/** Verbs for questions about a place in the code. */
const doneInCode =
  /\b(?:defined|declared|implemented|configured|set|called|used|handled|stored|read|tested|documented|parsed|created|written|checked|loaded|validated|imported|exported|initiali[sz]ed)\b/i
const place = /(?<![\w/:.])(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.\w{1,8}(?![\w/])/g
const definite = /\b(?:the|our|its)\s+(\p{L}{3,})\s+(\p{L}{3,})/giu
const words = /\p{L}[\p{L}\p{N}]*/gu
/** Words that say nothing about the subject of a question. */
const ofQuestions = new Set(
  "where what which does this that with from have there about into are the and can".split(" ")
)

/** True for a request that has a code block or is longer than a question. */
export const bringsMaterial = (request: string): boolean =>
  /^\s*(?:`{3,}|~{3,})/m.test(request) ||
  request.length > mostRequestCharacters ||
  request.trim().split("\n").length > mostRequestLines

interface ProjectTexts {
  readonly files: ReadonlyArray<string>
  readonly texts: ReadonlyArray<{ readonly text: string }>
}

const namesFile = (request: string, files: ReadonlyArray<string>): boolean =>
  (request.match(place) ?? []).some((path) => files.some((file) => file === path || file.endsWith(`/${path}`)))

/** File names without extensions, in lower case. */
const baseNames = (files: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    files.map((file) =>
      fileName(file)
        .replace(/\.\w+$/, "")
        .toLowerCase()
    )
  )

const escaped = (name: string): string => name.replaceAll(/[$.*+?^{}()|[\]\\]/g, "\\$&")

/** True if a line declares the name: a keyword stands before it, or a sign such as "=" after it. */
const declares = (text: string, name: string): boolean =>
  new RegExp(
    `^\\s*(?:[\\w@]+ )*(?:function|const|let|var|val|class|def|fn|func|type|interface|enum|struct|trait|module|macro|object|void|static|public|private)\\b[^=\\n]*?\\b${escaped(name)}\\b|^\\s*${escaped(name)}\\s*(?:[=:]|\\()`,
    "m"
  ).test(text)

/** Matches words in any spelling of a name: `rate` and `limit` match `rateLimit` and `rate_limit`. */
const joined = (parts: ReadonlyArray<string>): RegExp => new RegExp(parts.map(escaped).join("[_-]?"), "i")

/** Words that may be a name: two after "the", "our" or "its", or any three in a row. */
const phrasesIn = (request: string): ReadonlyArray<ReadonlyArray<string>> => {
  const all = request.match(words) ?? []
  const triples = all.slice(0, -2).map((_, index) => all.slice(index, index + 3))
  return [...request.matchAll(definite)].map(([, ...pair]) => pair).concat(triples)
}

/** The words of a question that name its subject. */
const subjectOf = (request: string): ReadonlyArray<string> =>
  (request.toLowerCase().match(words) ?? []).filter((word) => word.length > 3 && !ofQuestions.has(word))

/** True for a request that mentions the project itself. */
export const saysProject = (request: string): boolean =>
  says.test(request) || asksFile.test(request) || (asksPlace.test(request) && doneInCode.test(request))

/** True for a request that names a file or a declaration of the project. */
export const namesProject = (request: string, { files, texts }: ProjectTexts): boolean => {
  if (namesFile(request, files)) return true
  const names = searchTermsOf(request).names.map(({ text }) => text)
  if (texts.some(({ text }) => names.some((name) => declares(text, name)))) return true
  const phrases = phrasesIn(request).map(joined)
  if (texts.some(({ text }) => phrases.some((phrase) => phrase.test(text)))) return true
  const subject = subjectOf(request)
  const own = baseNames(files)
  if (asksExistence.test(request) && subject.some((word) => own.has(word))) return true
  if (!asksPlace.test(request)) return false
  return subject.length > 0 && texts.some(({ text }) => subject.every((word) => text.toLowerCase().includes(word)))
}

/** A link into the project: neither a website nor a mail address. */
const ownLink = /\]\((?!https?:|mailto:)[^)\s]+\)/i
const code = /`([^`\n]{3,200})`/g

/**
 * True for a quotation that an answer hardly contains by chance: a name of several words, or a command with arguments.
 */
const isTelling = (quoted: string): boolean => /\S[ _-]\S|[a-z][A-Z]/.test(quoted) && !/[./]/.test(quoted)

/** True for an answer that links to the project, or quotes a command or name from the prompt. */
export const restsOnProject = (answer: string, shown: string): boolean =>
  ownLink.test(answer) ||
  [...answer.matchAll(code)].some(([, quoted = ""]) => isTelling(quoted) && shown.includes(quoted))
