/**
 * Files, locks and references, and the processes and addresses of this machine. Imported as "task-conductor/kit/files".
 * Every version may change it, so only features, and packages of exactly this version, may import it.
 */

/* Files. */
export { numberedRows } from "../domain/files/ChangePreview.ts"
export { replaceFile } from "../services/files/AtomicWrite.ts"
export { isWithin, pathFrom, specialKind } from "../services/files/CanonicalPath.ts"
export { codeOf, explanationOf } from "../services/files/FileFailure.ts"
export { isFolder, isThere, realPath } from "../services/files/FileLook.ts"
export { readBoundedBytes, readBoundedFile, readGivenFile } from "../services/files/GivenFile.ts"
export { hashOf, textHash } from "../services/files/Hash.ts"
export { filesIn } from "../services/files/KeptFiles.ts"
export { moduleUrl } from "../services/files/PackageFolder.ts"
export { takeLock } from "../services/files/ProcessLock.ts"
export { type LockedProject, ProjectWriteLock, takeProject } from "../services/files/ProjectWriteLock.ts"
export { trustedSearchPath } from "../services/files/SearchPath.ts"

/* References. */
export { checkInputPaths } from "../services/references/FileReferences.ts"
export { References } from "../services/references/References.ts"

/* Processes and the network. */
export {
  canonicalAddress,
  hostAndPort,
  isAddress,
  isOwnAddress,
  notPublic,
  portOf
} from "../domain/commands/NetworkAddress.ts"
export { findProgram } from "../services/commands/ChildRun.ts"
export { commandScripts, readScript } from "../services/commands/CommandScripts.ts"
export { withoutInherited } from "../services/commands/Descriptors.ts"
export { interfaceAddresses } from "../services/commands/NetworkProxy.ts"
export { endsWithProgram } from "../services/commands/Watchdog.ts"
export { schemeHint, secureFault } from "../services/providers/SecureFault.ts"
