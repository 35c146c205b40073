/**
 * A question of the gate in a sentence: what a call does, and what may come of it. The sentences differ with the risk, so that the
 * ones that warn are read.
 */
import { isSecretLike } from "../files/SensitivePath.ts"
import { type CanonicalAccess, partly, sandboxWords, shownTargets, writesIn } from "../tools/Access.ts"
import { commandText } from "../commands/CommandText.ts"
import type { ApprovalSummary } from "./ApprovalItem.ts"
import type { Asked } from "./PolicyFormat.ts"
import {
  type AccessSummary,
  cautious,
  lowRisk,
  summaryOfWhole,
  summaryOfWrite,
  type SummaryContext
} from "./WriteSummary.ts"

export type { SeenChange, SummaryContext } from "./WriteSummary.ts"

const summaryOfRead = (
  { inside, ofSkill, path }: CanonicalAccess & { readonly _tag: "ReadFile" },
  { nameOf }: SummaryContext
): AccessSummary => {
  const does = `read ${nameOf(path)}`
  if (isSecretLike(path)) return cautious(does, "Its name says that it may hold secrets. The model would see them.")
  if (ofSkill === true) return lowRisk(does, "It belongs to the skill of the task. The model sees its text.")
  return inside
    ? lowRisk(does, "The model sees its text. Nothing is changed.")
    : cautious(does, "It lies outside the project. The model sees its text.")
}

const summaryOfCommand = (
  access: CanonicalAccess & { readonly _tag: "RunCommand" },
  { nameOf }: SummaryContext
): AccessSummary => {
  const folder = nameOf(access.cwd)
  const does = `run a command${folder === "." ? "" : ` in ${folder}`}`
  const words = sandboxWords(access).replace(/^(?:yes|no|partly): /, "")
  if (access.sandbox.startsWith(partly)) return cautious(does, `Runs in a weaker sandbox: ${words}.`)
  return access.sandboxed
    ? { does, consequence: `Runs in the sandbox: ${words}.`, isCalm: !words.includes("with the network") }
    : cautious(does, `Runs without the sandbox, with all your rights: it can change or delete what you can (${words}).`)
}

const summaryOfAccess = (access: CanonicalAccess, context: SummaryContext): AccessSummary => {
  switch (access._tag) {
    case "ReadFile":
      return summaryOfRead(access, context)
    case "WriteFile":
      return summaryOfWrite(access, context)
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

const summaryOfTool = ({ pin, risk, tool }: Asked): AccessSummary => {
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
  const whole = summaryOfWhole(writesIn(asked.accesses), context)
  const single = asked.accesses.filter(({ _tag }) => whole === undefined || _tag !== "WriteFile")
  const found = [...(whole === undefined ? [] : [whole]), ...single.map((access) => summaryOfAccess(access, context))]
  const all = asked.pin === undefined && found.length > 0 ? found : [summaryOfTool(asked), ...found]
  const command = commandLineOf(asked.accesses)
  const paths = new Set(asked.accesses.flatMap((access) => ("inside" in access ? [access.path] : [])))
  const folders = new Set(writesIn(asked.accesses).flatMap(({ folder }) => folder ?? []))
  const names = shownTargets(asked.accesses).map((target) =>
    paths.has(target) || folders.has(target) ? context.nameOf(target) : target
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
  return access._tag === "ReadFile" && ((!access.inside && access.ofSkill !== true) || isSecretLike(access.path))
}
