/**
 * Labels of fields as models write them.
 */
import { type Apply, damages, type Field, inVariants, mapFields, type Variants } from "./Damage.ts"

const titleCase = (text: string): string => text.replace(/\b\w/g, (letter) => letter.toUpperCase())

const typos: Readonly<Record<string, string>> = {
  "What is needed": "What is neded",
  Skill: "Skills",
  References: "Refrences",
  "Expected output": "Expected ouput",
  "Requires user approval": "Require user approval"
}

/** Names of labels that are written with one word less. */
const short: Readonly<Record<string, string>> = { "What is needed": "What is", "Expected output": "Expected" }

/** Writes what is in bold anew, in each field. */
const labelled = (write: (field: Field, variant: string) => string, variants: Variants = [""], share = 1): Apply =>
  inVariants(variants, (document, variant, random) =>
    mapFields(document, random, (field) => `${field.lead}${write(field, variant)} ${field.value}`, share)
  )

const renamed = (rename: (label: string, variant: string) => string, variants?: Variants): Apply =>
  labelled(({ label }, variant) => `**${rename(label, variant)}**`, variants)

export const labels = damages({
  "letter case of labels": renamed(
    (label, change) =>
      change === "lower" ? label.toLowerCase() : change === "upper" ? label.toUpperCase() : titleCase(label),
    ["lower", "upper", "title"]
  ),
  "colon after the bold": labelled(({ label }, colon) => `**${label}**${colon}`, [":", " :", "："]),
  "colon inside the bold": renamed((label) => `${label}:`),
  "colons on some labels": labelled(({ label }) => `**${label}**:`, [""], 0.5),
  "no bold, with a colon": labelled(({ label }) => `${label}:`),
  "other marks for bold": labelled(({ label }, mark) => `${mark}${label}${mark}`, ["__", "***", "*", "_"]),
  "bold that is never closed": labelled(
    ({ label, value }) => `**${label}${value.includes("**") ? "**" : ""}`,
    [""],
    0.5
  ),
  "bold that ends within the label": labelled(
    ({ label }) => `**${label.replace(" ", "** ")}${label.includes(" ") ? "" : "**"}`
  ),
  "bold around label and value": (document, random) =>
    mapFields(document, random, ({ label, lead, value }) =>
      label === "Skill" && !value.includes("*") ? `${lead}**${label}: ${value}**` : `${lead}**${label}** ${value}`
    ),
  "typing errors in labels": renamed((label) => typos[label] ?? label),
  "labels cut short": renamed((label) => short[label] ?? label),
  "underscores and hard spaces in labels": renamed(
    (label, blank) => label.replaceAll(" ", blank),
    ["_", "\u00a0", "  "]
  )
})
