/**
 * The rules of the family `changes`, in the order of its page.
 */
import { defineFamily } from "./Rule.ts"

export const changesRules = defineFamily({
  family: "changes",
  title: "Changes",
  about: "Changes of files that an answer holds as literal blocks, whole files, diffs or replacements.",
  rules: {
    "change-path": {
      title: "Change without a path",
      why: "Nothing says which file is meant.",
      fix: "Write the path of the file on a line of its own before the block."
    },
    "change-unfinished": {
      title: "Change breaks off",
      why: "What is missing of it cannot be guessed.",
      fix: "Write the whole block again, with all three of its marks."
    },
    "change-marks": {
      title: "Marks that make no block",
      why: "A mark that belongs to no block may be a change that would be lost.",
      fix: "Write each change as one block with its three marks, each on a line of its own."
    },
    "change-elided": {
      title: "Text left out of a change",
      why: "The line would be written to the file instead of the text that it stands for.",
      fix: "Write a block that has only the lines that change, under OLD and under NEW."
    },
    "change-diff": {
      title: "Part of a diff that is no edit",
      why: "A place is found by the lines that stand there now.",
      fix: "Write it as a block, with the lines that stand in the file now under OLD."
    },
    "change-replace": {
      title: "Replacement that cannot be read",
      why: "A replacement over many places has to be exact.",
      fix: 'Write one JSON object: {"replace": "old name", "with": "new name", "except": ["path:line"]}.'
    },
    "change-quoted": {
      severity: "warning",
      title: "Code that is not taken as a file",
      why: "It may be quoted, and would replace the whole file.",
      fix: "Write a change as a block, and a new file as its path with a fence that names the language."
    },
    "change-sentence": {
      severity: "note",
      title: "Path in a sentence",
      why: "The sentence before the block names one file.",
      fix: "Write the path on a line of its own."
    },
    "change-fenced": {
      severity: "note",
      title: "Fences inside a block",
      why: "Both parts of the block stood in a fence of their own, which is no line of the file.",
      fix: "Put the lines of the file between the marks, and nothing else."
    }
  }
})
