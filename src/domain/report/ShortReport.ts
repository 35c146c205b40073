/**
 * A report with the paths in its words as a person knows them. What a model was told and what it wrote stays as it was.
 */
import type { ApprovalItem } from "../permissions/ApprovalItem.ts"
import { belowHome, withoutProject } from "../text/ShortPaths.ts"
import type { ReportApproval, ReportData, ReportTask } from "./ReportData.ts"

/** The words of a report with paths relative to the project, and the project below the home folder. */
export const shortReport = (data: ReportData, home: string): ReportData => {
  const { project } = data.run
  const short = (text: string): string => (text === project ? "." : withoutProject(text, project))
  const item = (one: ApprovalItem): ApprovalItem => ({
    ...one,
    targets: one.targets.map(short),
    ...(one.details === undefined ? {} : { details: one.details.map(short) }),
    ...(one.warnings === undefined ? {} : { warnings: one.warnings.map(short) })
  })
  const approval = (one: ReportApproval): ReportApproval => ({ ...one, items: one.items.map(item) })
  const task = (one: ReportTask): ReportTask => ({
    ...one,
    calls: one.calls.map((call) => ({ ...call, targets: call.targets.map(short) })),
    filesWritten: one.filesWritten.map(short),
    failures: one.failures.map(short),
    approvals: one.approvals.map(approval)
  })
  /* A span is the same one in both lists. */
  const spans = new Map(data.spans.map((span) => [span, { ...span, name: short(span.name) }]))
  return {
    ...data,
    run: { ...data.run, project: belowHome(project, home), message: short(data.run.message) },
    tasks: data.tasks.map(task),
    approvals: data.approvals.map(approval),
    spans: [...spans.values()],
    criticalPath: {
      ...data.criticalPath,
      spans: data.criticalPath.spans.map((span) => spans.get(span) ?? span)
    },
    messages: data.messages.map(short)
  }
}
