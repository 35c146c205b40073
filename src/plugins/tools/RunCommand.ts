/**
 * The tool `run_command`: runs a program in the project.
 */
import * as Schema from "effect/Schema"
import { CommandLine, commandSeconds, runGranted, tool } from "../../plugin-kit.ts"
import { between, optional } from "./parameters.ts"

const parametersOf = (usualSeconds: number) =>
  Schema.Struct({
    argv: CommandLine.annotate({
      description:
        "The program and its arguments, one element each. No shell reads them: no pipes, no &&, no redirection."
    }),
    cwd: optional(Schema.String, "The folder of the project to run in. Default: the project."),
    timeout_seconds: optional(between(1, commandSeconds.most), `How long it may run. Default: ${usualSeconds}.`)
  })

/** The tool `run_command`. `usualSeconds` is the default time limit. */
export const runCommand = (usualSeconds: number) =>
  tool({
    description:
      "Runs a program in the project and returns its exit code and output. Use it to run the project's own checks.",
    parameters: parametersOf(usualSeconds),
    risk: "high",
    effect: "once",
    example: { argv: ["npm", "test"] },
    access: ({ argv, cwd }) => [{ _tag: "RunCommand", argv, ...(cwd === undefined ? {} : { cwd }) }],
    execute: ({ timeout_seconds }: ReturnType<typeof parametersOf>["Type"], { granted: [granted] }) =>
      runGranted(granted, timeout_seconds)
  })
