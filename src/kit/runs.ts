/**
 * Runs: their events and reports, journals, saved runs, and conversations. Imported as "task-conductor/kit/runs". Every
 * version may change it, so only features, and packages of exactly this version, may import it.
 */

/* Conversations. */
export { conversationMarkdown, hostAnswer } from "../domain/conversation/Conversation.ts"
export { readMessageTurn } from "../domain/conversation/MessageTurn.ts"
export { ConversationMessage, isFromUser } from "../domain/models/ConversationMessage.ts"
export { makeMessageQueue } from "../services/conversation/MessageQueue.ts"
export { conversationOf, findConversation, saveConversation } from "../services/conversation/ConversationStore.ts"

/** Orders of runs, and the outcomes of runs. */
export { passes } from "../domain/checks/CheckOutcome.ts"
export {
  aboutCheck,
  checkState,
  claimText,
  deniedText,
  factLines,
  RunFacts,
  seenTexts,
  stateLine
} from "../domain/checks/Facts.ts"
export { toolCallText } from "../domain/runs/CallText.ts"
export { changeOf } from "../domain/runs/FileChanges.ts"
export { unfollowed } from "../domain/runs/Followed.ts"
export { emptyLive, liveStateAfter, isResolved, type LiveState } from "../domain/runs/LiveState.ts"
export { deniedTasks } from "../domain/runs/NotDone.ts"
export { outcomeText } from "../domain/runs/OutcomeText.ts"
export { NoValidPlan, RunOrder } from "../domain/runs/RunOrder.ts"
export { outcomeOf, type RoundsEnd } from "../domain/runs/RunOutcome.ts"
export {
  addModelCall,
  AskReport,
  exitCodeOf,
  noUsage,
  RunReport,
  RunStatus,
  RunUsage
} from "../domain/runs/RunReport.ts"

/* Events, their keys and their formats. */
export { activityName, attemptText, keyOfActivity, parseKey, stageKey } from "../domain/runs/ActivityKey.ts"
export { isOtherBuild } from "../domain/runs/OtherBuild.ts"
export { flattenEvent, ModelProgress } from "../domain/runs/RunEvent.ts"
export { RunEvents } from "../services/runs/RunEvents.ts"
export { makeRunId, startOfRun } from "../services/runs/RunId.ts"

/* Journals. */
export {
  ClusterRun,
  ClusterRunEnding,
  EventPublished,
  JournalRecord,
  journalVersion,
  RunOpened,
  type TimedRecord
} from "../domain/journal/JournalRecord.ts"
export { RecordedTool, recordedTools } from "../domain/journal/RecordedTool.ts"
export { Activities, type Activity, asJson, type RunStage } from "../services/journal/Activities.ts"
export { holdsModelCalls, Journal, knownBy, makeKnownWork } from "../services/journal/Journal.ts"
export { JournalError, JournalReason } from "../services/journal/JournalError.ts"
export { type JournalLine, lineOf, parseJson, readRecord, readRecords } from "../services/journal/JournalLine.ts"
export { answered } from "../services/journal/RecordedAnswers.ts"
export { leftOutNote, unknownRecord } from "../services/journal/UnknownRecords.ts"

/* Saved runs. */
export { layerRuns, readRun } from "../app/savedRuns.ts"
export { forkRecords, hasEnded, publishedEvents } from "../domain/history/JournalParts.ts"
export {
  Attempt,
  attemptsOf,
  CallEvidence,
  eventsOf,
  runOf,
  TaskEvidence,
  taskEvidence,
  TaskNotFound,
  UnrunCall
} from "../domain/history/RunEvidence.ts"
export { runFromJournal, type RunFold } from "../domain/history/RunFold.ts"
export { RunHead, RunOverview, runOverview, RunSummary } from "../domain/history/RunOverview.ts"
export { countedSettings } from "../domain/history/SavedSettings.ts"
export { changesOfRun, patchOf, undoRun } from "../services/history/RunChanges.ts"
export { chooseRun, runsOf, RunStore } from "../services/history/RunStore.ts"
