/**
 * Holds links to results and pages against what the run knows, without looking at anything.
 */
import type { EvidenceLink, LinkVerdict } from "../../domain/documents/Evidence.ts"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import { resultAnchor, type TaskName } from "../../domain/plan/TaskName.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { forgivingSlug, slugOf } from "../../domain/text/Slug.ts"
import { perhaps } from "./ReferenceWorld.ts"

/** What a text may link besides files. */
export interface KnownEvidence {
  /** The tasks with a result. */
  readonly finished: ReadonlyArray<TaskName>
  /** The anchors of headings that a link may name. */
  readonly anchors: ReadonlySet<string>
  /** The texts that may name a page: request, references, calls with their outputs. */
  readonly material: ReadonlyArray<string>
}

/** The verdict about a link to a result or a heading; nothing for other links. */
export const judgeResult = ({ form }: EvidenceLink, world: KnownEvidence): LinkVerdict | undefined => {
  const isAnchor = form._tag === "Plain" && form.reference.kind === "anchor"
  if (form._tag !== "Result" && !isAnchor) return undefined
  const [href, sought] =
    form._tag === "Result" ? [form.href, slugOf(form.name)] : [form.reference.href, slugOf(form.reference.href)]
  if (world.anchors.has(slugOf(href.replace(/^#/, "")))) return {}
  const exact = world.finished.find((name) => slugOf(name) === sought)
  const similar = world.finished.filter((name) => forgivingSlug(slugOf(name)) === forgivingSlug(sought))
  const name = exact ?? (similar.length === 1 ? similar[0] : undefined)
  if (name !== undefined) return href === `#${resultAnchor(name)}` ? {} : { href: `#${resultAnchor(name)}` }
  const anchors = world.finished.map((one) => `#${resultAnchor(one)}`)
  const how = perhaps(nearest(href, anchors), ruleOf("evidence-result").fix)
  return { wrong: { code: "evidence-result", what: `There is no result or heading "${href}".`, how } }
}

/** The address as it may stand in a text: without what follows the page, and as it was written. */
const spellings = (href: string, target: string): ReadonlyArray<string> =>
  [href, target].map((url) => url.replace(/#.*$/s, "").replace(/\/$/, ""))

/** True when the text names exactly this page, and not only one below it. */
const names = (text: string, url: string): boolean => {
  for (let at = text.indexOf(url); at !== -1; at = text.indexOf(url, at + 1)) {
    const next = text.slice(at + url.length, at + url.length + 2)
    if (!/^(?:[\w%~?&=-]|\/[\w%~?-])/.test(next)) return true
  }
  return false
}

/** The verdict about a link to a page; nothing for other links. */
export const judgePage = ({ form, href }: EvidenceLink, { material }: KnownEvidence): LinkVerdict | null => {
  const isPage = form._tag === "Plain" && form.reference.kind === "url"
  if (!isPage) return null
  const isKnown = spellings(href, form.reference.target).some((url) => material.some((text) => names(text, url)))
  if (isKnown) return {}
  const what = `The page ${href} was not fetched in this run, and nothing that was given names it.`
  return { wrong: { code: "evidence-page", what, how: ruleOf("evidence-page").fix } }
}
