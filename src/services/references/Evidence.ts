/**
 * Compares the links of a result or an answer with what exists in the project and the run: files, lines, quotations,
 * results and pages. Reads only files that may be read without a question. A verdict therefore never reveals whether
 * any other file exists.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import {
  type EvidenceLink,
  type JudgedLink,
  judgeLines,
  LinkVerdict,
  evidenceLinks,
  withVerdicts
} from "../../domain/documents/Evidence.ts"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { type Issue, type Repair, type Where, makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import type { FileReference } from "../../domain/plan/Reference.ts"
import { type TaskName, resultAnchor } from "../../domain/plan/TaskName.ts"
import type { EvidenceCount } from "../../domain/plan/TaskResult.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { forgivingSlug, slugOf } from "../../domain/text/Slug.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate, mayRead } from "../permissions/Gate.ts"
import { fromProject, meantFile as meantFileOf, nearestFiles } from "./FileReferences.ts"
import { perhaps } from "./ReferenceContext.ts"

/** What a text may link to, besides files. */
interface KnownEvidence {
  readonly finished: ReadonlyArray<TaskName>
  /** The anchors of headings that a link may name. */
  readonly anchors: ReadonlySet<string>
  readonly printed: ReadonlyArray<string>
  /** The texts that may name a page: the request, references, and calls with their outputs. */
  readonly material: ReadonlyArray<string>
}

/** Judges a link to a result or a heading. Returns undefined for other links. */
const judgeResult = ({ form }: EvidenceLink, context: KnownEvidence): LinkVerdict | undefined => {
  const isAnchor = form._tag === "Plain" && form.reference.kind === "anchor"
  if (form._tag !== "Result" && !isAnchor) return undefined
  const [href, wanted] =
    form._tag === "Result" ? [form.href, slugOf(form.name)] : [form.reference.href, slugOf(form.reference.href)]
  if (context.anchors.has(slugOf(href.replace(/^#/, "")))) return {}
  const exact = context.finished.find((name) => slugOf(name) === wanted)
  const similar = context.finished.filter((name) => forgivingSlug(slugOf(name)) === forgivingSlug(wanted))
  const name = exact ?? (similar.length === 1 ? similar[0] : undefined)
  if (name !== undefined) return href === `#${resultAnchor(name)}` ? {} : { href: `#${resultAnchor(name)}` }
  const anchors = context.finished.map((one) => `#${resultAnchor(one)}`)
  const how = perhaps(nearest(href, anchors), ruleOf("evidence-result").fix)
  return { wrong: { code: "evidence-result", what: `There is no result or heading "${href}".`, how } }
}

/** True if the text names exactly this page. A page below this page does not count. */
const names = (text: string, url: string): boolean => {
  for (let at = text.indexOf(url); at !== -1; at = text.indexOf(url, at + 1)) {
    const next = text.slice(at + url.length, at + url.length + 2)
    if (!/^(?:[\w%~?&=-]|\/[\w%~?-])/.test(next)) return true
  }
  return false
}

/** Judges a link to a page. Returns null for other links. */
const judgePage = ({ form, href }: EvidenceLink, { material }: KnownEvidence): LinkVerdict | null => {
  if (form._tag !== "Plain" || form.reference.kind !== "url") return null
  // The address as a text may write it: as in the link, or normalised. A fragment and a trailing slash are ignored.
  const spellings = [href, form.reference.target].map((url) => url.replace(/#.*$/s, "").replace(/\/$/, ""))
  if (spellings.some((url) => material.some((text) => names(text, url)))) return {}
  const what = `The page ${href} was not fetched in this run, and nothing that was given names it.`
  return { wrong: { code: "evidence-page", what, how: ruleOf("evidence-page").fix } }
}

/** What a text may use as evidence. `task` is the task of the text; absent for the answer of the run. */
export interface EvidenceContext extends KnownEvidence {
  readonly task?: string
  /** Paths in the project that calls of the run changed. */
  readonly changed: ReadonlySet<string>
}

export interface CheckedText {
  /** The text with corrected links. */
  readonly text: string
  /** The corrected text, with a mark after each link that is still wrong. */
  readonly marked: string
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
  /** Notes about links that are still wrong. They replace `issues` if the text is accepted with marks. */
  readonly marks: ReadonlyArray<Repair>
  readonly count: EvidenceCount
}

/** The verdict about a link; null for a link that is not checked. */
const Verdict = Schema.NullOr(LinkVerdict)
type Verdict = typeof Verdict.Type

const isOnDisk = ({ form }: EvidenceLink): boolean =>
  form._tag === "Wrong" || (form._tag === "Plain" && form.reference.kind === "file")

/**
 * The maximum size, in bytes, of a file whose content is compared. For a larger file, only its existence is checked.
 */
const maxBytes = 5_000_000

const makeFileJudge = Effect.gen(function* () {
  const gate = yield* Gate
  const workspace = yield* Workspace

  /** The path of a file in the project that rules allow reading; otherwise undefined. */
  const visible = Effect.fnUntraced(function* (target: string) {
    const found = yield* Effect.option(workspace.canonical(target))
    if (found._tag === "None" || !found.value.inside || isSecretLike(target)) return undefined
    const { path } = found.value
    const relative = path.slice(workspace.root.length + 1)
    if (isSecretLike(path) || !(yield* mayRead(gate)(path))) return undefined
    return { path, relative }
  })

  const meantFile = (reference: FileReference) => Effect.provideService(meantFileOf(reference), Workspace, workspace)

  const tree = Effect.orElseSucceed(workspace.tree, (): ReadonlyArray<string> => [])

  const missing = Effect.fnUntraced(function* (target: string, relative: string) {
    const files = yield* tree
    if (relative === "" || files.some((path) => path.startsWith(`${relative}/`))) return {}
    const near = nearestFiles(
      relative,
      files.filter((path) => !isSecretLike(path))
    )
    const seen = yield* Effect.filter(near, (path) =>
      Effect.map(visible(decodeURIComponent(path)), (one) => one !== undefined)
    )
    const how = perhaps(seen, ruleOf("evidence-file").fix)
    return { wrong: { code: "evidence-file", what: `There is no file "${target}".`, how } } satisfies LinkVerdict
  })

  return Effect.fnUntraced(function* (
    reference: FileReference,
    { beside, quote, statement }: EvidenceLink,
    { changed, printed }: Pick<EvidenceContext, "changed" | "printed">
  ): Effect.fn.Return<Verdict> {
    const { target } = reference
    const direct = yield* visible(target)
    /** If a link begins with a slash, it is never looked up outside the project. */
    const isOfRoot = direct === undefined && /^[\\/]/.test(target)
    const meant = yield* meantFile(isOfRoot ? fromProject(reference) : reference)
    const file = meant === undefined ? undefined : yield* visible(meant.reference.target)
    if (meant === undefined) return direct === undefined ? null : yield* missing(target, direct.relative)
    if (file === undefined) return null
    const { href } = meant.reference
    const text = yield* Effect.option(workspace.readText(file.path, maxBytes))
    const verdict: LinkVerdict =
      text._tag === "None"
        ? {}
        : judgeLines(meant.reference, text.value, {
            quote,
            beside,
            statement,
            isPrinted: quote !== undefined && printed.some((one) => one.replace(/\s+/g, " ").includes(quote.text)),
            wasChanged: changed.has(file.relative)
          })
    return href === reference.href || verdict.href !== undefined ? verdict : { ...verdict, href }
  })
})

const makeEvidence = Effect.gen(function* () {
  const activities = yield* Activities
  const judgeFile = yield* makeFileJudge

  const judge = (link: EvidenceLink, context: EvidenceContext): Effect.Effect<Verdict> => {
    const { form } = link
    if (form._tag === "Plain" && form.reference.kind === "file") return judgeFile(form.reference, link, context)
    if (form._tag !== "Wrong" || form.code === "reference-kind") return Effect.succeed(null)
    if (form.code === "reference-folder") {
      return judgeFile({ kind: "file", title: link.title, href: link.href, target: link.href }, link, context)
    }
    const code = form.code === "reference-url" ? "evidence-page" : "evidence-file"
    return Effect.succeed({ wrong: { code, what: form.what, how: ruleOf(code).fix } })
  }

  /** Judges links. What is read from disk is recorded, and a replay uses the records. */
  const judgeAll = Effect.fnUntraced(function* (links: ReadonlyArray<EvidenceLink>, context: EvidenceContext) {
    const onDisk = links.filter(isOnDisk)
    const seen =
      onDisk.length === 0
        ? []
        : yield* activities.record(
            { key: seenKey.evidence(context.task), success: Schema.Array(Verdict) },
            Effect.forEach(onDisk, (link) => judge(link, context))
          )
    return links.map((link) =>
      isOnDisk(link) ? (seen[onDisk.indexOf(link)] ?? null) : (judgeResult(link, context) ?? judgePage(link, context))
    )
  })

  /** Checks the links of a text. Without links, makes no context and reads nothing. */
  const check = Effect.fnUntraced(function* (
    text: string,
    contextOf: () => EvidenceContext
  ): Effect.fn.Return<CheckedText> {
    const links = evidenceLinks(text)
    if (links.length === 0) {
      return { text, marked: text, issues: [], marks: [], repairs: [], count: { checked: 0, wrong: 0 } }
    }
    const context = contextOf()
    const verdicts = yield* judgeAll(links, context)
    const judged = links.flatMap((link, index): ReadonlyArray<JudgedLink> => {
      const verdict = verdicts[index] ?? null
      return verdict === null ? [] : [{ link, verdict }]
    })
    const placeOf = ({ line }: EvidenceLink): Where => ({
      ...(context.task === undefined ? {} : { task: context.task }),
      line
    })
    const wrong = judged.flatMap(({ link, verdict }) =>
      verdict.wrong === undefined ? [] : [{ where: placeOf(link), wrong: verdict.wrong, link }]
    )
    return {
      text: withVerdicts(text, judged, false),
      marked: withVerdicts(text, judged, true),
      issues: wrong.map(({ link, where, wrong: { code, how, what } }) =>
        makeIssue(code, where, { what, how, quote: text.slice(link.start, link.end) })
      ),
      marks: wrong.map(({ where, wrong: { what } }) =>
        makeRepair("evidence-marked", where, `Marked a wrong link: ${what}`)
      ),
      repairs: judged.flatMap(({ link, verdict: { href } }) =>
        href === undefined
          ? []
          : [makeRepair("evidence-corrected", placeOf(link), `Read the link "${link.href}" as "${href}".`)]
      ),
      count: { checked: judged.length, wrong: wrong.length }
    }
  })

  return { check }
})

export class Evidence extends Context.Service<Evidence>()("task-conductor/services/references/Evidence", {
  make: makeEvidence
}) {
  static readonly layer = Layer.effect(this, this.make)
}
