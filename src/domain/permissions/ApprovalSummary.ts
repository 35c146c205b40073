/**
 * A question of the gate in a sentence: what a call does, and what may come of it. The sentences differ with the risk, so that the
 * ones that warn are read.
 */
import { isSecretLike } from "../files/SensitivePath.ts"
import type { FileKind } from "../files/FileKind.ts"
import type { WholeChange } from "../files/ChangePreview.ts"
import { accessTarget, type CanonicalAccess, partly, sandboxWords } from "../tools/Access.ts"
import { commandText } from "../commands/CommandText.ts"
import type { ApprovalSummary } from "./ApprovalItem.ts"
import type { Asked } from "./PolicyFormat.ts"
import { counted } from "../text/Format.ts"

/** A write with what it changes; `isNew` when there is no such file, `isGone` when there is none afterwards. */
export interface SeenChange extends WholeChange {
  readonly isNew: boolean
  readonly isGone: boolean
  /** What the file becomes, when that is not what it is. */
  readonly becomes?: FileKind
}

/** What is known of the project. */
export interface SummaryContext {
  /** A path as a person knows it: relative in the project, otherwise absolute. */
  readonly nameOf: (path: string) => string
  /** Nothing when the present content cannot be read. */
  readonly changeOf: (path: string) => SeenChange | undefined
}

type Summary = Pick<ApprovalSummary, "consequence" | "does" | "isCalm">

/** For what is nothing to worry about. */
const lowRisk = (does: string, consequence: string): Summary => ({ does, consequence, isCalm: true })
const cautious = (does: string, consequence: string): Summary => ({ does, consequence, isCalm: false })

const summaryOfWrite = (path: string, { changeOf, nameOf }: SummaryContext): Summary => {
  const name = nameOf(path)
  const change = changeOf(path)
  if (change === undefined) return cautious(`write ${name}`, "Replaces a file whose present content cannot be shown.")
  const { added, becomes, diff, isGone, isNew, removed } = change
  if (isGone) return lowRisk(`remove ${name} (-${removed})`, "Removes a file of the project; undo brings it back.")
  if (becomes === "link") return lowRisk(`create the link ${name}`, "Adds a link to the project.")
  const mode = becomes === undefined ? "" : becomes === "plain" ? ", not executable any more" : ", executable"
  if (isNew) return lowRisk(`create ${name} (${counted(added, "line")}${mode})`, "Adds a file to the project.")
  if (diff === "" && mode === "") return lowRisk(`write ${name}`, "Leaves the file as it is.")
  if (diff === "")
    return lowRisk(`make ${name}${mode.slice(1)}`, "Changes the mode of the file, and nothing of its text.")
  return lowRisk(`edit ${name} (+${added} -${removed}${mode})`, "Changes a file of the project, and nothing else.")
}

const summaryOfRead = (path: string, inside: boolean, { nameOf }: SummaryContext): Summary => {
  const does = `read ${nameOf(path)}`
  if (isSecretLike(path)) return cautious(does, "Its name says that it may hold secrets. The model would see them.")
  return inside
    ? lowRisk(does, "The model sees its text. Nothing is changed.")
    : cautious(does, "It lies outside the project. The model sees its text.")
}

const summaryOfCommand = (
  access: CanonicalAccess & { readonly _tag: "RunCommand" },
  { nameOf }: SummaryContext
): Summary => {
  const folder = nameOf(access.cwd)
  const does = `run a command${folder === "." ? "" : ` in ${folder}`}`
  const words = sandboxWords(access).replace(/^(?:yes|no|partly): /, "")
  if (access.sandbox.startsWith(partly)) return cautious(does, `Runs in a weaker sandbox: ${words}.`)
  return access.sandboxed
    ? { does, consequence: `Runs in the sandbox: ${words}.`, isCalm: !words.includes("with the network") }
    : cautious(does, `Runs without the sandbox, with all your rights: it can change or delete what you can (${words}).`)
}

const summaryOfAccess = (access: CanonicalAccess, context: SummaryContext): Summary => {
  switch (access._tag) {
    case "ReadFile":
      return summaryOfRead(access.path, access.inside, context)
    case "WriteFile":
      return summaryOfWrite(access.path, context)
    case "FetchUrl": {
      const host = URL.parse(access.url)?.host ?? access.url
      return lowRisk(
        `fetch ${access.url}`,
        `${host} sees the address; the model sees the page. Nothing here is changed.`
      )
    }
    case "RunCommand":
      return summaryOfCommand(access, context)
    case "LoadPlugin":
      return access.does === undefined
        ? cautious(`load the plugin ${access.name}`, "Its code runs with all your rights.")
        : cautious(`use the ${access.name}`, "They run the commands that are shown.")
    case "StartServer":
      return cautious(`start the server ${access.name}`, "It runs, or is reached, as shown, outside the sandbox.")
  }
}

const summaryOfTool = ({ pin, risk, tool }: Asked): Summary => {
  const whose = pin === undefined ? "" : ` of ${pin.origin}`
  const destroys = "It can change or destroy things outside the control of this program."
  return cautious(`use ${tool}${whose}`, risk === "high" ? destroys : "What it does is not limited by this program.")
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
