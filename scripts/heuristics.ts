/**
 * The constants of heuristics (judging, cutting, asking again): one row each, with reason and basis. Values are read
 * from the source. A test finds missing constants.
 */
import { readFileSync } from "node:fs"
import { valueOf } from "./fixedLimits.ts"

/** The basis of a value: a table of docs/internals/figures.md, a decision, or judgement. */
type Basis = "real work" | "makespan" | "decision 090" | "decision 092" | "judgement"

interface Heuristic {
  readonly area: string
  /** The constant, `file#name` below `src`. */
  readonly from: string
  readonly unit: string
  readonly decides: string
  /** What a smaller and a larger value would make worse. */
  readonly why: string
  readonly basis: Basis
}

const heuristicsOf =
  (area: string, folder: string) =>
  (name: string, unit: string, decides: string, why: string, basis: Basis = "judgement"): Heuristic => ({
    area,
    from: `${folder}${name}`,
    unit,
    decides,
    why,
    basis
  })

const turns = heuristicsOf("turns", "services/agent/")
const firstMessage = heuristicsOf("turns", "services/pipeline/")
const budgets = heuristicsOf("budgets of turns", "domain/documents/TurnBudgets.ts#")
const reports = heuristicsOf("reports", "domain/documents/")
const compaction = heuristicsOf("compaction", "domain/documents/CompactedTurns.ts#")
const review = heuristicsOf("self-review", "domain/documents/SelfReview.ts#")
const ran = heuristicsOf("checks", "domain/checks/RanTests.ts#")
const relations = heuristicsOf("self-review", "domain/files/CodeRelations.ts#")
const prefetch = heuristicsOf("prefetch", "domain/models/PrefetchedParts.ts#")
const remaining = heuristicsOf("remaining occurrences", "domain/files/RemainingOccurrences.ts#")
const evidence = heuristicsOf("evidence", "domain/documents/Evidence.ts#")
const terms = heuristicsOf("excerpts", "domain/excerpts/SearchTerms.ts#")
const scores = heuristicsOf("excerpts", "domain/excerpts/Scores.ts#")
const prefetchScores = heuristicsOf("prefetch", "domain/excerpts/Scores.ts#")
const excerpts = heuristicsOf("excerpts", "domain/excerpts/TextExcerpt.ts#")
const lines = heuristicsOf("excerpts", "domain/excerpts/")
const gate = heuristicsOf("permissions", "domain/models/SeenTexts.ts#")
const clashes = heuristicsOf("clashes", "services/pipeline/JoinChanges.ts#")
const slots = heuristicsOf("model calls", "services/models/ModelSlots.ts#")
const edits = heuristicsOf("edits", "domain/files/")

export const heuristics: ReadonlyArray<Heuristic> = [
  turns(
    "Compaction.ts#warnedTurns",
    "answers",
    "so many answers before the last one the model is told how many are left",
    "Later a change and its report do not fit; sooner the model hurries."
  ),
  heuristicsOf("turns", "services/models/")(
    "ResultImages.ts#mostImages",
    "images",
    "a message shows at most so many images of results",
    "Small windows are full with more; with fewer, two states of a page cannot be compared."
  ),
  turns(
    "hooks/SelfReview.ts#leastAnswers",
    "answers",
    "with fewer answers left there is no self-review",
    "A test that fails needs an answer that repairs it, and a report."
  ),
  turns(
    "hooks/Repeats.ts#acrossCompactions",
    "times",
    "so many times limits.identicalCalls a call is made at most whose output compactions have dropped",
    "Fewer forbid what the model is told to do; more let it go in circles."
  ),
  firstMessage(
    "Prefetch.ts#windowShares",
    "of the window",
    "what the best file and the second one may take before the first turn",
    "More leaves no room for the turns; less shows no whole function.",
    "decision 090"
  ),
  budgets(
    "filesAtFirst",
    "files",
    "so many changed files fit the turns that every task has",
    "Features over eight files ended for want of turns; a fix changes two or three."
  ),
  budgets(
    "turnsForFile",
    "turns",
    "work gets so many more for each further file that it changes",
    "One looks at the file, one corrects it. More lets work go on that has lost its way."
  ),
  budgets(
    "mostTurnsGrown",
    "turns",
    "work does not grow beyond so many turns",
    "The conversation has been compacted several times by then; a person should divide the task."
  ),
  budgets(
    "compactAt",
    "of what a prompt may have",
    "from here on the conversation is compacted",
    "Later no reply fits; sooner prefixes that a server has cached are lost.",
    "real work"
  ),
  budgets("compactTo", "of the window", "what a compaction leaves", "More compacts again at once.", "real work"),
  budgets(
    "replyShare",
    "of what is free",
    "what a reply may take",
    "More leaves no room for the next turn.",
    "real work"
  ),
  budgets("leastLines", "lines", "for less room no budget is announced", "The next compaction makes room."),
  budgets(
    "lineCharacters",
    "characters",
    "the length of a line in the announced budget",
    "Source code has about as many, with its number."
  ),
  budgets(
    "leastMeasured",
    "lines",
    "from so many lines on that are shown, they say how long the next ones are",
    "Fewer may all be short."
  ),
  budgets(
    "leastLine",
    "characters",
    "a measured line counts as at least so long",
    "A list of short words would announce more than fits of the next file."
  ),
  budgets(
    "mostOver",
    "times",
    "so many times more lines may be shown than were announced",
    "Less cuts the last lines of what was asked for; more makes the number wrong."
  ),
  budgets(
    "longerLines",
    "times",
    "so much more than a reply has otherwise, outputs may take whose lines are longer than those before",
    "Less shows fewer lines than were announced; more leaves no room for the next turn."
  ),
  budgets(
    "besideOutputs",
    "characters",
    "what an answer and the frame of its reply take",
    "Less announces more than fits."
  ),
  budgets(
    "enoughLines",
    "lines",
    "a reply with room for so many is not given more by a compaction",
    "Less shows no long function beside its test; more compacts large windows again and again."
  ),
  budgets(
    "worthwhile",
    "times",
    "so many times more of the outputs a compaction before its time has to show",
    "Less compacts for a few lines."
  ),
  reports(
    "ReportIssues.ts#mostRejectedReports",
    "times",
    "how often a report is sent back while a check fails newly",
    "A model that failed twice to repair it would use up its turns."
  ),
  reports(
    "UselessAnswers.ts#mostUselessAnswers",
    "answers",
    "after so many answers in a row of no use the model is given up",
    "The third is the first that was sampled differently and bound to a form."
  ),
  heuristicsOf("turns", "domain/documents/OpenFiles.ts#")(
    "mostOpen",
    "files",
    "so many files that the task names and no call was about are named in a reply",
    "More is not read, and stands in each reply."
  ),
  reports(
    "HalfPlan.ts#mostCharacters",
    "characters",
    "longer lines do not show that a plan is half",
    "A paragraph may speak of further tasks."
  ),
  compaction(
    "leastPart",
    "characters",
    "a part of an output has at least",
    "A few lines of each output are of no use.",
    "real work"
  ),
  compaction(
    "leastDiff",
    "characters",
    "the diffs of all changes have at least",
    "The model would make its changes again."
  ),
  compaction(
    "leastChecks",
    "characters",
    "the outputs of checks have at least",
    "The message of one failure has about as many."
  ),
  budgets(
    "newestShare",
    "of the room",
    "what the outputs of the last answer may take",
    "Less, and the model asks for them again."
  ),
  heuristicsOf("compaction", "domain/documents/ChangedFunctions.ts#")(
    "longestFunction",
    "lines",
    "of a changed function that is shown whole",
    "A longer one takes the room of what was read last; a diff shows it."
  ),
  heuristicsOf("compaction", "domain/documents/ChangedFiles.ts#")(
    "mostNames",
    "names",
    "functions and types of a file that the line about its change names",
    "A change of more is read in its diff."
  ),
  heuristicsOf("excerpts", "domain/models/OutputCut.ts#")(
    "leastLicence",
    "lines",
    "a comment at the beginning of a file with so many is left out when it names a licence and not all has room",
    "A shorter one costs no more than the note about it."
  ),
  compaction(
    "headings",
    "characters",
    "what headings and fences take",
    "Less makes the summary longer than its budget."
  ),
  compaction(
    "mostImports",
    "lines",
    "imports that are shown of a file while a check fails",
    "More takes the room of the changed places."
  ),
  compaction(
    "radii",
    "lines",
    "what is shown around a changed place, step by step while there is room",
    "Each place gets the same before one gets more."
  ),
  review(
    "trivialLines",
    "lines",
    "a change of no more lines has no self-review",
    "The question would cost more than the change."
  ),
  review("mostPlaces", "lines", "that belong to a change", "More is not read."),
  review("mostOfFile", "lines", "of these, in one file", "Places in several files say more."),
  review("mostBranches", "lines", "of these, branches beside the change", "The nearest are the most alike."),
  review("mostNames", "declarations", "of a change whose users are looked for", "A larger change touches everything."),
  ran("longestLine", "characters", "longer lines of an output name no test", "They are data that a test prints."),
  ran("mostNamed", "tests", "new tests that are named", "The others are counted."),
  relations(
    "mostHolders",
    "files",
    "a name that more files hold is not looked at",
    "It is a common word, and reading takes time."
  ),
  relations(
    "mostUses",
    "lines",
    "of one file that use a name, of which more are not looked at",
    "The self-review names two of a file."
  ),
  relations(
    "mostChangedLines",
    "lines",
    "of one change whose declarations are looked for",
    "More are in the same declarations, or in too many."
  ),
  relations(
    "mostCharacters",
    "characters",
    "of files that hold the names of a change; a name that would bring more is not looked at",
    "Reading takes time, in which nothing else happens."
  ),
  relations("mostUsers", "files", "a name that more files use belongs to none", "It is a word of the project."),
  review("placeLength", "characters", "of each place", "The line is found by its number."),
  prefetch(
    "mostHolders",
    "files",
    "a name in more files counts for none",
    "It says little about any of them.",
    "decision 090"
  ),
  prefetch("mostOthers", "files", "further files that are named", "More is not read.", "decision 090"),
  prefetchScores(
    "scoreParts.testFile",
    "of the score",
    "what a file of tests counts",
    "Tests hold every name of what they test.",
    "decision 090"
  ),
  remaining("mostPlaces", "places", "of one name that are named", "The model searches for the rest."),
  remaining("mostNames", "names", "that a change took away", "More names match everywhere."),
  remaining("mostLines", "lines", "that a change took away", "More lines match everywhere."),
  remaining("shownLength", "characters", "of each place", "The line is found by its number."),
  evidence("reach", "characters", "how far from a link a quotation may reach", "Further text is about something else."),
  evidence(
    "nearby",
    "lines",
    "a name that stands once is what a link meant up to this distance",
    "Further away it is another one."
  ),
  evidence(
    "leastJoined",
    "characters",
    "shorter quotations are not looked for across lines",
    "A few characters stand anywhere."
  ),
  evidence("mostJoined", "lines", "that a quotation may put together", "More would be a paragraph of a paraphrase."),
  evidence("leastQuote", "characters", "shorter quotations are none", "They stand on most lines."),
  evidence("leastProse", "characters", "from here on quoted prose is a line", "Fewer are a name or a term."),
  evidence(
    "leastCode",
    "characters",
    "from here on quoted code is a line",
    "Fewer are an expression that stands on several lines."
  ),
  terms("mostWords", "words", "of a task that are looked for", "A text of more words matches everywhere."),
  terms("mostNamed", "names", "and strings of a task that are looked for, each", "The same."),
  terms("mostMatches", "lines", "that words match", "More blocks would not fit."),
  scores(
    "scoreParts.prompt",
    "of the weight",
    "what only the prompt names counts",
    "The task says what is needed now."
  ),
  scores("scoreParts.form", "of the weight", "a name by its form alone counts", "A word with a hump may be a product."),
  scores(
    "termScores.literal",
    "points",
    "a quoted string, shared by the lines that hold it",
    "An exact string is the surest sign, before a declaration."
  ),
  scores("termScores.declared", "points", "the declaration of a name", "It says more than each of its uses."),
  scores(
    "termScores.inNamed",
    "points",
    "more, inside of a declaration that is named too",
    "`Schema.validate` means that one of several."
  ),
  scores(
    "termScores.aroundLiteral",
    "points",
    "more, around a line with a quoted string",
    "The function that prints the message."
  ),
  scores("termScores.word", "points", "a word of the task", "It stands in more lines than a name."),
  scores("termScores.use", "points", "a use of a name", "Declaration first, but more than a word."),
  scores(
    "scoreParts.comment",
    "of the score",
    "a line of a comment counts",
    "Comments repeat the words of what they describe."
  ),
  terms(
    "leastScore",
    "points",
    "words alone show blocks from here on without an outline",
    "One rare word is worth a point."
  ),
  terms("leastPart", "of the best", "blocks with less are left out", "They share only common words with the task."),
  terms("leastBeside", "points", "the same beside a place that the task means", "That place has the room first."),
  terms("leastStem", "characters", "shorter stems are whole words", "They begin other words as well."),
  terms("mostPlaces", "lines", "with a quoted string are places that it means", "In more it is no place."),
  excerpts("longestPart", "lines", "of a block that only words match", "More takes the room of others."),
  excerpts("mostMeant", "places", "that a task means", "More have no room for what is around them."),
  excerpts(
    "longestWhole",
    "lines",
    "of a declaration that is shown whole",
    "A longer one is shown by the blocks in it."
  ),
  excerpts("leastComment", "lines", "fewer lines of comments stay with the code", "A note without them costs as much."),
  excerpts("lastLines", "lines", "at the end of a declaration that does not fit", "What it returns stands there."),
  excerpts("mostOfGap", "lines", "of a gap that is filled", "A part with holes would be read again.", "real work"),
  excerpts("nearLines", "lines", "on each side of one that is looked for", "A statement has about as many."),
  excerpts(
    "mostLookedFor",
    "lines",
    "of these in one declaration",
    "More leaves no room for what belongs together.",
    "real work"
  ),
  excerpts("mostHead", "lines", "in which the head of a declaration ends", "Longer ones are data."),
  excerpts(
    "mostFirst",
    "places",
    "of which the line is shown before their blocks",
    "More would take half of the room."
  ),
  excerpts(
    "outlineShare",
    "of what is left",
    "stays for blocks beside the outline",
    "The outline only says where to read on."
  ),
  lines("Packing.ts#longestLine", "characters", "a longer line is cut", "Minified lines would take all the room."),
  lines(
    "Packing.ts#beforeText",
    "characters",
    "before what is looked for in it",
    "What is looked for is seen with its beginning."
  ),
  lines(
    "Packing.ts#noteSlack",
    "characters",
    "a note may be longer than those that are measured",
    "Less makes a text longer than its budget."
  ),
  lines("EnclosingLines.ts#around", "lines", "on each side, where there is no block", "About a paragraph."),
  lines("EnclosingLines.ts#mostNames", "names", "of declarations around a line", "The innermost ones tell them apart."),
  lines("EnclosingLines.ts#longestName", "characters", "of a heading", "The rest does not tell headings apart."),
  gate(
    "leastWord",
    "characters",
    "shorter words of an address carry nothing",
    "They stand in most texts.",
    "decision 092"
  ),
  gate(
    "leastPiece",
    "characters",
    "shorter pieces of an encoded text carry nothing",
    "They stand in most texts.",
    "decision 092"
  ),
  clashes(
    "mostClashes",
    "times",
    "a task gets turns because of clashes",
    "Two tasks would follow one another without end."
  ),
  slots(
    "toolsTake",
    "ms",
    "a slot waits for the next turn of its task",
    "Without it a later step takes the slot; most tools take less.",
    "makespan"
  ),
  edits(
    "TextEdit.ts#alike",
    "of the characters",
    "lines are alike from here on",
    "Below, another line is shown as the one that was meant."
  ),
  edits(
    "TextEdit.ts#contextLines",
    "lines",
    "around the nearest place in the answer to a wrong edit",
    "Enough to copy the text."
  ),
  edits("TextEdit.ts#minKnown", "characters", "shorter lines are no known ones", "Brackets stand anywhere."),
  edits("EditPlaces.ts#minVisible", "characters", "that a text with an ellipsis needs", "Fewer stand anywhere."),
  edits("NewText.ts#leastLines", "lines", "of a file that a new text may lose", "A small file may be written anew."),
  edits(
    "NewText.ts#mostKept",
    "of its lines",
    "that a new text keeps to count as one with a loss",
    "A text that keeps more has lost little."
  )
]

const numbersIn = (value: string): string => value.replaceAll(/[[\]]/g, "").replaceAll(/(?<=\d)_(?=\d)/g, "")

const basisText: Readonly<Record<Basis, string>> = {
  "real work": "[real work](figures.md#real-work)",
  makespan: "[makespan](figures.md#waiting-for-the-model)",
  "decision 090": "[090](../decisions/090-a-task-begins-with-what-its-words-name.md)",
  "decision 092": "[092](../decisions/092-a-url-made-from-what-was-read-is-asked-about.md)",
  judgement: "judgement"
}

/** The value of a constant, or of a table entry (`file#table.entry`), in the source. */
const valueAt = (from: string): string => {
  const [file = "", name = ""] = from.split("#")
  const [table = "", entry] = name.split(".")
  if (entry === undefined) return valueOf(from)
  const text = readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8")
  const value = new RegExp(String.raw`const ${table} = \{[^}]*?\b${entry}: ([\d.]+)`).exec(text)?.[1]
  if (value === undefined) throw new Error(`There is no ${name} in src/${file}; see scripts/heuristics.ts.`)
  return value
}

const row = ({ basis, decides, from, unit }: Heuristic): string =>
  `| \`${from.split("#")[1]}\` | ${numbersIn(valueAt(from))} ${unit} | ${decides} | ${basisText[basis]} |`

const areaTable = (area: string): string =>
  [
    `## ${area}`,
    "",
    "| constant | value | decides | chosen by |",
    "|---|---:|---|---|",
    ...heuristics.filter((each) => each.area === area).map(row)
  ].join("\n")

/** The page docs/internals/heuristics.md. The reason for each value stands in this file alone. */
export const heuristicsPage = (): string =>
  [
    "# Heuristics",
    [
      "These constants decide what a model sees, when it is asked again, and what its words count for. A wrong value gives worse work, not a",
      "wrong result. The last column says what chose the value: a figure, a decision, or judgement. `scripts/heuristics.ts` has the reason",
      "for each. A test on each side of a value fails when it changes; [the mutation run](figures.md#decisions-that-tests-hold) says how",
      "many do."
    ].join("\n"),
    ...[...new Set(heuristics.map(({ area }) => area))].map(areaTable)
  ].join("\n\n")
