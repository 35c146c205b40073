/** Where an MCP server is: a program to start, or an address. */

/**
 * A program to start. Its environment contains `env`, and a variable by which this program finds the processes that it
 * must end.
 */
export interface McpProgram {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export interface McpUrl {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type McpAddress = ({ readonly _tag: "Program" } & McpProgram) | ({ readonly _tag: "Http" } & McpUrl)
