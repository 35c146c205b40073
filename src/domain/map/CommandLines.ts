/**
 * The commands of a project as a part of its map: with what they run where there is room, else their names alone.
 */
import { folderOf, byUse, type ProjectCommand } from "./ProjectCommand.ts"
import { shownPath, shownText } from "./PlainName.ts"

/** How much of what a command runs is shown, from the most to nothing. */
const bodies: ReadonlyArray<number> = [80, 40, 0]
/** The most commands that a map names. */
const mostCommands = 60

/** Commands by the file that names them, those of the first file first. */
const groupsOf = (commands: ReadonlyArray<ProjectCommand>): ReadonlyMap<string, ReadonlyArray<ProjectCommand>> => {
  const groups = new Map<string, Array<ProjectCommand>>()
  for (const command of commands) groups.set(command.from, [...(groups.get(command.from) ?? []), command])
  return groups
}

const headingOf = (from: string): string => {
  const folder = folderOf(from).slice(0, -1)
  return `Commands of ${shownPath(from)}${folder === "" ? "" : ` (cwd ${shownPath(folder)})`}:`
}

/** One line for each command, with what it runs. */
const long = (from: string, commands: ReadonlyArray<ProjectCommand>, body: number): string =>
  [
    headingOf(from),
    "",
    ...commands.map(({ does, run }) => `- \`${run}\`${does === undefined ? "" : ` runs ${shownText(does, body)}`}`)
  ].join("\n")

/** One line for all of them, as many as fit; nothing when none does. */
const short = (from: string, commands: ReadonlyArray<ProjectCommand>, room: number): string => {
  for (let shown = commands.length; shown > 0; shown--) {
    const rest = shown === commands.length ? "." : `, and ${commands.length - shown} more.`
    const names = commands.slice(0, shown).map(({ run }) => `\`${run}\``)
    const text = `${headingOf(from)} ${names.join(", ")}${rest}`
    if (text.length <= room) return text
  }
  return ""
}

/** The commands in at most `room` characters, the most useful of each file first. */
export const commandLines = (commands: ReadonlyArray<ProjectCommand>, room: number): string => {
  const groups = [...groupsOf(commands.slice(0, mostCommands))].map(
    ([from, group]): readonly [string, ReadonlyArray<ProjectCommand>] => [from, byUse(group)]
  )
  for (const body of bodies.filter((one) => one > 0)) {
    const text = groups.map(([from, group]) => long(from, group, body)).join("\n\n")
    if (text.length <= room) return text
  }
  const parts: Array<string> = []
  let left = room
  for (const [from, group] of groups) {
    const part = short(from, group, left)
    if (part === "") continue
    parts.push(part)
    left -= part.length + 2
  }
  return parts.join("\n\n")
}
