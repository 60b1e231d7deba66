/** A scheduler over real triggers and runs, a launcher that starts nothing, and pipes that are named and nothing else. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiKeys } from '../../../src/http/api-key.ts'
import { logger } from '../../../src/log.ts'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { openRuns } from '../../../src/pipe/runs/run-history.ts'
import { findPipe, type PipeEntry } from '../../../src/pipe/sources/pipe-files.ts'
import { schedulerApp } from '../../../src/scheduler/scheduler-app.ts'
import type { SchedulerContext } from '../../../src/scheduler/scheduler-contract.ts'
import { openTriggers } from '../../../src/scheduler/triggers.ts'
import { handClock, type HandClock } from './hand-clock.ts'
import { launcherDouble } from './launcher-double.ts'

export const pipeNamed = (name: string, id = `id-of-${name}`, config: JsonObject = {}): Pipe => ({
  header: { id, name, title: `Harvest ${name}`, transport: 'payload', version: '2.0.0' },
  body: {
    segments: [
      {
        header: { name: 'importing-rdf', segmentNumber: 1, processed: false },
        body: { config: { address: `https://data.example/${name}.ttl`, ...config } },
      },
      {
        header: { name: 'exporting-hub', segmentNumber: 2, processed: false },
        body: { config: {} },
      },
    ],
  },
})

const known = (pipe: Pipe): PipeEntry => ({
  pipe,
  source: 'pipes',
  file: `${pipe.header.name}.json`,
  trust: 'trusted',
  directory: '/pipes',
  problems: [],
})

/** With permission for everything, for the catalogue of all runs, and for single endpoints. */
const keyConfig = {
  operator: ['*'],
  steward: ['city'],
  starter: ['POST /pipes/{pipe}/runs', 'GET /triggers/*/*/enabled'],
}

type Options = Partial<Pick<SchedulerContext, 'confirm'>> & {
  readonly pipes?: readonly Pipe[]
  /** Written a moment ago, and known to nobody who does not look. */
  readonly arriving?: readonly Pipe[]
  /** Names of pipes that are gone; may change. */
  readonly gone?: ReadonlySet<string>
  readonly directory?: string
  readonly start?: string
  readonly clock?: HandClock
  readonly random?: () => number
}

export function schedulerFixture(options: Options = {}) {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'cartulary-scheduler-'))
  const clock = options.clock ?? handClock(options.start ?? '2026-11-21T12:00:00Z')
  const log = logger('silent')
  const pause = (ms: number, signal: AbortSignal) =>
    sleep(ms, undefined, { signal }).catch(() => undefined)
  const { now } = clock
  const path = (name: string) => join(directory, name)
  const runs = openRuns({ path: path('runs.sqlite'), owner: 'test', now, pause, log })
  const launcher = launcherDouble(runs)
  const file = path('triggers.sqlite')
  const { random } = options
  const chance = random && { random }
  /** Full, it takes no group of runs. */
  const disk = { isFull: false }
  const transaction = <T>(work: () => T): T =>
    runs.transaction(() => {
      const result = work()
      if (disk.isFull) throw new Error('no space left')
      return result
    })
  const runsFixture = {
    launcher,
    runs: { transaction, list: runs.list.bind(runs) },
    now,
    pause: clock.pause,
    log,
  }
  const isMissing = (pipe: string) => options.gone?.has(pipe) === true
  const triggers = openTriggers({ path: file, ...runsFixture, ...chance, isMissing })
  const list = (options.pipes ?? [pipeNamed('city'), pipeNamed('lake')]).map(known)
  const arriving = (options.arriving ?? []).map(known)
  const ending = new AbortController()
  const app = schedulerApp({
    pipes: {
      list: () => list,
      invalid: () => [
        { source: 'pipes', file: 'broken.json', problems: [{ detail: 'no header' }] },
      ],
      find: (nameOrId) => {
        const found = findPipe(list, nameOrId)
        return found && isMissing(found.pipe.header.name) ? undefined : found
      },
      reloadDirectories: async () => void list.push(...arriving.splice(0)),
    },
    launcher,
    runs,
    triggers,
    confirm: options.confirm ?? (async () => undefined),
    keys: apiKeys(keyConfig),
    pipeBytes: 100_000,
    writesPerKey: 16,
    triggersPerPipe: 100,
    now,
    pause,
    stopping: ending.signal,
    http: {
      log,
      base: '/api/scheduler',
      publicAddress: { base: 'http://localhost:8080/' },
    },
    version: '0.0.0',
  })
  return {
    app,
    clock,
    disk,
    runs,
    triggers,
    launches: launcher.launches,
    directory,
    ...asking(app),
    close: async (keep = false) => {
      ending.abort()
      await triggers.stop()
      await runs.close()
      if (!keep) rmSync(directory, { recursive: true, force: true })
    },
  }
}

export type SchedulerFixture = ReturnType<typeof schedulerFixture>

/** What JSON answers say, as far as tests read it: a problem, a run, its items or report, a pipe, a trigger, or a list of them. */
type Told = readonly Told[] & {
  readonly id: string
  readonly originalId: string
  readonly type: string
  readonly status: string
  readonly pipe: string
  readonly next: string
  readonly last: string
  readonly configs: Readonly<Record<string, unknown>>
  readonly errors: readonly { readonly pointer?: string; readonly detail: string }[]
  readonly problems: Readonly<Record<string, { readonly count: number }>>
  readonly findings: Readonly<Record<string, unknown>>
  readonly paths: Readonly<Record<string, object>>
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: object }>>
  }
  readonly header: { readonly name: string }
  readonly body: { readonly segments: readonly { readonly body: { readonly config: unknown } }[] }
}

type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Empty where the answer is no JSON. */
  readonly body: Told
}

function asking(app: ReturnType<typeof schedulerApp>) {
  const ask = async (
    method: string,
    path: string,
    {
      body,
      key = 'operator',
      headers = {},
    }: { body?: unknown; key?: string | null; headers?: Record<string, string> } = {},
  ): Promise<Answer> => {
    const answer = await app.request(path, {
      method,
      headers: { ...(key !== null && { 'X-API-Key': key }), ...headers },
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    })
    const text = await answer.text()
    const isJson = /\bjson$/.test(answer.headers.get('Content-Type') ?? '')
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: JSON.parse(isJson && text !== '' ? text : '[]'),
    }
  }
  return {
    ask,
    /** Without a key. */
    get: (path: string) => ask('GET', path, { key: null }),
    put: (path: string, body: unknown) => ask('PUT', path, { body }),
  }
}
