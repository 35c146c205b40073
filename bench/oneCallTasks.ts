/** The answers of the model in a run. Each task makes one call that changes nothing, and then reports. */
import { stageName } from "../test/support/stageName.ts"

const call = JSON.stringify({ uid: "call-1", name: "get_file_tree", arguments: {} })
const answers: Readonly<Record<string, string>> = {
  refinement: `## Tool Calls\n\n\`\`\`json\n${call}\n\`\`\`\n`,
  execution: "## Result summary\n\nIt is done.\n\n## Details\n\n- the first\n- the second\n",
  iteration: "## Original prompt\n\nx\n\n## Goals / summary\n\nx\n\n## Tasks\n",
  conclusion: "It is done."
}

export const oneCallAnswer = (system: string, user: string): string => answers[stageName({ system, user })] ?? ""
