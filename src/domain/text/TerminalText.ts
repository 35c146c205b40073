/**
 * What a program wrote for a terminal, as plain text: without colours and other escape sequences, and of a line that was
 * written over again only its last state.
 */

/* A link or a title that ends, a sequence such as a colour, and any other escape with what it takes along. */
const escapes =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /(?!\t)[\u0000-\u001f\u007f-\u009f]/

const everyControl = new RegExp(controls, "g")

// oxlint-disable-next-line no-control-regex -- a character and the step back over it
const erased = /[^\u0008]\u0008/g

/** One line without its end as a person sees it in the end: after `10 %`, carriage return, `20 %` it is `20 %`. */
export const plainLine = (line: string): string => {
  if (!controls.test(line)) return line
  const states = line.replace(escapes, "").split("\r")
  const last = states.findLast((state) => state.trim() !== "") ?? ""
  return last.replace(erased, "").replace(everyControl, "")
}
