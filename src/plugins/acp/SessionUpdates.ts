/**
 * Converts events to updates of a session. The plan shows the tasks, and calls show diffs and file locations. Other
 * progress becomes thoughts, and the gate's questions become requests for permission.
 */
import type {
  PlanEntry,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallUpdate
} from "@agentclientprotocol/sdk"
import { resolve } from "node:path"
import { stepText } from "../../kit/documents.ts"
import { numberedRows } from "../../kit/files.ts"
import { changeOf, emptyLive, liveStateAfter, isResolved, type LiveState, toolCallText } from "../../kit/runs.ts"
import { makePaint, progressLine } from "../../kit/terminal.ts"
import { fenced, shorten } from "../../kit/text.ts"
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  badExit,
  itemDoes,
  progressText,
  type ToolResult,
  unsaidArgumentsText
} from "../../kit/tools.ts"
import { type ApprovalItem, dataText, type EventOf, type RecordedEvent } from "../../plugin-kit.ts"

const plain = makePaint(false)

/** The maximum number of characters of an output for the editor. */
const mostOutput = 4000

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  get_file_tree: "read",
  search_files: "search",
  fetch_url: "fetch",
  write_file: "edit",
  edit_file: "edit",
  remove_file: "delete",
  move_file: "move",
  run_command: "execute"
}

const kindOf = (tool: string): ToolKind => kinds[tool] ?? "other"

const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } })

export const messageChunk = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text }
})

export const thought = (line: string): SessionUpdate => ({
  sessionUpdate: "agent_thought_chunk",
  content: { type: "text", text: `${line.trim()}\n` }
})

/** The changes of a unified diff, as content for the editor. */
const diffContent = (diff: string, project: string): ReadonlyArray<ToolCallContent> => {
  const parts: Array<{ readonly path: string; readonly old: Array<string>; readonly now: Array<string> }> = []
  let path = ""
  for (const { kind, text } of numberedRows(diff)) {
    if (kind === "file") path = resolve(project, text)
    if (kind === "file" || kind === "gap") parts.push({ path, old: [], now: [] })
    if (kind === "same" || kind === "removed") parts.at(-1)?.old.push(text)
    if (kind === "same" || kind === "added") parts.at(-1)?.now.push(text)
  }
  return parts
    .filter(({ now, old }) => now.length + old.length > 0)
    .map(({ now, old, path }) => ({
      type: "diff",
      path,
      oldText: old.length === 0 ? null : old.join("\n"),
      newText: now.join("\n")
    }))
}

/** The locations of a call's files for the editor. The first location gets the line of the first change in `diff`. */
const locationsOf = (targets: ReadonlyArray<string>, diff = ""): Array<ToolCallLocation> => {
  const [, line] = /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(diff) ?? []
  return targets
    .filter((target) => target.startsWith("/"))
    .map((path, index) => (index === 0 && line !== undefined ? { path, line: Number(line) } : { path }))
}

/** The id of a call within a prompt, the same before and after the question about it. */
export const toolCallId = (prompt: number, task: string, uid: string): string => `${prompt}/${task}/${uid}`

const resultContent = ({ data, error_message, success }: ToolResult, project: string): Array<ToolCallContent> => {
  if (!success) return [textContent(error_message ?? "")]
  if (changeOf(data) !== undefined) return [...diffContent((data as { readonly diff: string }).diff, project)]
  return data === null ? [] : [textContent(shorten(dataText(data), mostOutput))]
}

const entriesOf = ({ steps, tasks }: LiveState): Array<PlanEntry> =>
  steps.flatMap((step) =>
    step.tasks.map((name): PlanEntry => {
      const stage = tasks.get(name)?.stage ?? "waiting"
      const isWithout = stage === "failed" || stage === "skipped"
      return {
        content: isWithout ? `${name} (${stage})` : name,
        priority: "medium",
        status: isResolved(stage) ? "completed" : stage === "waiting" ? "pending" : "in_progress"
      }
    })
  )

const checkId = (prompt: number, { command, task = "" }: { readonly command: string; readonly task?: string }) =>
  `${prompt}/${task}/check ${command}`

/** Events that become a thought of one line. */
const thoughtTypes: ReadonlySet<string> = new Set([
  "stage.started",
  "answer.rejected",
  "model.failed",
  "server.waiting",
  "server.back"
])

const startedCheck = (event: EventOf<"check.started">, prompt: number): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: checkId(prompt, event),
  title: `check ${event.command}`,
  kind: "execute",
  status: "in_progress"
})

const finishedCheck = (event: EventOf<"check.finished">, prompt: number): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: checkId(prompt, event),
  status: event.newFailures.length === 0 ? "completed" : "failed",
  content: [textContent(shorten(event.text, mostOutput))]
})

export const makeUpdates = (prompt: number, project: string) => {
  let live = emptyLive
  let shownPlan = ""
  const shownCalls = new Set<string>()

  const started = ({ call, id, targets }: EventOf<"tool.started">): SessionUpdate => {
    const toolId = toolCallId(prompt, id.task, id.uid)
    const isKnown = shownCalls.has(toolId)
    shownCalls.add(toolId)
    return isKnown
      ? { sessionUpdate: "tool_call_update", toolCallId: toolId, status: "in_progress" }
      : {
          sessionUpdate: "tool_call",
          toolCallId: toolId,
          title: toolCallText(call, targets, project),
          kind: kindOf(call.name),
          status: "in_progress",
          locations: locationsOf(targets),
          rawInput: call.arguments
        }
  }

  const progressed = (event: EventOf<"tool.progress">): SessionUpdate => ({
    sessionUpdate: "tool_call_update",
    toolCallId: toolCallId(prompt, event.id.task, event.id.uid),
    status: "in_progress",
    content: [textContent(progressText(event))]
  })

  const finished = ({ id, name, result }: EventOf<"tool.finished">): ReadonlyArray<SessionUpdate> => {
    const toolId = toolCallId(prompt, id.task, id.uid)
    const end = {
      toolCallId: toolId,
      status: result.success && badExit(result) === undefined ? ("completed" as const) : ("failed" as const),
      content: resultContent(result, project)
    }
    return shownCalls.has(toolId)
      ? [{ sessionUpdate: "tool_call_update", ...end }]
      : [{ sessionUpdate: "tool_call", title: name, kind: kindOf(name), ...end }]
  }

  const updatesOf = ({ event }: RecordedEvent): ReadonlyArray<SessionUpdate> => {
    switch (event.type) {
      case "tool.started":
        return [started(event)]
      case "tool.progress":
        return [progressed(event)]
      case "tool.finished":
        return finished(event)
      case "check.started":
        return [startedCheck(event, prompt)]
      case "check.finished":
        return [finishedCheck(event, prompt)]
      case "message":
        /* An error ends the work, and the final answer reports it, so it is not sent here. */
        return event.level === "error" ? [] : [thought(event.text)]
      default: {
        const line = thoughtTypes.has(event.type) ? progressLine(event, plain, { live }) : undefined
        return line === undefined ? [] : [thought(line)]
      }
    }
  }

  return {
    /** Notes a call that the editor already shows. */
    know: (id: string): void => void shownCalls.add(id),
    of: (recorded: RecordedEvent): ReadonlyArray<SessionUpdate> => {
      live = liveStateAfter(live, recorded)
      const entries = entriesOf(live)
      const plan = JSON.stringify(entries)
      const isNew = entries.length > 0 && plan !== shownPlan
      if (isNew) shownPlan = plan
      return [...(isNew ? [{ sessionUpdate: "plan" as const, entries }] : []), ...updatesOf(recorded)]
    }
  }
}

const always = (id: string, name: string): PermissionOption => ({ optionId: id, kind: "allow_always", name })

/**
 * The answers that the editor offers. An answer that allows more than this call appears only if the question offers it.
 */
export const permissionOptions = ({ items, scope }: ApprovalRequest): Array<PermissionOption> => {
  const [offers] = items.flatMap((item) => item.offers ?? [])
  const repairs = items.flatMap((item) => item.offers?.repairs ?? [])
  return [
    { optionId: "once", kind: "allow_once", name: "Allow" },
    ...(repairs.length === 0 ? [] : [always("repairs", `Allow, and ${repairs[0]}`)]),
    ...(scope === "step" ? [always("remaining", "Allow, and all later steps")] : []),
    ...(scope === "call" && offers?.session !== undefined
      ? [always("remaining", `Allow in this session: ${offers.session}`)]
      : []),
    { optionId: "deny", kind: "reject_once", name: "Do not allow" }
  ]
}

/**
 * The arguments of a call as text. Empty if the question has only one call, because the editor shows its arguments as
 * input.
 */
const argumentsAmong = (item: ApprovalItem, isAlone: boolean): ReadonlyArray<string> => {
  const unsaid = isAlone ? "" : unsaidArgumentsText(item)
  return unsaid === "" ? [] : [`${itemDoes(item)}:`, unsaid]
}

const itemContent = (item: ApprovalItem, project: string, isAlone: boolean): ReadonlyArray<ToolCallContent> => {
  const { details = [], diff, facts = [], preview = "", warnings = [], words } = item
  const command = words?.command
  const lines = [
    ...argumentsAmong(item, isAlone),
    ...(words === undefined ? [] : [words.consequence]),
    ...warnings,
    /* A code block, because an editor would render the text as markdown and hide HTML comments. */
    ...(command !== undefined || details.length === 0 ? [] : [fenced(details.join("\n"), "")]),
    ...(command === undefined ? [] : [fenced(command, "")]),
    ...(diff === undefined && preview !== "" ? [preview] : []),
    ...facts
  ]
  return [
    ...(diff === undefined ? [] : diffContent(diff, project)),
    ...(lines.length === 0 ? [] : [textContent(lines.join("\n\n"))])
  ]
}

/** The call that a question is about. If there are several calls, the result stands for all of them. */
export const askedCall = (
  { items, scope, title }: ApprovalRequest,
  toolCallId: string,
  project: string
): ToolCallUpdate => {
  const [first] = items
  const does = items.map(itemDoes).join(", ")
  return {
    toolCallId,
    title: scope === "step" && items.length > 1 ? `${stepText(title)}: ${does}` : does,
    kind: first === undefined ? "other" : kindOf(first.tool),
    status: "pending",
    content: items.flatMap((item) => itemContent(item, project, items.length === 1)),
    locations: items.flatMap(({ diff, targets }) => locationsOf(targets, diff)),
    ...(items.length === 1 && first?.call !== undefined ? { rawInput: first.call.arguments } : {})
  }
}

/** Converts the editor's answer. An answer that was not offered allows nothing. */
export const permissionAnswer = (
  outcome: RequestPermissionOutcome,
  options: ReadonlyArray<PermissionOption>
): ApprovalAnswer => {
  if (outcome.outcome !== "selected" || !options.some(({ optionId }) => optionId === outcome.optionId)) return false
  if (outcome.optionId === "once") return true
  return outcome.optionId === "remaining" || outcome.optionId === "repairs" ? outcome.optionId : false
}
