import { testChangedPrograms } from "../../support/ChangedPrograms.ts"

testChangedPrograms("others")
