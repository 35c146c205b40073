/**
 * Labels of fields as models write them.
 */
import { choose, type Damage, mapFields } from "./Damage.ts"

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

export const labels: ReadonlyArray<Damage> = [
  {
    name: "letter case of labels",
    apply: (document, random) => {
      const change = choose(
        random,
        (text: string) => text.toLowerCase(),
        (text: string) => text.toUpperCase(),
        titleCase
      )
      return mapFields(document, random, ({ label, lead, value }) => `${lead}**${change(label)}** ${value}`)
    }
  },
  {
    name: "colon after the bold",
    apply: (document, random) => {
      const colon = choose(random, ":", " :", "：")
      return mapFields(document, random, ({ label, lead, value }) => `${lead}**${label}**${colon} ${value}`)
    }
  },
  {
    name: "colon inside the bold",
    apply: (document, random) =>
      mapFields(document, random, ({ label, lead, value }) => `${lead}**${label}:** ${value}`)
  },
  {
    name: "colons on some labels",
    apply: (document, random) =>
      mapFields(document, random, ({ label, lead, value }) => `${lead}**${label}**: ${value}`, 0.5)
  },
  {
    name: "no bold, with a colon",
    apply: (document, random) => mapFields(document, random, ({ label, lead, value }) => `${lead}${label}: ${value}`)
  },
  {
    name: "other marks for bold",
    apply: (document, random) => {
      const mark = choose(random, "__", "***", "*", "_")
      return mapFields(document, random, ({ label, lead, value }) => `${lead}${mark}${label}${mark} ${value}`)
    }
  },
  {
    name: "bold that is never closed",
    apply: (document, random) =>
      mapFields(
        document,
        random,
        ({ label, lead, value }) => `${lead}**${label}${value.includes("**") ? "**" : ""} ${value}`,
        0.5
      )
  },
  {
    name: "bold that ends within the label",
    apply: (document, random) =>
      mapFields(
        document,
        random,
        ({ label, lead, value }) => `${lead}**${label.replace(" ", "** ")}${label.includes(" ") ? "" : "**"} ${value}`
      )
  },
  {
    name: "bold around label and value",
    apply: (document, random) =>
      mapFields(document, random, ({ label, lead, value }) =>
        label === "Skill" && !value.includes("*") ? `${lead}**${label}: ${value}**` : `${lead}**${label}** ${value}`
      )
  },
  {
    name: "typing errors in labels",
    apply: (document, random) =>
      mapFields(document, random, ({ label, lead, value }) => `${lead}**${typos[label] ?? label}** ${value}`)
  },
  {
    name: "labels cut short",
    apply: (document, random) =>
      mapFields(document, random, ({ label, lead, value }) => `${lead}**${short[label] ?? label}** ${value}`)
  },
  {
    name: "underscores and hard spaces in labels",
    apply: (document, random) => {
      const blank = choose(random, "_", "\u00a0", "  ")
      return mapFields(
        document,
        random,
        ({ label, lead, value }) => `${lead}**${label.replaceAll(" ", blank)}** ${value}`
      )
    }
  },
  {
    name: "words in brackets after labels",
    apply: (document, random) =>
      mapFields(
        document,
        random,
        ({ label, lead, value }) => `${lead}**${label} (${choose(random, "optional", "required")})** ${value}`,
        0.5
      )
  },
  {
    name: "marks around names and skills",
    apply: (document, random) => {
      const mark = choose(random, "`", "**", '"')
      return mapFields(document, random, ({ label, lead, value }) =>
        (label === "Skill" || label === "Name") && /^[\w -]+$/.test(value)
          ? `${lead}**${label}** ${mark}${value}${mark}`
          : `${lead}**${label}** ${value}`
      )
    }
  },
  {
    name: "a word for approval",
    apply: (document, random) =>
      mapFields(document, random, ({ label, lead, value }) =>
        label === "Requires user approval" && value === ""
          ? `${lead}**${label}** ${choose(random, "yes", "Yes.", "true", "required", "Yes, because files change.")}`
          : `${lead}**${label}** ${value}`
      )
  }
]
