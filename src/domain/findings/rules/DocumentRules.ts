/** The rules about the form of documents. Families and rules are in the order of the documentation. */
import { error, family, note, warning } from "./Rule.ts"
import { ollmChat, promised, report, savedFiles, superpowers } from "./Sources.ts"

export const documentRules = [
  family(
    "surroundings",
    "What surrounds an answer",
    "Models put text around an answer that is no part of it: reasoning, small talk, a code block around everything. It is removed, and line numbers stay those of the original text.",
    {
      "document-too-large": error(
        "Document too large",
        "A text above the limit is not parsed, so that reading never hangs.",
        "Answer with the document only."
      ),
      "fence-unclosed": error(
        "Fence never closed",
        "It is unclear where the code ends and the document goes on.",
        "Close the code block with a fence of the same length on a line of its own."
      ),
      "byte-order-mark": note(
        "Byte order mark",
        "It is an invisible first character.",
        "Write no byte order mark.",
        savedFiles
      ),
      "line-endings": note(
        "Line endings",
        "Lines end with a line feed only.",
        "End lines with a line feed.",
        savedFiles
      ),
      "thinking-removed": note(
        "Thinking removed",
        "The reasoning of a model is not part of its answer.",
        "Write the document only.",
        report("anomalyco/opencode/issues/21515")
      ),
      "fence-unwrapped": note(
        "Answer in a fence",
        "The whole answer stood in one code block.",
        "Write the document without a code block around it.",
        report("yazinsai/OpenOats/issues/617")
      ),
      "fence-closed": warning(
        "Fence closed at the end",
        "The last code block was not closed.",
        "Close every code block.",
        ollmChat("tests/markdown/repro-phone-unclosed-fence.md")
      ),
      "fence-ignored": warning(
        "Stray fence ignored",
        "A fence in the copied prompt would have swallowed the document.",
        "Close every code block.",
        ollmChat("tests/markdown/task-parse-test.md")
      ),
      "preamble-ignored": note(
        "Text before the first heading",
        "A document begins with its first heading; text before it is ignored.",
        "Begin with the first heading.",
        ollmChat("tests/markdown/regression-distill-thinking-head.md")
      )
    }
  ),
  family("structure", "Structure", "Headings and sections of the documents, and where tasks may stand.", {
    "section-missing": error(
      "Required section missing",
      "Without it the document cannot be understood.",
      "Write the heading on a line of its own, outside any code block, with its text under it."
    ),
    "section-empty": error(
      "Required section empty",
      "A heading without text states nothing.",
      "Write the text under the heading."
    ),
    "text-hidden": error(
      "Hidden part of a document",
      "In a comment, a hidden element or the title of a link nobody sees what would run.",
      "Write the document once and as visible text, without HTML."
    ),
    "section-several": error(
      "Two lists in one document",
      "Who reads the document sees both, and only one would run.",
      "Write the list of tasks, or the tool calls, once under one heading."
    ),
    "section-unknown": error(
      "Unknown section under Tasks",
      "Tasks stand only under `### Task section N`.",
      "Use only `### Task section N` under `## Tasks`, and put the text into a field of a task."
    ),
    "section-order": error(
      "Task sections out of order",
      "Falling numbers contradict the order in which sections run.",
      "Sections run in the order of the document: number them in that order."
    ),
    "step-empty": error(
      "Task section without a task",
      "A section is a step, and a step needs work.",
      'Add a task with the fields "What is needed", "Skill" and "Expected output", or remove the section.'
    ),
    "plan-unfinished": error(
      "List of tasks that is not whole",
      "It says that there are more tasks than it has, or breaks off. What it leaves out would never be done.",
      "Write all tasks to their end, or leave out what announces more."
    ),
    "plan-example": error(
      "Task of the example",
      "The example of the instructions shows the form of a list; what it says is about another prompt.",
      "Write tasks for the prompt, in its words.",
      "Use a larger model (--model)."
    ),
    "tasks-empty": error(
      "No task in the list",
      "A first plan needs at least one task.",
      'Write "### Task section 1" with at least one task.'
    ),
    "task-outside-section": error(
      "Task outside a task section",
      "Order and parallelism come from the sections.",
      'Put every task under "## Tasks" into a section "### Task section N".'
    ),
    "task-several": error(
      "More than one task",
      "A refinement is about one task.",
      "Write the one task that is to be refined, each field once."
    ),
    "heading-form": note(
      "Heading in another form",
      "A line in bold that is a heading of the document.",
      "Write the heading with hashes.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "heading-text": note(
      "Heading with another text",
      "A known other wording of the heading.",
      "Use the words of the format.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "heading-level": note(
      "Heading on another level",
      "The heading is found by its text anyway.",
      "Use the level of the format.",
      ollmChat("resources/skill-prompts/task_list_iteration.md")
    ),
    "prompt-filled": note(
      "Prompt left out",
      "The program knows the prompt; the copy in a list is never read.",
      "Begin with `## Original prompt`.",
      promised("reference/formats.md#task-list")
    ),
    "task-heading": note(
      "Heading of a task where a section is asked for",
      "Tasks that are numbered by their headings run in this order.",
      "Put tasks under `### Task section N`, with their names in the field *Name*.",
      superpowers
    ),
    "summary-unheaded": note(
      "Result without its heading",
      "An answer without any heading can only be the summary.",
      "Begin with `## Result summary`.",
      promised("reference/formats.md#result")
    ),
    "section-repeated": warning(
      "Section given twice",
      "The last one counts.",
      "Write every section once.",
      ollmChat("docs/plans/done/1.23.28-DONE-agent-bugs.md")
    ),
    "section-ignored": warning(
      "Section ignored",
      "No reader uses a section of this name.",
      "Use the sections of the format only.",
      ollmChat("resources/skill-prompts/task_execution.md")
    ),
    "text-ignored": warning(
      "Text without a place ignored",
      "Text between tasks belongs to no field.",
      "Put text into a field.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "text-attached": warning(
      "Text attached to the field before it",
      "It lacked the indentation that makes it part of the field.",
      "Indent every line of a field by two spaces.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "finished-task-dropped": note(
      "Finished task repeated",
      "Its result exists already.",
      "List only what is still to do.",
      ollmChat("docs/plans/done/1.23.20-DONE-post-testing-changes.md")
    ),
    "task-repeated": error(
      "Work of a finished task under another name",
      "Its result exists already; doing it again brings nothing new.",
      "Link the result of the finished task, or say what is needed beyond it."
    ),
    "step-dropped": note(
      "Section of finished tasks dropped",
      "Nothing was left in it.",
      "List only what is still to do.",
      ollmChat("docs/plans/done/1.23.20-DONE-post-testing-changes.md")
    )
  })
] as const
