/**
 * Describes a call in a sentence for the question: what it does, and its consequence. The wording depends on the risk,
 * so that users notice warnings.
 */
import { isSecretLike } from "../files/SensitivePath.ts"
import { mostKept } from "../files/FileEntry.ts"
import type { WholeChange } from "../files/ChangePreview.ts"
import { bytesText, counted } from "../text/Format.ts"
import { listWithin } from "../text/Excerpt.ts"
import {
  type CanonicalAccess,
  accessTarget,
  partly,
  sandboxWords,
  shownTargets,
  type WriteAccess,
  writesIn
} from "../tools/Access.ts"
import { commandText } from "../commands/CommandText.ts"
import type { ApprovalSummary } from "./ApprovalItem.ts"
import type { Asked } from "./PolicyFormat.ts"

/** The change that a write makes, as the user sees it. `isNew` is true if the file does not exist yet. */
export interface SeenChange extends WholeChange {
  readonly isNew: boolean
}

interface SummaryContext {
  /** The path as a user reads it: relative in the project, otherwise absolute. */
  readonly nameOf: (path: string) => string
  /** The change of a file. Undefined if the current content is unreadable. */
  readonly changeOf: (path: string) => SeenChange | undefined
}

type AccessSummary = Pick<ApprovalSummary, "consequence" | "does" | "isCalm">

const lowRisk = (does: string, consequence: string): AccessSummary => ({ does, consequence, isCalm: true })
const cautious = (does: string, consequence: string): AccessSummary => ({ does, consequence, isCalm: false })

/** The maximum length of the file names that are shown for a folder, in characters. */
const namesLength = 120

const sizeOf = ({ holds }: WriteAccess): number => holds?.size ?? 0

/** A sentence that names the files that may contain secrets. Empty for a call with a single file. */
const secretsOf = (files: ReadonlyArray<WriteAccess>, nameOf: SummaryContext["nameOf"]): ReadonlyArray<string> => {
  const names = files.filter(({ path }) => isSecretLike(path)).map(({ path }) => nameOf(path))
  return files.length < 2 || names.length === 0 ? [] : [`By their names these may hold secrets: ${names.join(", ")}.`]
}

/** Describes a removal. Warns about files that `undo` cannot restore. */
const removal = (
  does: string,
  consequence: string,
  files: ReadonlyArray<WriteAccess>,
  nameOf: SummaryContext["nameOf"]
): AccessSummary => {
  const large = files.filter((file) => sizeOf(file) > mostKept).map(({ path }) => nameOf(path))
  const kept = `undo cannot bring back ${large.join(", ")}, which is larger than 16 MiB.`
  const warnings = [...(large.length === 0 ? [] : [kept]), ...secretsOf(files, nameOf)]
  return warnings.length === 0
    ? lowRisk(does, `${consequence}; undo brings it back.`)
    : cautious(does, [`${consequence}.`, ...warnings].join(" "))
}

/** The number of files in a folder, their first names and their total size. */
const folderText = (folder: string, files: ReadonlyArray<WriteAccess>): string => {
  const real = files.filter(({ path }) => path !== folder)
  if (real.length === 0) return "empty"
  const names = real.map(({ path }) => path.slice(folder.length + 1))
  const shown = listWithin(names, namesLength, (count) => `and ${count} more`).text.replaceAll("\n", ", ")
  return `${counted(real.length, "file")}: ${shown}; ${bytesText(real.reduce((sum, one) => sum + sizeOf(one), 0))}`
}

const summaryOfRemoval = (
  write: WriteAccess,
  change: SeenChange | undefined,
  nameOf: SummaryContext["nameOf"]
): AccessSummary => {
  const name = nameOf(write.path)
  const { holds } = write
  if (holds?.is === "link") {
    const does = `remove the link ${name}${holds.leads === undefined ? "" : ` (it leads to ${holds.leads})`}`
    return lowRisk(does, "Removes a link; what it leads to stays; undo brings it back.")
  }
  if (holds?.is === "other")
    return cautious(`remove ${name}`, "It is neither a file nor a link; undo cannot bring it back.")
  const what = change === undefined ? `${bytesText(sizeOf(write))}, no text` : `-${change.removed}`
  return removal(`remove ${name} (${what})`, "Removes a file of the project", [write], nameOf)
}

const summaryOfWrite = (write: WriteAccess, { changeOf, nameOf }: SummaryContext): AccessSummary => {
  const name = nameOf(write.path)
  const change = changeOf(write.path)
  if (write.removes === true) return summaryOfRemoval(write, change, nameOf)
  if (change === undefined) {
    const what = write.holds === undefined ? "" : ` (it has ${bytesText(sizeOf(write))}, no text)`
    return cautious(`write ${name}${what}`, "Replaces a file whose present content cannot be shown.")
  }
  const { kind } = write
  const { added, diff, isNew, removed } = change
  if (kind === "link") return lowRisk(`create the link ${name}`, "Adds a link to the project.")
  const mode = kind === undefined ? "" : kind === "plain" ? ", not executable any more" : ", executable"
  if (isNew) return lowRisk(`create ${name} (${counted(added, "line")}${mode})`, "Adds a file to the project.")
  if (diff === "" && mode === "") return lowRisk(`write ${name}`, "Leaves the file as it is.")
  if (diff === "")
    return lowRisk(`make ${name}${mode.slice(1)}`, "Changes the mode of the file, and nothing of its text.")
  return lowRisk(`edit ${name} (+${added} -${removed}${mode})`, "Changes a file of the project, and nothing else.")
}

/** The summary of a move, or of the removal of a folder; undefined for single writes and removals. */
const summaryOfWhole = (writes: ReadonlyArray<WriteAccess>, { nameOf }: SummaryContext): AccessSummary | undefined => {
  const [first] = writes
  const removals = writes.filter(({ removes }) => removes === true)
  if (first?.from === undefined) {
    if (first?.folder === undefined) return undefined
    const does = `remove the folder ${nameOf(first.folder)} (${folderText(first.folder, writes)})`
    return removal(does, "Removes a folder of the project with everything in it", writes, nameOf)
  }
  const { folder, from, path } = first
  const source = removals[0]?.folder
  const isLink = from.is === "link"
  const does =
    folder === undefined || source === undefined
      ? `move ${isLink ? "the link " : ""}${nameOf(from.path)} to ${nameOf(path)}${isLink ? "" : ` (${bytesText(from.size)})`}`
      : `move the folder ${nameOf(source)} to ${nameOf(folder)} (${folderText(source, removals)})`
  const secrets = secretsOf(removals, nameOf)
  const consequence = ["Moves it within the project, byte for byte.", ...secrets].join(" ")
  return { does, consequence, isCalm: secrets.length === 0 }
}

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
    case "Host":
      return cautious(`reach ${accessTarget(access)}`, `${access.host} gets what the tool sends to it.`)
    case "Other":
      return access.changes
        ? cautious(access.words, "It changes something that this program does not know, and cannot undo.")
        : lowRisk(access.words, "It changes nothing, as the tool says.")
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
  return cautious(`use ${tool}${whose}`, risk === "high" ? destroys : "task-conductor does not limit what it does.")
}

const commandLineOf = (accesses: ReadonlyArray<CanonicalAccess>): string | undefined => {
  const [command] = accesses.flatMap((access) => (access._tag === "RunCommand" ? [commandText(access.argv)] : []))
  return command
}

/** The summary of a call or an access. For a plugin's tool, it says that other effects are unknown. */
export const approvalSummary = (question: Asked, context: SummaryContext): ApprovalSummary => {
  const whole = summaryOfWhole(writesIn(question.accesses), context)
  const single = question.accesses.filter(({ _tag }) => whole === undefined || _tag !== "WriteFile")
  const found = [...(whole === undefined ? [] : [whole]), ...single.map((access) => summaryOfAccess(access, context))]
  const all = question.pin === undefined && found.length > 0 ? found : [summaryOfTool(question), ...found]
  const command = commandLineOf(question.accesses)
  const paths = new Set(question.accesses.flatMap((access) => ("inside" in access ? [access.path] : [])))
  const folders = new Set(writesIn(question.accesses).flatMap(({ folder }) => folder ?? []))
  const names = shownTargets(question.accesses).map((target) =>
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
