/** What the model answers when peers are measured. The stage in the prompt decides. */
import type { SlotServerOptions } from "../SlotServer.ts"
import { stageName } from "../../test/support/stageName.ts"
import { planText, toolName } from "./Workload.ts"

const call = JSON.stringify({ uid: "call-1", name: toolName, arguments: {} })
const result =
  "## Result summary\n\nThe item is done: of forty lines three matter.\n\n## Details\n\n- the first\n- the second\n- the third\n"

/**
 * Answers all peers. A client that offers native tools gets a native tool call. Others get a text that contains the
 * call.
 */
export const answersFor = (tasks: number, steps: number): SlotServerOptions["answer"] => {
  const texts: Readonly<Record<string, string>> = {
    creation: planText(tasks, steps),
    refinement: `## Tool Calls\n\n\`\`\`json\n${call}\n\`\`\`\n`,
    execution: result,
    iteration: "## Original prompt\n\nLook at all items.\n\n## Goals / summary\n\nAll is done.\n\n## Tasks\n",
    conclusion: "All items are looked at."
  }
  return (system, user, tools) => {
    if (tools === "answered") return result
    const stage = stageName({ system, user }) || (/^# Stage: (\w+)$/m.exec(user)?.[1] ?? "")
    const text = texts[stage]
    if (text === undefined) throw new Error(`no answer for: ${user.slice(0, 200)}`)
    return tools === "offered" && stage === "refinement" ? { name: toolName, arguments: {} } : text
  }
}
