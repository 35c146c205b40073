/**
 * The embedded model's answer to the creation prompt: research side by side, then a summary of the results, then what is
 * to be written. Skills are taken from the catalogue; without the usual ones the skill nearest to the prompt does it all.
 */
import { type Clues, stemOf } from "./Clues.ts"
import { blocksIn, blockText, type OfferedSkill, skillsIn, userPromptIn } from "./PromptText.ts"
import { type Request, researchTasks } from "./Research.ts"
import { oneLine, type PlannedTask, sectionsMarkdown, taskListMarkdown } from "./TaskMarkdown.ts"
import { fileWishIn, researchClues } from "./Wish.ts"

/** The skills that come with the program: their part in a plan is fixed. */
const builtIn: ReadonlySet<string> = new Set([
  "search-code",
  "search-docs",
  "read-code",
  "research-web",
  "run-checks",
  "summarize",
  "edit-files",
  "plan-change",
  "review"
])

const stems = (text: string): ReadonlySet<string> => new Set((text.match(/\p{L}{3,}/gu) ?? []).map(stemOf))

/** How many of the prompt's key words a skill names. */
const closeness = (skill: OfferedSkill, clues: Clues): number => {
  const own = stems(`${skill.name} ${skill.description}`)
  return clues.terms.filter((term) => own.has(stemOf(term))).length
}

const nearest = (skills: ReadonlyArray<OfferedSkill>, clues: Clues): OfferedSkill | undefined =>
  [...skills].sort((a, b) => closeness(b, clues) - closeness(a, clues))[0]

const isCalledFor = (skill: OfferedSkill, prompt: string): boolean => {
  const name = skill.name.replace(/[^\w-]/g, "")
  return new RegExp(`\\b(?:use|using|with) (?:the )?(?:skill )?["'\`]?${name}\\b`, "i").test(prompt)
}

/** The skill that the prompt says to use, else one of a stranger that shares two key words with it. */
const chosenSkill = (skills: ReadonlyArray<OfferedSkill>, { clues, prompt }: Request): OfferedSkill | undefined => {
  const called = skills.find((skill) => isCalledFor(skill, prompt))
  const stranger = nearest(
    skills.filter(({ name }) => !builtIn.has(name)),
    clues
  )
  return called ?? (stranger !== undefined && closeness(stranger, clues) >= 2 ? stranger : undefined)
}

const wholePrompt = (skill: string, prompt: string): PlannedTask => ({
  name: "Answer",
  needed: oneLine(prompt),
  skill,
  builds: [],
  expected: "What the prompt asks for."
})

/** One task without references: what is left to try when nothing fits or a plan was refused. */
const simplest = (skills: ReadonlyArray<OfferedSkill>, { clues, offers, prompt }: Request): PlannedTask =>
  wholePrompt(offers("search-code") ? "search-code" : (nearest(skills, clues)?.name ?? "search-code"), prompt)

const summary = ({ offers, prompt }: Request, sources: ReadonlyArray<PlannedTask>): ReadonlyArray<PlannedTask> => {
  if (!offers("summarize") || sources.length < 2) return []
  return [
    {
      name: "Summary",
      needed: `Answer this from the results: ${oneLine(prompt)}`,
      skill: "summarize",
      builds: sources.map((task) => task.name),
      expected: "The answer with the lines it rests on."
    }
  ]
}

const writing = ({ file, offers }: Request, sources: ReadonlyArray<PlannedTask>): ReadonlyArray<PlannedTask> => {
  if (file === undefined || !offers("edit-files")) return []
  const task = { name: "Write", skill: "edit-files", expected: "The file.", requiresApproval: true }
  const { content, path } = file
  if (content !== undefined) {
    return [{ ...task, needed: `Write the file ${path} with the text of the code block.`, builds: [], content }]
  }
  const builds = sources.map((source) => source.name)
  return builds.length === 0 ? [] : [{ ...task, needed: `Write the file ${path} with the results.`, builds }]
}

const planFor = (skills: ReadonlyArray<OfferedSkill>, request: Request): ReadonlyArray<ReadonlyArray<PlannedTask>> => {
  const chosen = chosenSkill(skills, request)
  if (chosen !== undefined) return [[wholePrompt(chosen.name, request.prompt)]]
  const first = researchTasks(request)
  const second = summary(request, first)
  const groups = [first, second, writing(request, second.length > 0 ? second : first)]
  return groups.some((tasks) => tasks.length > 0) ? groups : [[simplest(skills, request)]]
}

const goalsOf = ({ clues, file }: Request): string => {
  if (file !== undefined) return `The file ${file.path} holds what the prompt asks for.`
  const about = clues.terms.slice(0, 4).map((term) => `"${oneLine(term)}"`)
  const subject = about.length === 0 ? "" : ` about ${about.join(", ")}`
  return `The prompt is answered with what the project itself says${subject}.`
}

/** Answers the creation prompt with a task list. */
export const planAnswer = (system: string, user: string): string => {
  const blocks = blocksIn(user)
  const prompt = userPromptIn(blocks)
  const skills = skillsIn(system)
  const file = fileWishIn(prompt)
  const request: Request = {
    prompt,
    file,
    clues: researchClues(prompt, file),
    hasDescription: blockText(blocks, "Project description") !== "",
    offers: (skill) => skills.some(({ name }) => name === skill)
  }
  const refused = blockText(blocks, "Issues with the previous proposal") !== ""
  const groups = refused ? [[simplest(skills, request)]] : planFor(skills, request)
  return taskListMarkdown(prompt, goalsOf(request), sectionsMarkdown(groups))
}
