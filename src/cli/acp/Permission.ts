/**
 * Questions of the gate as permission requests of the protocol, and the answers.
 */
import type {
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallUpdate
} from "@agentclientprotocol/sdk"
import { stepText } from "../../domain/plan/TaskName.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import type { ApprovalAnswer, ApprovalRequest } from "../../services/approvals/CallbackApprover.ts"
import { diffContent, kindOf, locationsOf, textContent } from "./SessionUpdates.ts"

const always = (id: string, name: string): PermissionOption => ({ optionId: id, kind: "allow_always", name })

/** What can be answered: an answer that covers more is offered only where the question offers it. */
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

const itemContent = (item: ApprovalItem, project: string): ReadonlyArray<ToolCallContent> => {
  const { details = [], diff, facts = [], preview = "", warnings = [], words } = item
  const command = words?.command
  const lines = [
    ...(words === undefined ? [] : [words.consequence]),
    ...warnings,
    ...(command === undefined ? details : [`\`\`\`\n${command}\n\`\`\``]),
    ...(diff === undefined && preview !== "" ? [preview] : []),
    ...facts
  ]
  return [
    ...(diff === undefined ? [] : diffContent(diff, project)),
    ...(lines.length === 0 ? [] : [textContent(lines.join("\n\n"))])
  ]
}

/** The call as a person is asked about it; a step with several calls is one. */
export const askedCall = (
  { items, scope, title }: ApprovalRequest,
  toolCallId: string,
  project: string
): ToolCallUpdate => {
  const [first] = items
  const does = items.map(({ tool, words }) => words?.does ?? tool).join(", ")
  return {
    toolCallId,
    title: scope === "step" && items.length > 1 ? `${stepText(title)}: ${does}` : does,
    kind: first === undefined ? "other" : kindOf(first.tool),
    status: "pending",
    content: items.flatMap((item) => itemContent(item, project)),
    locations: items.flatMap(({ diff, targets }) => locationsOf(targets, diff)),
    ...(items.length === 1 && first?.call !== undefined ? { rawInput: first.call.arguments } : {})
  }
}

/** An answer that was not offered allows nothing. */
export const permissionAnswer = (
  outcome: RequestPermissionOutcome,
  options: ReadonlyArray<PermissionOption>
): ApprovalAnswer => {
  if (outcome.outcome !== "selected" || !options.some(({ optionId }) => optionId === outcome.optionId)) return false
  if (outcome.optionId === "once") return true
  return outcome.optionId === "remaining" || outcome.optionId === "repairs" ? outcome.optionId : false
}
