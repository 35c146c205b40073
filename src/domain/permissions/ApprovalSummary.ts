/**
 * A question of the gate in a sentence: what a call does, and what may come of it. The sentences differ with the risk, so that the
 * ones that warn are read.
 */
import { isSecretLike } from "../files/SensitivePath.ts"
import type { WholeChange } from "../files/ChangePreview.ts"
import { accessTarget, type CanonicalAccess } from "../tools/Access.ts"
import { commandText } from "../commands/CommandText.ts"
import type { ApprovalSummary } from "./ApprovalItem.ts"
import type { Asked } from "./PolicyFormat.ts"

/** A write with what it changes; `isNew` when there is no such file. Absent when the present content cannot be read. */
export interface SeenChange extends WholeChange {
  readonly isNew: boolean
}

/** What is known of the project. */
export interface SummaryContext {
  /** A path as a person knows it: relative in the project, otherwise absolute. */
  readonly nameOf: (path: string) => string
  readonly changeOf: (path: string) => SeenChange | undefined
}

interface Summary {
  readonly does: string
  readonly consequence: string
  readonly isCalm: boolean
}

const lines = (count: number): string => `${count} ${count === 1 ? "line" : "lines"}`

const summaryOfWrite = (path: string, { changeOf, nameOf }: SummaryContext): Summary => {
  const name = nameOf(path)
  const change = changeOf(path)
  if (change === undefined) {
    const consequence = "Replaces a file whose present content cannot be shown."
    return { does: `write ${name}`, consequence, isCalm: false }
  }
  const { added, diff, isNew, removed } = change
  if (isNew) {
    return { does: `create ${name} (${lines(added)})`, consequence: "Adds a file to the project.", isCalm: true }
  }
  if (diff === "") return { does: `write ${name}`, consequence: "Leaves the file as it is.", isCalm: true }
  const consequence = "Changes a file of the project, and nothing else."
  return { does: `edit ${name} (+${added} -${removed})`, consequence, isCalm: true }
}

const summaryOfRead = (path: string, inside: boolean, { nameOf }: SummaryContext): Summary => {
  const does = `read ${nameOf(path)}`
  if (isSecretLike(path)) {
    return { does, consequence: "Its name says that it may hold secrets. The model would see them.", isCalm: false }
  }
  return inside
    ? { does, consequence: "The model sees its text. Nothing is changed.", isCalm: true }
    : { does, consequence: "It lies outside the project. The model sees its text.", isCalm: false }
}

const summaryOfCommand = (
  access: CanonicalAccess & { readonly _tag: "RunCommand" },
  { nameOf }: SummaryContext
): Summary => {
  const folder = nameOf(access.cwd)
  const does = `run a command${folder === "." ? "" : ` in ${folder}`}`
  const words = access.sandbox.replace(/^(?:yes|no): /, "")
  return access.sandboxed
    ? { does, consequence: `Runs in the sandbox: ${words}.`, isCalm: !words.includes("with the network") }
    : {
        does,
        consequence: `Runs without the sandbox, with all your rights: it can change or delete what you can (${words}).`,
        isCalm: false
      }
}

const summaryOfAccess = (access: CanonicalAccess, context: SummaryContext): Summary => {
  switch (access._tag) {
    case "ReadFile":
      return summaryOfRead(access.path, access.inside, context)
    case "WriteFile":
      return summaryOfWrite(access.path, context)
    case "FetchUrl": {
      const host = URL.parse(access.url)?.host ?? access.url
      const consequence = `${host} sees the address; the model sees the page. Nothing here is changed.`
      return { does: `fetch ${access.url}`, consequence, isCalm: true }
    }
    case "RunCommand":
      return summaryOfCommand(access, context)
    case "LoadPlugin":
      return access.does === undefined
        ? { does: `load the plugin ${access.name}`, consequence: "Its code runs with all your rights.", isCalm: false }
        : {
            does: `use the tools of ${access.name}`,
            consequence: "They run the commands that are shown.",
            isCalm: false
          }
    case "StartServer":
      return {
        does: `start the server ${access.name}`,
        consequence: "It runs, or is reached, as shown, outside the sandbox.",
        isCalm: false
      }
  }
}

const summaryOfTool = ({ pin, risk, tool }: Asked): Summary => {
  const whose = pin === undefined ? "" : ` of ${pin.origin}`
  return risk === "high"
    ? {
        does: `use ${tool}${whose}`,
        consequence: "It can change or destroy things outside the control of this program.",
        isCalm: false
      }
    : { does: `use ${tool}${whose}`, consequence: "What it does is not limited by this program.", isCalm: false }
}

const commandLineOf = (accesses: ReadonlyArray<CanonicalAccess>): string | undefined => {
  const [command] = accesses.flatMap((access) => (access._tag === "RunCommand" ? [commandText(access.argv)] : []))
  return command
}

/** The words for a call or an access. What a tool of a plugin does besides its accesses is not known. */
export const approvalSummary = (asked: Asked, context: SummaryContext): ApprovalSummary => {
  const found = asked.accesses.map((access) => summaryOfAccess(access, context))
  const all = asked.pin === undefined && found.length > 0 ? found : [summaryOfTool(asked), ...found]
  const command = commandLineOf(asked.accesses)
  const names = asked.accesses.map((access) =>
    "inside" in access ? context.nameOf(access.path) : accessTarget(access)
  )
  return {
    ...(names.length === 0 ? {} : { names }),
    ...(command === undefined ? {} : { command }),
    does: all.map(({ does }) => does).join(", "),
    consequence: [...new Set(all.map(({ consequence }) => consequence))].join(" "),
    isCalm: all.every(({ isCalm }) => isCalm)
  }
}

/** True when a general yes given beforehand does not cover it: secrets, what lies outside the project, and starts. */
export const needsPerson = (access: CanonicalAccess): boolean => {
  if (access._tag === "LoadPlugin" || access._tag === "StartServer") return true
  return access._tag === "ReadFile" && (!access.inside || isSecretLike(access.path))
}
