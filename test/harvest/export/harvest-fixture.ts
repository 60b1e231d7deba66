/** A harvest from made-up sources into a real repository: real runs, real launcher, a clock that the test moves. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openHarvest, type HarvestOptions } from '../../../src/harvest/harvest.ts'
import { defaultHarvest } from '../../../src/config/harvest.ts'
import type { Outbound } from '../../../src/client/outbound.ts'
import { segmentResolver } from '../../../src/pipe/segment-resolver.ts'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import type { Message } from '../../../src/pipe/message.ts'
import { openLauncher } from '../../../src/pipe/running/launcher.ts'
import type { Launch } from '../../../src/pipe/running/execution.ts'
import type { Run, RunItem } from '../../../src/pipe/runs/run.ts'
import type { SegmentContext, SegmentFunction, SegmentKind } from '../../../src/pipe/segment.ts'
import type { InvalidFile, PipeEntry } from '../../../src/pipe/sources/pipe-files.ts'
import type { ResourceType } from '../../../src/profile/profile.ts'
import { runsFixture, pause, silent } from '../../pipe/runs/runs-fixture.ts'
import { repository } from '../../support/repository.ts'

/** A source of records: what it tells when it is asked. */
export type Source = (
  context: SegmentContext,
  signal: AbortSignal,
) => Iterable<Message> | AsyncIterable<Message>

const key = 'a-key-for-harvests'
const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
const titled = '<http://purl.org/dc/terms/title>'

/** One dataset as N-Triples. */
export const dataset = (id: string, title: string): string =>
  `<https://source.example/${encodeURIComponent(id)}> ${titled} ${JSON.stringify(title)} .\n` +
  `<https://source.example/${encodeURIComponent(id)}> ${type} <http://www.w3.org/ns/dcat#Dataset> .\n`

export const record = (
  id: string,
  title = id,
  more: Partial<Extract<Message, { kind: 'record' }>> = {},
): Message => ({
  kind: 'record',
  counter: 1,
  sourceId: id,
  aliases: [],
  mediaType: 'application/n-triples',
  text: dataset(id, title),
  sourceHash: `hash of ${title}`,
  findings: [],
  ...more,
})

export const complete = (fingerprint = 'f'): Message => ({
  kind: 'end',
  completeness: { kind: 'complete', fingerprint, outputHash: 's', validators: [] },
})

export const whole =
  (...ids: readonly string[]): Source =>
  () => [...ids.map((id) => record(id)), complete()]

export const pipeOf = (name: string, config: JsonObject = {}, exporter: JsonObject = {}): Pipe => ({
  header: { id: name, name, transport: 'payload', version: '2.0.0' },
  body: {
    segments: [
      {
        header: { name: 'importing-test', segmentNumber: 1, processed: false },
        body: { config: { catalogue: 'city', ...config } },
      },
      {
        header: { name: 'exporting-hub', segmentNumber: 2, processed: false },
        body: { config: exporter },
      },
    ],
  },
})

const nowhere: Outbound = {
  request: () => Promise.reject(new Error('no request leaves this test')),
  read: () => Promise.reject(new Error('no request leaves this test')),
  robots: () => Promise.resolve('unknown'),
  close: () => Promise.resolve(),
}

export type HarvestFixtureOptions = {
  readonly harvest?: Partial<HarvestOptions>
  readonly catalogues?: readonly string[]
  /** Types that the profile of the repository declares. */
  readonly resources?: readonly ResourceType[]
  /** What cannot be read among the pipes. */
  readonly invalid?: readonly InvalidFile[]
  /** Whether the repository says what it would make of a record; true when absent. */
  readonly previews?: boolean
  /** Transformers and the like. */
  readonly kinds?: readonly SegmentKind[]
}

export async function harvestFixture({
  harvest: more = {},
  ...setting
}: HarvestFixtureOptions = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'harvest-'))
  const hub = await repository({
    keys: { [key]: ['*'] },
    ...(setting.resources && { resources: setting.resources }),
  })
  for (const id of setting.catalogues ?? ['city']) await hub.putCatalogue(id)
  const place = runsFixture(join(directory, 'runs.sqlite'))
  const runs = place.open({ keepSource: 'all' })
  const pipes = new Map<string, Pipe>([['p', pipeOf('p')]])
  const sources = new Map<string, Source>()
  const requests: { readonly method: string; readonly path: string }[] = []
  const self = {
    /** Answers in place of the repository. */
    intercept: undefined as
      | ((request: Request, number: number) => Response | undefined | Promise<undefined>)
      | undefined,
  }
  const knownPipe = (name: string): PipeEntry | undefined => {
    const pipe = pipes.get(name)
    const rest = {
      source: 'pipes',
      file: `${name}.yaml`,
      trust: 'trusted',
      directory,
      problems: [],
    } as const
    return pipe && { pipe, ...rest }
  }
  const options: HarvestOptions = {
    outbound: nowhere,
    directory,
    scratch: directory,
    config: defaultHarvest,
    secret: () => undefined,
    repository: {
      address: 'http://localhost:8080/',
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url)
        requests.push({ method: request.method, path: pathname + search })
        const answer = await self.intercept?.(request, requests.length)
        return answer ?? hub.app.fetch(request)
      },
      ...(setting.previews !== false && { previewDataset: hub.previewDataset }),
    },
    serviceDiscovery: {},
    key: { ownRepository: () => key, otherRepository: () => key },
    runs,
    sources: () => ({ find: knownPipe, invalid: () => setting.invalid ?? [] }),
    log: silent,
    now: () => place.at,
    random: () => 0.5,
    pause: (_, signal) => pause(1, signal),
    ...more,
  }
  let harvest = await openHarvest(options)
  const importer: SegmentKind = {
    names: ['importing-test'],
    job: 'import',
    schema: () => ({}),
    open: () => ({
      ok: true,
      run: async function* (_, context, signal) {
        const source = sources.get(context.pipe)
        for await (const message of source?.(context, signal) ?? []) {
          if (message.kind === 'record' || message.kind === 'refused') context.sink.offered()
          yield message
        }
      },
    }),
  }
  const launcherOptions = () => ({
    runs,
    sources: { find: knownPipe },
    resolve: segmentResolver({}, [importer, ...(setting.kinds ?? []), ...harvest.kinds]),
    afterImport: harvest.afterImport,
    // What a pipe without an importer is fed with: the records of its source, else those of the first pipe.
    feeds: (): SegmentFunction =>
      async function* (_, context, signal) {
        const source = sources.get(context.pipe) ?? sources.get('p')
        for await (const message of source?.(context, signal) ?? []) {
          if (message.kind !== 'record') yield message
          else if (!context.only || context.only.has(message.sourceId)) {
            context.sink.offered()
            yield message
          }
        }
      },
    atOnce: 4,
    deadlineMs: 6 * 3_600_000,
    stallMs: 600_000,
    graceMs: 5000,
    now: () => place.at,
    pause,
    log: silent,
  })
  let launcher = await openLauncher(launcherOptions())
  onTestFinished(async () => {
    await launcher.stop()
    await harvest.stop()
    await hub.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const begin = (pipe = 'p', launch: Partial<Launch> = {}): Run => {
    place.at += 1000
    const launched = launcher.launch({ pipe, startedBy: 'api', ...launch })
    if ('dropped' in launched) throw new Error('dropped')
    return launched.run
  }
  const ended = async (id: string): Promise<Run> => {
    const run = await launcher.waitForEnd(id, AbortSignal.timeout(60_000))
    place.at += 1000
    return run
  }
  return Object.assign(self, {
    hub,
    place,
    runs,
    pipes,
    sources,
    requests,
    begin,
    ended,
    launcher: () => launcher,
    harvest: () => harvest,
    /** What the pipe's source tells from now on. */
    offers: (source: Source, pipe = 'p') => void sources.set(pipe, source),
    run: async (pipe = 'p', launch: Partial<Launch> = {}) => ended(begin(pipe, launch).id),
    items: (run: Run, state?: RunItem['state']): RunItem[] => [
      ...runs.items(run.id, state ? { state } : {}),
    ],
    /** Original ids of the catalogue. */
    ids: async (catalogue = 'city'): Promise<string[]> => {
      const answer = await hub.ask(`/catalogues/${catalogue}/datasets?valueType=originalIds`)
      return ((await answer.json()) as string[]).toSorted()
    },
    /** The dataset as it is stored; its status when it is not. */
    text: async (originalId: string, catalogue = 'city'): Promise<string> => {
      const path = `/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`
      const answer = await hub.ask(path, { headers: { Accept: 'application/n-triples' } })
      return answer.status === 200 ? answer.text() : String(answer.status)
    },
    /** As after a restart of the process: everything that was in memory is gone. */
    restart: async (change: () => void = () => undefined) => {
      await launcher.stop()
      await harvest.stop()
      change()
      harvest = await openHarvest(options)
      launcher = await openLauncher(launcherOptions())
    },
    directory,
  })
}

export type HarvestFixture = Awaited<ReturnType<typeof harvestFixture>>
