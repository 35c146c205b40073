/**
 * A model that answers right and knows only what its prompt shows. A line that it has to quote and does not see, it looks
 * for with the tools that it has; what it cannot do, it reports.
 */
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { declarationIn, type Goal, goalsIn, requestIn, resultsIn, sectionOf, stageOf, taskIn } from "./PromptView.ts"

interface Planned {
  readonly name: string
  readonly needed: string
  readonly skill: string
  readonly reference?: string
}

const listOf = (sections: ReadonlyArray<ReadonlyArray<Planned>>): string =>
  [
    "## Original prompt\n\nThree names.\n\n## Goals / summary\n\nTwo values are set and one is told.\n\n## Tasks\n",
    ...sections
      .filter((tasks) => tasks.length > 0)
      .map(
        (tasks, index) =>
          `### Task section ${index + 1}\n\n${tasks
            .map(({ name, needed, reference, skill }) =>
              [
                `- **Name** ${name}`,
                `- **What is needed** ${needed}`,
                `- **Skill** ${skill}`,
                ...(reference === undefined
                  ? []
                  : [`- **References** [${reference}](#${reference.toLowerCase().replaceAll(" ", "-")}-results)`]),
                "- **Expected output** The line with its file and number.",
                ...(skill === "edit-files" ? ["- **Requires user approval**"] : [])
              ].join("\n")
            )
            .join("\n\n")}\n`
      )
  ].join("\n")

const search = ({ name, path }: Goal, suffix: string): Planned => ({
  name: `Find ${name}${suffix}`,
  needed: `Find the line of \`${name}\` in ${path}.`,
  skill: "search-code"
})

const act = (goal: Goal, suffix: string, reference: string): Planned => ({
  name: `${goal.value === undefined ? "Read" : "Set"} ${goal.name}${suffix}`,
  needed:
    goal.value === undefined
      ? `Tell the value of \`${goal.name}\` in ${goal.path}.`
      : `Set \`${goal.name}\` in ${goal.path} to ${goal.value}.`,
  skill: goal.value === undefined ? "read-code" : "edit-files",
  reference
})

/** The plan for the goals of a request. */
export const plannedFor = (request: string): string => {
  const goals = goalsIn(request)
  return listOf([goals.map((goal) => search(goal, "")), goals.map((goal) => act(goal, "", `Find ${goal.name}`))])
}

/** The sentence that says that a goal is reached. */
const reached = ({ name, value }: Goal): RegExp =>
  value === undefined ? new RegExp(`\`${name}\` is (\\d+)`) : new RegExp(`\`${name}\` is now ${value}`)

const iterated = (prompt: FilledPrompt): string => {
  const results = resultsIn(prompt)
  const all = [...results.values()].join("\n")
  const open = goalsIn(requestIn(prompt)).filter((goal) => !reached(goal).test(all))
  let round = 2
  while (prompt.user.includes(` again ${round}`)) round += 1
  const suffix = ` again ${round}`
  const failed = sectionOf(prompt, "Tasks that failed")
  /** The result that holds the line; after an edit whose end is not known the line has to be looked at again. */
  const found = (goal: Goal): string | undefined =>
    failed.includes(`"Set ${goal.name}`) || all.includes("Not done: the call failed")
      ? undefined
      : [...results].find(([, text]) => declarationIn(text, goal.name) !== undefined)?.[0]
  return listOf([
    open.filter((goal) => found(goal) === undefined).map((goal) => search(goal, suffix)),
    open.map((goal) => act(goal, suffix, found(goal) ?? `Find ${goal.name}${suffix}`))
  ])
}

const callOf = (name: string, given: object): string =>
  `\`\`\`json\n${JSON.stringify({ uid: "call-1", name, arguments: given }, null, 2)}\n\`\`\``

const refined = (prompt: FilledPrompt): string => {
  const { fields, needed } = taskIn(prompt)
  const task = `## Task\n\n${fields.join("\n")}\n\n`
  const withCall = (name: string, given: object): string => `${task}## Tool Calls\n\n${callOf(name, given)}\n`
  const [, sought, where] = /Find the line of `(\w+)` in (\S+)\.(?:\s|$)/.exec(needed) ?? []
  if (sought !== undefined) return withCall("search_files", { pattern: sought, path: where, max_results: 20 })
  const [goal] = goalsIn(needed)
  if (goal === undefined) return withCall("get_file_tree", {})
  const { name, path, value } = goal
  const seen = declarationIn(prompt.user, name)
  const canSearch = prompt.system.includes('"name": "search_files"')
  if (value === undefined) {
    if (seen?.line === undefined) return withCall("search_files", { pattern: name, path })
    return withCall("read_file", { path, start_line: Math.max(1, seen.line - 3), end_line: seen.line + 3 })
  }
  if (seen !== undefined && seen.text.includes(`: ${value},`)) return executed(prompt)
  if (seen !== undefined) {
    return withCall("edit_file", { path, old_text: seen.text, new_text: seen.text.replace(/\d+(?=,$)/, value) })
  }
  return canSearch ? withCall("search_files", { pattern: name, path }) : withCall("read_file", { path })
}

const result = (summary: string): string => `## Result summary\n\n${summary}\n`

/** A change that failed three times is given up. */
const hasTried = ({ user }: FilledPrompt, { path }: Goal): boolean => user.split(`### Not changed: ${path}`).length > 3

/** True if a diff shows the goal, or if the file was changed as one of the model's answers (`own`) wrote it. */
const isMade = ({ user }: FilledPrompt, { name, path, value }: Goal, own: string): boolean => {
  const isWritten = user.includes(`\n- ${path}: +`) && own.includes(`${name}: ${value},`)
  return isWritten || new RegExp(`^\\+\\s*${name}: ${value},`, "m").test(user)
}

const executed = (prompt: FilledPrompt, own = ""): string => {
  const { needed } = taskIn(prompt)
  const outputs = [...prompt.user.matchAll(/^Output:\n([^]*?)(?=^##|(?![^]))/gm)]
    .map(([, text]) => text ?? "")
    .join("\n")
  const [, sought] = /Find the line of `(\w+)` in/.exec(needed) ?? []
  const [goal] = goalsIn(needed)
  const name = sought ?? goal?.name
  if (name === undefined) return result("The task does not say what to look for, so nothing was found.")
  const [path = ""] = /\S+\.ts(?=\.|\s)/.exec(needed) ?? []
  const seen = declarationIn(outputs, name)
  const link = seen?.line === undefined ? `[${path}](${path})` : `[${path}](${path}#L${seen.line})`
  if (goal?.value !== undefined && isMade(prompt, goal, own)) {
    return result(`\`${name}\` is now ${goal.value} in ${link}. Nothing is left of the task.`)
  }
  const shown = seen ?? declarationIn(prompt.user, name)
  if (goal?.value !== undefined && shown?.text.includes(`: ${goal.value},`) === true) {
    return result(`\`${name}\` is now ${goal.value} in ${link}. Nothing is left of the task.`)
  }
  if (goal?.value !== undefined && shown !== undefined && !hasTried(prompt, goal)) return refined(prompt)
  const quoted = shown === undefined ? "" : `\n\n\`\`\`ts\n${shown.text}\n\`\`\``
  if (goal?.value !== undefined) {
    const what = /^(?:ERROR|### Not changed: )/m.test(prompt.user) ? "the call failed" : "no call has changed it"
    return result(`Not done: ${what}. Left of the task: \`${name}\` in ${link}.${quoted}`)
  }
  if (seen === undefined) return result(`The line of \`${name}\` was not found in ${link}.`)
  const value = /: (\d+),/.exec(seen.text)?.[1] ?? ""
  return result(
    sought === undefined ? `\`${name}\` is ${value}, see ${link}.` : `\`${name}\` stands in ${link}:${quoted}`
  )
}

const concluded = (prompt: FilledPrompt): string => {
  const all = [...resultsIn(prompt).values()].join("\n")
  const sentences = goalsIn(requestIn(prompt)).map((goal) => {
    const { name, path, value } = goal
    const found = reached(goal).exec(all)
    if (found === null)
      return value === undefined ? `The value of \`${name}\` is not known.` : `\`${name}\` was not set.`
    return value === undefined
      ? `\`${name}\` is ${found[1]}, see [${path}](${path}).`
      : `\`${name}\` is now ${value} in [${path}](${path}).`
  })
  return sentences.join("\n")
}

/** The right answer to a prompt. */
export const rightAnswer = (prompt: FilledPrompt, own = ""): string => {
  switch (stageOf(prompt)) {
    case "creation":
      return plannedFor(requestIn(prompt))
    case "refinement":
      return refined(prompt)
    case "execution":
      return executed(prompt, own)
    case "iteration":
      return iterated(prompt)
    default:
      return concluded(prompt)
  }
}
