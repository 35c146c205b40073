/**
 * Links to results in the answer of a run, as something that a reader can follow: the files and pages that the result
 * rests on, or the command that shows it.
 */
import { type EvidenceLink, evidenceLinks, isMarked } from "../documents/Evidence.ts"
import { hrefOfPath } from "../files/FileHref.ts"
import type { TaskResult } from "../plan/TaskResult.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"

/** More would hide the sentence that they stand in. */
const maxSources = 3

/** The result that a link means. */
const resultOf = ({ form, href }: EvidenceLink, results: ReadonlyArray<TaskResult>): TaskResult | undefined => {
  const name =
    form._tag === "Result" ? form.name : form._tag === "Plain" && form.reference.kind === "anchor" ? href : ""
  const sought = forgivingSlug(slugOf(name.replace(/^#/, "")))
  return name === "" ? undefined : results.find(({ name: own }) => forgivingSlug(slugOf(own)) === sought)
}

/** The first links of a result to files and pages, each target once, without those that are marked as wrong. */
const sourcesOf = ({ result }: TaskResult): ReadonlyArray<string> => {
  const sources = new Map<string, string>()
  for (const link of evidenceLinks(result.document)) {
    const { form, title } = link
    if (isMarked(result.document, link)) continue
    if (form._tag !== "Plain" || (form.reference.kind !== "file" && form.reference.kind !== "url")) continue
    const { href, target } = form.reference
    const shown = /[\s()]/.test(href) ? `<${href}>` : href
    if (!sources.has(target))
      sources.set(target, `[${title.replace(/[[\]]/g, "\\$&") || hrefOfPath(target)}](${shown})`)
  }
  return [...sources.values()].slice(0, maxSources)
}

/** The answer without links to results. A result is explained where it is named first. */
export const followableAnswer = (answer: string, results: ReadonlyArray<TaskResult>, runId: string): string => {
  const explained = new Set<string>()
  let text = ""
  let rest = 0
  for (const link of evidenceLinks(answer)) {
    const result = resultOf(link, results)
    if (result === undefined) continue
    const sources = sourcesOf(result)
    const command = `\`task-conductor show ${runId} --task ${JSON.stringify(result.name)}\``
    const source = explained.has(result.name) ? "" : ` (${sources.length === 0 ? command : sources.join(", ")})`
    explained.add(result.name)
    text += `${answer.slice(rest, link.start)}${link.title || result.name}${source}`
    rest = link.end
  }
  return text + answer.slice(rest)
}
