/**
 * Splits the lines of a task section into tasks. Accepts the flat form (a list of fields), the nested form (a list item
 * for each task), and deviations. Every line ends up in a task, a code block, or a finding.
 */
import { addIssue, addRepair, type Findings, type RepairCode } from "../findings/Issue.ts"
import { type FieldKey, type LabelledLine, requiredFields } from "../markdown/TaskFields.ts"
import { excerpt, type FenceLine, type Labelled, type Loose, OpenTask, type RawTask, type TaskLine } from "./RawTask.ts"

const opensTask: ReadonlySet<FieldKey> = new Set(["name", "needed", "skill", "expected"])

/** At most this many lines are searched for the next field. */
const lookahead = 60

/**
 * Returns the following lines without blanks and comments. It is a function, because most callers do not need these
 * lines.
 */
type Lookahead = () => ReadonlyArray<TaskLine>

/** True if a field with this label begins the next task. */
const startsNewTask = (task: OpenTask, key: FieldKey, label: LabelledLine, next: Lookahead): boolean => {
  if (task.parent === undefined && !task.fields.has(key) && key !== "name") return false
  const following = next().find(
    (line): line is Labelled => line.kind === "label" && line.label.key !== undefined
  )?.label
  const isDeeper = following !== undefined && following.indent > label.indent
  if (task.parent !== undefined && label.indent <= task.parent && isDeeper) return true
  if (task.fields.has(key)) {
    if (key === task.fields.keys().next().value) return true
    if (task.followsBlank && opensTask.has(key)) return true
    return key === "needed" && (task.fields.has("skill") || task.fields.has("expected"))
  }
  if (key !== "name" || following?.key === undefined || task.fields.size === 0) return false
  const isComplete = requiredFields.every((required) => task.fields.has(required))
  return task.fields.has(following.key) || (isComplete && task.followsBlank)
}

/**
 * True if the line is a field of a task, and is indented deeper than `indent`: the indentation of the heading or list
 * item above it.
 */
const isFieldDeeperThan = (indent: number, line: TaskLine | undefined): boolean =>
  line?.kind === "label" && line.label.key !== undefined && line.label.indent > indent

class TaskCollector {
  readonly tasks: Array<RawTask> = []
  #task: OpenTask | undefined
  #title: { readonly text: string; readonly line: number } | undefined
  #isIgnoring = false
  readonly #section: string
  readonly #findings: Findings

  constructor(section: string, findings: Findings) {
    this.#section = section
    this.#findings = findings
  }

  collect(lines: ReadonlyArray<TaskLine>): void {
    for (const [position, line] of lines.entries()) {
      this.#add(line, () =>
        lines.slice(position + 1, position + 1 + lookahead).filter(({ kind }) => kind !== "comment" && kind !== "blank")
      )
    }
  }

  finish(): void {
    this.#task?.close()
    this.#task = undefined
    this.#isIgnoring = false
  }

  #add(line: TaskLine, next: Lookahead): void {
    const isInField = line.indent > (this.#task?.field?.indent ?? Infinity)
    switch (line.kind) {
      case "blank":
        return this.#task?.addBlank(line.text)
      case "rule":
        return isInField ? this.#task?.addText(line.text) : this.#task?.addBlank("")
      case "comment":
        // A comment inside the text of a field belongs to the field. A comment between fields is ignored.
        if (isInField) return this.#task?.addText(line.text)
        return this.#repair("text-ignored", line.line, `Ignored the comment "${excerpt(line.text)}".`)
      case "heading":
        return this.#heading(line.text, line.line, next())
      case "label":
        return this.#label(line, next)
      case "item":
      case "text":
        return this.#loose(line, next)
      case "fence":
        return this.#fence(line)
    }
  }

  #repair(code: RepairCode, line: number, message: string): void {
    addRepair(this.#findings, code, { section: this.#section, line }, message)
  }

  #start(line: number, level: number, title: string): OpenTask {
    this.finish()
    this.#title = undefined
    const task = new OpenTask(line, level, title)
    this.#task = task
    this.tasks.push(task)
    return task
  }

  #ignore(text: string, line: number): void {
    if (!this.#isIgnoring)
      this.#repair("text-ignored", line, `Ignored text that belongs to no field: "${excerpt(text)}".`)
    this.#isIgnoring = true
  }

  #label(line: Labelled, next: Lookahead): void {
    const { indent, key, match } = line.label
    if (key === undefined) return this.#unknownLabel(line, next)
    const task = this.#task
    if (task === undefined) {
      const title = this.#title
      return this.#start(title?.line ?? line.line, indent, title?.text ?? "").addField(key, line)
    }
    if (task.fields.size === 0) {
      task.level = indent
      return task.addField(key, line)
    }
    if (indent > task.level) {
      // A name never contains a list, so a label below a name is a field, even if misspelled.
      const isSure = match !== "near" || task.field?.key === "name"
      const isNested = task.fields.size === 1 && task.parent === undefined && !task.fields.has(key) && isSure
      if (isNested) {
        task.parent = task.level
        task.level = indent
        return task.addField(key, line)
      }
      const isContent = match === "near" || key === "name" || task.fields.has(key)
      return isContent ? task.addText(line.text) : task.addMisplacedField(key, line)
    }
    if (startsNewTask(task, key, line.label, next)) return this.#start(line.line, indent, "").addField(key, line)
    if (indent < task.level && !task.fields.has(key)) return task.addMisplacedField(key, line)
    task.addField(key, line)
  }

  /** Begins a task at a list item. Returns false if the item has no fields one level deeper. */
  #opensTask(title: string, indent: number, line: number, next: Lookahead): boolean {
    const isOutside = this.#task === undefined || indent <= (this.#task.parent ?? this.#task.level)
    if (!isOutside || !isFieldDeeperThan(indent, next()[0])) return false
    this.#start(line, indent + 1, title.replace(/[:：]\s*$/, "").trim()).parent = indent
    return true
  }

  #unknownLabel(line: Labelled, next: Lookahead): void {
    const { indent, label } = line.label
    if (this.#opensTask(label, indent, line.line, next)) return
    const task = this.#task ?? this.#start(line.line, indent, "")
    if (task.field !== undefined && indent > task.level) return task.addText(line.text)
    task.addUnknown(line)
  }

  #loose(line: Loose, next: Lookahead): void {
    if (line.kind === "item" && this.#opensTask(line.rest, line.indent, line.line, next)) return
    if (this.#task?.field !== undefined) return this.#task.addLoose(line)
    if (this.#title === undefined) this.#ignore(line.text, line.line)
  }

  #fence({ afterLabel, fence, line }: FenceLine): void {
    if (this.#task !== undefined) return this.#task.addFence(fence, line, afterLabel)
    this.#ignore(fence.text, line)
  }

  #heading(text: string, line: number, [first, second]: ReadonlyArray<TaskLine>): void {
    this.finish()
    this.#title = { text, line }
    if (isFieldDeeperThan(-1, first) || (first?.kind === "item" && isFieldDeeperThan(first.indent, second))) return
    const where = { section: this.#section, line }
    addIssue(this.#findings, "section-unknown", where, {
      what: `The heading "${text}" is inside a task section.`,
      quote: text
    })
  }
}

export const collectTasks = (
  lines: ReadonlyArray<TaskLine>,
  section: string,
  findings: Findings
): ReadonlyArray<RawTask> => {
  const collector = new TaskCollector(section, findings)
  collector.collect(lines)
  collector.finish()
  return collector.tasks
}
