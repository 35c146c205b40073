import { testChangedPrograms } from "../../support/ChangedPrograms.ts"

testChangedPrograms("main")
