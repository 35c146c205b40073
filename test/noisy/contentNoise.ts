/**
 * Answers in the right form whose content is wrong or incomplete: invented files, lost references, texts that do not
 * stand in the file as they are quoted.
 */
import { choose, type Random } from "../mutations/Damage.ts"
import { type Call, callIn, withCall } from "./callNoise.ts"
import { group, type Kinds, type Noise, only } from "./Noise.ts"

const invented = (random: Random): string =>
  choose(random, "src/utils/limits.ts", "src/config/defaults.ts", "src/lib/alphaHelper.ts")

/** Changes the text that an edit looks for and, likewise, the one that takes its place. */
const oldText =
  (change: (text: string) => string): Kinds[string] =>
  (right, random) =>
    withCall((call: Call) => {
      const { new_text: next, old_text: old } = call.arguments
      return typeof old === "string" && typeof next === "string"
        ? { ...call, arguments: { ...call.arguments, old_text: change(old), new_text: change(next) } }
        : call
    })(right, random)

const fixed = (text: string): string => text.trimEnd()

/** The edit as a block, with something wrong in its new text or in both. */
const inBlock = (change: (text: string) => string, ofOld: (text: string) => string = fixed): Kinds[string] =>
  only("refinement", (right) => {
    const { new_text: next, old_text: old, path } = callIn(right)?.arguments ?? {}
    if (typeof old !== "string" || typeof next !== "string") return undefined
    return `${path}\n<<<<<<< OLD\n${ofOld(old)}\n=======\n${change(next)}\n>>>>>>> NEW\n`
  })

const both = (change: (text: string) => string): Kinds[string] => inBlock(change, change)

const wide = (text: string): string => text.replace(":", "：").replace(",", "，")

export const contentNoise: ReadonlyArray<Noise> = [
  ...group("invented", 4, {
    "one more link": only("execution conclusion", ({ text }, random) => {
      const path = invented(random)
      return `${text.trimEnd()}\n\nSee also [${path}](${path}#L12).\n`
    }),
    "the file of a link": only("execution conclusion", ({ text }, random) =>
      text.replace(/\]\(src\/\w+\.ts/, `](${invented(random)}`)
    ),
    "the line of a link": only("execution", ({ text }) =>
      text.replace(/#L(\d+)/, (_, line: string) => `#L${Number(line) + 3}`)
    ),
    "a file in the references": only("creation iteration", ({ text }, random) =>
      text.replace(/(\*\*References\*\* .*)/, `$1 [more](${invented(random)})`)
    ),
    "a result in the references": only("creation iteration", ({ text }) =>
      text.replace(/(\*\*References\*\* .*)/, "$1 [analysis](#code-analysis-results)")
    ),
    "the path of a call": (right, random) =>
      withCall((call) =>
        "path" in call.arguments ? { ...call, arguments: { ...call.arguments, path: invented(random) } } : call
      )(right, random)
  }),
  ...group("lost", 4, {
    "all references": only("creation iteration", ({ text }) => text.replace(/^- \*\*References\*\* .*\n/gm, "")),
    "references of one task": only("creation iteration", ({ text }) => text.replace(/^- \*\*References\*\* .*\n/m, "")),
    "references of a refinement": only("refinement", ({ text }) => text.replace(/^- \*\*References\*\* .*\n/m, "")),
    "the calls": only("refinement", ({ text }) => text.replace(/```json[^]*?\n```\n/, "")),
    "skills of tasks": only("creation", ({ text }) => text.replace(/^- \*\*Skill\*\* .*\n/m, "")),
    "the approval": only("creation", ({ text }) => text.replace(/^- \*\*Requires user approval\*\*\n/gm, ""))
  }),
  ...group("text to replace", 4, {
    "without indentation": oldText((text) => text.trimStart()),
    "with tabs": oldText((text) => text.replace(/^ +/, "\t")),
    "with more indentation": oldText((text) => `  ${text}`),
    "with a blank at the end": oldText((text) => `${text} `),
    "with the number of the line": oldText((text) => `153: ${text}`),
    "with a sign of a diff": oldText((text) => `-${text}`),
    "without its last sign": oldText((text) => text.slice(0, -1)),
    "with dots at the end": oldText((text) => `${text} ...`)
  }),
  ...group("new text", 4, {
    "in a block": inBlock(fixed),
    "with a blank at the end": both((text) => `${text} `),
    "with blanks at the end": inBlock((text) => `${text}   `),
    "with another line end": inBlock((text) => `${text}\r`),
    "with a byte order mark": inBlock((text) => `\ufeff${text}`),
    "with an invisible character": both((text) => text.replace(":", "\u200b:")),
    "with a wide blank": inBlock((text) => text.replace(": ", ":\u00a0")),
    "with full-width signs": both(wide),
    "with full-width signs that are new": inBlock(wide),
    "with a mark at the end": inBlock((text) => `${text}\n>>>>>>> REPLACE`),
    "with a mark before it": inBlock((text) => `=======\n${text}`),
    "with a fence": inBlock((text) => `\`\`\`ts\n${text}\n\`\`\``),
    "with the numbers of the lines": both((text) => `153: ${text}`)
  })
]
