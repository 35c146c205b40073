/**
 * The rules of the families `surroundings`, `structure`, `fields` and `names`: the form of a document. Each family is
 * in the order of its page.
 */
import { defineFamily } from "./Rule.ts"

export const surroundingsRules = defineFamily({
  family: "surroundings",
  title: "What surrounds an answer",
  about:
    "Models put text around an answer that is no part of it: reasoning, small talk, a code block around everything. It is removed, and line numbers stay those of the original text.",
  rules: {
    "document-too-large": {
      title: "Document too large",
      why: "A text above the limit is not parsed, so that reading never hangs.",
      fix: "Answer with the document only."
    },
    "fence-unclosed": {
      title: "Fence never closed",
      why: "It is unclear where the code ends and the document goes on.",
      fix: "Close the code block with a fence of the same length on a line of its own."
    },
    "byte-order-mark": {
      severity: "note",
      title: "Byte order mark",
      why: "It is an invisible first character.",
      fix: "Write no byte order mark."
    },
    "line-endings": {
      severity: "note",
      title: "Line endings",
      why: "Lines end with a line feed only.",
      fix: "End lines with a line feed."
    },
    "thinking-removed": {
      severity: "note",
      title: "Thinking removed",
      why: "The reasoning of a model is not part of its answer.",
      fix: "Write the document only."
    },
    "fence-unwrapped": {
      severity: "note",
      title: "Answer in a fence",
      why: "The whole answer stood in one code block.",
      fix: "Write the document without a code block around it."
    },
    "fence-closed": {
      severity: "warning",
      title: "Fence closed at the end",
      why: "The last code block was not closed.",
      fix: "Close every code block."
    },
    "fence-ignored": {
      severity: "warning",
      title: "Stray fence ignored",
      why: "A fence in the copied prompt would have swallowed the document.",
      fix: "Close every code block."
    },
    "quote-unwrapped": {
      severity: "note",
      title: "Answer as a quote",
      why: "Every line started with `>`.",
      fix: "Write the document without quote marks."
    },
    "indentation-removed": {
      severity: "note",
      title: "Answer indented",
      why: "Every line was indented.",
      fix: "Start every line without indentation."
    },
    "preamble-ignored": {
      severity: "note",
      title: "Text before the first heading",
      why: "A document begins with its first heading; text before it is ignored.",
      fix: "Begin with the first heading."
    }
  }
})

export const structureRules = defineFamily({
  family: "structure",
  title: "Structure",
  about: "Headings and sections of the documents, and where tasks may stand.",
  rules: {
    "section-missing": {
      title: "Required section missing",
      why: "Without it the document cannot be understood.",
      fix: "Write the heading on a line of its own, outside any code block, with its text under it."
    },
    "section-empty": {
      title: "Required section empty",
      why: "A heading without text states nothing.",
      fix: "Write the text under the heading."
    },
    "text-hidden": {
      title: "Hidden part of a document",
      why: "In a comment, a hidden element or the title of a link nobody sees what would run.",
      fix: "Write the document once and as visible text, without HTML."
    },
    "section-several": {
      title: "Two lists in one document",
      why: "Who reads the document sees both, and only one would run.",
      fix: "Write the list of tasks, or the tool calls, once under one heading."
    },
    "section-unknown": {
      title: "Unknown section under Tasks",
      why: "Tasks stand only under `### Task section N`.",
      fix: "Use only `### Task section N` under `## Tasks`, and put the text into a field of a task."
    },
    "section-order": {
      title: "Task sections out of order",
      why: "Falling numbers contradict the order in which sections run.",
      fix: "Sections run in the order of the document: number them in that order."
    },
    "step-empty": {
      title: "Task section without a task",
      why: "A section is a step, and a step needs work.",
      fix: 'Add a task with the fields "What is needed", "Skill" and "Expected output", or remove the section.'
    },
    "tasks-empty": {
      title: "No task in the list",
      why: "A first plan needs at least one task.",
      fix: 'Write "### Task section 1" with at least one task.'
    },
    "task-outside-section": {
      title: "Task outside a task section",
      why: "Order and parallelism come from the sections.",
      fix: 'Put every task under "## Tasks" into a section "### Task section N".'
    },
    "task-several": {
      title: "More than one task",
      why: "A refinement is about one task.",
      fix: "Write the one task that is to be refined, each field once."
    },
    "heading-form": {
      severity: "note",
      title: "Heading in another form",
      why: "Bold line, underlined line, or no space after the hashes.",
      fix: "Write the heading with hashes and a space."
    },
    "heading-text": {
      severity: "note",
      title: "Heading with another text",
      why: "A known other wording of the heading.",
      fix: "Use the words of the format."
    },
    "heading-level": {
      severity: "note",
      title: "Heading on another level",
      why: "The heading is found by its text anyway.",
      fix: "Use the level of the format."
    },
    "prompt-filled": {
      severity: "note",
      title: "Prompt left out",
      why: "The program knows the prompt; the copy in a list is never read.",
      fix: "Begin with `## Original prompt`."
    },
    "task-heading": {
      severity: "note",
      title: "Heading of a task where a section is asked for",
      why: "Tasks that are numbered by their headings run in this order.",
      fix: "Put tasks under `### Task section N`, with their names in the field *Name*."
    },
    "summary-unheaded": {
      severity: "note",
      title: "Result without its heading",
      why: "An answer without any heading can only be the summary.",
      fix: "Begin with `## Result summary`."
    },
    "section-repeated": {
      severity: "warning",
      title: "Section given twice",
      why: "The last one counts.",
      fix: "Write every section once."
    },
    "section-ignored": {
      severity: "warning",
      title: "Section ignored",
      why: "No reader uses a section of this name.",
      fix: "Use the sections of the format only."
    },
    "section-number": {
      severity: "note",
      title: "Task sections with the same number",
      why: "Sections run in the order of the document; a later one gets the next number.",
      fix: "Give every section a number of its own."
    },
    "section-unwrapped": {
      severity: "note",
      title: "Tasks in a fence",
      why: "The tasks of a section stood in one code block.",
      fix: "Write tasks outside of code blocks."
    },
    "text-ignored": {
      severity: "warning",
      title: "Text without a place ignored",
      why: "Text between tasks belongs to no field.",
      fix: "Put text into a field."
    },
    "text-attached": {
      severity: "warning",
      title: "Text attached to the field before it",
      why: "It lacked the indentation that makes it part of the field.",
      fix: "Indent every line of a field by two spaces."
    },
    "finished-task-dropped": {
      severity: "note",
      title: "Finished task repeated",
      why: "Its result exists already.",
      fix: "List only what is still to do."
    },
    "step-dropped": {
      severity: "note",
      title: "Section of finished tasks dropped",
      why: "Nothing was left in it.",
      fix: "List only what is still to do."
    }
  }
})

export const fieldsRules = defineFamily({
  family: "fields",
  title: "Fields of a task",
  about: "The labels of a task and what stands after them.",
  rules: {
    "field-missing": {
      title: "Required field missing",
      why: "The field has no default.",
      fix: "Add the field."
    },
    "field-empty": {
      title: "Required field empty",
      why: "The field has no default.",
      fix: "Write the value after the label."
    },
    "field-unknown": {
      title: "Unknown field",
      why: "Nothing reads it, so its content would be lost.",
      fix: "Use only the fields of the format; put other text into *What is needed*."
    },
    "field-duplicate": {
      title: "Field given twice",
      why: "Only one of them can be meant.",
      fix: "Keep one of them, or start a new task with its own fields after a blank line."
    },
    "field-too-large": {
      title: "Field too large",
      why: "Links are not looked for in a text of this size or nesting.",
      fix: "List only the links that the task needs."
    },
    "output-in-new-task": {
      title: "Output in a new task",
      why: "Only finished tasks have an output.",
      fix: 'Remove "Output". Say under "Expected output" what the result must contain.'
    },
    "for-each-form": {
      title: "Unclear items",
      why: "The host lists the items of a task before it starts, so it must know what they are and where.",
      fix: "Write what counts as an item and where: a file, line or heading in a pattern of paths, or an entry in a result."
    },
    "for-each-empty": {
      title: "No items",
      why: "A task for each item does nothing where there is none.",
      fix: "Write a pattern that covers files of the project."
    },
    "for-each-form-read": {
      severity: "note",
      title: "Items written differently",
      why: "It says what the items are in other words than the format.",
      fix: "Write `file in <pattern>`, `line in <pattern>`, `heading in <pattern>` or `entry in <link>`."
    },
    "for-each-count": {
      severity: "note",
      title: "Number of items",
      why: "A task for each item takes some calls of the model for each of them.",
      fix: "Narrow the pattern where items are not needed."
    },
    "field-label": {
      severity: "note",
      title: "Label in another form",
      why: "Colon, missing bold, missing list marker, numbered list.",
      fix: "Write `- **Label** value`."
    },
    "field-spelling": {
      severity: "note",
      title: "Label spelled differently",
      why: "Exactly one label can be meant.",
      fix: "Use the words of the format."
    },
    "field-indentation": {
      severity: "note",
      title: "Field on another level",
      why: "The indentation differs from the other fields.",
      fix: "Begin all fields of a task in one column."
    },
    "code-block-moved": {
      severity: "note",
      title: "Code block moved to the task",
      why: "This field holds no code.",
      fix: "Put a code block after the task."
    },
    "approval-value": {
      severity: "warning",
      title: "Unusual approval value",
      why: "Anything that is not a no asks for approval.",
      fix: "Write the label without a value, `yes` or `no`."
    }
  }
})

export const namesRules = defineFamily({
  family: "names",
  title: "Names",
  about: "Every task has a name, and its result is found by the slug of the name.",
  rules: {
    "name-duplicate": {
      title: "Two tasks with one name",
      why: "Results are found by the slug of the name.",
      fix: "Give each task a name of its own."
    },
    "name-form": {
      severity: "note",
      title: "Marks around a name",
      why: "A name is plain text.",
      fix: "Write the name as plain text."
    },
    "name-replaced": {
      severity: "warning",
      title: "Name without letters",
      why: "Nothing could refer to it.",
      fix: "Give a name with a letter or a digit."
    },
    "name-from-heading": {
      severity: "note",
      title: "Name taken from the heading",
      why: "The heading of the task names it.",
      fix: "Write the name into the field *Name*."
    }
  }
})
