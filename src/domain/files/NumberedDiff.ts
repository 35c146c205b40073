/**
 * The lines of a unified diff with their numbers, as a person reads them. The counts of each part say which lines belong to
 * it, so that text which looks like a header of a diff is still text.
 */

export interface DiffRow {
  readonly kind: "file" | "gap" | "same" | "added" | "removed" | "note"
  /** The number of the line: in the old text for what is removed, otherwise in the new one. */
  readonly number?: number
  readonly text: string
}

const part = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

const kinds = { " ": "same", "+": "added", "-": "removed" } as const

/** The rows of a diff of one file or of several. Between two parts of a file stands a gap. */
export const numberedRows = (diff: string): ReadonlyArray<DiffRow> => {
  const rows: Array<DiffRow> = []
  let [old, now, oldLeft, newLeft] = [0, 0, 0, 0]
  for (const line of diff === "" ? [] : diff.replace(/\n$/, "").split("\n")) {
    const sign = line.slice(0, 1)
    const text = line.slice(1)
    if (sign === "\\") rows.push({ kind: "note", text: text.trim() })
    else if (oldLeft > 0 || newLeft > 0) {
      const kind = sign === "+" || sign === "-" ? kinds[sign] : "same"
      rows.push({ kind, number: kind === "removed" ? old : now, text })
      if (kind !== "added") [old, oldLeft] = [old + 1, oldLeft - 1]
      if (kind !== "removed") [now, newLeft] = [now + 1, newLeft - 1]
    } else if (line.startsWith("+++ ")) rows.push({ kind: "file", text: line.slice(4) })
    else {
      const found = part.exec(line)
      if (found === null) continue
      const [, oldFrom = "0", oldCount = "1", newFrom = "0", newCount = "1"] = found
      if (rows.length > 0 && rows.at(-1)?.kind !== "file") rows.push({ kind: "gap", text: "" })
      ;[old, oldLeft, now, newLeft] = [Number(oldFrom), Number(oldCount), Number(newFrom), Number(newCount)]
    }
  }
  return rows
}
