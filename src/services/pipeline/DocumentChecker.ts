/**
 * Checks documents against a project, without a model and without doing anything: task lists with the same checks as a
 * run of them, refinements with the skills, tools and files that their task would have.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  type CheckOptions,
  type CheckReport,
  type DocumentKind,
  fixDocument,
  type FixedDocument,
  isBetter,
  renderFixedList,
  renderFixedRefinement,
  reportOfList,
  reportOfRefinement
} from "../../domain/checking/CheckReport.ts"
import { promptOfPlan } from "../../domain/documents/TaskListFormat.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import { TaskResult } from "../../domain/plan/TaskResult.ts"
import { Workspace } from "../files/Workspace.ts"
import { Briefer, type BriefingError } from "./Briefer.ts"
import { PlanChecker } from "./PlanChecker.ts"
import { makeRefinementCheck } from "./RefinementCheck.ts"

/** A report, and what the document is without what was repaired, best first. */
interface Examined {
  readonly report: CheckReport
  readonly strictForms: ReadonlyArray<string>
}

/** A task that has finished, of which only the name is known. */
const finishedTask = (name: string): TaskResult =>
  new TaskResult({ task: plainTask(name, "", "", ""), calls: [], result: { summary: "", document: "" } })

export class DocumentChecker extends Context.Service<
  DocumentChecker,
  {
    /** Checks a document, and writes it anew when it only has repairs. `name` stands for it in a plan without prompt. */
    fix(
      kind: DocumentKind,
      text: string,
      options: CheckOptions & { readonly name?: string }
    ): Effect.Effect<FixedDocument, BriefingError>
  }
>()("task-conductor/services/pipeline/DocumentChecker") {
  static readonly layer = Layer.effect(
    DocumentChecker,
    Effect.gen(function* () {
      const briefer = yield* Briefer
      const checker = yield* PlanChecker
      const checkRefinement = yield* makeRefinementCheck
      const { root: project } = yield* Workspace

      const examineList = Effect.fnUntraced(function* (text: string, name: string, finished: ReadonlyArray<string>) {
        const reading = yield* checker.check(text, {
          briefing: yield* briefer.brief({ prompt: promptOfPlan(text, name) }),
          finished: finished.map(finishedTask),
          mayBeEmpty: finished.length > 0
        })
        const strictForms = Option.match(reading.value, {
          onNone: () => [],
          onSome: (list) => renderFixedList(text, list)
        })
        return { report: reportOfList(reading, finished), strictForms } satisfies Examined
      })

      const examineRefinement = Effect.fnUntraced(function* (text: string, options: CheckOptions) {
        const { finished = [] } = options
        const reading = yield* checkRefinement(text, options, {
          briefing: yield* briefer.brief({ prompt: "Refine a task." }),
          finished: finished.map(finishedTask),
          mayBeEmpty: false
        })
        const strictForms = Option.match(reading.value, { onNone: () => [], onSome: renderFixedRefinement })
        return { report: reportOfRefinement(reading), strictForms } satisfies Examined
      })

      const examine = (kind: "task-list" | "refinement", text: string, options: CheckOptions & { name?: string }) =>
        (kind === "refinement"
          ? examineRefinement(text, options)
          : examineList(text, options.name ?? "", options.finished ?? [])
        ).pipe(Effect.map(({ report, strictForms }) => ({ report: { ...report, project }, strictForms })))

      const fix: DocumentChecker["Service"]["fix"] = Effect.fn("DocumentChecker.fix")(function* (kind, text, options) {
        // A result says what was found; nothing in it has to be there.
        if (kind === "result") return fixDocument(kind, text, options)
        const { report, strictForms } = yield* examine(kind, text, options)
        if (report.verdict !== "repaired") return { report, text }
        for (const candidate of strictForms) {
          const again = yield* examine(kind, candidate, options)
          if (isBetter(report, again.report)) return { report, text: candidate }
        }
        return { report, text }
      })

      return DocumentChecker.of({ fix })
    })
  )
}
