/**
 * The plan of each round on the page of a report, with what changed from round to round.
 */
import { markup, type Html, nothing } from "./Html.ts"
import { markdownHtml } from "./MarkdownHtml.ts"
import { count, stateHtml, taskStateHtml } from "./PageWords.ts"
import type { PlanRound } from "./PlanRounds.ts"
import type { ReportData } from "./ReportData.ts"
import { type LinkWorld, taskAnchor } from "./ReportLinks.ts"
import { slugOf } from "../text/Slug.ts"

/** More tasks are folded away. */
const mostOpen = 12

const changes = { new: "new", changed: "changed", kept: "as before" } as const

const roundHtml = (round: PlanRound, states: ReadonlyMap<string, Html>, world: LinkWorld): Html => {
  const tasks = round.steps.reduce((sum, step) => sum + step.tasks.length, 0)
  const steps = round.steps.map(
    (step) =>
      markup`<h4>${step.title}</h4>
        <ul>
          ${step.tasks.map(({ change, name, skill }) => {
            const slug = slugOf(name)
            const badge =
              change === undefined ? nothing : markup` <span class="badge ${change}">${changes[change]}</span>`
            return markup`<li>
              ${states.get(slug) ?? stateHtml("open")} <a href="#${taskAnchor(slug)}">${name}</a>
              <span class="dim">${skill}</span>${badge}
            </li>`
          })}
        </ul>`
  )
  const dropped = round.dropped.map(
    (name) => markup`<li><del>${name}</del> <span class="badge removed">not planned any more</span></li>`
  )
  const finished = round.finished.length
  return markup`<details${tasks <= mostOpen ? markup` open` : ""}><summary>${tasks === 0 ? `After round ${round.round - 1}` : `Round ${round.round}`} <span class="dim">${
    tasks === 0 ? "nothing left to do" : count(tasks, "task")
  }${finished === 0 ? "" : `, ${finished} finished before`}${dropped.length === 0 ? "" : `, ${dropped.length} dropped`}</span></summary>
<div class="fold">${round.goals.trim() === "" ? nothing : markdownHtml(round.goals, world)}${steps}
${
  dropped.length === 0
    ? nothing
    : markup`<ul>
        ${dropped}
      </ul>`
}</div></details>`
}

export const planHtml = ({ rounds, tasks }: ReportData, world: LinkWorld): Html => {
  if (rounds.length === 0) return markup`<p>There is no plan.</p>`
  const states = new Map(tasks.map((task) => [task.slug, taskStateHtml(task)]))
  return markup`${rounds.map((round) => roundHtml(round, states, world))}`
}
