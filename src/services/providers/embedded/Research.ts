/**
 * The first section of an embedded plan: what to read, fetch, run and search, one task for each thing. Called by
 * PlanAnswer.
 */
import type { Clues } from "./Clues.ts"
import type { PlannedTask } from "./TaskMarkdown.ts"
import { commandWishIn, type FileWish } from "./Wish.ts"

/** A prompt as far as it is understood, and what the catalogue has for it. */
export interface Request {
  readonly prompt: string
  readonly clues: Clues
  readonly file: FileWish | undefined
  readonly hasDescription: boolean
  readonly offers: (skill: string) => boolean
}

const inQuotes = (term: string): string => (term.includes('"') ? `\`${term}\`` : `"${term}"`)

/** "Which files use config.json?" asks for the places that name the file, not for what it holds. */
const asksWhere = (prompt: string): boolean => /^\s*(?:which|where|who)\b/i.test(prompt)

const asksDocs = (prompt: string): boolean =>
  /(?<![\w/.-])(?:docs?|documentation|documented|readme|changelog|manual|guide)(?![\w/-]|\.\w)/i.test(prompt)

const reads = ({ clues, offers, prompt }: Request): ReadonlyArray<PlannedTask> => {
  if (!offers("read-code") || asksWhere(prompt)) return []
  const subject = clues.terms.slice(0, 5).map(inQuotes).join(", ")
  return clues.paths.slice(0, 3).map(({ line, path }, index) => ({
    name: `Read ${index + 1}`,
    needed: `Read ${path}${line === undefined ? "" : `:${line}`}${subject === "" ? "" : ` and find ${subject}`}.`,
    skill: "read-code",
    builds: [],
    expected: "The lines that matter, with their numbers."
  }))
}

const pages = ({ clues, offers }: Request): ReadonlyArray<PlannedTask> =>
  offers("research-web")
    ? clues.urls.slice(0, 2).map((url, index) => ({
        name: `Fetch ${index + 1}`,
        needed: `Fetch ${url} and quote what it says.`,
        skill: "research-web",
        builds: [],
        expected: "The text of the page."
      }))
    : []

const commands = ({ offers, prompt }: Request): ReadonlyArray<PlannedTask> => {
  const command = offers("run-checks") ? commandWishIn(prompt) : undefined
  if (command === undefined) return []
  return [
    {
      name: "Run 1",
      needed: `Run the command \`${command}\`.`,
      skill: "run-checks",
      builds: [],
      expected: "Its exit code and output.",
      requiresApproval: true
    }
  ]
}

/** What to search for; beside other research only what the prompt quotes. */
const termsFor = ({ clues, prompt }: Request, isAlone: boolean): ReadonlyArray<string> => {
  const command = commandWishIn(prompt) ?? ""
  if (!isAlone) return clues.terms.filter((term) => clues.quoted.includes(term) && !command.includes(term))
  return asksWhere(prompt) ? [...clues.terms, ...clues.paths.map(({ path }) => path)] : clues.terms
}

const searches = (request: Request, isAlone: boolean): ReadonlyArray<PlannedTask> => {
  const skills = asksDocs(request.prompt) ? ["search-docs", "search-code"] : ["search-code"]
  const skill = skills.find(request.offers)
  if (skill === undefined) return []
  return termsFor(request, isAlone)
    .slice(0, 4)
    .map((term, index) => ({
      name: `Search ${index + 1}`,
      needed: `Find the lines of the project that hold ${inQuotes(term)}.`,
      skill,
      builds: [],
      expected: "The lines with file and line."
    }))
}

/** Without anything to look for: the files of the project, and what it says of itself. */
const survey = ({ hasDescription, offers }: Request): ReadonlyArray<PlannedTask> => {
  if (!offers("search-code")) return []
  return [
    {
      name: "Files 1",
      needed: "List the files of the project.",
      skill: "search-code",
      links: hasDescription ? ["[Project description](#project-description)"] : [],
      builds: [],
      expected: "The paths."
    }
  ]
}

/** The research that a request needs; none when it says itself what to write. */
export const researchTasks = (request: Request): ReadonlyArray<PlannedTask> => {
  if (request.file?.content !== undefined) return []
  const definite = [...reads(request), ...pages(request), ...commands(request)]
  const tasks = [...definite, ...searches(request, definite.length === 0)]
  return tasks.length > 0 ? tasks : survey(request)
}
