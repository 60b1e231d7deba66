/** A launcher with segments that do what the test says. */

import { expect, onTestFinished } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { segmentResolver } from '../../../src/pipe/segment-resolver.ts'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import type { Message } from '../../../src/pipe/message.ts'
import {
  openLauncher,
  type Launcher,
  type LauncherOptions,
} from '../../../src/pipe/running/launcher.ts'
import type { Feed, Run } from '../../../src/pipe/runs/run.ts'
import type { Runs } from '../../../src/pipe/runs/run-history.ts'
import type { SegmentContext, SegmentFunction, SegmentKind } from '../../../src/pipe/segment.ts'
import { runsFixture, pause, silent, type RunsFixture } from '../runs/runs-fixture.ts'

const record = (n: number): Message => ({
  kind: 'record',
  counter: n,
  sourceId: `s${n}`,
  originalId: `s${n}`,
  aliases: [],
  mediaType: 'application/n-triples',
  text: '',
  findings: [],
})

/** Config of the importer: how many records; `fails`, `hangs` (obeys the signal), `deaf` (does not). */
type Orders = { readonly records?: number; readonly after?: 'fails' | 'hangs' | 'deaf' }

type Stage = {
  /** What the importers were told, in order of their start. */
  readonly contexts: SegmentContext[]
  readonly configs: JsonObject[]
  /** Importers that hang. */
  readonly held: Set<() => void>
  /** Lets them go on. */
  readonly release: () => void
  readonly kinds: readonly SegmentKind[]
  /** What runs were fed with; a catalogue of the name `slow` hangs. */
  readonly feeds: Feed[]
  readonly fed: (feed: Feed) => SegmentFunction
}

function stage(): Stage {
  const contexts: SegmentContext[] = []
  const configs: JsonObject[] = []
  const held = new Set<() => void>()
  const importing = (config: JsonObject): SegmentFunction =>
    async function* (_, context, signal) {
      contexts.push(context)
      configs.push(config)
      const { records = 3, after } = config as Orders
      for (let n = 1; n <= records; n += 1) {
        context.sink.offered()
        yield record(n)
      }
      yield { kind: 'page', cursor: `after-${records}` }
      if (after === 'fails') throw new Failure('source-html', 'a login page')
      if (after === 'deaf' || after === 'hangs') {
        const gate = Promise.withResolvers<void>()
        const open = () => gate.resolve()
        held.add(open)
        if (after === 'hangs') {
          signal.addEventListener('abort', () => gate.reject(signal.reason as Error))
        }
        await gate.promise.finally(() => held.delete(open))
      }
      yield { kind: 'end', completeness: { kind: 'complete', fingerprint: 'f' } }
    }
  const exporting: SegmentFunction = async function* (input, { sink, dryRun, only }) {
    for await (const message of input) {
      if (message.kind === 'record' && (!only || only.has(message.sourceId))) {
        const isBad = message.sourceId === 's2' && !only
        const problem = {
          type: 'urn:cartulary:problem:export-refused',
          title: 't',
          status: 422,
        } as const
        const named = { sourceId: message.sourceId, stage: 'export' } as const
        sink.item(isBad ? { ...named, state: 'failed', problem } : { ...named, state: 'created' })
      }
      if (message.kind === 'end') {
        sink.outcome(dryRun ? 'dry-run' : message.completeness.kind)
      } else yield message
    }
  }
  const kind = (
    name: string,
    job: SegmentKind['job'],
    run: (config: JsonObject) => SegmentFunction,
  ): SegmentKind => ({
    names: [name],
    job,
    schema: () => ({}),
    open: (config) =>
      config['address'] === 7
        ? { ok: false, problems: [{ key: 'address', detail: 'must be a URL' }] }
        : { ok: true, run: run(config) },
  })
  const feeds: Feed[] = []
  return {
    contexts,
    configs,
    held,
    feeds,
    fed: (feed) => {
      feeds.push(feed)
      return importing(feed.catalogue === 'slow' ? { after: 'hangs' } : {})
    },
    release: () => held.forEach((open) => open()),
    kinds: [
      kind('importing-test', 'import', importing),
      kind('exporting-hub', 'export', () => exporting),
      kind('metrics-test', 'metrics', () => (input) => input),
      kind('transforming-test', 'transform', () => (input) => input),
    ],
  }
}

export const pipe = (name: string, config: JsonObject = {}, importer = 'importing-test'): Pipe => ({
  header: { id: name, name, transport: 'payload', version: '2.0.0' },
  body: {
    segments: [
      {
        header: { name: importer, segmentNumber: 1, processed: false },
        body: { config: { catalogue: `of-${name}`, ...config } },
      },
      {
        header: { name: 'exporting-hub', segmentNumber: 2, processed: false },
        body: { config: {} },
      },
    ],
  },
})

export type LauncherFixture = {
  readonly place: RunsFixture
  readonly stage: Stage
  readonly runs: Runs
  readonly launcher: Launcher
  readonly pipes: Map<string, Pipe>
  /** The run of a launch that was not dropped. */
  readonly go: (name: string, more?: Partial<Parameters<Launcher['launch']>[0]>) => Run
  readonly status: (id: string) => Run['status'] | undefined
  /** When so many importers hang. */
  readonly hanging: (count: number) => Promise<void>
}

export async function launcherFixture(
  options: Partial<LauncherOptions> = {},
  place = runsFixture(),
): Promise<LauncherFixture> {
  const scene = stage()
  const pipes = new Map(
    [
      pipe('city'),
      pipe('other'),
      pipe('slow', { after: 'hangs' }),
      pipe('deaf', { after: 'deaf' }),
      pipe('broken', { after: 'fails' }),
      pipe('many', { records: 100 }),
      pipe('short', { after: 'hangs', deadline: 'PT10S' }),
      pipe('wrong', { address: 7 }),
      pipe('measuring', {}, 'metrics-test'),
      pipe('mapping', {}, 'transforming-test'),
      pipe('all', { catalogue: null }, 'metrics-test'),
      pipe('typo', {}, 'importing-tset'),
    ].map((one) => [one.header.name, one]),
  )
  const runs = place.open()
  const launcher = await openLauncher({
    runs,
    sources: {
      find: (name) => {
        const found = pipes.get(name)
        return (
          found && {
            pipe: found,
            source: 'pipes',
            file: '',
            trust: 'trusted',
            directory: '/',
            problems: [],
          }
        )
      },
    },
    resolve: segmentResolver({}, scene.kinds),
    feeds: scene.fed,
    atOnce: 4,
    deadlineMs: 6 * 3_600_000,
    stallMs: 600_000,
    graceMs: 50,
    now: () => place.at,
    pause,
    log: silent,
    ...options,
  })
  onTestFinished(() => launcher.stop())
  return {
    place,
    stage: scene,
    runs,
    launcher,
    pipes,
    go: (name, more = {}) => {
      const launched = launcher.launch({ pipe: name, startedBy: 'api', ...more })
      if ('dropped' in launched) throw new Error('dropped')
      return launched.run
    },
    status: (id) => runs.get(id)?.status,
    hanging: async (count) => {
      await expect.poll(() => scene.held.size).toBe(count)
    },
  }
}

export const timeoutSignal = () => AbortSignal.timeout(20_000)
