/**
 * The clients that are compared, by their names in the tables. For each: the file that does the work, and its
 * arguments.
 */
export interface Peer {
  readonly file: string
  readonly args?: ReadonlyArray<string>
  /** How many calls the client makes after the last step. If absent, 1. */
  readonly lastCalls?: number
}

export const peers: Readonly<Record<string, Peer>> = {
  plain: { file: "clients/plain.ts" },
  // This client also writes an answer to the request.
  "task-conductor": { file: "clients/ours.ts", lastCalls: 2 },
  "task-conductor without journal": { file: "clients/ours.ts", args: ["--no-journal"], lastCalls: 2 },
  "AI SDK": { file: "frameworks/aiSdk.ts" },
  Mastra: { file: "frameworks/mastra.ts" },
  "OpenAI Agents": { file: "frameworks/openAiAgents.ts" },
  LangGraph: { file: "frameworks/langGraph.ts" },
  "ReAct loop": { file: "clients/react.ts" }
}

/** True for a client that does another kind of work. Its time cannot be compared, only its prompts. */
export const isForTokens = (name: string): boolean => name === "ReAct loop"
