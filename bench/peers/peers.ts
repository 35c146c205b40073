/** The compared clients by their names in the tables: the file that does the work, and its arguments. */
export interface Peer {
  readonly file: string
  readonly args?: ReadonlyArray<string>
  /** How many calls it makes after the last step; 1 if absent. */
  readonly lastCalls?: number
}

export const peers: Readonly<Record<string, Peer>> = {
  plain: { file: "clients/plain.ts" },
  // It also answers the request.
  "task-conductor": { file: "clients/ours.ts", lastCalls: 2 },
  "task-conductor without journal": { file: "clients/ours.ts", args: ["--no-journal"], lastCalls: 2 },
  "AI SDK": { file: "frameworks/aiSdk.ts" },
  Mastra: { file: "frameworks/mastra.ts" },
  "OpenAI Agents": { file: "frameworks/openAiAgents.ts" },
  LangGraph: { file: "frameworks/langGraph.ts" },
  "ReAct loop": { file: "clients/react.ts" }
}

/** True for a client with a different kind of work, whose time is not comparable. Only its prompts are compared. */
export const isForTokens = (name: string): boolean => name === "ReAct loop"
