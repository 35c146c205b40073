import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { assert, describe } from "@effect/vitest"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerDatabase } from "../../../src/plugins/cluster/ClusterDatabase.ts"
import { databaseSettings } from "../../../src/plugins/cluster/DatabaseSettings.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { scopedSandbox } from "../../support/binary.ts"
import { makeCertificate } from "../../support/Certificate.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { makeServer, needsPostgres } from "../../support/Postgres.ts"
import { makePostgresProxy } from "../../support/PostgresProxy.ts"

const address = "postgres://me@db.example/conductor"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "settings-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const withEnvironment = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { ...env } }))

const settingsOf = (url: string, env: Readonly<Record<string, string>>) =>
  databaseSettings(Redacted.make(url)).pipe(withEnvironment(env), Effect.provide(NodeServices.layer))

describe("the settings of a database", () => {
  nodeTest("take the password from the address, else PGPASSWORD, else the file of passwords", function* () {
    const path = join(yield* folder, ".pgpass")
    writeFileSync(path, "db.example:5432:conductor:me:of the file\n", { mode: 0o600 })
    const home = { HOME: join(path, "..") }

    const rows = [
      ["postgres://me:mine@db.example/conductor", { PGPASSWORD: "no", ...home }, "mine"],
      [address, { PGPASSWORD: "given", ...home }, "given"],
      [address, home, "of the file"],
      [address, { PGPASSFILE: path }, "of the file"],
      ["postgres://you@db.example/conductor", home, undefined],
      [address, {}, undefined]
    ] as const
    for (const [url, env, found] of rows) {
      assert.strictEqual((yield* settingsOf(url, env)).settings.password, found, url)
    }
  })

  nodeTest("refuse a file of passwords that others can read, and say how to mend it", function* () {
    const path = join(yield* folder, "passwords")
    writeFileSync(path, "*:*:*:*:s3cret-w0rd\n")
    chmodSync(path, 0o644)
    const { message } = yield* Effect.flip(settingsOf(address, { PGPASSFILE: path }))
    assert.include(message, `chmod 600 ${path}`)
    assert.notInclude(message, "s3cret")
    const missing = yield* Effect.flip(settingsOf(address, { PGPASSFILE: "/nowhere/passwords" }))
    assert.include(missing.message, "the file /nowhere/passwords of PGPASSFILE is missing")
  })

  nodeTest("use TLS as the address asks for it, else as the variable does", function* () {
    for (const [query, mode, hasTls, isPreferred = false] of [
      ["", undefined, false],
      ["", "verify-full", true],
      ["", "prefer", true, true],
      ["?sslmode=require", "disable", true],
      ["?sslmode=disable", "require", false],
      ["?ssl=true", "disable", true],
      ["?ssl=false", "require", false],
      ["?ssl=0&sslmode=verify-full", undefined, true]
    ] as const) {
      const env: Readonly<Record<string, string>> = mode === undefined ? {} : { PGSSLMODE: mode }
      const { isTlsPreferred, settings } = yield* settingsOf(`${address}${query}`, env)
      assert.deepStrictEqual([query, settings.ssl, isTlsPreferred], [query, hasTls ? {} : false, isPreferred])
    }
  })

  nodeTest("refuse an address of which a part would be lost, and its mode of TLS with it", function* () {
    for (const [url, env, advice] of [
      ["postgres://u:pw@h/my#db?sslmode=verify-full", {}, "Write %23"],
      ["postgres://u:s3cret#w0rd@h/db", { PGSSLMODE: "verify-full" }, "Write %23"],
      [`${address}?application_name=a?b&sslmode=verify-full`, {}, "Write %3F"]
    ] as const) {
      const { message } = yield* Effect.flip(settingsOf(url, env))
      assert.deepStrictEqual([message.includes(advice), message.includes("s3cret")], [true, false], message)
    }
    const { ssl, database } = (yield* settingsOf("postgres://u@h/my%23db%3F?sslmode=verify-full", {})).settings
    assert.deepStrictEqual([ssl, database], [{}, "my#db?"])
  })

  nodeTest("check certificates whatever the address asks for", function* () {
    const path = join(yield* folder, "ca.crt")
    writeFileSync(path, "an authority")
    for (const mode of ["require", "prefer", "verify-ca", "verify-full"]) {
      const url = `${address}?sslmode=${mode}&uselibpqcompat=true&sslrootcert=${path}`
      const { ssl } = (yield* settingsOf(url, {})).settings
      assert.deepInclude(ssl, { ca: "an authority" })
      assert.notProperty(ssl, "rejectUnauthorized")
      /* Only this one is about the authority alone. */
      if (mode === "verify-ca") assert.property(ssl, "checkServerIdentity")
      else assert.notProperty(ssl, "checkServerIdentity")
    }
  })

  nodeTest("take the place from the address, which names a folder of sockets like other programs", function* () {
    const { settings } = yield* settingsOf("postgres://me@/conductor?host=/run/postgresql&port=5433", {})
    assert.deepInclude(settings, { host: "/run/postgresql", port: 5433, user: "me", database: "conductor" })
    for (const wrong of ["conductor", "http://db.example/conductor", "postgres://me@db.example:port/conductor"]) {
      assert.include((yield* Effect.flip(settingsOf(wrong, {}))).message, "is not an address like postgres://")
    }
  })

  nodeTest("say what is wrong with a mode, a switch or a file", function* () {
    const ca = { PGSSLMODE: "require", PGSSLROOTCERT: "/nowhere/ca.crt" }
    const rows: ReadonlyArray<readonly [query: string, env: Readonly<Record<string, string>>, why: string]> = [
      ["", { PGSSLMODE: "yes" }, 'the sslmode "yes" is not known. It is one of disable, allow'],
      ["", ca, "the file /nowhere/ca.crt of PGSSLROOTCERT cannot be read"],
      ["", { PGSSLMODE: "verify-ca" }, "sslmode=verify-ca needs the certificate of an authority"],
      ...["require", "no-verify", "yes", ""].map(
        (value) => [`?ssl=${value}`, {}, `ssl=${value} is not known. It is one of true, 1, false, 0`] as const
      )
    ]
    for (const [query, env, why] of rows) {
      assert.include((yield* Effect.flip(settingsOf(`${address}${query}`, env))).message, why)
    }
  })
})

/** A port that is free just now. */
const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const found = server.address()
        server.close(() => resolve(typeof found === "object" && found !== null ? found.port : 0))
      })
    })
)

const secret = "s3cret-w0rd"

/** A server that takes connections over TLS with a password only. */
const makeTlsServer = Effect.gen(function* () {
  const { authority, certificate, key } = makeCertificate("DNS:localhost")
  const port = yield* freePort
  const files = {
    "server.crt": certificate,
    "server.key": key,
    "pg_hba.conf": "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"
  }
  const settings = ["ssl=on", "listen_addresses=127.0.0.1", `port=${port}`]
  const { url } = yield* makeServer({ files, settings })
  yield* SqlClient.SqlClient.use((sql) => sql.unsafe(`ALTER USER tester PASSWORD '${secret}'`)).pipe(
    Effect.provide(layerDatabase(Redacted.make(`${url}&port=${port}`)))
  )
  const path = join(yield* folder, "ca.crt")
  writeFileSync(path, authority)
  return {
    path,
    named: `postgres://tester@localhost:${port}/postgres`,
    numbered: `postgres://tester@127.0.0.1:${port}/postgres`
  }
})

/** Whether the connection of a session is encrypted, or why there is none. */
const query = (url: string, env: Readonly<Record<string, string>>) =>
  SqlClient.SqlClient.use((sql) => sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`).pipe(
    Effect.provide(layerDatabase(Redacted.make(url))),
    withEnvironment(env),
    Effect.catchTag("DatabaseUnavailable", ({ message }) => Effect.succeed(message))
  )

describe("a database with TLS and a password", needsPostgres, () => {
  liveTest(
    "is used when the certificate is known and fits, and its password is shown nowhere",
    function* () {
      const { named, numbered, path } = yield* makeTlsServer
      const full = { PGSSLMODE: "verify-full", PGSSLROOTCERT: path, PGPASSWORD: secret }
      assert.deepStrictEqual(yield* query(named, full), [{ ssl: true }])
      assert.deepStrictEqual(yield* query(numbered, { ...full, PGSSLMODE: "verify-ca" }), [{ ssl: true }])
      for (const [url, env, said] of [
        [numbered, full, /does not match certificate|altnames/],
        [named, { PGSSLMODE: "require", PGPASSWORD: secret }, /certificate/],
        [named, { ...full, PGPASSWORD: "wrong" }, /password authentication failed/],
        [named, { PGPASSWORD: secret, PGSSLMODE: "disable" }, /no encryption|pg_hba/]
      ] as const) {
        const message = yield* query(url, env)
        assert.match(String(message), said)
        assert.notInclude(String(message), secret)
      }
      /* The program says nothing of it, and its words hold no password. */
      const sandbox = yield* scopedSandbox()
      const env = { ...full, TASK_CONDUCTOR_DATABASE: named }
      const listed = yield* Effect.promise(() => sandbox.run(["runs", "--cluster"], { env }))
      assert.deepInclude(listed, { code: 0 })
      const seen = yield* Effect.promise(() => sandbox.run(["doctor", "--cluster", "--json"], { env }))
      const { findings } = JSON.parse(seen.stdout)
      assert.deepInclude(
        findings.find((one: { readonly name: string }) => one.name === "TLS"),
        { state: "ok", what: "in use (TLSv1.3)" }
      )
      assert.notInclude(seen.stdout + seen.stderr, secret)
      assert.notInclude(listed.stderr + listed.stdout, secret)
    },
    needs("openssl")
  )
})

describe("a database at the start of a program", needsPostgres, () => {
  for (const [what, code, times, isUsed] of [
    ["stops just then, and is away for a moment", "57P01", 1, true],
    ["starts", "57P03", 3, true],
    ["refuses a grant", "42501", 1, false]
  ] as const) {
    liveTest(`${isUsed ? "is waited for when it" : "ends the program when it"} ${what}`, function* () {
      const postgres = yield* makeServer({})
      const proxy = yield* makePostgresProxy({ path: `${postgres.folder}/.s.PGSQL.5432` })
      proxy.fail({ with: code, times })
      const message = yield* query(proxy.url, {})
      if (isUsed) assert.deepStrictEqual(message, [{ ssl: false }])
      else assert.match(String(message), /cannot be used: injected 42501/)
    })
  }
})
