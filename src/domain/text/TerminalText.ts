/** Converts terminal output to plain text, without escape sequences and overwritten text. */

/* Terminal links and titles, sequences such as colours, and all other escape sequences. */
const escapes =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /(?!\t)[\u0000-\u001f\u007f-\u009f]/

const everyControl = new RegExp(controls, "g")

// oxlint-disable-next-line no-control-regex -- a character and the step back over it
const erased = /[^\u0008]\u0008/g

/** The last state of an overwritten line: `10 %`, carriage return, `20 %` becomes `20 %`. */
export const plainLine = (line: string): string => {
  if (!controls.test(line)) return line
  const states = line.replace(escapes, "").split("\r")
  const last = states.findLast((state) => state.trim() !== "") ?? ""
  return last.replace(erased, "").replace(everyControl, "")
}
